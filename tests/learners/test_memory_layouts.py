"""However X and y lie in memory, learners learn the same."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    BinaryRelevance,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    KernelRidgeClassifier,
    LabelPowerset,
    MLkNN,
    RAkEL,
    ThresholdedClassifier,
)
from rarelabels.sampling import MLSOL

RNG = np.random.default_rng(0)
# Small whole numbers are the same in every dtype.
X = RNG.integers(0, 9, size=(60, 4)).astype(float)
Y = (X[:, :3] + RNG.normal(0, 2, size=(60, 3)) > 5).astype(float)
NEW = RNG.integers(0, 9, size=(20, 4)).astype(float)
MODELS = {
    "MLkNN": MLkNN(n_neighbors=4),
    "BR": BinaryRelevance(random_state=0),
    "LP": LabelPowerset(random_state=0),
    "ECC": EnsembleOfClassifierChains(n_chains=2, random_state=0),
    "RAkEL": RAkEL(random_state=0),
    "CLR": CalibratedLabelRanking(random_state=0),
    "COCOA": COCOA(n_couples=1, random_state=0),
    "ECCRU3": ECCRU3(n_chains=2, random_state=0),
    "ridge": KernelRidgeClassifier(random_state=0),
    "ensemble": SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=2, random_state=0),
    "thresholds": ThresholdedClassifier(MLkNN(), random_state=0),
}


def strided(table):
    wide = np.full((2 * table.shape[0], 3 * table.shape[1]), np.nan)
    wide[::2, ::3] = table
    return wide[::2, ::3]


def read_only(table):
    made = table.copy()
    made.flags.writeable = False
    return made


def with_long_indices(table):
    made = sparse.csr_array(table)
    parts = (made.data, made.indices.astype(np.int64), made.indptr.astype(np.int64))
    return sparse.csr_array(parts, shape=table.shape)


def unsorted(table):
    """Return a matrix whose entries are in no order, some of them zero."""
    made = sparse.csr_array(table)
    for start, end in zip(made.indptr[:-1], made.indptr[1:], strict=True):
        order = RNG.permutation(np.arange(start, end))
        made.indices[start:end], made.data[start:end] = made.indices[order], made.data[order]
    made.has_sorted_indices = False
    return made


def names(table):
    return list("abcd")[: table.shape[1]]


LAYOUTS = {
    **{code: lambda table, code=code: table.astype(code) for code in ("f4", "i1", "u2", "i8")},
    **{code: lambda table, code=code: table.astype(code) for code in (">f8", ">f4", ">i4")},
    "columns": np.asfortranarray,
    "strided": strided,
    "backwards": lambda table: table[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": read_only,
    "list": lambda table: table.tolist(),
    "pandas": lambda table: pd.DataFrame(table, columns=names(table)),
    "polars": lambda table: pl.DataFrame(table, schema=names(table)),
}
SPARSE = {
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "long indices": with_long_indices,
    "unsorted": unsorted,
}


def scores(model, X, Y, new):
    found = clone(model).fit(X, Y).predict_proba(new)
    return found.toarray() if sparse.issparse(found) else np.asarray(found, dtype=float)


@pytest.fixture(scope="module", params=MODELS)
def case(request):
    model = MODELS[request.param]
    return request.param, model, scores(model, X, Y, NEW)


def check(found, expected, name):
    # Sums in another order differ in the last bits.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 if name == "ridge" else 0)


@pytest.mark.parametrize("layout", [*LAYOUTS, *SPARSE])
def test_features(case, layout):
    name, model, expected = case
    if name == "ensemble" and layout in SPARSE:
        pytest.skip("a sampler draws other numbers for sparse samples")
    make = {**LAYOUTS, **SPARSE}[layout]
    check(scores(model, make(X), Y, make(NEW)), expected, name)


@pytest.mark.parametrize("layout", [*LAYOUTS, *SPARSE])
def test_labels(case, layout):
    name, model, expected = case
    check(scores(model, X, {**LAYOUTS, **SPARSE}[layout](Y), NEW), expected, name)
