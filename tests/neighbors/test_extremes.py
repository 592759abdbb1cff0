"""Neighbors of values that a careless distance would lose: extreme, offset, whole, missing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import literal
from rarelabels import find_neighbors
from rarelabels._neighbors import exact, feature_space, query_neighbors
from rarelabels._neighbors.exact import kd_tree
from rarelabels._validation import check_features
from rarelabels.sampling import MLSOL
from strategies import KINDS, extreme_data, n_neighbors_for, with_gaps


@settings(max_examples=300)
@given(X=extreme_data(), choose=st.data())
def test_nothing_overflows_vanishes_or_is_shifted_where_nothing_is_rescaled(X, choose):
    k = n_neighbors_for(X, choose.draw)
    expected = literal.neighbors(X, k, scale=False)
    for container in (np.asarray, sparse.csr_array):
        found = find_neighbors(container(X), n_neighbors=k, scale_features=False)
        np.testing.assert_array_equal(found.indices, expected)


# NumPy 1 speaks of an overflow where it divides subnormal numbers in place, with a right result.
OF_NUMPY_1 = "ignore:overflow encountered in divide" if np.__version__ < "2" else "error"


@pytest.mark.filterwarnings(OF_NUMPY_1)
@settings(max_examples=300)
@given(X=extreme_data([kind for kind in KINDS if kind != "huge"]), choose=st.data())
def test_rescaled_features_keep_their_digits(X, choose):
    k = n_neighbors_for(X, choose.draw)
    categorical = [j for j in range(X.shape[1]) if choose.draw(st.booleans())]
    expected = literal.neighbors(X, k, categorical)
    for container in (np.asarray, sparse.csr_array):
        found = find_neighbors(container(X), n_neighbors=k, categorical_features=categorical)
        np.testing.assert_array_equal(found.indices, expected)


@settings(max_examples=100)
@given(X=extreme_data(["large", "small", "offset", "beside one", "plain"]), choose=st.data())
def test_the_tree_keeps_them_too(X, choose):
    scale = choose.draw(st.booleans())
    space = feature_space(check_features(X), scale_features=scale)
    k, samples = n_neighbors_for(X, choose.draw), np.arange(len(X))
    found = kd_tree.KDTreeSearch(space, samples.size).nearest(samples, k)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, scale=scale))


def timestamps(rng, n, spread):
    return 1_700_000_000_000_000_000 + rng.integers(spread, size=n)


@settings(max_examples=200)
@given(
    seed=st.integers(0, 2**32 - 1),
    spread=st.sampled_from([20, 10**9, 10**17, 2**62]),
    choose=st.data(),
)
def test_integers_are_taken_apart_as_integers(seed, spread, choose):
    rng = np.random.default_rng(seed)
    n, scale = choose.draw(st.integers(4, 14)), choose.draw(st.booleans())
    X = np.column_stack([timestamps(rng, n, spread), rng.integers(9, size=n)])
    categorical = [0] if choose.draw(st.booleans()) else []
    k = n_neighbors_for(X, choose.draw)
    expected = literal.neighbors(X, k, categorical, scale)
    frames = [X, pd.DataFrame(X), pl.DataFrame(X, schema=["t", "v"])]
    for data in frames if X.max() < 2**63 else [X]:
        found = find_neighbors(
            data, n_neighbors=k, scale_features=scale, categorical_features=categorical
        )
        np.testing.assert_array_equal(found.indices, expected)


def test_nanoseconds_of_a_year_beside_other_features():
    rng = np.random.default_rng(0)
    time = timestamps(rng, 60, 3 * 10**16)
    frame = pd.DataFrame({"time": time, "size": rng.normal(size=60)})
    exact = np.empty((60, 2), dtype=object)
    exact[:, 0], exact[:, 1] = [int(t) for t in time], frame["size"]
    found = find_neighbors(frame, n_neighbors=5).indices
    np.testing.assert_array_equal(found, literal.neighbors(exact, 5))


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, lambda X: pl.DataFrame(X, ["a", "b"])])
def test_copied_samples_keep_their_integers(make):
    rng = np.random.default_rng(0)
    X = np.column_stack([timestamps(rng, 60, 10**17), rng.integers(100, size=60)])
    Y = (rng.random((60, 2)) < 0.3).astype(int)
    made = MLSOL(random_state=0).fit_resample(make(X), Y)[0]
    time = made[:, 0] if isinstance(made, np.ndarray) else column_of_frame(made, 0)
    assert time.dtype == np.int64
    np.testing.assert_array_equal(time[:60], X[:, 0])
    assert (time >= X[:, 0].min()).all()
    assert (time <= X[:, 0].max()).all()
    assert not np.isin(time[60:], X[:, 0]).all()


def column_of_frame(frame, j):
    is_polars = isinstance(frame, pl.DataFrame)
    return (frame.to_series(j) if is_polars else frame.iloc[:, j]).to_numpy()


def test_sparse_integers_that_no_float_holds_are_refused():
    X = sparse.csr_array(np.array([[2**60, 0], [2**60 + 1, 1], [0, 3]]))
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        find_neighbors(X, n_neighbors=1)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_matrix_is_an_array():
    X = np.random.default_rng(0).random((20, 3))
    found = find_neighbors(np.matrix(X), n_neighbors=4)
    np.testing.assert_array_equal(found.indices, find_neighbors(X, n_neighbors=4).indices)
    Y = (X[:, :2] > 0.7).astype(int)
    X_new, Y_new = MLSOL(random_state=0).fit_resample(np.matrix(X), np.matrix(Y))
    assert type(X_new) is type(Y_new) is np.ndarray


def test_no_tree_where_many_samples_share_a_place(monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(exact, "TREE_SAMPLES", 100)

    def suits(X):
        return exact.suits_kd_tree(feature_space(check_features(X)), len(X))

    assert suits(rng.random((200, 2)))
    assert suits(np.repeat(rng.random((100, 2)), 2, axis=0))
    assert not suits(rng.integers(2, size=(200, 2)).astype(float))
    assert not suits(np.vstack([rng.random((150, 2)), np.zeros((50, 2))]))


@pytest.mark.filterwarnings("ignore:feature")
@settings(max_examples=400)
@given(data=with_gaps(), choose=st.data())
def test_gaps_equal_literal_loops(data, choose):
    X, _, categorical = data
    k, scale = n_neighbors_for(X, choose.draw), choose.draw(st.booleans())
    expected = literal.neighbors(X, k, categorical, scale)
    for container in (np.asarray, sparse.csr_array):
        found = find_neighbors(
            container(X), n_neighbors=k, scale_features=scale, categorical_features=categorical
        )
        np.testing.assert_array_equal(found.indices, expected)


@pytest.mark.filterwarnings("ignore:feature")
@settings(max_examples=150)
@given(data=with_gaps(min_samples=4), choose=st.data())
def test_queries_with_gaps_equal_literal_loops(data, choose):
    X, _, categorical = data
    n_queries = choose.draw(st.integers(1, X.shape[0] - 2))
    known, asked = X[n_queries:], X[:n_queries]
    k = choose.draw(st.integers(1, known.shape[0]))
    expected = literal.neighbors(known, k, categorical, queries=asked)
    for container in (np.asarray, sparse.csr_array):
        found = query_neighbors(
            check_features(container(known), categorical),
            check_features(container(asked), categorical),
            k,
        )
        np.testing.assert_array_equal(found, expected)


@settings(max_examples=60)
@given(X=extreme_data(["large", "small", "offset", "plain"]), choose=st.data())
def test_gaps_among_extreme_values(X, choose):
    rng = np.random.default_rng(choose.draw(st.integers(0, 99)))
    X = np.where((rng.random(X.shape) < 0.2) & (np.arange(len(X)) > 0)[:, None], np.nan, X)
    k, scale = n_neighbors_for(X, choose.draw), choose.draw(st.booleans())
    found = find_neighbors(X, n_neighbors=k, scale_features=scale).indices
    np.testing.assert_array_equal(found, literal.neighbors(X, k, scale=scale))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("values", [3, None])
def test_gaps_in_a_larger_search(container, values):
    rng = np.random.default_rng(0)
    X = rng.random((600, 12)) if values is None else rng.integers(values, size=(600, 12)) * 1.0
    X[:, :5][rng.random((600, 5)) < 0.3] = np.nan
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    unit = np.where(np.isnan(X), 0, X - low) / (high - low)
    gaps, squares = np.isnan(X), np.zeros((600, 600))
    for j in range(12):
        known = ~(gaps[:, j][:, None] | gaps[:, j])
        squares += np.where(known, (unit[:, j][:, None] - unit[:, j]) ** 2, 1)
    np.fill_diagonal(squares, np.inf)
    expected = np.argsort(np.round(squares, 11), axis=1, kind="stable")[:, :7]
    np.testing.assert_array_equal(find_neighbors(container(X), n_neighbors=7).indices, expected)


def test_gaps_by_hand():
    # Feature 0 spans 4. Sample 2 lacks it: 1 from everything. Samples 0 and 1: 1/16; 0 and 3: 1.
    X = np.array([[0.0], [1.0], [np.nan], [4.0], [np.nan]])
    found = find_neighbors(X, n_neighbors=4).indices
    np.testing.assert_array_equal(
        found, [[1, 2, 3, 4], [0, 3, 2, 4], [0, 1, 3, 4], [1, 0, 2, 4], [0, 1, 2, 3]]
    )


def test_every_word_for_missing_is_one():
    numbers = np.array([[0.0, 1.0], [np.nan, 2.0], [2.0, np.nan], [5.0, 1.0]])
    expected = find_neighbors(numbers, n_neighbors=2).indices
    none = [[None if np.isnan(cell) else cell for cell in row] for row in numbers]
    frame = pd.DataFrame(numbers, columns=["a", "b"])
    for data in (
        none,
        np.array(none, dtype=object),
        frame,
        frame.convert_dtypes(),
        frame.astype(object).where(frame.notna(), None),
        pl.DataFrame(none, schema=["a", "b"], orient="row"),
        sparse.csr_array(numbers),
    ):
        np.testing.assert_array_equal(find_neighbors(data, n_neighbors=2).indices, expected)


def test_a_feature_without_values_does_not_count_and_is_named():
    X = np.random.default_rng(0).random((20, 3))
    frame = pd.DataFrame(X, columns=list("abc")).assign(b=np.nan)
    with pytest.warns(UserWarning, match="feature 'b' has no known value"):
        found = find_neighbors(frame, n_neighbors=3).indices
    np.testing.assert_array_equal(found, find_neighbors(X[:, [0, 2]], n_neighbors=3).indices)


def test_a_search_that_cannot_count_gaps_is_not_asked():
    from sklearn.neighbors import NearestNeighbors

    X = np.array([[0.0], [1.0], [np.nan], [4.0]])
    with pytest.raises(ValueError, match=r"X has missing values \(NaN\)"):
        find_neighbors(X, n_neighbors=1, neighbors=NearestNeighbors())
