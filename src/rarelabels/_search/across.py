"""Search of some samples among others and of the others among them, each pair multiplied once.

What is known before, the distance of the k-th nearest found elsewhere, is a limit: only what is
nearer is looked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search.blocks import BlockSearch
from rarelabels._search.points import points_of
from rarelabels._search.tiles import TileBlock, search_tile, suits_tiles, tile_rows
from rarelabels._search.tree import TreeSearch, suits_tree


def candidates_across(
    space: FeatureSpace, n_first: int, n_neighbors: int, limits: Array
) -> tuple[Array, Array, Array]:
    """Find the samples behind the first ones that are near to those, and the other way round.

    Parameters
    ----------
    space : FeatureSpace
        The samples, of which the first `n_first` are on one side.
    n_first : int
        How many.
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
    smaller = min(n_first, space.n_samples - n_first)
    if not suits_tiles(space, n_neighbors) or suits_tree(space, smaller):
        found = [_asked(space, n_first, np.arange(space.n_samples), n_neighbors)]
    else:
        found = _by_tiles(space, n_first, n_neighbors, limits)
    row, column = (np.concatenate(part) for part in zip(*found, strict=True))
    key = space.distance_keys(row, column)
    is_near = key <= limits[row]
    return row[is_near], column[is_near], key[is_near]


def _by_tiles(
    space: FeatureSpace, n_first: int, n_neighbors: int, limits: Array
) -> list[tuple[Array, Array]]:
    points = points_of(space, np.float32)
    ceilings = points.ceilings(slice(None), limits)
    first, second = (
        [TileBlock(points, part, n_neighbors, ceilings[part]) for part in tile_rows(*ends)]
        for ends in ((0, n_first), (n_first, space.n_samples))
    )
    for block in first:
        left = points.asked_by(block.samples)
        for other in second:
            search_tile(left, block, other)
    found, crowded = [], []
    for block in (*first, *second):
        row, column, _ = block.candidates()
        found.append((row + block.samples.start, column))
        crowded.append(np.flatnonzero(block.is_crowded) + block.samples.start)
    again = np.concatenate(crowded)
    return [*found, _asked(space, n_first, again, n_neighbors)] if again.size else found


def _asked(
    space: FeatureSpace, n_first: int, samples: Array, n_neighbors: int
) -> tuple[Array, Array]:
    """Search the other side for each of some samples on its own."""
    sides = [np.arange(n_first), np.arange(n_first, space.n_samples)]
    asking = [samples[samples < n_first], samples[samples >= n_first]]
    found = [
        _nearest_of(space, searched, asked, n_neighbors)
        for searched, asked in zip(sides[::-1], asking, strict=True)
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
