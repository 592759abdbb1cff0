"""X and y are checked once for all members of an ensemble, which are cloned once."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import rarelabels._features as features_module
import rarelabels.base as sampler_base
import rarelabels.learners.base as learner_base
import rarelabels.learners.composed as composed_learners
from rarelabels._containers import FrameContainer
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import BinaryRelevance, MLkNN
from rarelabels.sampling import MLROS, MLSOL, MLUL, SamplerChain


@pytest.fixture
def calls(monkeypatch):
    """Counts the calls of a function in a module, by its name."""
    counter = Counter()

    def count(place, name, key=None):
        original = getattr(place, name)

        def counted(*args, **options):
            counter[key or name] += 1
            return original(*args, **options)

        monkeypatch.setattr(place, name, counted)

    count(sampler_base, "check_pair")
    count(features_module, "_read_columns")
    count(learner_base, "validate_data")
    count(composed_learners, "validate_data")
    return counter, count


@pytest.mark.parametrize("n_estimators", [1, 4])
@pytest.mark.parametrize("sampler", [MLSOL(), MLUL(), MLROS()])
def test_data_of_all_members_are_checked_once(data, calls, sampler, n_estimators):
    counter, _ = calls
    ensemble = SamplingEnsemble(BinaryRelevance(), sampler, n_estimators=n_estimators)
    ensemble.set_params(random_state=0).fit(*data)
    assert counter["check_pair"] == 1
    assert counter["_read_columns"] == (not isinstance(sampler, MLROS))
    # The given data, those that each member is fitted to, and those that thresholds are chosen on.
    assert counter["validate_data"] == 2 + n_estimators
    counter.clear()
    ensemble.predict(data[0])
    assert counter["validate_data"] == 2


def test_a_single_sampler_checks_data_once(data, calls):
    counter, _ = calls
    ResampledClassifier(BinaryRelevance(), MLSOL(), random_state=0).fit(*data)
    assert counter["check_pair"] == counter["_read_columns"] == 1
    assert counter["validate_data"] == 2


def test_columns_of_a_dataframe_are_read_once(data, calls):
    counter, count = calls
    count(FrameContainer, "column")
    X, y = data
    frame = pd.DataFrame(X).assign(size=np.arange(len(X)), color=["red", "blue"] * (len(X) // 2))
    frame.columns = frame.columns.astype(str)
    sampler = MLSOL(random_state=0)
    sampler.fit_resample(frame, y)
    # The column of text is read a second time to find out that it is a category.
    assert counter["column"] == frame.shape[1] + 1


def test_integers_are_compared_with_the_largest_exact_one_once(data, calls):
    counter, count = calls
    count(features_module, "is_wide")
    X = np.arange(4 * len(data[1])).reshape(-1, 4)
    MLSOL(random_state=0).fit_resample(X, data[1])
    assert counter["_read_columns"] == 1
    assert counter["is_wide"] == X.shape[1]


def test_members_are_cloned_once(data, monkeypatch):
    clones = Counter()

    def counted(estimator, **options):
        clones[type(estimator).__name__] += 1
        return clone(estimator, **options)

    monkeypatch.setattr("sklearn.base.clone", counted)
    monkeypatch.setattr("rarelabels.ensemble.members.clone", counted)
    SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=3).fit(*data)
    assert clones["MLSOL"] == clones["BinaryRelevance"] == 3


class Renamed(MLSOL):
    """A sampler with its own `fit_resample`, which is called with the caller's data."""

    def fit_resample(self, X, y):
        assert isinstance(X, np.ndarray)
        assert isinstance(y, np.ndarray)
        self.was_called_ = True
        return super().fit_resample(X, y)


def test_a_sampler_with_its_own_checks_gets_the_data_itself(data):
    ensemble = SamplingEnsemble(BinaryRelevance(), Renamed(), n_estimators=2, random_state=0)
    same = SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=2, random_state=0)
    ensemble.fit(*data)
    assert all(sampler.was_called_ for sampler in ensemble.samplers_)
    np.testing.assert_array_equal(
        ensemble.predict_proba(data[0]), same.fit(*data).predict_proba(data[0])
    )


@pytest.mark.parametrize(
    "sampler", [MLSOL(), MLUL(), MLROS(), SamplerChain([MLSOL(), MLUL()])], ids=repr
)
@pytest.mark.parametrize("vary", [None, {"categorical_features": [None, [0], None]}])
def test_shared_reading_gives_the_same_as_separate_samplers(data, sampler, vary):
    if vary and "categorical_features" not in sampler.get_params():
        pytest.skip("the sampler has no categories")
    X, y = np.round(data[0]), data[1]
    ensemble = SamplingEnsemble(
        MLkNN(n_neighbors=3), sampler, n_estimators=3, vary=vary, random_state=0
    ).fit(X, y)
    for member, used in zip(ensemble.estimators_, ensemble.samplers_, strict=True):
        alone = clone(used)
        expected = clone(member).fit(*alone.fit_resample(X, y)).predict_proba(X)
        np.testing.assert_array_equal(member.predict_proba(X), expected)


@pytest.mark.parametrize("layout", [sparse.lil_array, sparse.coo_array, np.ndarray.tolist])
def test_a_wrapper_passes_the_checked_data_on(data, layout):
    X, y = data
    model = ResampledClassifier(BinaryRelevance(LogisticRegression()), None, random_state=0)
    np.testing.assert_allclose(
        model.fit(layout(X), y).predict_proba(layout(X)), model.fit(X, y).predict_proba(X)
    )


def test_a_wrapper_keeps_the_mask_of_an_array(data):
    X = np.ma.masked_array(data[0], mask=False)
    X[3, 2] = np.ma.masked
    model = ResampledClassifier(BinaryRelevance(), None, random_state=0)
    values = model._read(X, reset=True)
    assert values is X
