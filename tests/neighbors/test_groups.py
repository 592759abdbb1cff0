"""Neighbors of other groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import literal
from rarelabels import find_neighbors
from rarelabels.measures import limb
from rarelabels.sampling import MLROS, MLSOL, MLTL, MLUL, MLeNN


@given(seed=st.integers(0, 2**32 - 1), n_samples=st.integers(8, 30))
def test_neighbors_of_other_groups_as_by_a_loop(seed, n_samples):
    rng = np.random.default_rng(seed)
    X, groups = rng.random((n_samples, 2)), rng.integers(0, 6, n_samples)
    k = 2
    if n_samples - np.bincount(groups).max() < k:
        return
    everyone = literal.neighbors(X, n_samples - 1)
    expected = [[j for j in row if groups[j] != groups[i]][:k] for i, row in enumerate(everyone)]
    np.testing.assert_array_equal(find_neighbors(X, n_neighbors=k, groups=groups).indices, expected)


def test_groups_of_one_sample_change_nothing():
    X = np.random.default_rng(0).random((20, 3))
    plain, alone = find_neighbors(X), find_neighbors(X, groups=np.arange(20))
    np.testing.assert_array_equal(plain.indices, alone.indices)


def test_groups_that_leave_too_few_are_refused():
    X = np.random.default_rng(0).random((10, 2))
    with pytest.raises(ValueError, match="the largest group has 8 of the 10 samples"):
        find_neighbors(X, n_neighbors=3, groups=[0] * 8 + [1, 2])
    with pytest.raises(ValueError, match="groups has 1 missing"):
        find_neighbors(X, groups=[None, *range(9)])


def test_repeated_patients_hide_how_hard_a_label_is():
    rng = np.random.default_rng(0)
    patients = np.repeat(np.arange(40), 6)
    X = rng.normal(size=(40, 3))[patients] + 0.01 * rng.normal(size=(240, 3))
    Y = (rng.random((40, 1)) < 0.3)[patients].astype(int)  # nothing predicts the label
    plain = limb(X, Y, neighbors=find_neighbors(X))
    grouped = limb(X, Y, neighbors=find_neighbors(X, groups=patients))
    assert plain == 0
    assert grouped > 0.5
    found = find_neighbors(X, n_neighbors=15, groups=patients)
    sampler = MLSOL(n_neighbors=15, neighbors=found, random_state=0)
    sampler.fit_resample(X, Y)
    assert sampler.weights_.any()


@pytest.mark.parametrize("sampler", [MLSOL(), MLUL(), MLTL(), MLeNN(n_neighbors=2)], ids=repr)
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_samplers_take_groups(sampler, metric):
    rng = np.random.default_rng(0)
    patients = rng.permutation(np.repeat(np.arange(30), 4))
    X = rng.normal(size=(30, 3))[patients] + 0.1 * rng.normal(size=(120, 3))
    Y = (rng.random((120, 3)) < [0.4, 0.2, 0.05]).astype(int)
    groups = patients.astype(str)
    if "random_state" in sampler.get_params():
        sampler.set_params(random_state=0)
    if "metric" in sampler.get_params():
        sampler.set_params(metric=metric)
    elif metric != "euclidean":
        pytest.skip("the sampler has no other distance")
    n_neighbors = sampler.n_neighbors
    outside = find_neighbors(X, n_neighbors=n_neighbors, metric=metric, groups=groups)
    grouped = sampler.fit_resample(X, Y, groups=groups)
    # The search is for the call alone.
    assert sampler.neighbors is None
    plain = sampler.fit_resample(X, Y)
    expected = sampler.set_params(neighbors=outside).fit_resample(X, Y)
    for one, other in zip(grouped, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    sampler.set_params(neighbors=None)
    assert not np.array_equal(grouped[0], plain[0])


def test_groups_of_a_sampler_and_neighbors_found_before_are_refused():
    X, Y = np.random.default_rng(0).random((20, 2)), np.eye(20, 2)
    sampler = MLSOL(neighbors=find_neighbors(X))
    with pytest.raises(ValueError, match="MLSOL searches among samples of other groups"):
        sampler.fit_resample(X, Y, groups=np.arange(20))
    with pytest.raises(ValueError, match="groups has 1 missing"):
        MLSOL().fit_resample(X, Y, groups=[None, *range(19)])
    with pytest.raises(TypeError, match="groups"):
        MLROS().fit_resample(X, Y, groups=np.arange(20))
