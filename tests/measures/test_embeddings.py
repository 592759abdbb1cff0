"""Embeddings are recognized by the norms of samples."""

import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from rarelabels._validation import check_features
from rarelabels.measures import describe
from rarelabels.measures.embeddings import LEAST_FEATURES, TOLERANCE, are_embeddings


def unit_rows(n_features, rng, n_samples=40):
    X = rng.normal(size=(n_samples, n_features))
    return X / np.linalg.norm(X, axis=1)[:, None]


@pytest.mark.parametrize(
    "container",
    [np.asarray, sparse.csr_array, lambda X: X.astype(np.float16), lambda X: X.astype(np.float32)],
)
def test_rows_of_norm_one_are_embeddings(container):
    X = unit_rows(64, np.random.default_rng(0))
    X[3] = 0
    assert are_embeddings(check_features(container(X)))
    assert not are_embeddings(check_features(container(X * 1.5)))


def test_one_other_norm_is_enough():
    X = unit_rows(64, np.random.default_rng(1))
    X[7] *= 1 + 2 * TOLERANCE
    assert not are_embeddings(check_features(X))


def test_few_features_categories_zeros_and_missing_values_are_no_embeddings():
    rng = np.random.default_rng(2)
    assert not are_embeddings(check_features(unit_rows(LEAST_FEATURES - 1, rng)))
    X = unit_rows(LEAST_FEATURES, rng)
    assert are_embeddings(check_features(X))
    assert not are_embeddings(check_features(X, [0]))
    assert not are_embeddings(check_features(np.zeros_like(X)))
    X[0, 0] = np.nan
    assert not are_embeddings(check_features(X))


@pytest.mark.parametrize("container", [np.asarray, lambda X: da.from_array(X, chunks=15)])
def test_describe_advises_cosine(container):
    rng = np.random.default_rng(3)
    X, y = unit_rows(32, rng), (rng.random((40, 2)) < 0.4).astype(int)
    described = describe(container(X), y)
    (step,) = [step for step in described.advice if step.topic == "embeddings"]
    assert 'metric="cosine"' in step.code
    assert step.code in repr(described)
    by_cosine = describe(container(X), y, metric="cosine")
    assert "embeddings" not in [step.topic for step in by_cosine.advice]
    assert by_cosine.summary["metric"] == "cosine"
