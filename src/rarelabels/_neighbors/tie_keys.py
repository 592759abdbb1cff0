"""Tie keys: numbers in the order of squared distances, equal if two distances are ties.

Rounding must not decide a tie. So only the first 36 bits of squared distances count, or, if they
are at most 4 as those of unit vectors, only multiples of 2**-35.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, row_sums

# Bits of a squared distance that are compared: 11 digits.
COMPARED_BITS = 36
# Squared distances are compared as multiples of 2 to the minus this power: 10 digits.
GRID_BITS = 35


class RelativeTies:
    """Squared distances are ties if their first 36 bits agree."""

    # Two ties differ at most by this share of the larger plus this amount.
    share, amount = 2.0 ** (2 - COMPARED_BITS), 0.0
    # Squared norms below this are not distinguished.
    negligible = 0.0

    def keys_of(self, squared: Array) -> Array:
        """Return the keys of squared distances."""
        return keys_of(squared)

    def squares_of(self, keys: Array, power: int) -> Array:
        """Return the squared distances of keys, times 2 to a power."""
        return squares_of_keys(keys, power)


class GridTies:
    """Squared distances are ties if they round to the same multiple of 2**-35.

    This suits points of unit length. The squared distance of two similar points has few correct
    bits, since their coordinates are rounded, but its absolute error is small.
    """

    share, amount = 0.0, 2.0 ** (1 - GRID_BITS)
    negligible = 2.0 ** (-2 * GRID_BITS)

    def keys_of(self, squared: Array) -> Array:
        """Return the keys of squared distances."""
        return np.rint(np.ldexp(squared, GRID_BITS))

    def squares_of(self, keys: Array, power: int) -> Array:
        """Return the squared distances of keys, times 2 to a power."""
        return np.ldexp(keys, power - GRID_BITS)


def keys_of(squared: Array) -> Array:
    """Return the power of two below each number plus its position up to the next, in 36 bits."""
    mantissa, exponent = np.frexp(squared)
    place = np.ldexp(np.rint(np.ldexp(mantissa, COMPARED_BITS)), 1 - COMPARED_BITS) - 1
    return np.where(squared > 0, exponent + place, -np.inf)


def squares_of_keys(keys: Array, power: int = 0) -> Array:
    """Return the squared distances of keys, times 2 to a power: the inverse of `keys_of`."""
    whole = np.floor(np.where(np.isfinite(keys), keys, 0.0))
    squares = np.ldexp((1 + keys - whole) / 2, whole.astype(np.int64) + power)
    return np.where(np.isfinite(keys), squares, np.where(keys > 0, np.inf, 0.0))


def keys_of_scaled(difference: Matrix, n_other: Array, power: int) -> Array:
    """Return the keys of differences times 2 to a power, NaN if a difference is infinite."""
    largest = _row_maxima(abs(difference))
    is_finite = np.isfinite(largest)
    exponent = np.frexp(np.where(is_finite, largest, 1.0))[1]
    scaled = _scaled_rows(difference, -exponent)
    base = 2 * (exponent + power)
    # Categories and missing values add 1 each. The larger of the two sets the scale.
    common = np.where(n_other > 0, np.maximum(base, 0), base)
    squared = np.ldexp(row_sums(scaled * scaled), base - common)
    keys = keys_of(squared + np.ldexp(n_other.astype(np.float64), -common)) + common
    return np.where(is_finite, keys, np.nan)


def _row_maxima(matrix: Matrix) -> Array:
    if sparse.issparse(matrix):
        if not matrix.shape[1]:
            return np.zeros(matrix.shape[0])
        return matrix.max(axis=1).toarray().ravel()
    return matrix.max(axis=1, initial=0.0)


def _scaled_rows(matrix: Matrix, exponents: Array) -> Matrix:
    """Multiply each row by a power of two."""
    if not sparse.issparse(matrix):
        return np.ldexp(matrix, exponents[:, None])
    data = np.ldexp(matrix.data, np.repeat(exponents, np.diff(matrix.indptr)))
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
