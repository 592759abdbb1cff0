"""However X and y lie in memory, learners learn the same."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from layouts import DENSE_LAYOUTS, SPARSE_LAYOUTS, dense_layouts, layouts, sparse_layouts
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    IBLR,
    BinaryRelevance,
    CalibratedClassifier,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    KernelRidgeClassifier,
    LabelPowerset,
    MLkNN,
    MultiLabelForest,
    RAkEL,
    RareLabelClassifier,
    ThresholdedClassifier,
)
from rarelabels.sampling import MLROS, MLSOL, sampler, sampler_names

RNG = np.random.default_rng(0)
X = RNG.integers(0, 9, size=(60, 4)).astype(float)
Y = (X[:, :3] + RNG.normal(0, 2, size=(60, 3)) > 5).astype(float)
NEW = RNG.integers(0, 9, size=(20, 4)).astype(float)
MODELS = {
    "MLkNN": MLkNN(n_neighbors=4),
    "IBLR": IBLR(n_neighbors=4),
    "BR": BinaryRelevance(random_state=0),
    "LP": LabelPowerset(random_state=0),
    "ECC": EnsembleOfClassifierChains(n_chains=2, random_state=0),
    "RAkEL": RAkEL(random_state=0),
    "CLR": CalibratedLabelRanking(random_state=0),
    "COCOA": COCOA(n_couples=1, random_state=0),
    "ECCRU3": ECCRU3(n_chains=2, random_state=0),
    "ridge": KernelRidgeClassifier(random_state=0),
    "forest": MultiLabelForest(n_estimators=10, random_state=0),
    "rare": RareLabelClassifier(random_state=0),
    "ensemble": SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=2, random_state=0),
    "clones": SamplingEnsemble(BinaryRelevance(), MLROS(), n_estimators=2, random_state=0),
    "resampled": ResampledClassifier(BinaryRelevance(), MLROS(), random_state=0),
    "thresholds": ThresholdedClassifier(MLkNN(), random_state=0),
    "calibrated": CalibratedClassifier(BinaryRelevance(random_state=0), random_state=0),
}
# They multiply matrices, whose sums have another order in another layout: the last bits differ.
MULTIPLYING = {"ridge", "rare"}


def names(table):
    return list("abcd")[: table.shape[1]]


LAYOUTS = {
    **DENSE_LAYOUTS,
    "list": lambda table: table.tolist(),
    "object": lambda table: table.astype(object),
    "pandas": lambda table: pd.DataFrame(table, columns=names(table)),
    "polars": lambda table: pl.DataFrame(table, schema=names(table)),
}
ALL = {**LAYOUTS, **SPARSE_LAYOUTS}


def scores(model, X, Y, new):
    found = clone(model).fit(X, Y).predict_proba(new)
    return found.toarray() if sparse.issparse(found) else np.asarray(found, dtype=float)


KNOWN = {}


def plain_scores(name, container):
    if (name, container) not in KNOWN:
        KNOWN[name, container] = scores(MODELS[name], container(X), Y, container(NEW))
    return KNOWN[name, container]


def check(found, expected, name):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 if name in MULTIPLYING else 0)


@pytest.mark.parametrize("name", MODELS)
def test_sparse_features_give_what_dense_ones_give(name):
    """MLSOL draws a number for each feature that is not 0 in both samples, hence other numbers."""
    on_dense, on_sparse = (plain_scores(name, make) for make in (np.asarray, sparse.csr_array))
    if name == "ensemble":
        assert (on_dense != on_sparse).any()
    else:
        check(on_sparse, on_dense, name)


@pytest.mark.parametrize("layout", ALL)
@pytest.mark.parametrize("name", ["MLkNN", "BR"])
def test_features_and_labels(name, layout):
    make = ALL[layout]
    expected = plain_scores(name, np.asarray)
    check(scores(MODELS[name], make(X), make(Y), make(NEW)), expected, name)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", MODELS)
def test_entries_that_are_stored_in_two_parts_are_added(name, dtype):
    matrix = SPARSE_LAYOUTS["duplicates"](X.astype(dtype))
    found = scores(MODELS[name], matrix, Y, sparse.csr_array(NEW))
    check(found, plain_scores(name, sparse.csr_array), name)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=10)
@given(of_dense=dense_layouts(), of_sparse=sparse_layouts(), of_labels=layouts(), choose=st.data())
def test_any_combination(name, of_dense, of_sparse, of_labels, choose):
    """Features, labels and new samples each in a layout of its own."""
    for plain, of_features, others in (
        (np.asarray, of_dense, dense_layouts()),
        (sparse.csr_array, of_sparse, sparse_layouts()),
    ):
        of_new = choose.draw(others)
        found = scores(MODELS[name], of_features(X), of_labels(Y), of_new(NEW))
        check(found, plain_scores(name, plain), name)


def resampled(name, features, labels):
    made = sampler(name)
    if "random_state" in made.get_params():
        made.set_params(random_state=0)
    X_new, y_new = made.fit_resample(features, labels)
    as_arrays = (found.toarray() if sparse.issparse(found) else found for found in (X_new, y_new))
    return [np.asarray(found, dtype=float) for found in as_arrays]


@pytest.mark.filterwarnings("ignore::UserWarning")
# SciPy says so of any matrix of many diagonals, which the caller has chosen here.
@pytest.mark.filterwarnings("ignore:Constructing a DIA")
@pytest.mark.parametrize("name", sampler_names())
@settings(max_examples=8)
@given(of_dense=dense_layouts(), of_sparse=sparse_layouts(), of_labels=layouts())
def test_samplers(name, of_dense, of_sparse, of_labels):
    """Draws depend on whether X is sparse, and on nothing else of how it lies in memory."""
    for plain, layout in ((np.asarray, of_dense), (sparse.csr_array, of_sparse)):
        expected, labels = resampled(name, plain(X), Y)
        features = layout(X)
        found, found_labels = resampled(name, features, of_labels(Y))
        # A synthetic value is rounded to the precision of X.
        precision = np.finfo(features.dtype).eps if features.dtype.kind == "f" else 0
        np.testing.assert_allclose(found, expected, rtol=0, atol=16 * precision)
        np.testing.assert_array_equal(found_labels, labels)
