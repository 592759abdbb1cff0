"""MLSMOTE(mulan_compatible=True): Mulan's MLSMOTE."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import literal
from rarelabels._neighbors import feature_space
from rarelabels._validation import check_features
from rarelabels.sampling import MLSMOTE, _mulan_mlsmote
from replay import JavaRandom, MulanDraws
from strategies import data_sets


def worked_example():
    """Twelve samples: numbers a and b, category c of x, y, z; counts 11, 2 and 3."""
    a = np.arange(12.0)
    c = np.array([0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 0, 0.0])
    Y = np.array([[1, 0, 0]] * 12)
    Y[[2, 4]], Y[8], Y[11] = 1, [1, 0, 1], 0
    return np.column_stack([a, a > 5, c]), Y


@pytest.mark.parametrize(
    ("rule", "counts"), [("ranking", [18, 9, 10]), ("intersection", [18, 4, 10])]
)
def test_a_run_of_mulan_to_the_digits(rule, counts):
    # Mulan 43f6389, seed 0: label 1 has the bag {2, 4}; label 2 has {2, 4, 8} and both new samples.
    X, Y = worked_example()
    draws = MulanDraws(0, 3, categorical=[2])
    made = MLSMOTE(
        mulan_compatible=True, label_generation=rule, categorical_features=[2], random_state=draws
    )
    X_new, Y_new = made.fit_resample(X, Y)
    assert len(X_new) == 19
    assert Y_new.sum(axis=0).tolist() == counts
    assert X_new[12:, 0].round(6).tolist() == [
        3.461936, 2.725165, 3.563069, 7.939366, 7.071751, 3.540817, 2.718476,
    ]  # fmt: skip
    assert X_new[12:, 1].round(6).tolist() == [0, 0, 0, 0.879183, 0.687064, 0, 0]
    # y and z tie in the first two: y is the lower.
    assert X_new[12:14, 2].tolist() == [1, 1]
    # Samples 3 and 4 of label 2's bag are the synthetic ones, which go back to 2 and 4.
    assert made.sample_indices_[12:].tolist() == [2, 4, 2, 4, 8, 2, 4]


@settings(max_examples=150)
@given(
    data=data_sets(min_samples=4, max_samples=12, max_labels=4),
    k=st.integers(1, 4),
    rule=st.sampled_from(["ranking", "union", "intersection"]),
)
def test_equals_the_literal_loop(resample, data, k, rule):
    X, Y, categorical = data
    expected = literal.mulan_mlsmote(X, Y, k, rule, categorical, JavaRandom(5))
    sampler = MLSMOTE(
        mulan_compatible=True,
        n_neighbors=k,
        label_generation=rule,
        categorical_features=categorical,
        random_state=MulanDraws(5, X.shape[1], categorical),
    )
    X_new, Y_new = resample(sampler, X, Y)
    np.testing.assert_allclose(X_new[len(X) :], expected[0], atol=1e-9)
    np.testing.assert_array_equal(Y_new[len(X) :], expected[1])


@pytest.mark.parametrize(
    ("rule", "n_samples", "counts"),
    [
        ("ranking", 274, [229, 153, 132, 151, 213, 114, 56]),
        ("union", 290, None),
        ("intersection", 272, None),
    ],
)
def test_flags_as_mulan_has_it(rule, n_samples, counts, flags):
    draws = MulanDraws(0, flags.X.shape[1], flags.categorical_features)
    sampler = MLSMOTE(
        mulan_compatible=True,
        label_generation=rule,
        categorical_features=flags.categorical_features,
        random_state=draws,
    )
    Y_new = sampler.fit_resample(flags.X, flags.Y)[1]
    assert len(Y_new) == n_samples
    if counts:
        assert Y_new.sum(axis=0).tolist() == counts


def test_ties_with_the_last_neighbor_are_neighbors():
    # Around 0: a duplicate, four at distance 1, one far: with k = 2 the second ties with three.
    X = np.array([[0.0, 0], [0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [5, 5]])
    space = feature_space(check_features(X), scale_features=False)
    hoods = _mulan_mlsmote.nearest_with_ties(space, 2)
    assert hoods[0].tolist() == [1, 2, 3, 4, 5]
    assert [m for m in hoods[6].tolist() if m >= 0] == [2, 4]


def test_refuses_to_multiply_without_end():
    # Eight labels on the same two samples: each doubles what the one before it made.
    Y = np.zeros((40, 9), dtype=int)
    Y[:-1, 0], Y[:2, 1:] = 1, 1
    X = np.random.default_rng(0).random((40, 2))
    assert (
        len(MLSMOTE(mulan_compatible=True, random_state=0).fit_resample(X, Y[:, :5])[0])
        == 40 + 2 * 15
    )
    wide = np.hstack([Y, Y[:, 1:]])
    with pytest.raises(ValueError, match=r"would add 4094 samples or more to 40: "):
        MLSMOTE(mulan_compatible=True, random_state=0).fit_resample(X, wide)
    made = MLSMOTE(mulan_compatible=True, sampling_ratio=32, random_state=0).fit_resample(X, wide)[
        0
    ]
    assert len(made) == 72


def test_refuses_neighborhoods_of_everything(monkeypatch):
    monkeypatch.setattr(_mulan_mlsmote, "MOST_ENTRIES", 100)
    Y = np.repeat([[1, 0], [0, 1]], [40, 20], axis=0)
    with pytest.raises(ValueError, match="among 20 samples of one label some have 19 or more"):
        MLSMOTE(mulan_compatible=True).fit_resample(np.ones((60, 1)), Y)


def test_unknown_labels_are_seeds_too():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [5.3], [5.4], [5.5]])
    Y = np.array([[1, 1, np.nan], [1, 0, np.nan], [1, np.nan, np.nan], *[[0, 1, 1]] * 5, [0, 1, 0]])
    made = MLSMOTE(n_neighbors=2, mulan_compatible=True, random_state=0, allow_missing_labels=True)
    np.testing.assert_array_equal(made.fit_resample(X, Y)[1][9:], [[1, 1, np.nan]] * 3)


def test_sparse_features_give_the_same_seeds_and_labels(flags):
    options = {"mulan_compatible": True, "categorical_features": flags.categorical_features}
    samplers = [MLSMOTE(**options, random_state=0) for _ in range(2)]
    dense, of_sparse = samplers
    Y_new = dense.fit_resample(flags.X, flags.Y[:, [0, 6]])[1]
    found = of_sparse.fit_resample(sparse.csr_array(flags.X), flags.Y[:, [0, 6]])[1]
    np.testing.assert_array_equal(found, Y_new)
    np.testing.assert_array_equal(of_sparse.sample_indices_, dense.sample_indices_)
    assert dense.is_synthetic_.sum() == 26
