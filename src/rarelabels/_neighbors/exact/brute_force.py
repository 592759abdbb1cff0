"""Brute-force search: each block of query samples is compared with all samples.

It is used for queries that are not in X, for sparse features without compiled code, and for samples
that single precision cannot distinguish.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._neighbors.exact.operands import Operands, operands_of
from rarelabels._neighbors.exact.ranking import (
    entries_where,
    first_by_whole,
    limits_of,
    n_candidates,
    nearest_of_candidates,
)
from rarelabels._neighbors.space import FeatureSpace

# A block is large enough to make its matrix product worthwhile, and small enough for the cache.
BLOCK_ENTRIES = 2**22
BLOCK_ROWS = 256
# A product with fewer rows than this would be slow.
LEAST_ROWS = 16


class BruteForceSearch:
    """Search the first `n_searched` samples of a space for any of its samples."""

    def __init__(
        self, space: FeatureSpace, n_searched: int, single: Operands | None = None
    ) -> None:
        self.space = space
        self.n_searched = n_searched
        self.single = single or operands_of(space, np.float32)

    @cached_property
    def double(self) -> Operands:
        """The samples in double precision."""
        return operands_of(self.space, np.float64)

    def nearest(self, rows: Array, n_neighbors: int) -> Array:
        """Return the nearest of some samples, as (m, k) indices."""
        nearest = [
            self._nearest_of_block(block, n_neighbors, buffer)
            for block, buffer in self._blocks(rows, self.single.dtype)
        ]
        return np.concatenate(nearest)

    def nearest_in_double(self, rows: Array, n_neighbors: int) -> Array:
        """Do the same for samples that single precision is known not to distinguish."""
        nearest = [
            self._nearest_in_double(block, n_neighbors, buffer)
            for block, buffer in self._blocks(rows, self.double.dtype)
        ]
        return np.concatenate(nearest)

    def _blocks(self, rows: Array, dtype: Any) -> Iterator[tuple[Array, Array]]:
        """Yield blocks of samples, each with the buffer for its distances."""
        size = max(LEAST_ROWS, min(BLOCK_ROWS, BLOCK_ENTRIES // self.n_searched))
        buffer = np.empty(min(size, rows.size) * self.n_searched, dtype=dtype)
        for start in range(0, rows.size, size):
            yield rows[start : start + size], buffer

    def _nearest_of_block(self, rows: Array, n_neighbors: int, buffer: Array) -> Array:
        row, column, distance = self._candidates(self.single, rows, n_neighbors, buffer)
        if self.single.is_exact:
            return first_by_whole(row, distance, column, n_neighbors)
        if row.size > rows.size * n_candidates(n_neighbors):
            # Single precision cannot distinguish these samples: repeat with double precision.
            return self._nearest_in_double(rows, n_neighbors, buffer.astype(np.float64))
        return nearest_of_candidates(self.space, rows, row, column, n_neighbors)

    def _nearest_in_double(self, rows: Array, n_neighbors: int, buffer: Array) -> Array:
        row, column, _ = self._candidates(self.double, rows, n_neighbors, buffer)
        return nearest_of_candidates(self.space, rows, row, column, n_neighbors)

    def _candidates(
        self, operands: Operands, rows: Array, n_neighbors: int, buffer: Array
    ) -> tuple[Array, Array, Array]:
        """Find every sample that may belong to the nearest: block row, sample and distance."""
        searched = slice(0, self.n_searched)
        product = operands.squared_distances(
            operands.query_operand(rows), rows, operands, searched, buffer
        )
        itself = np.flatnonzero(rows < self.n_searched)
        product[itself, rows[itself]] = np.inf
        limit = operands.widened(rows, limits_of(product, n_neighbors))
        return entries_where(product <= limit[:, None], product)
