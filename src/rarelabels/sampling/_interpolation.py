"""Generate synthetic samples between two samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, nonzero_in_either


def interpolate(start: Matrix, end: Matrix, categorical: Array, rng: np.random.Generator) -> Matrix:
    """Draw samples from the box between `start` and `end`, each feature independently.

    A numeric feature is drawn uniformly between the two values. A categorical feature, or one that
    is missing in one of the two samples, is either of the two values.
    """
    if sparse.issparse(start):
        return _interpolate_sparse(start, end, categorical, rng)
    share = rng.random(start.shape)
    values = (start + share * (end - start)).astype(start.dtype, copy=False)
    # Rounding may leave the box by the last bit.
    np.clip(values, np.minimum(start, end), np.maximum(start, end), out=values)
    picked = np.isnan(values)
    if categorical.any():
        picked |= categorical
    if picked.any():
        values[picked] = np.where(share < 0.5, start, end)[picked]
    return values


def _interpolate_sparse(
    start: sparse.csr_array, end: sparse.csr_array, categorical: Array, rng: np.random.Generator
) -> sparse.csr_array:
    """Interpolate the features that are nonzero in at least one of the two samples."""
    # Stored zeros give both matrices the same sparsity pattern.
    pattern = nonzero_in_either(start, end)
    pattern.sort_indices()
    starts, ends = _on_pattern(start, pattern), _on_pattern(end, pattern)
    share = rng.random(pattern.nnz)
    values = np.clip(
        starts + share * (ends - starts), np.minimum(starts, ends), np.maximum(starts, ends)
    )
    picks = np.where(share < 0.5, starts, ends)
    is_picked = categorical[pattern.indices] | np.isnan(values)
    data = np.where(is_picked, picks, values).astype(start.dtype, copy=False)
    samples = sparse.csr_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)
    samples.eliminate_zeros()
    return samples


def _on_pattern(matrix: sparse.csr_array, pattern: Any) -> Array:
    """Return the values of a matrix at the entries of a pattern that covers all of them."""
    width = pattern.shape[1]
    place = np.searchsorted(_keys(pattern, width), _keys(matrix, width))
    values = np.zeros(pattern.nnz, dtype=matrix.dtype)
    values[place] = matrix.data
    return values


def _keys(matrix: sparse.csr_array, width: int) -> Array:
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
    return rows * width + matrix.indices
