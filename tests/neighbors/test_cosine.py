"""The search by cosine equals literal loops in every form, and counts ties as documented."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

import literal
from rarelabels import ApproximateNeighbors, find_neighbors
from rarelabels._distances import DISTANCES, distance_named
from rarelabels._neighbors import approximate, exact, feature_space, query_neighbors
from rarelabels._neighbors.exact import brute_force, kd_tree, tiles
from rarelabels._neighbors.exact.sparse import search
from rarelabels._validation import check_features
from strategies import data_sets, directions, extreme_data, n_neighbors_for


def by_cosine(X, k, **options):
    return find_neighbors(X, n_neighbors=k, metric="cosine", **options).indices


@settings(max_examples=300)
@given(X=directions(), choose=st.data())
def test_equals_literal_loops(X, choose):
    k = n_neighbors_for(X, choose.draw)
    expected = literal.cosine_neighbors(X, k)
    for container in (np.asarray, sparse.csr_array):
        np.testing.assert_array_equal(by_cosine(container(X), k), expected)


@settings(max_examples=100)
@given(data=data_sets(), choose=st.data())
def test_categories_add_to_the_distance(data, choose):
    X, _, categorical = data
    k = n_neighbors_for(X, choose.draw)
    expected = literal.cosine_neighbors(X, k, categorical)
    for container in (np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)):
        found = by_cosine(container(X), k, categorical_features=categorical)
        np.testing.assert_array_equal(found, expected)


@settings(max_examples=100)
@given(X=extreme_data(), choose=st.data())
def test_no_value_is_too_large_or_too_small(X, choose):
    k = n_neighbors_for(X, choose.draw)
    expected = literal.cosine_neighbors(X, k)
    np.testing.assert_array_equal(by_cosine(X, k), expected)
    np.testing.assert_array_equal(by_cosine(sparse.csr_array(X), k), expected)


@settings(max_examples=100)
@given(X=directions(max_samples=30), choose=st.data())
def test_every_exact_search_equals_literal_loops(X, choose):
    k, samples = n_neighbors_for(X, choose.draw), np.arange(X.shape[0])
    expected = literal.cosine_neighbors(X, k)
    space = feature_space(check_features(X), metric="cosine")
    with patch.multiple(tiles, TILE_ROWS=choose.draw(st.integers(1, 9))):
        np.testing.assert_array_equal(tiles.TileSearch(space, k).nearest_of_all(), expected)
    for form in (brute_force.BruteForceSearch, kd_tree.KDTreeSearch):
        np.testing.assert_array_equal(form(space, samples.size).nearest(samples, k), expected)
    brute = brute_force.BruteForceSearch(space, samples.size)
    np.testing.assert_array_equal(brute.nearest_in_double(samples, k), expected)


@settings(max_examples=100)
@given(X=directions(max_samples=30), choose=st.data())
def test_the_compiled_search_equals_literal_loops(X, choose):
    k = n_neighbors_for(X, choose.draw)
    costs = choose.draw(st.sampled_from([{"SHARED": 0}, {"WORD": 0, "SHARED": 1e9}]))
    costs |= {"BITS_MEMORY": 1e9, "DENSE": 1e9}
    with patch.multiple(exact, SPARSE_SAMPLES=0), patch.multiple(search, **costs):
        found = by_cosine(sparse.csr_array(X), k, n_jobs=choose.draw(st.sampled_from([1, 2])))
    np.testing.assert_array_equal(found, literal.cosine_neighbors(X, k))


@pytest.mark.parametrize("way", ["bits", "index"])
def test_binary_features_are_searched_as_sets(way):
    rng = np.random.default_rng(0)
    X = (rng.random((1200, 90)) < 0.2) * rng.choice([1.0, 3.0], (1200, 1))
    X[rng.integers(1200, size=20)] = 0
    if way == "index":
        X *= rng.choice([1.0, 1.5], X.shape)
    space = feature_space(check_features(sparse.csr_array(X)), metric="cosine")
    with patch.multiple(search, DENSE=1e9, SHARED=1e9):
        assert (search.SparseSearch(space, 1200).bits is not None) == (way == "bits")
        np.testing.assert_array_equal(by_cosine(sparse.csr_array(X), 7), by_cosine(X, 7))


@settings(max_examples=100)
@given(X=directions(), choose=st.data())
def test_queries_equal_literal_loops(X, choose):
    n_known = choose.draw(st.integers(2, X.shape[0] - 1))
    known, queries = X[:n_known], X[n_known:]
    k = n_neighbors_for(known, choose.draw)
    expected = literal.cosine_neighbors(known, k, queries=queries)
    for container in (np.asarray, sparse.csr_array):
        parts = (check_features(container(part)) for part in (known, queries))
        found = query_neighbors(*parts, k, metric="cosine")
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_features", [4, 40])
def test_approximate_search_finds_the_neighbors_by_cosine(monkeypatch, n_features):
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(40, n_features))
    X = np.repeat(centers, 50, axis=0) + 0.1 * rng.normal(size=(2000, n_features))
    X *= rng.uniform(0.1, 10, (2000, 1))
    monkeypatch.setattr(approximate, "APPROXIMATE_SAMPLES", 1000)
    searches, in_cells = [], approximate._nearest_in_cells

    def counted(*arguments):
        searches.append(in_cells(*arguments))
        return searches[-1]

    monkeypatch.setattr(approximate, "_nearest_in_cells", counted)
    found = find_neighbors(
        X, n_neighbors=5, metric="cosine", neighbors=ApproximateNeighbors(recall=0.9)
    )
    exact = by_cosine(X, 5)
    assert searches[0] is not None
    assert found.recall >= 0.9
    recall = (found.indices[:, :, None] == exact[:, None, :]).any(axis=2).mean()
    assert recall >= 0.85


def test_equals_scikit_learn_without_ties():
    X = np.random.default_rng(0).normal(size=(500, 30))
    expected = NearestNeighbors(n_neighbors=9, metric="cosine").fit(X).kneighbors()[1]
    np.testing.assert_array_equal(by_cosine(X, 9), expected)
    custom = by_cosine(X, 9, neighbors=NearestNeighbors())
    np.testing.assert_array_equal(custom, expected)


def test_by_hand():
    # Angles with sample 0: 0 (parallel), 45, 90 and 180 degrees, and a row of zeros at 90.
    X = [[1.0, 0.0], [3.0, 0.0], [1.0, 1.0], [0.0, 2.0], [-1.0, 0.0], [0.0, 0.0]]
    found = by_cosine(X, 5)
    assert found[0].tolist() == [1, 2, 3, 5, 4]
    # A row of zeros is at a right angle to all others: the lower sample numbers first.
    assert found[5].tolist() == [0, 1, 2, 3, 4]


def test_rows_of_zeros_are_equal_to_each_other():
    X = [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    assert by_cosine(X, 1).ravel().tolist() == [2, 0, 0]


def test_directions_that_differ_by_less_than_the_grid_are_ties():
    # Samples 0 to 3 differ in direction by 1e-150, and sample 4 by a right angle.
    X = [[1e9, -4e159], [1e9, -2e159], [1e9, -2e160], [1e9, -3e159], [1.0, 0.0]]
    assert by_cosine(X, 4).tolist() == [[m for m in range(5) if m != i] for i in range(5)]
    assert by_cosine(X[:4], 3).tolist() == [[m for m in range(4) if m != i] for i in range(4)]


def test_lengths_and_scale_features_do_not_matter():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5))
    expected = by_cosine(X, 4)
    np.testing.assert_array_equal(by_cosine(X * rng.uniform(1, 9, (60, 1)), 4), expected)
    np.testing.assert_array_equal(by_cosine(X, 4, scale_features=False), expected)


def test_distances_of_synthetic_samples_by_hand():
    X = check_features(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]]), [2])
    space = feature_space(X, metric="cosine")
    left = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    right = np.array([[0.0, 5.0, 0.0], [0.0, 0.0, 2.0]])
    # A right angle and the same category; two rows of zeros and different categories.
    np.testing.assert_allclose(space.distances_between(left, right), [np.sqrt(2), 1.0])
    parts = (sparse.csr_array(left), sparse.csr_array(right))
    np.testing.assert_allclose(space.distances_between(*parts), [np.sqrt(2), 1.0])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_missing_values_are_refused(container):
    X = container(np.array([[1.0, 2.0], [3.0, np.nan], [1.0, 0.0]]))
    with pytest.raises(ValueError, match=r'row 1, column 1, and metric="cosine" is not defined'):
        by_cosine(X, 1)


def test_a_missing_category_differs_from_every_other():
    X = pd.DataFrame({"x": [1.0, 1.0, 1.0], "color": ["red", None, "red"]})
    assert by_cosine(X, 1).ravel().tolist() == [2, 0, 0]


def test_integers_beyond_floats_are_refused():
    X = pd.DataFrame({"x": [1, 2, 3], "id": [2**60, 2**60 + 1, 2**60 + 2]})
    with pytest.raises(ValueError, match=r"column 'id' has integers beyond 2\*\*53"):
        by_cosine(X, 1)


def test_an_unknown_metric_is_named():
    with pytest.raises(ValueError, match=r"'euclidean', 'cosine', got 'cosin'; did you mean"):
        find_neighbors(np.eye(3), n_neighbors=1, metric="cosin")
    assert [distance_named(metric.name) for metric in DISTANCES] == list(DISTANCES)
