"""Search among all samples by symmetric tiles: every pair of samples is multiplied once.

The samples are cut into blocks. The tile of a block with itself sets a limit for each of its
samples, an upper bound of the k-th smallest distance; the tile of two blocks is compared with the
limits of the one along its rows and of the other along its columns. What is within a limit is a
candidate, and candidates lower the limit, so that ever fewer are found.
"""

from __future__ import annotations

from itertools import pairwise
from threading import Lock, local

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search.blocks import BlockSearch
from rarelabels._search.points import Points, points_of
from rarelabels._search.ranking import entries_where, limits_of, n_candidates, ranked_where_close
from rarelabels._search.threads import in_threads

# A tile is large enough to make its matrix product worthwhile, and small enough for the cache.
TILE_ROWS = 1024
# For more neighbours than this, the limits of a tile are too high to spare much.
TILE_NEIGHBORS = 64
# New candidates per neighbour that are collected before limits are lowered.
PENDING = 2
# Whole distances are below this.
WHOLE = 2**24


def suits_tiles(space: FeatureSpace, n_neighbors: int) -> bool:
    """Whether a search among all samples is done by tiles."""
    return not sparse.issparse(space.raw) and n_neighbors <= TILE_NEIGHBORS


class TileSearch:
    """Search all samples of a space for each of them."""

    def __init__(self, space: FeatureSpace) -> None:
        self.space = space
        self.points = points_of(space, np.float32)

    def nearest_of_all(self, n_neighbors: int, n_threads: int = 1) -> Array:
        """Return the nearest other samples of each, as (n, k) indices."""
        n_samples = self.space.n_samples
        blocks = [TileBlock(self.points, part, n_neighbors) for part in tile_rows(0, n_samples)]
        in_threads(TileBlock.search_itself, blocks, n_threads)
        # The first has the most tiles, so threads end at about the same time.
        rest = [blocks[first:] for first in range(len(blocks) - 1)]
        in_threads(search_across, rest, n_threads)
        ranked = in_threads(lambda block: block.ranked(self.space), blocks, n_threads)
        found = np.concatenate(ranked)
        crowded = np.flatnonzero(found[:, 0] < 0)
        if crowded.size:
            search = BlockSearch(self.space, n_samples, self.points)
            parts = np.array_split(crowded, min(n_threads, crowded.size))
            again = in_threads(
                lambda part: search.nearest_in_double(part, n_neighbors), parts, n_threads
            )
            found[crowded] = np.concatenate(again)
        return found


def tile_rows(start: int, stop: int) -> list[slice]:
    """Cut samples into the rows of tiles."""
    n_tiles = -(-(stop - start) // TILE_ROWS)
    edges = np.linspace(start, stop, n_tiles + 1).astype(int).tolist()
    return [slice(*ends) for ends in pairwise(edges)]


class TileBlock:
    """Consecutive samples, the candidates found for them so far, and the limits for more.

    Candidates lie by row of the block, then by value, then by sample where values are exact. A row
    with more of them than single precision can tell apart is crowded: it takes no more. No limit is
    above its ceiling.
    """

    def __init__(
        self, points: Points, samples: slice, n_neighbors: int, ceilings: Array | None = None
    ) -> None:
        self.points = points
        self.samples = samples
        self.n_neighbors = n_neighbors
        self.size = samples.stop - samples.start
        self.is_crowded = np.zeros(self.size, dtype=bool)
        nothing = np.empty(0, dtype=np.intp)
        self._found = (nothing, nothing, np.empty(0, dtype=np.float32))
        self._pending: list[tuple[Array, Array, Array]] = []
        self._n_pending = 0
        highest = np.full(self.size, np.finfo(np.float32).max, dtype=np.float32)
        self._ceilings = highest if ceilings is None else ceilings
        self._limits = self._ceilings
        self._last = np.full(self.size, points.norms.size)
        self._lock = Lock()

    def search_itself(self) -> None:
        """Take candidates from the tile of the block with itself."""
        left, (room, chosen) = self.points.asked_by(self.samples), ROOMS.of(self.size**2)
        product = self.points.squared_distances(left, self.samples, self.samples, room)
        is_near = chosen[: product.size].reshape(product.shape)
        np.fill_diagonal(product, np.inf)
        limits = self.points.widened(self.samples, limits_of(product, self.n_neighbors))
        np.less_equal(product, limits[:, None], out=is_near)
        self.add(*entries_where(is_near, product), self.samples.start)
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
        with self._lock:
            self._pending.append((row, column + first, np.abs(np.maximum(value, 0))))
            self._n_pending += row.size
            if self._n_pending > PENDING * self.n_neighbors * self.size:
                self._merge()

    def _merge(self) -> None:
        """Put pending candidates to the others, lower the limits and drop what is beyond them."""
        found = [self._found, *self._pending]
        row, column, value = (np.concatenate(part) for part in zip(*found, strict=True))
        order = np.argsort(self._keys(row, column, value))
        row, column, value = row[order], column[order], value[order]
        starts, counts = _runs(row, self.size)
        is_full = counts >= self.n_neighbors
        last = (starts + self.n_neighbors - 1)[is_full]
        kth = np.full(self.size, np.inf, dtype=np.float32)
        kth[is_full] = value[last]
        self._limits = np.minimum(self._ceilings, self.points.widened(self.samples, kth))
        # What ties with a ceiling may be before whatever set it.
        self._last = np.full(self.size, self.points.norms.size)
        self._last[is_full] = column[last]
        self._last[self._ceilings < kth] = self.points.norms.size
        if self.points.is_exact:
            is_kept = np.arange(row.size) - starts[row] < self.n_neighbors
        else:
            is_kept = value <= self._limits[row]
            # Limits still sink, so twice as many may yet be told apart.
            is_kept &= self._without_crowded(row[is_kept], 2 * n_candidates(self.n_neighbors))[row]
        self._found = (row[is_kept], column[is_kept], value[is_kept])
        self._pending, self._n_pending = [], 0

    def _keys(self, row: Array, column: Array, value: Array) -> Array:
        """Return integers in the order that candidates lie in."""
        if self.points.is_exact:
            n_samples = self.points.norms.size
            return (row * WHOLE + value.astype(np.int64)) * n_samples + column
        # No value is negative, and the bits of such floats are in their order.
        return (row << 32) | value.view(np.int32)

    def _without_crowded(self, row: Array, most: int) -> Array:
        """Note the rows that have more candidates than may be, and return which have not."""
        self.is_crowded |= np.bincount(row, minlength=self.size) > most
        self._limits[self.is_crowded] = -np.inf
        return ~self.is_crowded

    def candidates(self) -> tuple[Array, Array, Array]:
        """Return row, sample and value of the candidates of rows that are not crowded."""
        self._merge()
        row, column, value = self._found
        if self.points.is_exact:
            return row, column, value
        is_kept = self._without_crowded(row, n_candidates(self.n_neighbors))[row]
        return row[is_kept], column[is_kept], value[is_kept]

    def ranked(self, space: FeatureSpace) -> Array:
        """Return the nearest samples of each, -1 for those of a crowded row."""
        row, column, value = self.candidates()
        if not self.points.is_exact:
            rows = np.arange(self.samples.start, self.samples.stop)
            errors = self.points.errors(self.samples, np.maximum(self._limits, 0))
            column = ranked_where_close(space, rows, row, column, value, 2 * errors)
        starts, _ = _runs(row, self.size)
        nearest = np.full((self.size, self.n_neighbors), -1)
        sure = np.flatnonzero(~self.is_crowded)
        nearest[sure] = column[starts[sure][:, None] + np.arange(self.n_neighbors)]
        return nearest


def _runs(row: Array, n_rows: int) -> tuple[Array, Array]:
    """Return where the entries of each row start, and how many they are."""
    counts = np.bincount(row, minlength=n_rows)
    return np.cumsum(counts) - counts, counts


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


def search_across(blocks: list[TileBlock]) -> None:
    """Take candidates from the tiles of the first block with each of the others, for both."""
    first, others = blocks[0], blocks[1:]
    points, left = first.points, first.points.asked_by(first.samples)
    room, chosen = ROOMS.of(max(block.size for block in blocks) ** 2)
    for other in others:
        product = points.squared_distances(left, first.samples, other.samples, room)
        is_near = chosen[: product.size].reshape(product.shape)
        np.less_equal(product, first.limits_for(other)[:, None], out=is_near)
        row, column, value = entries_where(is_near, product)
        first.add(row, column, value, other.samples.start)
        np.less_equal(product, other.limits_for(first), out=is_near)
        row, column, value = entries_where(is_near, product)
        other.add(column, row, value, first.samples.start)
