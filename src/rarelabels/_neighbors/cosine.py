"""The points whose Euclidean distance is that of the cosine between samples."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, row_sums

# Squared norms within these powers of two are accurate.
MODERATE = 800


def unit_rows(matrix: Matrix) -> Matrix:
    """Scale rows to unit length. A column more is 1 for rows of zeros, and 0 for all others.

    The squared distance of two results is 2 − 2 cos of the angle between the rows. A row of zeros
    has the distance 0 to other rows of zeros, and that of a right angle to all others.
    """
    if sparse.issparse(matrix):
        return _sparse_unit_rows(matrix)
    points = np.empty((matrix.shape[0], matrix.shape[1] + 1))
    points[:, :-1] = matrix
    points[:, -1] = 0.0
    norms, exponents = _norms(points)
    if exponents.any():
        np.ldexp(points, -exponents[:, None], out=points)
    points[:, -1] = norms == 0
    points[:, :-1] /= np.where(norms > 0, norms, 1.0)[:, None]
    return points


def _norms(points: Array) -> tuple[Array, Array]:
    """Return the norms of rows divided by powers of two, and these powers: 0 for most rows."""
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->i", points, points)
    exponents = np.zeros(squares.size, dtype=np.intc)
    extreme = np.flatnonzero(~((squares > 2.0**-MODERATE) & (squares < 2.0**MODERATE)))
    if extreme.size:
        largest = np.abs(points[extreme]).max(axis=1, initial=0.0)
        exponents[extreme] = np.frexp(largest)[1]
        scaled = np.ldexp(points[extreme], -exponents[extreme, None])
        squares[extreme] = np.einsum("ij,ij->i", scaled, scaled)
    return np.sqrt(squares), exponents


def _sparse_unit_rows(matrix: sparse.csr_array) -> sparse.csr_array:
    counts, n_columns = np.diff(matrix.indptr), matrix.shape[1]
    data = matrix.data.astype(np.float64)
    largest = np.abs(data).max(initial=0.0)
    smallest = np.abs(data).min(initial=np.inf, where=data != 0)
    if max(largest, 1 / max(smallest, np.finfo(float).tiny)) > 2.0 ** (MODERATE // 2 - 64):
        # Each row is divided by a power of two, so that no square overflows or underflows.
        rows = np.repeat(np.arange(counts.size), counts)
        largest = np.zeros(counts.size)
        np.maximum.at(largest, rows, np.abs(data))
        data = np.ldexp(data, -np.frexp(largest)[1][rows])
    squares = sparse.csr_array((data * data, matrix.indices, matrix.indptr), shape=matrix.shape)
    norms = np.sqrt(row_sums(squares))
    is_zero = norms == 0
    data /= np.repeat(np.where(is_zero, 1.0, norms), counts)
    if is_zero.any():
        # A row of zeros has one entry, in the last column.
        places = matrix.indptr[:-1][is_zero]
        data = np.insert(data, places, 1.0)
        indices = np.insert(matrix.indices, places, n_columns)
        indptr = np.concatenate([[0], np.cumsum(counts + is_zero)])
    else:
        indices, indptr = matrix.indices, matrix.indptr
    return sparse.csr_array((data, indices, indptr), shape=(counts.size, n_columns + 1))
