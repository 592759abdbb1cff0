import numpy as np
import pytest
from hypothesis import given, settings
from imblearn.over_sampling import RandomOverSampler
from sklearn.base import clone

from rarelabels.sampling import (
    MLROS,
    MLRUS,
    MLSMOTE,
    REMEDIAL,
    MLeNN,
    SamplerChain,
    remedial_hwr_hus,
    remedial_hwr_ros,
    rhwrsmt,
)
from strategies import data_sets


@settings(max_examples=100)
@given(data=data_sets(min_samples=6, max_samples=20, max_labels=5))
def test_equals_one_sampler_after_another(resample, data):
    X, Y, _ = data
    members = [MLSMOTE(random_state=1), MLRUS(random_state=2), MLROS(random_state=3)]
    chain = SamplerChain(members)
    X_new, Y_new = resample(chain, X, Y)
    origins, is_synthetic = np.arange(len(X)), np.zeros(len(X), dtype=bool)
    for member in members:
        X, Y = resample(member, X, Y)
        origins = origins[member.sample_indices_]
        is_synthetic = is_synthetic[member.sample_indices_] | member.is_synthetic_
    np.testing.assert_array_equal(X_new, X)
    np.testing.assert_array_equal(Y_new, Y)
    np.testing.assert_array_equal(chain.sample_indices_, origins)
    np.testing.assert_array_equal(chain.is_synthetic_, is_synthetic)


def test_a_seed_seeds_every_member_differently(clouds):
    X, Y = clouds
    chain = SamplerChain([MLROS(), MLROS(), REMEDIAL()], random_state=0)
    first = chain.fit_resample(X, Y)[0]
    assert chain.samplers_[0].random_state != chain.samplers_[1].random_state
    np.testing.assert_array_equal(clone(chain).fit_resample(X, Y)[0], first)
    assert [member.random_state for member in chain.samplers] == [None, None, None]


def test_without_a_seed_members_keep_their_own(clouds):
    chain = SamplerChain([MLROS(random_state=7)])
    chain.fit_resample(*clouds)
    assert chain.samplers_[0].random_state == 7
    assert not hasattr(chain.samplers[0], "sample_indices_")


def test_parameters_of_members_are_parameters_of_the_chain():
    chain = SamplerChain([REMEDIAL(), MLSMOTE(), MLSMOTE(n_neighbors=2)])
    params = chain.get_params()
    assert params["mlsmote-2__n_neighbors"] == 2
    assert chain.set_params(**{"mlsmote-1__n_neighbors": 9}) is chain
    assert chain.samplers[1].n_neighbors == 9
    chain.set_params(remedial=MLROS(), random_state=3)
    assert isinstance(chain.samplers[0], MLROS)
    assert chain.random_state == 3
    chain.set_params(samplers=[("cut", MLRUS())], cut__sampling_ratio=0.5)
    assert chain.get_params()["cut__sampling_ratio"] == 0.5
    chain.set_params(cut=MLeNN())
    assert [type(member) for _, member in chain.samplers] == [MLeNN]
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        chain.set_params(nonsense=1)


def test_a_clone_has_members_of_its_own():
    chain = SamplerChain([("first", MLROS()), MLSMOTE()], n_jobs=2)
    copy = clone(chain)
    copy.set_params(first__sampling_ratio=0.5)
    assert chain.samplers[0][1].sampling_ratio == 0.1
    assert copy.n_jobs == 2


def test_jobs_go_to_every_member(clouds):
    chain = SamplerChain([MLROS(), MLSMOTE(n_jobs=1)], n_jobs=2)
    chain.fit_resample(*clouds)
    assert [member.n_jobs for member in chain.samplers_] == [2, 2]


def test_chains_may_be_nested(clouds):
    inner = SamplerChain([MLRUS(), MLROS()])
    chain = SamplerChain([inner, REMEDIAL()], random_state=0)
    chain.fit_resample(*clouds)
    assert chain.get_params()["samplerchain__mlrus__sampling_ratio"] == 0.1
    assert chain.n_labels_in_ == 3


class Halve:
    """Somebody's sampler: no parameters, no record of what it did."""

    def fit_resample(self, X, y):
        return X[::2], y[::2]


class HalveAndTell(Halve):
    def fit_resample(self, X, y):
        self.sample_indices_ = np.arange(0, len(X), 2)
        return super().fit_resample(X, y)


def test_members_may_be_of_any_make(clouds):
    X, Y = clouds
    chain = SamplerChain([HalveAndTell(), MLROS()], random_state=0)
    X_new, _ = chain.fit_resample(X, Y)
    np.testing.assert_array_equal(X_new, X[chain.sample_indices_])
    assert not chain.is_synthetic_.any()
    # Where a member does not tell, the chain cannot.
    chain = SamplerChain([Halve(), MLROS()], random_state=0)
    assert len(chain.fit_resample(X, Y)[0]) > 100
    assert not hasattr(chain, "sample_indices_")
    assert not hasattr(chain, "is_synthetic_")
    assert chain.n_labels_in_ == 3


def test_a_sampler_for_one_label_is_refused_by_itself(clouds):
    with pytest.raises(ValueError, match=r"binary or multiclass|[Mm]ulti-?label"):
        SamplerChain([RandomOverSampler()]).fit_resample(*clouds)


@pytest.mark.parametrize("wrong", [[], None, MLROS()])
def test_needs_a_list(wrong, clouds):
    with pytest.raises(ValueError, match="a list of at least one sampler"):
        SamplerChain(wrong).fit_resample(*clouds)


@pytest.mark.parametrize("wrong", [["mlros"], [("name", "mlros")], [("a", MLROS(), 1)]])
def test_needs_samplers(wrong, clouds):
    with pytest.raises(TypeError, match="objects with fit_resample"):
        SamplerChain(wrong).fit_resample(*clouds)


def test_rhwrsmt_is_remedial_then_mlsmote(clouds):
    X, Y = clouds
    chain = rhwrsmt(n_neighbors=3, random_state=0, n_jobs=1)
    X_new, Y_new = chain.fit_resample(X, Y)
    first, second = chain.samplers_
    assert isinstance(first, REMEDIAL)
    assert second.n_neighbors == 3
    expected = second.fit_resample(*REMEDIAL().fit_resample(X, Y))
    np.testing.assert_array_equal(X_new, expected[0])
    np.testing.assert_array_equal(Y_new, expected[1])
    assert chain.is_synthetic_.sum() == second.is_synthetic_.sum() > 0


@pytest.mark.parametrize(("make", "second"), [(remedial_hwr_ros, MLROS), (remedial_hwr_hus, MLeNN)])
def test_named_hybrids_are_remedial_then_another(make, second, clouds):
    chain = make(random_state=0, n_jobs=1)
    X_new, Y_new = chain.fit_resample(*clouds)
    assert [type(member) for member in chain.samplers_] == [REMEDIAL, second]
    expected = chain.samplers_[1].fit_resample(*REMEDIAL().fit_resample(*clouds))
    np.testing.assert_array_equal(X_new, expected[0])
    np.testing.assert_array_equal(Y_new, expected[1])


def test_twins_push_each_other_out_of_flags(flags):
    # REMEDIAL splits 68 samples of 194; MLeNN then removes what its docstring says.
    counts = {0.75: [93, 44, 71, 51, 91, 52, 26], 0.5: [70, 31, 61, 34, 77, 52, 26]}
    for threshold, expected in counts.items():
        chain = remedial_hwr_hus(
            threshold=threshold, categorical_features=flags.categorical_features
        )
        assert chain.fit_resample(flags.X, flags.Y)[1].sum(axis=0).tolist() == expected
    assert len(remedial_hwr_ros(random_state=0).fit_resample(flags.X, flags.Y)[0]) == 288


@pytest.mark.parametrize("make", [rhwrsmt, remedial_hwr_ros, remedial_hwr_hus])
def test_named_hybrids_can_leave_one_sided_samples_whole(make, clouds):
    (first, second) = make(skip_one_sided=True, n_jobs=1).samplers
    assert first.skip_one_sided
    assert second.n_jobs == 1
    whole, split = (
        REMEDIAL(skip_one_sided=skip).fit_resample(*clouds)[0] for skip in (True, False)
    )
    assert len(whole) < len(split)
    chain = make(skip_one_sided=True, random_state=0)
    X_new, _ = chain.fit_resample(*clouds)
    expected = chain.samplers_[1].fit_resample(*chain.samplers_[0].fit_resample(*clouds))
    np.testing.assert_array_equal(X_new, expected[0])


@pytest.mark.parametrize("make", [rhwrsmt, remedial_hwr_ros, remedial_hwr_hus])
def test_named_hybrids_accept_unknown_labels(make, clouds):
    X, Y = clouds
    partly = np.asarray(Y, dtype=float)
    partly[::7, 0] = np.nan
    with pytest.raises(ValueError, match="allow_missing_labels=True"):
        make(random_state=0).fit_resample(X, partly)
    chain = make(allow_missing_labels=True, random_state=0)
    _, partly_new = chain.fit_resample(X, partly)
    expected = REMEDIAL(allow_missing_labels=True).fit_resample(X, partly)
    expected = chain.samplers_[1].fit_resample(*expected)[1]
    np.testing.assert_array_equal(partly_new, expected)
    assert np.isnan(partly_new).any()
