"""Search among all samples by symmetric tiles: every pair of samples is multiplied once.

The samples are cut into blocks. The tile of a block with itself sets a limit for each of its
samples, an upper bound of the k-th smallest distance; the tile of two blocks is compared with the
limits of the one along its rows and of the other along its columns. What is within a limit is a
candidate, and candidates lower the limit, so that ever fewer are found.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from threading import Lock, local

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search.blocks import BlockSearch
from rarelabels._search.points import Points, points_of
from rarelabels._search.ranking import entries_where, limits_of, n_candidates, ranked_where_close
from rarelabels._search.table import (
    LAST_SAMPLE,
    NOTHING,
    packed,
    samples_in,
    values_in,
    with_candidates,
)
from rarelabels._search.threads import in_threads

# A tile is large enough to make its matrix product worthwhile, and small enough for the cache.
TILE_ROWS = 1024
# For more neighbours than this, the limits of a tile are too high to spare much.
TILE_NEIGHBORS = 64
# New candidates per neighbour that are collected before limits are lowered.
PENDING = 2


def suits_tiles(space: FeatureSpace, n_neighbors: int) -> bool:
    """Whether a search among all samples is done by tiles."""
    return not sparse.issparse(space.raw) and n_neighbors <= TILE_NEIGHBORS


class TileSearch:
    """Search all samples of a space for each of them."""

    def __init__(self, space: FeatureSpace, n_neighbors: int) -> None:
        self.space = space
        self.points = points_of(space, np.float32)
        self.n_neighbors = n_neighbors
        parts = tile_rows(0, space.n_samples)
        self._blocks = [TileBlock(self.points, part, n_neighbors) for part in parts]
        self._tiles_left = dict.fromkeys(self._blocks, len(parts))
        self._lock = Lock()
        self._nearest = np.empty((space.n_samples, n_neighbors), dtype=np.intp)

    def nearest_of_all(self, n_threads: int = 1) -> Array:
        """Return the nearest other samples of each, as (n, k) indices."""
        steps = [partial(self._search_itself, block) for block in self._blocks]
        # The first has the most tiles, so threads end at about the same time.
        steps += [partial(self._search_rest, number) for number in range(len(self._blocks))]
        in_threads(lambda step: step(), steps, n_threads)
        self._search_crowded(n_threads)
        return self._nearest

    def _search_itself(self, block: TileBlock) -> None:
        block.search_itself()
        self._end_tile(block)

    def _search_rest(self, number: int) -> None:
        first, left = self._blocks[number], self.points.asked_by(self._blocks[number].samples)
        for other in self._blocks[number + 1 :]:
            search_tile(left, first, other)
            self._end_tile(first)
            self._end_tile(other)

    def _end_tile(self, block: TileBlock) -> None:
        """Rank a block after its last tile, beside threads that are still multiplying."""
        with self._lock:
            self._tiles_left[block] -= 1
            is_last = not self._tiles_left[block]
        if is_last:
            self._nearest[block.samples] = block.ranked(self.space)

    def _search_crowded(self, n_threads: int) -> None:
        crowded = np.flatnonzero(self._nearest[:, 0] < 0)
        if crowded.size:
            search = BlockSearch(self.space, self.space.n_samples, self.points)
            parts = np.array_split(crowded, min(n_threads, crowded.size))
            again = in_threads(
                lambda part: search.nearest_in_double(part, self.n_neighbors), parts, n_threads
            )
            self._nearest[crowded] = np.concatenate(again)


def tile_rows(start: int, stop: int) -> list[slice]:
    """Cut samples into the rows of tiles."""
    n_tiles = -(-(stop - start) // TILE_ROWS)
    edges = np.linspace(start, stop, n_tiles + 1).astype(int).tolist()
    return [slice(*ends) for ends in pairwise(edges)]


class TileBlock:
    """Consecutive samples, the candidates found for them so far, and the limits for more.

    A row with more candidates than single precision can tell apart is crowded: it takes no more. No
    limit is above its ceiling.
    """

    def __init__(
        self, points: Points, samples: slice, n_neighbors: int, ceilings: Array | None = None
    ) -> None:
        self.points = points
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
        """Take candidates from the tile of the block with itself."""
        left, (room, chosen) = self.points.asked_by(self.samples), ROOMS.of(self.size**2)
        points, samples = self.points, self.samples
        product = points.squared_distances(left, samples, points, samples, room)
        is_near = chosen[: product.size].reshape(product.shape)
        np.fill_diagonal(product, np.inf)
        limits = self.points.widened(self.samples, limits_of(product, self.n_neighbors))
        np.less_equal(product, limits[:, None], out=is_near)
        self.add(*entries_where(is_near, product), self.samples.start)
        with self._lock:
            self._merge()

    def limits_for(self, other: TileBlock) -> Array:
        """Return the largest value at which a sample of another block is still a candidate."""
        with self._lock:
            limits, last = self._limits, self._last
        if not self.points.is_exact:
            return limits
        # A tie goes to the lower sample: those of the other block may all be too late for it.
        below = np.nextafter(limits, np.float32(-np.inf))
        return np.where(last < other.samples.start, below, limits)

    def add(self, row: Array, column: Array, value: Array, first: int) -> None:
        """Add candidates: row of the block, sample counted from the first of its block, value."""
        keys = packed(value, column + first)
        with self._lock:
            self._pending.append((row, keys))
            self._n_pending += row.size
            if self._n_pending > PENDING * self.n_neighbors * self.size:
                self._merge()

    def _merge(self) -> None:
        """Put pending candidates to the others, lower the limits and drop what is beyond them."""
        # Limits still sink, so twice as many may yet be told apart.
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
        self._limits = np.minimum(self._ceilings, self.points.widened(self.samples, kth))
        # What ties with a ceiling may be before whatever set it.
        self._last = np.where(self._ceilings < kth, LAST_SAMPLE, samples_in(last))

    def _leave_out_crowded(self, most: int) -> None:
        """Keep what is within the limits, and none of rows that have more of it than may be."""
        if self.points.is_exact:
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
        if self.points.is_exact:
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
        """Return the nearest samples of each, -1 for those of a crowded row."""
        if self.points.is_exact:
            self._merge()
            return samples_in(self._table)
        row, column, value = self.candidates()
        rows = np.arange(self.samples.start, self.samples.stop)
        errors = self.points.errors(self.samples, np.maximum(self._limits, 0))
        column = ranked_where_close(space, rows, row, column, value, 2 * errors)
        counts = np.bincount(row, minlength=self.size)
        starts = np.cumsum(counts) - counts
        nearest = np.full((self.size, self.n_neighbors), -1)
        sure = np.flatnonzero(~self.is_crowded)
        nearest[sure] = column[starts[sure][:, None] + np.arange(self.n_neighbors)]
        return nearest


class _Rooms(local):
    """Room for tiles that each thread uses again: to ask for it anew takes longer than its use."""

    values = np.empty(0, dtype=np.float32)
    chosen = np.empty(0, dtype=bool)

    def of(self, n_entries: int) -> tuple[Array, Array]:
        """Return the room for the values of a tile, and for which of them are near."""
        if self.values.size < n_entries:
            self.values = np.empty(n_entries, dtype=np.float32)
            self.chosen = np.empty(n_entries, dtype=bool)
        return self.values, self.chosen


ROOMS = _Rooms()


def search_tile(left: Array, first: TileBlock, other: TileBlock) -> None:
    """Take candidates from the tile of two blocks, for both; `left` is how the first one asks."""
    room, chosen = ROOMS.of(first.size * other.size)
    product = first.points.squared_distances(left, first.samples, other.points, other.samples, room)
    is_near = chosen[: product.size].reshape(product.shape)
    np.less_equal(product, first.limits_for(other)[:, None], out=is_near)
    row, column, value = entries_where(is_near, product)
    first.add(row, column, value, other.samples.start)
    np.less_equal(product, other.limits_for(first), out=is_near)
    row, column, value = entries_where(is_near, product)
    other.add(column, row, value, first.samples.start)
