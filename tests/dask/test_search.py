"""Neighbors among samples that lie in blocks equal literal loops, however they are cut."""

from unittest.mock import patch

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import literal
from rarelabels import find_neighbors
from rarelabels._dask import pair_search, search
from rarelabels._dask.features import aligned
from rarelabels._dask.nearest_so_far import Candidates, NearestSoFar
from rarelabels._neighbors import exact
from rarelabels._neighbors.exact import tiles
from rarelabels._neighbors.tie_keys import keys_of, squares_of_keys
from strategies import data_sets, directions, extreme_data, n_neighbors_for, with_gaps


def cut(X, draw):
    """Return X as a Dask array of odd chunks, empty ones among them."""
    edges = sorted(draw(st.lists(st.integers(0, X.shape[0]), max_size=4)))
    rows = np.diff([0, *edges, X.shape[0]]).tolist()
    columns = draw(st.sampled_from([(X.shape[1],), (1,) * X.shape[1]]))
    return da.from_array(X, chunks=(tuple(rows), columns))


def searched_in_blocks(X, n_neighbors, draw, categorical=None, scale=True, metric="euclidean"):
    """Search with panels and tiles of a few samples, sometimes each sample on its own."""
    sizes = {
        "PANEL_ROWS": draw(st.integers(2, 7)),
        "SPARSE_ROWS": draw(st.integers(2, 7)),
        "UNDER_WAY": draw(st.integers(1, 3)),
        "LEAST_PANELS": draw(st.sampled_from([1, 8])),
    }
    rows, most = draw(st.integers(1, 5)), draw(st.sampled_from([0, 64]))
    with (
        patch.multiple(search, **sizes),
        patch.multiple(tiles, TILE_ROWS=rows),
        patch.multiple(exact, TILE_NEIGHBORS=most),
    ):
        return find_neighbors(
            cut(X, draw),
            n_neighbors=n_neighbors,
            categorical_features=categorical,
            scale_features=scale,
            metric=metric,
        ).indices


@settings(max_examples=20)
@given(data=data_sets(max_samples=16), choose=st.data())
def test_ties_equal_literal_loops(data, choose):
    X, _, categorical = data
    k, scale = choose.draw(st.integers(1, X.shape[0] - 1)), choose.draw(st.booleans())
    found = searched_in_blocks(X, k, choose.draw, categorical, scale)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, categorical, scale))


@settings(max_examples=30)
@given(X=directions(max_samples=16), choose=st.data())
def test_cosine_equals_literal_loops(X, choose):
    k = choose.draw(st.integers(1, X.shape[0] - 1))
    found = searched_in_blocks(X, k, choose.draw, metric="cosine")
    np.testing.assert_array_equal(found, literal.cosine_neighbors(X, k))


@settings(max_examples=20)
@given(data=data_sets(max_samples=16), choose=st.data())
def test_cosine_with_categories_equals_literal_loops(data, choose):
    X, _, categorical = data
    k = choose.draw(st.integers(1, X.shape[0] - 1))
    found = searched_in_blocks(X, k, choose.draw, categorical, metric="cosine")
    np.testing.assert_array_equal(found, literal.cosine_neighbors(X, k, categorical))


def test_cosine_refuses_missing_values_and_wide_integers():
    X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, np.nan], [np.nan, 1.0]])
    with pytest.raises(ValueError, match=r'row 2, column 1, and metric="cosine" is not defined'):
        find_neighbors(da.from_array(X, chunks=2), n_neighbors=1, metric="cosine")
    wide = np.array([[1, 2**60], [2, 2**60 + 1], [3, 2**60 + 2]])
    with pytest.raises(ValueError, match=r"column 1 has integers beyond 2\*\*53"):
        find_neighbors(da.from_array(wide, chunks=2), n_neighbors=1, metric="cosine")


@settings(max_examples=20)
@given(X=extreme_data(), choose=st.data())
def test_extreme_values_equal_literal_loops(X, choose):
    k = choose.draw(st.integers(1, X.shape[0] - 1))
    found = searched_in_blocks(X, k, choose.draw, scale=False)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, scale=False))


@pytest.mark.filterwarnings("ignore:feature")
@settings(max_examples=20)
@given(data=with_gaps(max_samples=16), choose=st.data())
def test_gaps_equal_literal_loops(data, choose):
    X, _, categorical = data
    k, scale = n_neighbors_for(X, choose.draw), choose.draw(st.booleans())
    found = searched_in_blocks(X, k, choose.draw, categorical, scale)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, categorical, scale))


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32 - 1),
    noise=st.sampled_from([0, 1e-12, 1e-8, 1e-5]),
    choose=st.data(),
)
def test_what_single_precision_cannot_tell_apart(seed, noise, choose):
    rng = np.random.default_rng(seed)
    X = 1e3 + rng.integers(2, size=(16, 3)) + noise * rng.normal(size=(16, 3))
    k, most = choose.draw(st.integers(1, 8)), choose.draw(st.integers(0, 3))
    with patch.object(tiles, "n_candidates", lambda n_neighbors: n_neighbors + most):
        found = searched_in_blocks(X, k, choose.draw)
    np.testing.assert_array_equal(found, literal.neighbors(X, k))


@pytest.mark.parametrize("n_features", [2, 30])
def test_blocks_of_hundreds_of_samples_equal_one_machine(n_features, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(900, n_features)) + rng.choice([0.0, 1e-9], (900, n_features))
    monkeypatch.setattr(search, "PANEL_ROWS", 70)
    monkeypatch.setattr(exact, "TREE_SAMPLES", 50)
    monkeypatch.setattr(exact, "TREE_DUPLICATES", 900)
    blocks = da.from_array(X.astype(np.float32), chunks=(200, 9))
    expected = find_neighbors(X.astype(np.float32)).indices
    np.testing.assert_array_equal(find_neighbors(blocks).indices, expected)


def test_many_categories_and_their_gaps_beside_numbers(monkeypatch):
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(60, size=300), rng.integers(3, size=300), rng.random(300)])
    X[rng.random(X.shape) < 0.1] = np.nan
    monkeypatch.setattr(search, "PANEL_ROWS", 40)
    options = {"n_neighbors": 4, "categorical_features": [0, 1]}
    blocks = da.from_array(X, chunks=(70, 3))
    expected = find_neighbors(X, **options).indices
    np.testing.assert_array_equal(find_neighbors(blocks, **options).indices, expected)
    np.testing.assert_array_equal(expected, literal.neighbors(X, 4, (0, 1)))


def test_numbers_that_lie_askew_are_laid_straight():
    # As those that a worker sent to another: NumPy copies all of them to take a few rows.
    askew = np.frombuffer(b"-" + np.arange(6.0).tobytes(), dtype=np.float64, offset=1).reshape(3, 2)
    assert not askew.flags.aligned
    straight = aligned(askew)
    assert straight.flags.aligned
    np.testing.assert_array_equal(straight, askew)
    assert aligned(straight) is straight


def test_a_limit_known_before_leaves_few_candidates(monkeypatch):
    rng = np.random.default_rng(0)
    X, seen = rng.normal(size=(1200, 10)), []
    ask = pair_search.candidates_across

    def counted(*args):
        found = ask(*args)
        seen.append(found[0].size)
        return found

    monkeypatch.setattr(search, "candidates_across", counted)
    monkeypatch.setattr(search, "PANEL_ROWS", 50)
    monkeypatch.setattr(search, "LEAST_PANELS", 16)
    found = find_neighbors(da.from_array(X, chunks=(75, 10)), n_neighbors=3).indices
    np.testing.assert_array_equal(found, find_neighbors(X, n_neighbors=3).indices)
    n_panels = 16
    assert len(seen) == n_panels * (n_panels - 1) // 2
    # Without limits each sample would have three of each other panel.
    assert sum(seen) < 0.3 * 1200 * 3 * (n_panels - 1)


@given(st.floats(0, 1e300))
def test_a_key_is_undone_to_its_36_bits(square):
    found = squares_of_keys(keys_of(np.array([square])))
    np.testing.assert_allclose(found, [square], rtol=2.0**-34)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.integers(1, 12))
def test_panels_follow_the_blocks_as_far_as_their_size_allows(lengths, rows):
    given_edges = np.cumsum([0, *lengths]).tolist()
    edges = search._edges_along(given_edges, rows)
    assert edges[0] == 0
    assert edges[-1] == given_edges[-1]
    sizes = np.diff(edges)
    assert (sizes > 0).all()
    assert (sizes <= 2 * rows + max(lengths)).all()


near_samples = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([-np.inf, -1.5, 0.0, 2.0, 2.25]),
        st.integers(0, 99),
    ),
    max_size=14,
    unique=True,
)


@given(st.lists(near_samples, min_size=1, max_size=3), st.integers(1, 4))
def test_candidates_are_merged_by_distance_and_sample(parts, k):
    found = NearestSoFar.of(np.empty((4, 0)), np.empty((4, 0)), k)
    for part in parts:
        row, key, sample = (
            (np.array(column) for column in zip(*part, strict=True))
            if part
            else (np.empty((3, 0), dtype=int))
        )
        half = len(part) // 2
        split = [Candidates.of(row[c], sample[c], key[c]) for c in (slice(half), slice(half, None))]
        found = found.with_candidates(split)
    for i in range(4):
        held = sorted((key, sample) for part in parts for row, key, sample in part if row == i)
        full = [*held, *[(np.inf, -1)] * k][:k]
        assert list(zip(found.key[i], found.sample[i], strict=True)) == full
