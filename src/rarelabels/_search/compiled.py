"""Search among sparse samples with compiled code, where numba is installed (the extra `fast`).

Samples whose features are there or not are sets of bits: what two of them share is counted word by
word, in integers. Other samples meet in an inverted index, the samples that have each feature, in
double precision; what rounding may have put in the wrong order is ranked again.
"""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search.blocks import BlockSearch
from rarelabels._search.points import TIE, Points, points_of
from rarelabels._search.ranking import n_candidates, ranked_where_close
from rarelabels._search.threads import in_threads

# Among fewer samples there is nothing to gain.
COMPILED_SAMPLES = 1000
# Nanoseconds for a pair of samples: of each word of bits and each feature they share, and around.
WORD, SHARED, AROUND = 0.25, 2.2, 1.0
# The same for each feature of a sample in a product with dense samples.
DENSE = 0.5
# Bits take at most so many times the memory of the sparse matrix.
BITS_MEMORY = 8
ROWS_AT_ONCE = 1024


def suits_compiled(space: FeatureSpace, n_searched: int) -> bool:
    """Whether compiled code is there and worth its start."""
    is_large = n_searched >= COMPILED_SAMPLES and sparse.issparse(space.raw)
    return is_large and find_spec("numba") is not None


class SparseSearch:
    """Search the first `n_searched` samples of a sparse space for any of its samples."""

    def __init__(self, space: FeatureSpace, n_searched: int) -> None:
        self.space = space
        self.n_searched = n_searched
        self.points = points_of(space, np.float64)
        self.bits = self._bits()

    @cached_property
    def by_blocks(self) -> BlockSearch:
        """The search without compiled code."""
        return BlockSearch(self.space, self.n_searched)

    def _bits(self) -> _Bits | None:
        """Return the samples as sets of bits, None where they are no sets or bits take longer."""
        if not _are_sets(self.points):
            return None
        bits = _Bits(self.points.hot, self.n_searched)
        return bits if bits.cost < min(self._index_cost, self._dense_cost) else None

    @property
    def _dense_cost(self) -> float:
        return DENSE * self.points.hot.nnz / self.space.n_samples

    @property
    def _index_cost(self) -> float:
        shares = np.bincount(self.points.hot.indices) / self.space.n_samples
        return AROUND + SHARED * float(shares @ shares)

    def nearest(self, rows: Array, n_neighbors: int) -> Array:
        """Return the nearest of some samples, as (m, k) indices."""
        if self.bits is not None:
            return self.bits.nearest(rows, n_neighbors)
        if self._index_cost > self._dense_cost:
            return self.by_blocks.nearest(rows, n_neighbors)
        parts = [rows[start : start + ROWS_AT_ONCE] for start in range(0, rows.size, ROWS_AT_ONCE)]
        return np.concatenate([self._nearest_by_index(part, n_neighbors) for part in parts])

    def nearest_of_all(self, n_neighbors: int, n_threads: int) -> Array:
        """Return the nearest other samples of each, as (n, k) indices."""
        if self.bits is not None:
            return self.bits.nearest_of_all(n_neighbors, n_threads)
        parts = np.array_split(np.arange(self.n_searched), n_threads)
        found = in_threads(lambda part: self.nearest(part, n_neighbors), parts, n_threads)
        return np.concatenate(found)

    @cached_property
    def _index(self) -> tuple[Array, Array, Array]:
        by_feature = self.points.hot_searched[: self.n_searched].T.tocsr()
        return by_feature.indptr, by_feature.indices, by_feature.data

    def _nearest_by_index(self, rows: Array, n_neighbors: int) -> Array:
        from rarelabels._search.kernels import candidates_by_index

        hot, squares = self.points.hot, self.points.searched[:, -2]
        apart = 2 * self.points.errors(rows, np.full(rows.size, np.inf))
        nearest = np.empty((rows.size, n_neighbors), dtype=np.intp)
        columns = np.empty((rows.size, n_candidates(n_neighbors)), dtype=np.intp)
        values, counts = np.empty(columns.shape), np.empty(rows.size, dtype=np.intp)
        candidates_by_index(
            (hot.indptr, hot.indices, hot.data),
            squares,
            self._index,
            squares[: self.n_searched],
            rows,
            (TIE, apart),
            (nearest, columns, values, counts),
        )
        if self.points.is_exact:
            return nearest
        is_crowded = counts > columns.shape[1]
        sure, crowded = np.flatnonzero(~is_crowded), np.flatnonzero(is_crowded)
        nearest[sure] = _ranked(
            self.space, rows[sure], columns[sure], values[sure], counts[sure], apart[sure]
        )[:, :n_neighbors]
        if crowded.size:
            nearest[crowded] = self.by_blocks.nearest_in_double(rows[crowded], n_neighbors)
        return nearest


def _ranked(
    space: FeatureSpace, rows: Array, columns: Array, values: Array, counts: Array, apart: Array
) -> Array:
    """Return the candidates of each sample in their order, as far as there are any."""
    is_candidate = np.arange(columns.shape[1]) < counts[:, None]
    values = np.where(is_candidate, values, np.inf)
    order = np.argsort(values, axis=1, kind="stable")
    columns, values = (np.take_along_axis(part, order, axis=1) for part in (columns, values))
    row, place = np.nonzero(is_candidate)
    columns[row, place] = ranked_where_close(
        space, rows, row, columns[row, place], values[row, place], apart
    )
    return columns


def _are_sets(points: Points) -> bool:
    """Whether features are there or not, without gaps and numbers."""
    return points.is_exact and points.gap_terms is None and bool((points.hot.data == 1).all())


class _Bits:
    """Samples as sets of features, 64 in a word."""

    def __init__(self, hot: Any, n_searched: int) -> None:
        # Features of like frequency share words, so that the words of rare ones are mostly empty.
        counts = np.bincount(hot.indices, minlength=hot.shape[1])
        place = np.empty(counts.size, dtype=np.int64)
        place[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
        self._places = place[hot.indices]
        self._hot = hot
        self._n_words = -(-max(1, int((counts > 0).sum())) // 64)
        self.n_searched = n_searched

    @property
    def cost(self) -> float:
        """Nanoseconds for a pair of samples, infinite where memory would not do."""
        n_samples = self._hot.shape[0]
        if self._n_words * n_samples * 8 > BITS_MEMORY * 12 * self._hot.nnz:
            return np.inf
        return WORD * np.count_nonzero(self._words) / n_samples + AROUND

    @cached_property
    def _words(self) -> Array:
        """The words of each sample."""
        words = np.zeros((self._hot.shape[0], self._n_words), dtype=np.uint64)
        row = np.repeat(np.arange(self._hot.shape[0]), np.diff(self._hot.indptr))
        bits = np.left_shift(np.uint64(1), (self._places % 64).astype(np.uint64))
        np.bitwise_or.at(words, (row, self._places // 64), bits)
        return words

    @cached_property
    def _searched(self) -> tuple[Array, Array, Array]:
        """Return the words of the searched samples by word, their sizes and those of all."""
        sizes = np.diff(self._hot.indptr).astype(np.int32)
        by_word = np.ascontiguousarray(self._words[: self.n_searched].T)
        return by_word, sizes[: self.n_searched], sizes

    def nearest(self, rows: Array, n_neighbors: int) -> Array:
        """Return the nearest of some samples, as (m, k) indices."""
        from rarelabels._search.kernels import nearest_by_bits

        nearest = np.empty((rows.size, n_neighbors), dtype=np.intp)
        nearest_by_bits(self._words, self._searched, rows, nearest)
        return nearest

    def nearest_of_all(self, n_neighbors: int, n_threads: int) -> Array:
        """Return the nearest other samples of each, as (n, k) indices."""
        from rarelabels._search.kernels import ASKING

        words, searched = self._words, self._searched
        begins = np.arange(0, self.n_searched, ASKING)
        # Early blocks meet more samples than late ones, so each thread takes some of all.
        parts = [begins[thread::n_threads] for thread in range(n_threads)]
        found = in_threads(
            lambda part: _nearest_among(words, searched, part, n_neighbors), parts, n_threads
        )
        if n_threads == 1:
            return found[0][1]
        values, nearest = (np.hstack(part) for part in zip(*found, strict=True))
        order = np.lexsort((nearest, values))[:, :n_neighbors]
        return np.take_along_axis(nearest, order, axis=1)


def _nearest_among(
    words: Array, searched: tuple[Array, Array, Array], begins: Array, n_neighbors: int
) -> tuple[Array, Array]:
    """Return distances and indices of the nearest, as far as pairs with some blocks tell."""
    from rarelabels._search.kernels import FAR, nearest_among_bits

    shape = (words.shape[0], n_neighbors)
    limits, values = np.full(shape[0], FAR, dtype=np.int32), np.full(shape, FAR, dtype=np.int32)
    nearest = np.empty(shape, dtype=np.intp)
    nearest_among_bits(words, searched, begins, limits, values, nearest)
    return values, nearest
