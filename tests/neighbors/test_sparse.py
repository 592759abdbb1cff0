"""The compiled search among sparse samples equals literal loops and the search without numba."""

import ast
import os
import subprocess
import sys
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import literal
from rarelabels import find_neighbors
from rarelabels._distances import DISTANCES
from rarelabels._neighbors import exact, feature_space, query_neighbors
from rarelabels._neighbors.exact.sparse import search
from rarelabels._validation import check_features
from strategies import data_sets, extreme_data, n_neighbors_for, with_gaps

METRIC_NAMES = [metric.name for metric in DISTANCES]
# Costs that choose one way or the other, whatever the data.
WAYS = {"bits": {"WORD": 0, "SHARED": 1e9}, "index": {"WORD": 1e9, "DENSE": 1e9, "SHARED": 0}}


@contextmanager
def always_compiled(way="bits"):
    with (
        patch.multiple(exact, SPARSE_SAMPLES=0),
        patch.multiple(search, BITS_MEMORY=1e9, **WAYS[way]),
    ):
        yield


def searched(X, n_neighbors, draw, **options):
    n_jobs = draw(st.sampled_from([1, 2]))
    return find_neighbors(X, n_neighbors=n_neighbors, n_jobs=n_jobs, **options).indices


@settings(max_examples=150)
@given(data=data_sets(max_samples=30), way=st.sampled_from(sorted(WAYS)), choose=st.data())
def test_ties_equal_literal_loops(data, way, choose):
    X, _, categorical = data
    k = choose.draw(st.integers(1, X.shape[0] - 1))
    options = {"scale_features": choose.draw(st.booleans()), "categorical_features": categorical}
    with always_compiled(way):
        found = searched(sparse.csr_array(X), k, choose.draw, **options)
    expected = literal.neighbors(X, k, categorical, options["scale_features"])
    np.testing.assert_array_equal(found, expected)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 150),
    d=st.sampled_from([1, 3, 63, 64, 65, 200]),
    density=st.sampled_from([0.0, 0.05, 0.5, 1.0]),
    choose=st.data(),
)
def test_sets_equal_the_product(seed, n, d, density, choose):
    X = (np.random.default_rng(seed).random((n, d)) < density).astype(float)
    k = n_neighbors_for(X, choose.draw, largest=n - 1)
    options = {"scale_features": False, "metric": choose.draw(st.sampled_from(METRIC_NAMES))}
    expected = find_neighbors(X, n_neighbors=k, **options).indices
    with always_compiled("bits"):
        found = searched(sparse.csr_array(X), k, choose.draw, **options)
    np.testing.assert_array_equal(found, expected)


@settings(max_examples=100)
@given(X=extreme_data(), choose=st.data())
def test_extreme_values_equal_literal_loops(X, choose):
    k = choose.draw(st.integers(1, X.shape[0] - 1))
    with always_compiled("index"):
        found = searched(sparse.csr_array(X), k, choose.draw, scale_features=False)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, scale=False))


@pytest.mark.filterwarnings("ignore:feature")
@settings(max_examples=100)
@given(data=with_gaps(), way=st.sampled_from(sorted(WAYS)), choose=st.data())
def test_gaps_equal_literal_loops(data, way, choose):
    X, _, categorical = data
    k = n_neighbors_for(X, choose.draw)
    with always_compiled(way):
        found = searched(sparse.csr_array(X), k, choose.draw, categorical_features=categorical)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, categorical))


@settings(max_examples=60)
@given(data=data_sets(min_samples=4), way=st.sampled_from(sorted(WAYS)), choose=st.data())
def test_queries_equal_literal_loops(data, way, choose):
    X, _, categorical = data
    n_queries = choose.draw(st.integers(1, X.shape[0] - 2))
    known, asked = X[n_queries:], X[:n_queries]
    k = choose.draw(st.integers(1, known.shape[0]))
    features = [check_features(sparse.csr_array(part), categorical) for part in (known, asked)]
    with always_compiled(way):
        found = query_neighbors(*features, k)
    np.testing.assert_array_equal(found, literal.neighbors(known, k, categorical, queries=asked))


@settings(max_examples=40)
@given(data=data_sets(max_samples=30), most=st.sampled_from([0, 2]), choose=st.data())
def test_samples_with_too_many_candidates_are_searched_again(data, most, choose):
    X, _, _ = data
    X, k = X * 1.1, n_neighbors_for(X, choose.draw)
    few = patch.object(search, "n_candidates", lambda n_neighbors: n_neighbors + most)
    with always_compiled("index"), few:
        found = searched(sparse.csr_array(X), k, choose.draw, scale_features=False)
    np.testing.assert_array_equal(found, literal.neighbors(X, k, scale=False))


@pytest.mark.parametrize("kind", ["sets", "counts", "numbers", "gaps"])
def test_numba_changes_nothing(monkeypatch, kind):
    rng = np.random.default_rng(3)
    X = sparse.random_array((1500, 90), density=0.1, rng=rng, format="csr")
    if kind == "sets":
        X.data[:] = 1
    elif kind == "counts":
        X.data = rng.integers(1, 5, X.nnz).astype(float)
    elif kind == "gaps":
        X.data[rng.random(X.nnz) < 0.1] = np.nan
    space = feature_space(check_features(X))
    assert exact.suits_sparse(space, 1500)
    assert (search.SparseSearch(space, 1500).bits is not None) == (kind == "sets")
    found = [find_neighbors(X, n_neighbors=7, n_jobs=n_jobs).indices for n_jobs in (1, 2, 3)]
    monkeypatch.setattr(exact, "find_spec", lambda name: None)
    assert not exact.suits_sparse(space, 1500)
    for one in found:
        np.testing.assert_array_equal(one, find_neighbors(X, n_neighbors=7, n_jobs=1).indices)


PLAIN = """
import numpy as np
from scipy import sparse
from rarelabels import find_neighbors
from rarelabels._neighbors import exact
from rarelabels._neighbors.exact.sparse import search
exact.SPARSE_SAMPLES, search.BITS_MEMORY, search.WORD = 0, 1e9, 0
rng = np.random.default_rng(0)
X = sparse.random_array((70, 330), density=0.1, rng=rng, format="csr")
found = [find_neighbors(X, n_neighbors=3).indices.tolist()]
X.data[:] = 1
for metric in ("euclidean", "cosine"):
    for n in (1, 2):
        found += [find_neighbors(X, n_neighbors=3, metric=metric, n_jobs=n).indices.tolist()]
print(found)
"""


def test_python_gives_what_the_compiled_code_gives():
    # Python refuses an index beyond the end of an array, which compiled code does not.
    done = [
        subprocess.run(
            [sys.executable, "-c", PLAIN],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
        )
        for disabled in ("1", "0")
    ]
    plain, compiled_too = (ast.literal_eval(one.stdout) for one in done)
    assert plain == compiled_too
    assert plain[1] == plain[2] != plain[0]
    assert plain[3] == plain[4] != plain[1]
