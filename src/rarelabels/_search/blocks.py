"""Search block by block: some samples ask, and all are looked at.

The way for samples of other data, for sparse features, and for what single precision cannot tell
apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search.points import Points, points_of
from rarelabels._search.ranking import (
    entries_where,
    first_by_whole,
    limits_of,
    n_candidates,
    nearest_of_candidates,
)

# A block is large enough to make its matrix product worthwhile, and small enough for the cache.
BLOCK_ENTRIES = 2**22
BLOCK_ROWS = 256
# Fewer samples at once would make their product slow, however many are searched.
LEAST_ROWS = 16


class BlockSearch:
    """Search the first `n_searched` samples of a space for any of its samples."""

    def __init__(self, space: FeatureSpace, n_searched: int, single: Points | None = None) -> None:
        self.space = space
        self.n_searched = n_searched
        self.single = single or points_of(space, np.float32)

    @cached_property
    def double(self) -> Points:
        """The samples in double precision."""
        return points_of(self.space, np.float64)

    def nearest(self, rows: Array, n_neighbors: int) -> Array:
        """Return the nearest of some samples, as (m, k) indices."""
        found = [
            self._nearest_of_block(block, n_neighbors, room)
            for block, room in self._blocks(rows, self.single.dtype)
        ]
        return np.concatenate(found)

    def nearest_in_double(self, rows: Array, n_neighbors: int) -> Array:
        """Do the same for samples that single precision is known not to tell apart."""
        found = [
            self._nearest_in_double(block, n_neighbors, room)
            for block, room in self._blocks(rows, self.double.dtype)
        ]
        return np.concatenate(found)

    def _blocks(self, rows: Array, dtype: Any) -> Iterator[tuple[Array, Array]]:
        """Yield blocks of samples, and the room for their distances."""
        size = max(LEAST_ROWS, min(BLOCK_ROWS, BLOCK_ENTRIES // self.n_searched))
        room = np.empty(min(size, rows.size) * self.n_searched, dtype=dtype)
        for start in range(0, rows.size, size):
            yield rows[start : start + size], room

    def _nearest_of_block(self, rows: Array, n_neighbors: int, room: Array) -> Array:
        row, column, distance = self._candidates(self.single, rows, n_neighbors, room)
        if self.single.is_exact:
            return first_by_whole(row, distance, column, n_neighbors)
        if row.size > rows.size * n_candidates(n_neighbors):
            # Single precision cannot tell these samples apart: look again with twice the digits.
            return self._nearest_in_double(rows, n_neighbors, room.astype(np.float64))
        return nearest_of_candidates(self.space, rows, row, column, n_neighbors)

    def _nearest_in_double(self, rows: Array, n_neighbors: int, room: Array) -> Array:
        row, column, _ = self._candidates(self.double, rows, n_neighbors, room)
        return nearest_of_candidates(self.space, rows, row, column, n_neighbors)

    def _candidates(
        self, points: Points, rows: Array, n_neighbors: int, room: Array
    ) -> tuple[Array, Array, Array]:
        """Find every sample that may belong to the nearest: block row, sample and distance."""
        searched = slice(0, self.n_searched)
        product = points.squared_distances(points.asked_by(rows), rows, points, searched, room)
        itself = np.flatnonzero(rows < self.n_searched)
        product[itself, rows[itself]] = np.inf
        limit = points.widened(rows, limits_of(product, n_neighbors))
        return entries_where(product <= limit[:, None], product)
