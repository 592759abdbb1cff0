"""Keys: numbers in the order of squared distances, of which the first 36 bits count."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix

# Rounding must not decide a tie: squared distances are compared in their first 36 bits, 11 digits.
COMPARED_BITS = 36


def keys_of(squared: Array) -> Array:
    """Return the power of two below each number plus its place up to the next, in 36 bits."""
    mantissa, exponent = np.frexp(squared)
    place = np.ldexp(np.rint(np.ldexp(mantissa, COMPARED_BITS)), 1 - COMPARED_BITS) - 1
    return np.where(squared > 0, exponent + place, -np.inf)


def squares_of_keys(keys: Array, power: int = 0) -> Array:
    """Return the squared distances that keys stand for, times 2 to a power: `keys_of` undone."""
    whole = np.floor(np.where(np.isfinite(keys), keys, 0.0))
    squares = np.ldexp((1 + keys - whole) / 2, whole.astype(np.int64) + power)
    return np.where(np.isfinite(keys), squares, np.where(keys > 0, np.inf, 0.0))


def keys_of_scaled(difference: Matrix, n_other: Array, power: int) -> Array:
    """Return the keys of differences times 2 to a power, NaN where one is infinite."""
    largest = _row_maxima(abs(difference))
    is_finite = np.isfinite(largest)
    exponent = np.frexp(np.where(is_finite, largest, 1.0))[1]
    scaled = _scaled_rows(difference, -exponent)
    base = 2 * (exponent + power)
    # Whatever else differs adds 1: of the two, the larger sets the scale.
    common = np.where(n_other > 0, np.maximum(base, 0), base)
    squared = np.ldexp(row_sums(scaled * scaled), base - common)
    keys = keys_of(squared + np.ldexp(n_other.astype(np.float64), -common)) + common
    return np.where(is_finite, keys, np.nan)


def row_sums(matrix: Matrix) -> Array:
    """Return the sum of each row of a dense or sparse matrix as a 1-d array."""
    return np.asarray(matrix.sum(axis=1)).ravel()


def _row_maxima(matrix: Matrix) -> Array:
    if sparse.issparse(matrix):
        return matrix.max(axis=1).toarray().ravel()
    return matrix.max(axis=1, initial=0.0)


def _scaled_rows(matrix: Matrix, exponents: Array) -> Matrix:
    """Multiply each row by a power of two."""
    if not sparse.issparse(matrix):
        return np.ldexp(matrix, exponents[:, None])
    data = np.ldexp(matrix.data, np.repeat(exponents, np.diff(matrix.indptr)))
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
