"""Recognize embeddings: samples of unit length, which are compared by direction."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, row_sums
from rarelabels._features import Features

# With fewer features, samples of unit length are rarely embeddings.
LEAST_FEATURES = 16
# Norms of embeddings in half precision differ from 1 by less than this.
TOLERANCE = 1e-3


def are_embeddings(features: Features) -> bool:
    """Return whether samples look like embeddings: many features, and norm 1 or all zeros.

    >>> import numpy as np
    >>> from rarelabels._validation import check_features
    >>> X = np.random.default_rng(0).normal(size=(10, 64))
    >>> are_embeddings(check_features(X))
    False
    >>> are_embeddings(check_features(X / np.linalg.norm(X, axis=1)[:, None]))
    True
    """
    if features.categorical.any() or features.container.shape[1] < LEAST_FEATURES:
        return False
    norms = features.per_sample(_norms)
    is_zero = norms == 0
    return not is_zero.all() and bool((is_zero | (np.abs(norms - 1) <= TOLERANCE)).all())


def _norms(matrix: Matrix) -> Array:
    with np.errstate(over="ignore"):
        if sparse.issparse(matrix):
            return np.sqrt(row_sums(matrix * matrix))
        return np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
