"""Search of some samples among others and of the others among them, each pair multiplied once.

What is known before, the distance of the k-th nearest found elsewhere, is a limit: only what is
nearer is looked for.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rarelabels._blocks.features import aligned
from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search.blocks import BlockSearch
from rarelabels._search.columns import Frame
from rarelabels._search.points import Points, points_in
from rarelabels._search.tiles import TileBlock, search_tile, suits_tiles, tile_rows
from rarelabels._search.tree import TreeSearch, suits_tree


class Side:
    """The samples on one side of a search, in the frame of all samples."""

    def __init__(self, space: FeatureSpace, frame: Frame) -> None:
        self.space = space
        self.frame = frame

    @property
    def size(self) -> int:
        """Number of samples."""
        return self.space.n_samples

    @cached_property
    def points(self) -> Points:
        """Their operands, made once for all searches that they take part in."""
        return points_in(self.frame, self.space, np.float32)

    def __getstate__(self) -> dict[str, Any]:
        # What is made of the samples is made again wherever they go.
        return {"space": replace(self.space), "frame": self.frame}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.space = replace(state["space"], raw=aligned(state["space"].raw))
        self.frame = state["frame"]

    def __sizeof__(self) -> int:
        # By this Dask decides where tasks run, and what memory holds.
        return int(self.space.raw.nbytes + self.space.codes.nbytes)


def candidates_across(
    sides: tuple[Side, Side], n_neighbors: int, limits: Array
) -> tuple[Array, Array, Array]:
    """Find the samples of one side that are near to those of the other, and the other way round.

    Parameters
    ----------
    sides : two Side
        The samples; those of the second are counted on behind those of the first.
    n_neighbors : int
        How many are looked for.
    limits : (n,) ndarray
        Distance keys: what is farther from a sample is left out.

    Returns
    -------
    row, column, key : ndarray
        A sample, one on the other side and their distance key: at least the `n_neighbors` nearest
        within the limit.
    """
    smaller = min(sides, key=lambda side: side.size)
    if not suits_tiles(smaller.space, n_neighbors) or suits_tree(smaller.space, smaller.size):
        found = [_asked(sides, np.arange(sides[0].size + sides[1].size), n_neighbors)]
    else:
        found = _by_tiles(sides, n_neighbors, limits)
    row, column = (np.concatenate(part) for part in zip(*found, strict=True))
    key = _keys(sides, row, column)
    is_near = key <= limits[row]
    return row[is_near], column[is_near], key[is_near]


def _by_tiles(
    sides: tuple[Side, Side], n_neighbors: int, limits: Array
) -> list[tuple[Array, Array]]:
    n_first = sides[0].size
    first = _blocks(sides[0], n_neighbors, limits[:n_first])
    second = _blocks(sides[1], n_neighbors, limits[n_first:])
    for block in first:
        left = block.points.asked_by(block.samples)
        for other in second:
            search_tile(left, block, other)
    found, crowded = [], []
    for blocks, start, others_start in ((first, 0, n_first), (second, n_first, 0)):
        for block in blocks:
            row, column, _ = block.candidates()
            found.append((row + block.samples.start + start, column + others_start))
            crowded.append(np.flatnonzero(block.is_crowded) + block.samples.start + start)
    again = np.concatenate(crowded)
    return [*found, _asked(sides, again, n_neighbors)] if again.size else found


def _blocks(side: Side, n_neighbors: int, limits: Array) -> list[TileBlock]:
    ceilings = side.points.ceilings(slice(None), limits)
    parts = tile_rows(0, side.size)
    return [TileBlock(side.points, part, n_neighbors, ceilings[part]) for part in parts]


def _keys(sides: tuple[Side, Side], row: Array, column: Array) -> Array:
    """Return the distance keys of pairs, one of each side."""
    first, second = np.minimum(row, column), np.maximum(row, column) - sides[0].size
    return sides[0].space.distance_keys(first, second, among=sides[1].space)


def _asked(sides: tuple[Side, Side], samples: Array, n_neighbors: int) -> tuple[Array, Array]:
    """Search the other side for each of some samples on its own."""
    n_first = sides[0].size
    space = sides[0].space.joined(sides[1].space)
    ends = [np.arange(n_first), np.arange(n_first, space.n_samples)]
    asking = [samples[samples < n_first], samples[samples >= n_first]]
    found = [
        _nearest_of(space, searched, asked, n_neighbors)
        for searched, asked in zip(ends[::-1], asking, strict=True)
    ]
    row, column = (np.concatenate(part) for part in zip(*found, strict=True))
    return row, column


def _nearest_of(
    space: FeatureSpace, searched: Array, asked: Array, n_neighbors: int
) -> tuple[Array, Array]:
    width = min(n_neighbors, searched.size)
    if not asked.size or not width:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    both = space.take(np.concatenate([searched, asked]))
    rows = np.arange(searched.size, both.n_samples)
    is_tree = suits_tree(both, searched.size)
    search: Any = (TreeSearch if is_tree else BlockSearch)(both, searched.size)
    return np.repeat(asked, width), searched[search.nearest(rows, width).ravel()]
