"""Search between two sets of samples, in both directions, with each pair multiplied once.

The distance to the k-th nearest sample found in other sets is a limit: only nearer samples matter.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse

from rarelabels._containers import Array
from rarelabels._dask.features import aligned
from rarelabels._dask.sparse_blocks import size_in_bytes
from rarelabels._neighbors.exact import suits_kd_tree, suits_sparse, suits_tiles
from rarelabels._neighbors.exact.brute_force import BruteForceSearch
from rarelabels._neighbors.exact.dense_operands import ColumnLayout
from rarelabels._neighbors.exact.kd_tree import KDTreeSearch
from rarelabels._neighbors.exact.operands import Operands, operands_in, operands_of
from rarelabels._neighbors.exact.sparse.search import SparseSearch
from rarelabels._neighbors.exact.tiles import TileBlock, search_tile, tile_rows
from rarelabels._neighbors.space import FeatureSpace


class Side:
    """The samples on one side of a search, with the column layout of all samples if dense."""

    def __init__(self, space: FeatureSpace, layout: ColumnLayout | None) -> None:
        self.space = space
        self.layout = layout

    @property
    def size(self) -> int:
        """Number of samples."""
        return self.space.n_samples

    @cached_property
    def operands(self) -> Operands:
        """Their operands, computed once for all searches."""
        if self.layout is None:
            return operands_of(self.space, np.float32)
        return operands_in(self.layout, self.space, np.float32)

    def __getstate__(self) -> dict[str, Any]:
        # The operands are not sent to other workers, which compute them again.
        return {"space": replace(self.space), "layout": self.layout}

    def __setstate__(self, state: dict[str, Any]) -> None:
        raw = state["space"].raw
        self.space = replace(state["space"], raw=raw if issparse(raw) else aligned(raw))
        self.layout = state["layout"]

    def __sizeof__(self) -> int:
        # Dask uses this to decide where tasks run and how much memory is in use.
        return size_in_bytes(self.space.raw) + int(self.space.codes.nbytes)


def candidates_across(
    sides: tuple[Side, Side], n_neighbors: int, limits: Array
) -> tuple[Array, Array, Array]:
    """Find the samples of each side that are near to samples of the other side.

    Parameters
    ----------
    sides : two Side
        The samples. The numbers of the second side follow those of the first.
    n_neighbors : int
        Number of neighbors.
    limits : (n,) ndarray
        Distance keys: samples farther away are left out.

    Returns
    -------
    row, column, key : ndarray
        A sample, a sample on the other side and their distance key. These include the
        `n_neighbors` nearest within the limit.
    """
    smaller = min(sides, key=lambda side: side.size)
    if not suits_tiles(smaller.space, n_neighbors) or suits_kd_tree(smaller.space, smaller.size):
        everyone = np.arange(sides[0].size + sides[1].size)
        return _within_limits(sides, *_asked(sides, everyone, n_neighbors), limits)
    pairs = _by_tiles(sides, n_neighbors, limits)
    row, column = (np.concatenate(part) for part in zip(*pairs, strict=True))
    key = _keys(sides, row, column)
    is_near = key <= limits[row]
    return row[is_near], column[is_near], key[is_near]


def _within_limits(
    sides: tuple[Side, Side], row: Array, column: Array, limits: Array
) -> tuple[Array, Array, Array]:
    """Return the pairs within their limits, given nearest first for each sample.

    Most samples have none, so most distances need not be computed.
    """
    parts = [(row[:0], column[:0], np.empty(0))]
    asked = np.flatnonzero(np.diff(row, prepend=-1))
    while asked.size:
        key = _keys(sides, row[asked], column[asked])
        is_near = key <= limits[row[asked]]
        near = asked[is_near]
        parts.append((row[near], column[near], key[is_near]))
        asked = near[near < row.size - 1] + 1
        asked = asked[row[asked] == row[asked - 1]]
    rows, columns, keys = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rows, columns, keys


def _by_tiles(
    sides: tuple[Side, Side], n_neighbors: int, limits: Array
) -> list[tuple[Array, Array]]:
    n_first = sides[0].size
    first = _blocks(sides[0], n_neighbors, limits[:n_first])
    second = _blocks(sides[1], n_neighbors, limits[n_first:])
    for block in first:
        left = block.operands.query_operand(block.samples)
        for other in second:
            search_tile(left, block, other)
    pairs, crowded = [], []
    for blocks, start, others_start in ((first, 0, n_first), (second, n_first, 0)):
        for block in blocks:
            row, column, _ = block.candidates()
            pairs.append((row + block.samples.start + start, column + others_start))
            crowded.append(np.flatnonzero(block.is_crowded) + block.samples.start + start)
    again = np.concatenate(crowded)
    return [*pairs, _asked(sides, again, n_neighbors)] if again.size else pairs


def _blocks(side: Side, n_neighbors: int, limits: Array) -> list[TileBlock]:
    ceilings = side.operands.ceilings(slice(None), limits)
    parts = tile_rows(0, side.size)
    return [TileBlock(side.operands, part, n_neighbors, ceilings[part]) for part in parts]


def _keys(sides: tuple[Side, Side], row: Array, column: Array) -> Array:
    """Return the distance keys of pairs of samples, one from each side."""
    first, second = np.minimum(row, column), np.maximum(row, column) - sides[0].size
    return sides[0].space.distance_keys(first, second, among=sides[1].space)


def _asked(sides: tuple[Side, Side], samples: Array, n_neighbors: int) -> tuple[Array, Array]:
    """Search the other side for each of some samples separately."""
    n_first = sides[0].size
    space = sides[0].space.joined(sides[1].space)
    ends = [np.arange(n_first), np.arange(n_first, space.n_samples)]
    asking = [samples[samples < n_first], samples[samples >= n_first]]
    pairs = [
        _nearest_of(space, searched, asked, n_neighbors)
        for searched, asked in zip(ends[::-1], asking, strict=True)
    ]
    row, column = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return row, column


def _nearest_of(
    space: FeatureSpace, searched: Array, asked: Array, n_neighbors: int
) -> tuple[Array, Array]:
    width = min(n_neighbors, searched.size)
    if not asked.size or not width:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    both = space.take(np.concatenate([searched, asked]))
    rows = np.arange(searched.size, both.n_samples)
    is_tree = suits_kd_tree(both, searched.size)
    is_sparse = suits_sparse(both, searched.size)
    kind: Any = KDTreeSearch if is_tree else SparseSearch if is_sparse else BruteForceSearch
    search = kind(both, searched.size)
    return np.repeat(asked, width), searched[search.nearest(rows, width).ravel()]
