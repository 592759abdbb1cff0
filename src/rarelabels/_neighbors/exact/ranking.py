"""Order candidates by distance, and ties by sample number."""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array
from rarelabels._neighbors.space import FeatureSpace

GROUP = 16


def limits_of(product: Array, n_neighbors: int) -> Array:
    """Bound the k-th smallest value of each row from above.

    The bound is the k-th smallest of the minima of groups of columns, which is faster to find.
    """
    n_rows, n_columns = product.shape
    if n_columns < n_neighbors:
        return np.full(n_rows, np.inf, dtype=product.dtype)
    group = _group_size(n_columns, n_neighbors)
    grouped = product[:, : n_columns // group * group].reshape(n_rows, group, -1)
    minima = grouped.min(axis=1)
    return np.partition(minima, n_neighbors - 1, axis=1)[:, n_neighbors - 1]


def _group_size(n_columns: int, n_neighbors: int) -> int:
    """Return the largest power of two that leaves several times more groups than neighbors."""
    wanted = max(1, min(GROUP, n_columns // (4 * n_neighbors)))
    return 2 ** (int(wanted).bit_length() - 1)


def entries_where(chosen: Array, product: Array) -> tuple[Array, Array, Array]:
    """Return row, column and value of the chosen entries, row by row."""
    places = _few_places(chosen.ravel())
    row, column = np.divmod(places, product.shape[1])
    return row, column, product.ravel()[places]


def _few_places(chosen: Array) -> Array:
    """Return the positions of chosen entries, which are few: check eight at a time first."""
    n_whole = chosen.size // 8 * 8
    whole = chosen[:n_whole].reshape(-1, 8)
    words = np.flatnonzero(whole.view(np.uint64).ravel() != 0)
    near, place = np.divmod(np.flatnonzero(whole[words]), 8)
    rest = np.flatnonzero(chosen[n_whole:])
    return np.concatenate([words[near] * 8 + place, rest + n_whole])


def n_candidates(n_neighbors: int) -> int:
    """Return how many candidates a sample may have before double precision is used."""
    return 4 * n_neighbors + 64


def nearest_of_candidates(
    space: FeatureSpace, rows: Array, row: Array, column: Array, n_neighbors: int
) -> Array:
    """Return the k nearest of each row's candidates. `rows` are the query samples."""
    distance = space.distance_keys(rows[row], column)
    order = np.lexsort((column, distance, row))
    return column[order][firsts(row, n_neighbors)]


def ranked_where_close(
    space: FeatureSpace, rows: Array, row: Array, column: Array, value: Array, apart: Array
) -> Array:
    """Return the candidates of each row in order; only those close to each other are compared.

    They are given by row and value. `rows` are the query samples. The order of two candidates is
    certain if their values differ by more than `apart` of the query and the share of ties.
    """
    needed = apart[row[1:]] + space.metric.ties.share * value[1:]
    is_close = (np.diff(value) <= needed) & (row[1:] == row[:-1])
    run = np.concatenate([[0], np.cumsum(~is_close)])
    is_unsure = np.zeros(row.size, dtype=bool)
    is_unsure[1:] |= is_close
    is_unsure[:-1] |= is_close
    unsure = np.flatnonzero(is_unsure)
    distance = space.distance_keys(rows[row[unsure]], column[unsure])
    order = np.lexsort((column[unsure], distance, run[unsure]))
    ranked = column.copy()
    ranked[unsure] = column[unsure[order]]
    return ranked


def first_by_whole(row: Array, distance: Array, column: Array, n_neighbors: int) -> Array:
    """Order integer distances by one integer key each: three sorts in one."""
    whole = (distance - distance.min()).astype(np.int64)
    n_columns, n_distances = int(column.max()) + 1, int(whole.max()) + 1
    key = np.sort((row * n_distances + whole) * n_columns + column)
    return (key % n_columns)[firsts(row, n_neighbors)]


def firsts(row: Array, n_neighbors: int) -> Array:
    """Return the positions of the first k entries of each row; entries are ordered by row."""
    counts = np.bincount(row)
    return (np.cumsum(counts) - counts)[:, None] + np.arange(n_neighbors)
