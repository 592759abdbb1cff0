"""Search among all samples by symmetric tiles: every pair of samples is multiplied once.

The samples are divided into blocks. The tile of a block with itself sets a limit for each of its
samples, an upper bound of the k-th smallest distance. The tile of two blocks is compared with the
limits of the first block along its rows and with those of the second along its columns. Samples
within a limit are candidates. Candidates lower the limit, so that later tiles have fewer.

The candidates of a block are a table of integers, one row per sample, nearest first. The high bits
of an integer are the value of a candidate and the low bits its sample number. The bits of
nonnegative floats have the order of the floats, so one sort orders by value and then by sample.
Sorting many short rows takes a fraction of the time of one long sort.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from threading import Lock, local

import numpy as np

from rarelabels._containers import Array
from rarelabels._neighbors.exact.brute_force import BruteForceSearch
from rarelabels._neighbors.exact.operands import Operands, operands_of
from rarelabels._neighbors.exact.ranking import (
    entries_where,
    limits_of,
    n_candidates,
    ranked_where_close,
)
from rarelabels._neighbors.exact.threads import in_threads
from rarelabels._neighbors.space import FeatureSpace

# A tile is large enough to make its matrix product worthwhile, and small enough for the cache.
TILE_ROWS = 1024
# New candidates per neighbor that are collected before limits are lowered.
PENDING = 2
# Bits of the sample number in the table of candidates.
SAMPLE_BITS = 32
LAST_SAMPLE = 2**SAMPLE_BITS - 1


def packed(value: Array, sample: Array | int) -> Array:
    """Return integers in the order of values in single precision, then of samples."""
    # Adding 0 turns −0 into 0: the bits of −0 would be out of order.
    bits = (np.maximum(value, 0) + np.float32(0)).view(np.int32)
    return (bits.astype(np.int64) << SAMPLE_BITS) | sample


def values_in(keys: Array) -> Array:
    """Return the values of candidates."""
    return (keys >> SAMPLE_BITS).astype(np.int32).view(np.float32)


def samples_in(keys: Array) -> Array:
    """Return the samples of candidates."""
    return keys & LAST_SAMPLE


# Fills the end of rows with fewer candidates: farther than any candidate.
NOTHING = int(packed(np.array([np.inf], dtype=np.float32), LAST_SAMPLE)[0])


class TileSearch:
    """Search all samples of a space for each of them."""

    def __init__(self, space: FeatureSpace, n_neighbors: int) -> None:
        self.space = space
        self.operands = operands_of(space, np.float32)
        self.n_neighbors = n_neighbors
        parts = tile_rows(0, space.n_samples)
        self._blocks = [TileBlock(self.operands, part, n_neighbors) for part in parts]
        self._tiles_left = dict.fromkeys(self._blocks, len(parts))
        self._lock = Lock()
        self._nearest = np.empty((space.n_samples, n_neighbors), dtype=np.intp)

    def nearest_of_all(self, n_threads: int = 1) -> Array:
        """Return the nearest other samples of each, as (n, k) indices."""
        steps = [partial(self._search_itself, block) for block in self._blocks]
        # The first block has the most tiles, so that threads end at about the same time.
        steps += [partial(self._search_rest, number) for number in range(len(self._blocks))]
        in_threads(lambda step: step(), steps, n_threads)
        self._search_crowded(n_threads)
        return self._nearest

    def _search_itself(self, block: TileBlock) -> None:
        block.search_itself()
        self._end_tile(block)

    def _search_rest(self, number: int) -> None:
        first, left = (
            self._blocks[number],
            self.operands.query_operand(self._blocks[number].samples),
        )
        for other in self._blocks[number + 1 :]:
            search_tile(left, first, other)
            self._end_tile(first)
            self._end_tile(other)

    def _end_tile(self, block: TileBlock) -> None:
        """Rank a block after its last tile, while other threads are still multiplying."""
        with self._lock:
            self._tiles_left[block] -= 1
            is_last = not self._tiles_left[block]
        if is_last:
            self._nearest[block.samples] = block.ranked(self.space)

    def _search_crowded(self, n_threads: int) -> None:
        crowded = np.flatnonzero(self._nearest[:, 0] < 0)
        if crowded.size:
            search = BruteForceSearch(self.space, self.space.n_samples, self.operands)
            parts = np.array_split(crowded, min(n_threads, crowded.size))
            again = in_threads(
                lambda part: search.nearest_in_double(part, self.n_neighbors), parts, n_threads
            )
            self._nearest[crowded] = np.concatenate(again)


def tile_rows(start: int, stop: int) -> list[slice]:
    """Divide samples into the rows of tiles."""
    n_tiles = -(-(stop - start) // TILE_ROWS)
    edges = np.linspace(start, stop, n_tiles + 1).astype(int).tolist()
    return [slice(*ends) for ends in pairwise(edges)]


class TileBlock:
    """Consecutive samples with their candidates so far, and the limits for more.

    A row with more candidates than single precision can distinguish is crowded and gets no more. No
    limit is above its ceiling.
    """

    def __init__(
        self, operands: Operands, samples: slice, n_neighbors: int, ceilings: Array | None = None
    ) -> None:
        self.operands = operands
        self.samples = samples
        self.n_neighbors = n_neighbors
        self.size = samples.stop - samples.start
        self.is_crowded = np.zeros(self.size, dtype=bool)
        self._table = np.full((self.size, n_neighbors), NOTHING)
        self._pending: list[tuple[Array, Array]] = []
        self._n_pending = 0
        highest = np.full(self.size, np.finfo(np.float32).max, dtype=np.float32)
        self._ceilings = highest if ceilings is None else ceilings
        self._limits = self._ceilings
        self._last = samples_in(self._table[:, -1])
        self._lock = Lock()

    def search_itself(self) -> None:
        """Add the candidates in the tile of the block with itself."""
        left, (buffer, chosen) = (
            self.operands.query_operand(self.samples),
            WORKSPACE.of(self.size**2),
        )
        operands, samples = self.operands, self.samples
        product = operands.squared_distances(left, samples, operands, samples, buffer)
        is_near = chosen[: product.size].reshape(product.shape)
        np.fill_diagonal(product, np.inf)
        limits = self.operands.widened(self.samples, limits_of(product, self.n_neighbors))
        np.less_equal(product, limits[:, None], out=is_near)
        self.add(*entries_where(is_near, product), self.samples.start)
        with self._lock:
            self._merge()

    def limits_for(self, other: TileBlock) -> Array:
        """Return the largest value at which a sample of another block is still a candidate."""
        with self._lock:
            limits, last = self._limits, self._last
        if not self.operands.is_exact:
            return limits
        # A tie goes to the lower sample, so all samples of the other block may come too late.
        below = np.nextafter(limits, np.float32(-np.inf))
        return np.where(last < other.samples.start, below, limits)

    def add(self, row: Array, column: Array, value: Array, first: int) -> None:
        """Add candidates: row of the block, sample relative to the first of its block, value."""
        keys = packed(value, column + first)
        with self._lock:
            self._pending.append((row, keys))
            self._n_pending += row.size
            if self._n_pending > PENDING * self.n_neighbors * self.size:
                self._merge()

    def _merge(self) -> None:
        """Merge pending candidates, lower the limits and drop candidates beyond them."""
        # Limits will still be lowered, so twice as many candidates may be distinguishable later.
        most = 2 * n_candidates(self.n_neighbors)
        if self._pending:
            row, keys = (np.concatenate(part) for part in zip(*self._pending, strict=True))
            self._table = with_candidates(self._table, row, keys, most + 1)
            self._pending, self._n_pending = [], 0
        self._lower_limits()
        self._leave_out_crowded(most)

    def _lower_limits(self) -> None:
        last = self._table[:, self.n_neighbors - 1]
        kth = values_in(last)
        self._limits = np.minimum(self._ceilings, self.operands.widened(self.samples, kth))
        # A sample that ties with a ceiling may have a lower number than the one that set it.
        self._last = np.where(self._ceilings < kth, LAST_SAMPLE, samples_in(last))

    def _leave_out_crowded(self, most: int) -> None:
        """Keep candidates within the limits, and none of the rows that have too many."""
        if self.operands.is_exact:
            self._table = self._table[:, : self.n_neighbors].copy()
            return
        n_near = self._is_near().sum(axis=1)
        self.is_crowded |= n_near > most
        self._limits[self.is_crowded] = -np.inf
        self._table[self.is_crowded] = NOTHING
        width = n_near.max(initial=self.n_neighbors, where=~self.is_crowded)
        self._table = self._table[:, :width].copy()

    def _is_near(self) -> Array:
        """Return which entries of the table are within the limits."""
        if self.operands.is_exact:
            return self._table < NOTHING
        return self._table <= packed(self._limits, LAST_SAMPLE)[:, None]

    def candidates(self) -> tuple[Array, Array, Array]:
        """Return row, sample and value of the candidates of rows that are not crowded."""
        self._merge()
        self._leave_out_crowded(n_candidates(self.n_neighbors))
        row, place = np.nonzero(self._is_near())
        keys = self._table[row, place]
        return row, samples_in(keys), values_in(keys)

    def ranked(self, space: FeatureSpace) -> Array:
        """Return the nearest samples of each row, -1 for crowded rows."""
        if self.operands.is_exact:
            self._merge()
            return samples_in(self._table)
        row, column, value = self.candidates()
        rows = np.arange(self.samples.start, self.samples.stop)
        apart = self.operands.uncertainty(self.samples, np.maximum(self._limits, 0))
        column = ranked_where_close(space, rows, row, column, value, apart)
        counts = np.bincount(row, minlength=self.size)
        starts = np.cumsum(counts) - counts
        nearest = np.full((self.size, self.n_neighbors), -1)
        sure = np.flatnonzero(~self.is_crowded)
        nearest[sure] = column[starts[sure][:, None] + np.arange(self.n_neighbors)]
        return nearest


class _Workspace(local):
    """Memory for tiles that each thread reuses, since allocating it takes longer than using it."""

    values = np.empty(0, dtype=np.float32)
    chosen = np.empty(0, dtype=bool)

    def of(self, n_entries: int) -> tuple[Array, Array]:
        """Return memory for the values of a tile, and for which of them are near."""
        if self.values.size < n_entries:
            self.values = np.empty(n_entries, dtype=np.float32)
            self.chosen = np.empty(n_entries, dtype=bool)
        return self.values, self.chosen


WORKSPACE = _Workspace()


def search_tile(left: Array, first: TileBlock, other: TileBlock) -> None:
    """Add the candidates in the tile of two blocks to both. `left` is the first block's operand."""
    buffer, chosen = WORKSPACE.of(first.size * other.size)
    product = first.operands.squared_distances(
        left, first.samples, other.operands, other.samples, buffer
    )
    is_near = chosen[: product.size].reshape(product.shape)
    np.less_equal(product, first.limits_for(other)[:, None], out=is_near)
    row, column, value = entries_where(is_near, product)
    first.add(row, column, value, other.samples.start)
    np.less_equal(product, other.limits_for(first), out=is_near)
    row, column, value = entries_where(is_near, product)
    other.add(column, row, value, first.samples.start)


def with_candidates(table: Array, row: Array, keys: Array, most: int) -> Array:
    """Add candidates in any order to a table, for each row at most the nearest `most`."""
    n_rows, width = table.shape
    counts = np.bincount(row, minlength=n_rows)
    order, place = _places(row, keys, counts, most)
    merged = np.full((n_rows, width + min(most, counts.max())), NOTHING)
    merged[:, :width] = table
    merged[row[order], width + place] = keys[order]
    merged.sort(axis=1)
    return merged


def _places(row: Array, keys: Array, counts: Array, most: int) -> tuple[Array, Array]:
    """Return the order of candidates by row, and the position of each in its row."""
    is_over = counts.max() > most
    # NumPy sorts integers of 16 bits by counting.
    order = np.lexsort((keys, row)) if is_over else np.argsort(row.astype("u2"), kind="stable")
    place = np.arange(row.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return (order[place < most], place[place < most]) if is_over else (order, place)
