"""Search among sparse samples with compiled code, if numba is installed (the extra `fast`).

Samples with binary features are bit sets: the features that two of them share are counted word by
word, in integers. Other samples are compared through an inverted index, which lists the samples
that have each feature, in double precision. Candidates that rounding may have put in the wrong
order are ranked again.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._neighbors.exact.brute_force import BruteForceSearch
from rarelabels._neighbors.exact.operands import Operands, operands_of
from rarelabels._neighbors.exact.ranking import n_candidates, ranked_where_close
from rarelabels._neighbors.exact.threads import in_threads
from rarelabels._neighbors.space import FeatureSpace
from rarelabels._neighbors.tie_keys import GRID_BITS

# Nanoseconds per pair of samples: for each word of bits, for each shared feature, and overhead.
WORD, SHARED, AROUND = 0.25, 2.2, 1.0
# Nanoseconds for each feature of a sample in a product with dense samples.
DENSE = 0.5
# Largest memory of the bit sets, relative to that of the sparse matrix.
BITS_MEMORY = 8
ROWS_AT_ONCE = 1024


class SparseSearch:
    """Search the first `n_searched` samples of a sparse space for any of its samples."""

    def __init__(self, space: FeatureSpace, n_searched: int) -> None:
        self.space = space
        self.n_searched = n_searched
        self.operands = operands_of(space, np.float64)
        self.bits = self._bits()

    @cached_property
    def brute_force(self) -> BruteForceSearch:
        """The search without compiled code."""
        return BruteForceSearch(self.space, self.n_searched)

    def _bits(self) -> _Bits | None:
        """Return the samples as bit sets, None if features are not binary or bits are slower."""
        are_directions = _are_directions_of_sets(self.space)
        if not are_directions and not _are_sets(self.operands):
            return None
        bits = _Bits(self.operands.sparse_query, self.n_searched, are_directions)
        return bits if bits.cost < min(self._index_cost, self._dense_cost) else None

    @property
    def _dense_cost(self) -> float:
        return DENSE * self.operands.sparse_query.nnz / self.space.n_samples

    @property
    def _index_cost(self) -> float:
        shares = np.bincount(self.operands.sparse_query.indices) / self.space.n_samples
        return AROUND + SHARED * float(shares @ shares)

    def nearest(self, rows: Array, n_neighbors: int) -> Array:
        """Return the nearest of some samples, as (m, k) indices."""
        if self.bits is not None:
            return self.bits.nearest(rows, n_neighbors)
        if self._index_cost > self._dense_cost:
            return self.brute_force.nearest(rows, n_neighbors)
        parts = [rows[start : start + ROWS_AT_ONCE] for start in range(0, rows.size, ROWS_AT_ONCE)]
        return np.concatenate([self._nearest_by_index(part, n_neighbors) for part in parts])

    def nearest_of_all(self, n_neighbors: int, n_threads: int) -> Array:
        """Return the nearest other samples of each, as (n, k) indices."""
        if self.bits is not None:
            return self.bits.nearest_of_all(n_neighbors, n_threads)
        parts = np.array_split(np.arange(self.n_searched), n_threads)
        nearest = in_threads(lambda part: self.nearest(part, n_neighbors), parts, n_threads)
        return np.concatenate(nearest)

    @cached_property
    def _index(self) -> tuple[Array, Array, Array]:
        by_feature = self.operands.sparse_target[: self.n_searched].T.tocsr()
        return by_feature.indptr, by_feature.indices, by_feature.data

    def _nearest_by_index(self, rows: Array, n_neighbors: int) -> Array:
        from rarelabels._neighbors.exact.sparse.kernels import candidates_by_index

        samples, squares = self.operands.sparse_query, self.operands.target_columns[:, -2]
        apart = self.operands.uncertainty(rows, np.full(rows.size, np.inf))
        nearest = np.empty((rows.size, n_neighbors), dtype=np.intp)
        columns = np.empty((rows.size, n_candidates(n_neighbors)), dtype=np.intp)
        values, counts = np.empty(columns.shape), np.empty(rows.size, dtype=np.intp)
        candidates_by_index(
            (samples.indptr, samples.indices, samples.data),
            squares,
            self._index,
            squares[: self.n_searched],
            rows,
            (self.operands.ties.share, apart),
            (nearest, columns, values, counts),
        )
        if self.operands.is_exact:
            return nearest
        is_crowded = counts > columns.shape[1]
        sure, crowded = np.flatnonzero(~is_crowded), np.flatnonzero(is_crowded)
        nearest[sure] = _ranked(
            self.space, rows[sure], columns[sure], values[sure], counts[sure], apart[sure]
        )[:, :n_neighbors]
        if crowded.size:
            nearest[crowded] = self.brute_force.nearest_in_double(rows[crowded], n_neighbors)
        return nearest


def _ranked(
    space: FeatureSpace, rows: Array, columns: Array, values: Array, counts: Array, apart: Array
) -> Array:
    """Return the candidates of each sample in order, as far as there are any."""
    is_candidate = np.arange(columns.shape[1]) < counts[:, None]
    values = np.where(is_candidate, values, np.inf)
    order = np.argsort(values, axis=1, kind="stable")
    columns, values = (np.take_along_axis(part, order, axis=1) for part in (columns, values))
    row, place = np.nonzero(is_candidate)
    columns[row, place] = ranked_where_close(
        space, rows, row, columns[row, place], values[row, place], apart
    )
    return columns


def _are_sets(operands: Operands) -> bool:
    """Whether all features are binary and none is missing."""
    return (
        operands.is_exact
        and operands.missing_terms is None
        and bool((operands.sparse_query.data == 1).all())
    )


def _are_directions_of_sets(space: FeatureSpace) -> bool:
    """Whether all features were binary before samples were scaled to unit length."""
    if not space.metric.has_unit_length or space.codes.shape[1] or not (space.raw.data > 0).all():
        return False
    # No sample is empty, since a column more is 1 for rows of zeros.
    firsts = space.raw.data[space.raw.indptr[:-1]]
    return bool((space.raw.data == np.repeat(firsts, np.diff(space.raw.indptr))).all())


class _Bits:
    """Samples as sets of features, 64 in a word, or as the directions of such sets."""

    def __init__(self, samples: Any, n_searched: int, are_directions: bool) -> None:
        # Features of similar frequency share words, so words of rare features are mostly empty.
        counts = np.bincount(samples.indices, minlength=samples.shape[1])
        place = np.empty(counts.size, dtype=np.int64)
        place[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
        self._places = place[samples.indices]
        self._samples = samples
        self._n_words = -(-max(1, int((counts > 0).sum())) // 64)
        self.n_searched = n_searched
        self._are_directions = are_directions

    @property
    def cost(self) -> float:
        """Nanoseconds per pair of samples, infinite if it would need too much memory."""
        n_samples = self._samples.shape[0]
        if self._n_words * n_samples * 8 > BITS_MEMORY * 12 * self._samples.nnz:
            return np.inf
        return WORD * np.count_nonzero(self._words) / n_samples + AROUND

    @cached_property
    def _words(self) -> Array:
        """The words of each sample."""
        words = np.zeros((self._samples.shape[0], self._n_words), dtype=np.uint64)
        row = np.repeat(np.arange(self._samples.shape[0]), np.diff(self._samples.indptr))
        bits = np.left_shift(np.uint64(1), (self._places % 64).astype(np.uint64))
        np.bitwise_or.at(words, (row, self._places // 64), bits)
        return words

    @cached_property
    def _searched(self) -> tuple[Array, Array, Array, bool]:
        """The words of the searched samples by word, and sizes or weights, as kernels need them.

        With c shared features of samples of sizes s and t the squared distance of directions is
        2 − 2 c / √(s t). In multiples of 2 to the power −`GRID_BITS`, and without the constant, it
        is minus c times both weights.
        """
        terms = np.diff(self._samples.indptr).astype(np.int32)
        if self._are_directions:
            terms = np.sqrt(2.0 ** (GRID_BITS + 1) / terms)
        by_word = np.ascontiguousarray(self._words[: self.n_searched].T)
        return by_word, terms[: self.n_searched], terms, self._are_directions

    def nearest(self, rows: Array, n_neighbors: int) -> Array:
        """Return the nearest of some samples, as (m, k) indices."""
        from rarelabels._neighbors.exact.sparse.kernels import nearest_by_bits

        nearest = np.empty((rows.size, n_neighbors), dtype=np.intp)
        nearest_by_bits(self._words, self._searched, rows, nearest)
        return nearest

    def nearest_of_all(self, n_neighbors: int, n_threads: int) -> Array:
        """Return the nearest other samples of each, as (n, k) indices."""
        from rarelabels._neighbors.exact.sparse.kernels import ASKING

        words, searched = self._words, self._searched
        begins = np.arange(0, self.n_searched, ASKING)
        # Early blocks are compared with more samples than late ones, so threads interleave.
        parts = [begins[thread::n_threads] for thread in range(n_threads)]
        by_thread = in_threads(
            lambda part: _nearest_among(words, searched, part, n_neighbors), parts, n_threads
        )
        if n_threads == 1:
            return by_thread[0][1]
        values, nearest = (np.hstack(part) for part in zip(*by_thread, strict=True))
        order = np.lexsort((nearest, values))[:, :n_neighbors]
        return np.take_along_axis(nearest, order, axis=1)


def _nearest_among(
    words: Array, searched: tuple[Array, Array, Array, bool], begins: Array, n_neighbors: int
) -> tuple[Array, Array]:
    """Return distances and indices of the nearest, considering only pairs with some blocks."""
    from rarelabels._neighbors.exact.sparse.kernels import FAR, nearest_among_bits

    shape, dtype = (words.shape[0], n_neighbors), searched[1].dtype
    limits, values = np.full(shape[0], FAR, dtype), np.full(shape, FAR, dtype)
    nearest = np.empty(shape, dtype=np.intp)
    nearest_among_bits(words, searched, begins, limits, values, nearest)
    return values, nearest
