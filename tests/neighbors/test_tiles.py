"""The search by symmetric tiles equals literal loops, whatever the size of the tiles."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import literal
from rarelabels import find_neighbors
from rarelabels._neighbors import feature_space, query_neighbors
from rarelabels._neighbors.exact import brute_force, tiles
from rarelabels._neighbors.exact.ranking import entries_where
from rarelabels._validation import check_features
from strategies import data_sets, extreme_data, n_neighbors_for, with_gaps


def searched_by_tiles(X, n_neighbors, draw, categorical=(), scale=True):
    """Search with tiles of a few samples, limits lowered often or seldom, in one thread or more."""
    space = feature_space(check_features(X, categorical), scale_features=scale)
    sizes = {"TILE_ROWS": draw(st.integers(2, 7)), "PENDING": draw(st.sampled_from([0, 1, 100]))}
    with patch.multiple(tiles, **sizes):
        n_threads = draw(st.sampled_from([1, 1, 3]))
        return tiles.TileSearch(space, n_neighbors).nearest_of_all(n_threads)


@settings(max_examples=150)
@given(data=data_sets(max_samples=40), choose=st.data())
def test_ties_equal_literal_loops(data, choose):
    X, _, categorical = data
    k = choose.draw(st.integers(1, X.shape[0] - 1))
    scale = choose.draw(st.booleans())
    found = searched_by_tiles(X, k, choose.draw, categorical, scale)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, categorical, scale))


@settings(max_examples=100)
@given(X=extreme_data(), choose=st.data())
def test_extreme_values_equal_literal_loops(X, choose):
    k = choose.draw(st.integers(1, X.shape[0] - 1))
    found = searched_by_tiles(X, k, choose.draw, scale=False)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, scale=False))


@pytest.mark.filterwarnings("ignore:feature")
@settings(max_examples=100)
@given(data=with_gaps(max_samples=20), choose=st.data())
def test_gaps_equal_literal_loops(data, choose):
    X, _, categorical = data
    k, scale = n_neighbors_for(X, choose.draw), choose.draw(st.booleans())
    found = searched_by_tiles(X, k, choose.draw, categorical, scale)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, categorical, scale))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    noise=st.sampled_from([0, 1e-12, 1e-8, 1e-5]),
    offset=st.sampled_from([0, 1e3, 1e8]),
    choose=st.data(),
)
def test_duplicates_that_differ_in_their_last_bits(seed, noise, offset, choose):
    rng = np.random.default_rng(seed)
    places = rng.random((3, 2))
    X = offset + places[rng.integers(3, size=17)] + noise * rng.random((17, 2))
    k, scale = n_neighbors_for(X, choose.draw), choose.draw(st.booleans())
    found = searched_by_tiles(X, k, choose.draw, scale=scale)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, scale=scale))


@settings(max_examples=60)
@given(data=data_sets(max_samples=30), most=st.sampled_from([0, 1, 3]), choose=st.data())
def test_samples_with_too_many_candidates_are_searched_again(data, most, choose):
    X, _, categorical = data
    k = n_neighbors_for(X, choose.draw)
    with patch.object(tiles, "n_candidates", lambda n_neighbors: n_neighbors + most):
        found = searched_by_tiles(X, k, choose.draw, categorical)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, categorical))


@pytest.mark.parametrize("n_samples", [1, 255, 256, 257, 600])
def test_a_category_of_many_values_beside_numbers_across_tiles(monkeypatch, n_samples):
    monkeypatch.setattr(tiles, "TILE_ROWS", 64)
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(60, size=n_samples + 9), rng.random(n_samples + 9)])
    found = find_neighbors(X, n_neighbors=4, categorical_features=[0], n_jobs=2).indices
    squares = (X[:, 1][:, None] - X[:, 1]) ** 2 / np.ptp(X[:, 1]) ** 2
    squares += X[:, 0][:, None] != X[:, 0]
    np.fill_diagonal(squares, np.inf)
    np.testing.assert_array_equal(found, np.argsort(squares, axis=1, kind="stable")[:, :4])


@pytest.mark.parametrize("search", ["tiles", "blocks", "queries"])
def test_what_ties_from_afar_goes_to_the_lower_sample(search):
    # From 1e9 away, 0 and 0.001 differ by 2e-12 of the squared distance: a tie in 36 bits. There
    # are more candidates than single precision can tell apart, and double precision tells them.
    X = np.concatenate([[0.0], np.full(200, 1e-3), [1e9]])[:, None]
    if search == "queries":
        features, far = check_features(X[:-1]), check_features(X[-1:])
        found = query_neighbors(features, far, 1, scale_features=False)
    else:
        space = feature_space(check_features(X), scale_features=False)
        if search == "tiles":
            found = tiles.TileSearch(space, 1).nearest_of_all()[-1:]
        else:
            found = brute_force.BruteForceSearch(space, len(X)).nearest(np.array([len(X) - 1]), 1)
    assert found.tolist() == [[0]]


def test_every_pair_is_multiplied_once(monkeypatch):
    monkeypatch.setattr(tiles, "TILE_ROWS", 50)
    multiplied = []
    distances = tiles.Operands.squared_distances

    def spy(self, left, samples, among, searched, room):
        multiplied.append((samples.start, searched.start))
        return distances(self, left, samples, among, searched, room)

    monkeypatch.setattr(tiles.Operands, "squared_distances", spy)
    find_neighbors(np.random.default_rng(0).random((201, 9)), n_neighbors=3, n_jobs=1)
    assert sorted(multiplied) == [(i, j) for i in range(0, 200, 40) for j in range(i, 200, 40)]


@given(hnp.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9))))
def test_chosen_entries_are_found_row_by_row(chosen):
    values = np.arange(chosen.size, dtype=np.float32).reshape(chosen.shape)
    row, column, value = entries_where(chosen, values)
    np.testing.assert_array_equal(np.argwhere(chosen), np.column_stack([row, column]))
    np.testing.assert_array_equal(value, values[chosen])
