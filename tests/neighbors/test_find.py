import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.neighbors import NearestNeighbors

import literal
from rarelabels import Neighbors, find_neighbors
from rarelabels._neighbors import feature_space, query_neighbors
from rarelabels._neighbors.exact import brute_force, kd_tree, operands, tiles
from rarelabels._validation import check_features
from strategies import data_sets, n_neighbors_for


@settings(max_examples=300)
@given(data=data_sets(), choose=st.data())
def test_equals_literal_loops(data, choose):
    X, _, categorical = data
    k, scale = n_neighbors_for(X, choose.draw), choose.draw(st.booleans())
    expected = literal.neighbors(X, k, categorical, scale)
    for container in (np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)):
        found = find_neighbors(
            container(X), n_neighbors=k, scale_features=scale, categorical_features=categorical
        )
        np.testing.assert_array_equal(found.indices, expected)


@settings(max_examples=40)
@given(data=data_sets(min_samples=20, max_samples=60, max_features=3), choose=st.data())
def test_tree_equals_blocks_whatever_the_ties(data, choose):
    X, _, _ = data
    space = feature_space(check_features(X))
    k = n_neighbors_for(X, choose.draw)
    samples = np.arange(X.shape[0])
    by_blocks = brute_force.BruteForceSearch(space, samples.size).nearest(samples, k)
    by_tree = kd_tree.KDTreeSearch(space, samples.size).nearest(samples, k)
    np.testing.assert_array_equal(by_tree, by_blocks)


@pytest.mark.parametrize("n_features", [3, 40])
@pytest.mark.parametrize("values", [3, 7, None])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_block_size_and_threads_do_not_matter(monkeypatch, n_features, values, container):
    rng = np.random.default_rng(3)
    X = (
        rng.random((700, n_features))
        if values is None
        else rng.integers(values, size=(700, n_features))
    )
    X = container(X.astype(float))
    expected = find_neighbors(X, n_neighbors=7, n_jobs=1).indices
    monkeypatch.setattr(brute_force, "BLOCK_ROWS", 33)
    monkeypatch.setattr(brute_force, "BLOCK_ENTRIES", 20_000)
    monkeypatch.setattr(tiles, "TILE_ROWS", 64)
    for n_jobs in (None, 1, 2, 3):
        found = find_neighbors(X, n_neighbors=7, n_jobs=n_jobs).indices
        np.testing.assert_array_equal(found, expected)


def test_what_single_precision_cannot_tell_apart_is_searched_in_double():
    # One far sample leaves single precision no digits for the others.
    X = np.random.default_rng(0).random((400, 12))
    X[0] = 1e9
    space = feature_space(check_features(X), scale_features=False)
    search = brute_force.BruteForceSearch(space, 400)
    found = search.nearest(np.arange(400), 5)
    assert "double" in vars(search)
    gaps = ((X[1:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    gaps[np.arange(399), np.arange(1, 400)] = np.inf
    np.testing.assert_array_equal(found[1:], np.argsort(gaps, axis=1, kind="stable")[:, :5])


def test_equals_scikit_learn_without_ties():
    X = np.random.default_rng(0).normal(size=(500, 30))
    low, high = X.min(axis=0), X.max(axis=0)
    expected = NearestNeighbors(n_neighbors=9).fit((X - low) / (high - low)).kneighbors()[1]
    np.testing.assert_array_equal(find_neighbors(X, n_neighbors=9).indices, expected)


def test_by_hand():
    # Feature 0 spans 4, feature 1 is constant: squared distances 1/16, 1/16, 1/4, ...
    X = [[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [4.0, 7.0]]
    found = find_neighbors(X, n_neighbors=2).indices
    # Sample 1 lies as far from sample 0 as from sample 2: the lower sample number first.
    np.testing.assert_array_equal(found, [[1, 2], [0, 2], [1, 0], [2, 1]])


def test_duplicates_are_neighbors_and_self_is_not():
    found = find_neighbors(np.ones((5, 2)), n_neighbors=3).indices
    np.testing.assert_array_equal(found, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], [0, 1, 2]])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_range_that_no_float_holds_is_refused(container):
    with pytest.raises(ValueError, match=r"column 0 goes from -1.7e\+308 to 1.7e\+308"):
        find_neighbors(container([[-1.7e308], [0.0], [1.7e308]]), n_neighbors=1)


def test_a_category_with_many_values_beside_numbers():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(60, size=90), rng.integers(3, size=90), rng.random(90)])
    found = find_neighbors(X, n_neighbors=4, categorical_features=[0, 1]).indices
    np.testing.assert_array_equal(found, literal.neighbors(X, 4, (0, 1)))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_memory_is_bounded_by_tile_and_block(monkeypatch, container):
    seen = []
    distances = operands.Operands.squared_distances

    def spy(self, left, samples, among, searched, room):
        seen.append(room.size)
        return distances(self, left, samples, among, searched, room)

    monkeypatch.setattr(operands.Operands, "squared_distances", spy)
    X = container(np.random.default_rng(0).random((5000, 20)))
    find_neighbors(X, n_neighbors=3, n_jobs=1)
    assert max(seen) <= max(brute_force.BLOCK_ENTRIES, tiles.TILE_ROWS**2) < 5000**2


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_a_scikit_learn_search_gives_the_same(algorithm):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.random((60, 3)), rng.integers(4, size=60)])
    search = NearestNeighbors(algorithm=algorithm)
    found = find_neighbors(X, n_neighbors=4, categorical_features=[3], neighbors=search)
    expected = find_neighbors(X, n_neighbors=4, categorical_features=[3])
    np.testing.assert_array_equal(found.indices, expected.indices)
    assert not hasattr(search, "n_samples_fit_"), "the caller's own search was fitted"


class SelfLess(BaseEstimator):
    """A search that never returns the sample itself, nor more than it is asked for."""

    def fit(self, X):
        self.found_ = find_neighbors(X, n_neighbors=len(X) - 1, scale_features=False).indices
        return self

    def kneighbors(self, X, n_neighbors, return_distance):
        return self.found_[:, :n_neighbors]


def test_a_search_that_leaves_self_out_loses_nothing():
    X = np.random.default_rng(2).random((20, 3))
    found = find_neighbors(X, n_neighbors=4, neighbors=SelfLess()).indices
    np.testing.assert_array_equal(found, find_neighbors(X, n_neighbors=4).indices)
    exactly = find_neighbors(X, n_neighbors=19, neighbors=SelfLess()).indices
    np.testing.assert_array_equal(exactly, find_neighbors(X, n_neighbors=19).indices)


class Lost(SelfLess):
    def kneighbors(self, X, n_neighbors, return_distance):
        return np.full((len(X), n_neighbors), -1)


def test_a_search_that_finds_nothing_is_told_so():
    with pytest.raises(ValueError, match="search harder"):
        find_neighbors(np.eye(5), n_neighbors=2, neighbors=Lost())
    with pytest.raises(TypeError, match="fit and kneighbors"):
        find_neighbors(np.eye(5), n_neighbors=2, neighbors="brute")


def test_one_search_serves_every_smaller_k():
    X = np.random.default_rng(0).integers(3, size=(40, 4)).astype(float)
    found = find_neighbors(X, n_neighbors=9)
    for k in range(1, 10):
        again = find_neighbors(X, n_neighbors=k, neighbors=found)
        np.testing.assert_array_equal(again.indices, find_neighbors(X, n_neighbors=k).indices)
    with pytest.raises(ValueError, match="9 nearest"):
        find_neighbors(X, n_neighbors=10, neighbors=found)
    with pytest.raises(ValueError, match="of 40 samples, but X has 39"):
        find_neighbors(X[1:], n_neighbors=3, neighbors=found)


def test_clones_share_neighbors_found_before():
    from rarelabels.sampling import MLSOL

    found = Neighbors(np.array([[1], [0]]))
    assert clone(MLSOL(neighbors=found)).neighbors is found


@settings(max_examples=150)
@given(data=data_sets(min_samples=4), choose=st.data())
def test_queries_equal_literal_loops(data, choose):
    X, _, categorical = data
    n_queries = choose.draw(st.integers(1, X.shape[0] - 2))
    known, asked = X[n_queries:], X[:n_queries]
    k = choose.draw(st.integers(1, known.shape[0]))
    expected = []
    for sample in asked:
        low, high = known.min(axis=0), known.max(axis=0)
        span = np.where(high > low, high - low, np.inf)
        gaps = ((known - sample) / span) ** 2
        gaps[:, categorical] = known[:, categorical] != sample[categorical]
        expected.append(np.argsort(np.round(gaps.sum(axis=1), 12), kind="stable")[:k])
    found = query_neighbors(
        check_features(known, categorical), check_features(asked, categorical), k
    )
    np.testing.assert_array_equal(found, expected)


def test_threads_of_an_outer_loop_share_nothing():
    X = np.random.default_rng(0).random((600, 20))
    expected = find_neighbors(X, n_neighbors=5).indices
    found = joblib.Parallel(n_jobs=4, prefer="threads")(
        joblib.delayed(find_neighbors)(X, n_neighbors=5, n_jobs=2) for _ in range(8)
    )
    assert all(np.array_equal(one.indices, expected) for one in found)
