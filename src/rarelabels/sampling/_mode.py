"""The most frequent value of a categorical feature in a neighbourhood."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, dense

# Neighbourhoods are looked at in blocks of so many values, to stay small.
VALUES_AT_ONCE = 2**21


def set_modes(
    values: Matrix, matrix: Matrix, categorical: Array, hoods: Array, *, lowest: bool = False
) -> Matrix:
    """Set each category of synthetic samples to the most frequent value of their neighbours.

    Parameters
    ----------
    values : (m, d) ndarray or csr_array
        The synthetic samples.
    matrix : (n, d) ndarray or csr_array
        The input samples.
    categorical : (d,) bool
        The categorical columns.
    hoods : (m, k) ndarray
        The neighbours of each synthetic sample, nearest first, −1 behind them where there are
        fewer.
    lowest : bool
        Whether a tie goes to the lowest value, and not to the nearest neighbour's.
    """
    columns = np.flatnonzero(categorical)
    categories = matrix[:, columns]
    step = max(1, VALUES_AT_ONCE // (columns.size * hoods.shape[1]))
    starts = range(0, hoods.shape[0], step)
    blocks = [hoods[start : start + step] for start in starts]
    found = [_modes_of_hoods(categories, block, lowest) for block in blocks]
    if not sparse.issparse(values):
        values[:, columns] = np.concatenate(found)
        return values
    return _with_columns(values, columns, sparse.vstack(found, format="coo"))


def modes(values: Array, present: Array) -> Array:
    """Return the most frequent value along the first axis, on a tie the first.

    Parameters
    ----------
    values : (k, m, c) ndarray
        The values.
    present : (k, m, c) bool
        Which of them count; where none does, the mode is missing.
    """
    votes = np.zeros(values.shape, dtype=np.int16)
    for place in range(values.shape[0]):
        for other in range(place):
            same = (values[place] == values[other]) & present[place] & present[other]
            votes[place] += same
            votes[other] += same
    votes[~present] = -1
    found = np.take_along_axis(values, votes.argmax(axis=0)[None], axis=0)[0]
    return np.where(present.any(axis=0), found, np.nan)


def _modes_of_hoods(categories: Matrix, hoods: Array, lowest: bool) -> Matrix:
    values = np.stack([dense(categories[samples]) for samples in hoods.T])
    values[hoods.T < 0] = np.nan
    if lowest:
        # The first of the most frequent values is taken; those that do not count stay last.
        values.sort(axis=0)
    found = modes(values, ~np.isnan(values))
    return sparse.csr_array(found) if sparse.issparse(categories) else found


def _with_columns(
    values: sparse.csr_array, columns: Array, given: sparse.coo_array
) -> sparse.csr_array:
    """Replace some columns of a sparse matrix."""
    rest = values.tocoo()
    stays = ~np.isin(rest.col, columns)
    data = np.concatenate([rest.data[stays], given.data]).astype(values.dtype, copy=False)
    row = np.concatenate([rest.row[stays], given.row])
    column = np.concatenate([rest.col[stays], columns[given.col]])
    return sparse.csr_array((data, (row, column)), shape=values.shape)
