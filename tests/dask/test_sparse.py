"""Dask arrays of sparse blocks give what one machine gives for the same CSR matrix."""

from itertools import pairwise

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import dask
import literal
from quick import samplers_of_dask
from rarelabels import find_neighbors
from rarelabels._dask import features, search
from rarelabels._neighbors import exact
from rarelabels.learners import KernelRidgeClassifier
from rarelabels.measures import describe, label_types, limb
from rarelabels.sampling import MLRUS, MLSMOTE, MLSOL, MLUL, REMEDIAL, SamplerChain
from strategies import with_gaps

SAMPLERS = samplers_of_dask()
KINDS = [sparse.csr_array, sparse.csr_matrix, sparse.csc_matrix]
# Before SciPy 1.17, Dask makes a dense array of joined blocks, since it cannot select their rows.
KINDS += [sparse.coo_array] if hasattr(sparse.coo_array, "__getitem__") else []


@pytest.fixture(autouse=True)
def small_panels(monkeypatch):
    monkeypatch.setattr(search, "PANEL_ROWS", 30)
    monkeypatch.setattr(search, "SPARSE_ROWS", 30)
    monkeypatch.setattr(search, "LEAST_PANELS", 4)


def blocks_of(matrix, kind=sparse.csr_array, edges=(), n_columns=None):
    """Return a matrix as a Dask array of sparse blocks that begin at some rows."""
    ends = [0, *edges, matrix.shape[0]]
    widths = [0, *([n_columns] if n_columns else []), matrix.shape[1]]
    rows = []
    for start, stop in pairwise(ends):
        row = []
        for left, right in pairwise(widths):
            part = kind(matrix[start:stop, left:right])
            task = dask.delayed(part, traverse=False)
            row.append(da.from_delayed(task, part.shape, meta=kind((0, 0), dtype=matrix.dtype)))
        rows.append(row)
    return da.block(rows)


def texts(n_samples, n_features, seed, dtype=np.float64, share=0.3):
    """Return sparse counts or weights whose frequencies fall, with some empty samples."""
    rng = np.random.default_rng(seed)
    frequency = share * 2 / (1 + np.arange(n_features))
    chosen = rng.random((n_samples, n_features)) < np.minimum(frequency, 0.9)
    values = (
        np.rint(rng.exponential(3, chosen.shape)) if dtype == np.int64 else rng.random(chosen.shape)
    )
    chosen[5:7] = False
    return sparse.csr_array((values * chosen).astype(dtype))


def labels_for(n_samples, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.random((n_samples, 5)) < [0.06, 0.1, 0.2, 0.5, 0.8]).astype(np.int64)


def assert_same_matrix(found, expected):
    """Compare class, format, dtype and every stored value."""
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    left, right = (matrix.tocsr().sorted_indices() for matrix in (found, expected))
    np.testing.assert_array_equal(left.indptr, right.indptr)
    np.testing.assert_array_equal(left.indices, right.indices)
    assert left.data.tobytes() == right.data.tobytes()


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("kind", KINDS)
def test_samplers_equal_one_machine(name, kind):
    X, y = texts(120, 30, seed=0), labels_for(120)
    sampler = clone(SAMPLERS[name])
    X_one, y_one = sampler.fit_resample(kind(X), y)
    learned = {key: value for key, value in vars(sampler).items() if key.endswith("_")}
    X_new, y_new = sampler.fit_resample(blocks_of(X, kind, [50, 50, 51]), y)
    assert isinstance(X_new, da.Array)
    assert type(X_new._meta) is kind
    assert X_new.shape == X_one.shape
    assert all(type(block) is kind for block in dask.compute(*X_new.to_delayed().ravel()))
    assert_same_matrix(kind(X_new.compute()), X_one)
    np.testing.assert_array_equal(y_new, y_one)
    for key, value in learned.items():
        np.testing.assert_array_equal(value, getattr(sampler, key), err_msg=key)


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
def test_dtypes_are_those_of_one_machine(name, dtype, monkeypatch):
    # Synthetic samples are made in several tasks, which continue the draws of one generator.
    monkeypatch.setattr(features, "GROWN_ENTRIES", 64)
    X, y = texts(120, 30, seed=1, dtype=np.int64).astype(dtype), labels_for(120)
    sampler = clone(SAMPLERS[name])
    expected = sampler.fit_resample(X, y)[0]
    found = sampler.fit_resample(blocks_of(X, edges=[30, 90], n_columns=7), y)[0]
    assert found.dtype == expected.dtype
    assert_same_matrix(found.compute(), expected)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("values", ["weights", "sets", "counts"])
def test_compiled_searches_equal_one_machine(metric, scale, values, monkeypatch):
    monkeypatch.setattr(exact, "SPARSE_SAMPLES", 50)
    monkeypatch.setattr(search, "PANEL_ROWS", 60)
    monkeypatch.setattr(search, "SPARSE_ROWS", 60)
    X = texts(400, 300, seed=2, dtype=np.float64 if values == "weights" else np.int64, share=1)
    X = (X > 0).astype(float) if values == "sets" else X
    options = {"n_neighbors": 4, "metric": metric, "scale_features": scale}
    expected = find_neighbors(X, **options).indices
    found = find_neighbors(blocks_of(X, edges=[33, 200]), **options).indices
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:feature", "ignore:label", "ignore:no sample")
@settings(max_examples=20, deadline=None)
@given(data=with_gaps(min_samples=6, max_samples=16), choose=st.data())
def test_gaps_categories_and_ties_equal_one_machine(data, choose):
    X, Y, categorical = data
    X = sparse.csr_array(X)
    name = choose.draw(st.sampled_from(["MLSOL", "MLUL", "MLSMOTE"]))
    sampler = clone(SAMPLERS[name]).set_params(categorical_features=categorical)
    edges = sorted(choose.draw(st.lists(st.integers(0, X.shape[0]), max_size=3)))
    X_one, y_one = sampler.fit_resample(X, Y)
    X_new, y_new = sampler.fit_resample(blocks_of(X, edges=edges), Y)
    assert_same_matrix(X_new.compute(), X_one)
    np.testing.assert_array_equal(y_new, y_one)


@pytest.mark.filterwarnings("ignore:feature")
@settings(max_examples=20, deadline=None)
@given(data=with_gaps(max_samples=16), choose=st.data())
def test_neighbors_equal_literal_loops(data, choose):
    X, _, categorical = data
    k, scale = choose.draw(st.integers(1, len(X) - 1)), choose.draw(st.booleans())
    edges = sorted(choose.draw(st.lists(st.integers(0, len(X)), max_size=4)))
    found = find_neighbors(
        blocks_of(sparse.csr_array(X), edges=edges),
        n_neighbors=k,
        categorical_features=categorical,
        scale_features=scale,
    ).indices
    np.testing.assert_array_equal(found, literal.neighbors(X, k, categorical, scale))


def test_measures_and_groups_equal_one_machine():
    X, y = texts(150, 40, seed=3), labels_for(150)
    blocks, groups = blocks_of(X, edges=[70]), np.arange(150) // 3
    assert limb(blocks, y) == limb(X, y)
    np.testing.assert_array_equal(label_types(blocks, y), label_types(X, y))
    assert describe(blocks, y).summary == describe(X, y).summary
    np.testing.assert_array_equal(
        find_neighbors(blocks, groups=groups).indices, find_neighbors(X, groups=groups).indices
    )


def test_large_groups_of_mlsmote_are_searched_in_panels(monkeypatch):
    monkeypatch.setattr(search, "LARGE_GROUP", 15)
    monkeypatch.setattr(search, "PANEL_ROWS", 4)
    monkeypatch.setattr(search, "SPARSE_ROWS", 4)
    X, y = texts(90, 12, seed=4), labels_for(90)
    sampler = MLSMOTE(n_neighbors=3, categorical_features=[1], random_state=0)
    expected = sampler.fit_resample(X, y)[0]
    found = sampler.fit_resample(blocks_of(X, edges=[31, 60]), y)[0]
    assert_same_matrix(found.compute(), expected)


def test_a_chain_equals_one_machine():
    X, y = texts(120, 20, seed=5), labels_for(120)
    members = [REMEDIAL(), MLSOL(n_neighbors=3), MLRUS(), MLSMOTE(n_neighbors=2), MLUL()]
    chain = SamplerChain(members, random_state=0)
    expected = chain.fit_resample(X, y)
    found = chain.fit_resample(blocks_of(X, edges=[50, 100]), y)
    assert_same_matrix(found[0].compute(), expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_labels_in_sparse_blocks(kind):
    X, y = texts(90, 12, seed=6), labels_for(90)
    sampler = clone(SAMPLERS["MLSOL"])
    X_one, y_one = sampler.fit_resample(X, kind(y))
    X_new, y_new = sampler.fit_resample(blocks_of(X, edges=[40]), blocks_of(kind(y), kind, [10]))
    assert_same_matrix(X_new.compute(), X_one)
    assert_same_matrix(kind(y_new.compute()), y_one)


@pytest.mark.parametrize("n_features", [12, 60])
def test_kernel_ridge_equals_one_machine(n_features):
    X, y = texts(300, n_features, seed=7), labels_for(300)
    settled = {"n_landmarks": 50, "random_state": 0}
    expected = KernelRidgeClassifier(**settled).fit(X, y)
    blocks = blocks_of(X, edges=[120, 120, 250])
    found = KernelRidgeClassifier(**settled).fit(blocks, y)
    assert (found.scaling_, found.linear_scaling_) == (expected.scaling_, expected.linear_scaling_)
    np.testing.assert_allclose(
        found.leave_one_out_scores_, expected.leave_one_out_scores_, atol=1e-4
    )
    np.testing.assert_array_equal(found.predict(blocks).compute(), expected.predict(X))
    np.testing.assert_allclose(
        found.predict_proba(blocks).compute(), expected.predict_proba(X), atol=1e-4
    )


@pytest.mark.parametrize("kind", ["COO", "GCXS"])
def test_arrays_of_the_package_sparse(kind):
    of_package = getattr(pytest.importorskip("sparse"), kind)
    X, y = texts(90, 12, seed=8), labels_for(90)
    expected = MLSOL(random_state=0).fit_resample(X, y)[0]
    parts = [of_package.from_scipy_sparse(part) for part in (X[:40], X[40:])]
    blocks = da.concatenate(
        [da.from_delayed(dask.delayed(part), part.shape, meta=parts[0][:0]) for part in parts]
    )
    found = MLSOL(random_state=0).fit_resample(blocks, y)[0]
    rows = dask.compute(*found.to_delayed().ravel())
    assert all(type(block) is of_package for block in rows)
    assert_same_matrix(
        sparse.csr_array(sparse.vstack([block.to_scipy_sparse() for block in rows])), expected
    )


def test_blocks_that_are_not_what_the_array_declares():
    X, y = texts(60, 5, seed=9), labels_for(60)
    dense = da.from_array(X.toarray(), chunks=(20, 5))
    undeclared = dense.map_blocks(sparse.csr_array, meta=np.empty((0, 0)))
    with pytest.raises(
        ValueError, match=r"NumPy arrays, but its block \d .* csr_array; X.map_blocks"
    ):
        MLSOL().fit_resample(undeclared, y)
    declared = dense.map_blocks(np.asarray, meta=sparse.csr_array((0, 0)))
    with pytest.raises(
        ValueError, match=r"sparse matrices, but its block \d .* is a ndarray; X.map_blocks"
    ):
        find_neighbors(declared)
    wrong = da.from_delayed(dask.delayed(X[:20]), (19, 5), meta=X[:0])
    with pytest.raises(ValueError, match=r"block 0 .* of X has shape \(20, 5\)"):
        find_neighbors(wrong)


def test_bad_values_are_named_as_on_one_machine():
    X = texts(60, 5, seed=10).toarray()
    X[43, 2] = np.inf
    for data in (sparse.csr_array(X), blocks_of(sparse.csr_array(X), edges=[20])):
        with pytest.raises(ValueError, match="infinity in row 43, column 2"):
            find_neighbors(data)
    X[43, 2] = np.nan
    for data in (sparse.csr_array(X), blocks_of(sparse.csr_array(X), edges=[20])):
        with pytest.raises(ValueError, match=r"missing value .* in row 43, column 2, and metric"):
            find_neighbors(data, metric="cosine")
    wide = sparse.csr_array(np.array([[0, 2**60], [1, 2]]))
    with pytest.raises(ValueError, match=r"sparse matrix with integers beyond 2\*\*53"):
        find_neighbors(blocks_of(wide), n_neighbors=1)
