"""Compute the most frequent value of a categorical feature in a neighborhood."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, dense

# Neighborhoods are processed in blocks with this many values to limit memory.
VALUES_AT_ONCE = 2**21


def set_modes(
    values: Matrix, matrix: Matrix, categorical: Array, hoods: Array, *, lowest: bool = False
) -> Matrix:
    """Set each category of synthetic samples to the most frequent value of the neighbors.

    Parameters
    ----------
    values : (m, d) ndarray or csr_array
        The synthetic samples.
    matrix : (n, d) ndarray or csr_array
        The input samples.
    categorical : (d,) bool
        The categorical columns.
    hoods : (m, k) ndarray
        The neighbors of each synthetic sample, nearest first, padded with −1.
    lowest : bool
        Whether a tie goes to the lowest value instead of that of the nearest neighbor.
    """
    columns = np.flatnonzero(categorical)
    categories = matrix[:, columns]
    step = max(1, VALUES_AT_ONCE // (columns.size * hoods.shape[1]))
    starts = range(0, hoods.shape[0], step)
    blocks = [hoods[start : start + step] for start in starts]
    block_modes = [_modes_of_hoods(categories, block, lowest) for block in blocks]
    if not sparse.issparse(values):
        values[:, columns] = np.concatenate(block_modes)
        return values
    return _with_columns(values, columns, sparse.vstack(block_modes, format="coo"))


def modes(values: Array, present: Array) -> Array:
    """Return the most frequent value along the first axis; a tie goes to the first value.

    Parameters
    ----------
    values : (k, m, c) ndarray
        The values.
    present : (k, m, c) bool
        Which values count. If none does, the mode is missing.
    """
    votes = np.zeros(values.shape, dtype=np.int16)
    for place in range(values.shape[0]):
        for other in range(place):
            same = (values[place] == values[other]) & present[place] & present[other]
            votes[place] += same
            votes[other] += same
    votes[~present] = -1
    most_frequent = np.take_along_axis(values, votes.argmax(axis=0)[None], axis=0)[0]
    return np.where(present.any(axis=0), most_frequent, np.nan)


def _modes_of_hoods(categories: Matrix, hoods: Array, lowest: bool) -> Matrix:
    values = np.stack([dense(categories[samples]) for samples in hoods.T])
    values[hoods.T < 0] = np.nan
    if lowest:
        # A tie goes to the first value; missing values are sorted to the end.
        values.sort(axis=0)
    most_frequent = modes(values, ~np.isnan(values))
    return sparse.csr_array(most_frequent) if sparse.issparse(categories) else most_frequent


def _with_columns(
    values: sparse.csr_array, columns: Array, new: sparse.coo_array
) -> sparse.csr_array:
    """Replace columns of a sparse matrix."""
    rest = values.tocoo()
    is_kept = ~np.isin(rest.col, columns)
    data = np.concatenate([rest.data[is_kept], new.data]).astype(values.dtype, copy=False)
    row = np.concatenate([rest.row[is_kept], new.row])
    column = np.concatenate([rest.col[is_kept], columns[new.col]])
    return sparse.csr_array((data, (row, column)), shape=values.shape)
