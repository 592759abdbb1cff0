"""Exact search for the k nearest samples of every sample.

Samples are searched in blocks. A block's distances to all samples come from one matrix product in
float32; the columns are looked at in groups, of which only those whose minimum is small enough are
opened. Every sample within the rounding bound of the product is a candidate, and candidates are
ranked by their distance in float64, then by sample number: the result is that of a search in
float64, ties included, whatever the block size and the number of threads. Where the numbers are
small whole ones the product is exact, and there is nothing to rank again.

A feature with gaps is two columns more. With z its value (0 where missing), q = z² and m whether it
is missing, what it adds to the squared distance of samples i and k is

    (q_i + m_i) + (q_k + m_k) − 2 z_i z_k − m_i (q_k + m_k) − q_i m_k

which is (x_i − x_k)² where both are known and 1 elsewhere; the first term is the same for all k.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import joblib
import numpy as np
from scipy import sparse
from sklearn.neighbors import KDTree
from threadpoolctl import threadpool_info, threadpool_limits

from rarelabels._containers import Array, Matrix
from rarelabels._distance import FeatureSpace, one_hot, row_sums

# A block is large enough to make its matrix product worthwhile, and small enough for the cache.
BLOCK_ENTRIES = 2**22
BLOCK_ROWS = 256
GROUP = 16
# One-hot columns of features with few values go into the dense product, the others stay sparse.
DENSE_VALUES = 32
# A feature that two sparse rows share costs as much as so many entries of a row do in a product
# with dense rows.
SHARED_COST = 45
# A block of dense rows wider than this falls out of the cache.
DENSE_FEATURES = 2**12
# With few features and many samples a k-d tree beats the matrix product, unless many lie in one
# place: all of them are ties that the tree must be asked for.
TREE_FEATURES = 6
TREE_SAMPLES = 5000
TREE_DUPLICATES = 32
# Bound on how far a sample may lie from its place in a tree of features rescaled to [0, 1].
PLACING = 4e-15


def nearest_rows(
    space: FeatureSpace,
    n_neighbors: int,
    *,
    n_jobs: int | None = None,
    queries_from: int | None = None,
) -> Array:
    """Return the `n_neighbors` nearest other samples of each, nearest first, as (n, k) indices.

    With `queries_from`, the samples from there on are asked for, and those before them searched.
    """
    n_searched = space.n_samples if queries_from is None else queries_from
    search = (_TreeSearch if _suits_tree(space, n_searched) else _BlockSearch)(space, n_searched)
    rows = np.arange(queries_from or 0, space.n_samples)
    n_blocks = -(-rows.size // BLOCK_ROWS)
    # To ask how many threads there are takes longer than a search among few samples.
    n_threads = min(n_blocks, _effective_threads(n_jobs)) if n_blocks > 1 else 1
    if n_threads == 1:
        return search.nearest(rows, n_neighbors)
    chunks = np.array_split(rows, n_threads)
    with threadpool_limits(1, user_api="blas"):  # Its threads would fight with ours.
        found = joblib.Parallel(n_jobs=n_threads, prefer="threads")(
            joblib.delayed(search.nearest)(chunk, n_neighbors) for chunk in chunks
        )
    return np.concatenate(found)


def _effective_threads(n_jobs: int | None) -> int:
    """Read None as scikit-learn's own search does: the threads that BLAS may use."""
    if n_jobs is not None:
        return joblib.effective_n_jobs(n_jobs)
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return max([1, *pools])


def _suits_tree(space: FeatureSpace, n_searched: int) -> bool:
    n_features = space.raw.shape[1]
    is_plain = not (sparse.issparse(space.raw) or space.codes.shape[1] or space.gaps.size)
    if not (is_plain and 0 < n_features <= TREE_FEATURES and n_searched >= TREE_SAMPLES):
        return False
    return _most_in_one_place(space.numeric[:n_searched]) <= TREE_DUPLICATES


def _most_in_one_place(points: Array) -> int:
    """Count the samples of the place that most samples share."""
    order = np.lexsort(points.T)
    is_new = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(is_new) + 1, [order.size]])
    return int(np.diff(starts).max())


@dataclass(frozen=True)
class _Points:
    """Samples as the operands of a matrix product that gives distances.

    `dense` and `hot` are the dense and the sparse columns of all samples as they ask, `searched`
    and `hot_searched` those of the samples that are searched: the dense ones with the squared norm
    of the whole sample behind them. The two differ only where there are gaps. `norms` are those of
    all samples, none above 1 unless the product is exact; `rounding` bounds the relative error of
    each sample's products, and `gap_terms` the size of the terms that gaps add to them, None where
    there are none.
    """

    dense: Array
    hot: Any
    searched: Array
    hot_searched: Any
    norms: Array
    rounding: Array
    gap_terms: Array | None
    is_exact: bool
    n_searched: int

    @cached_property
    def _hot_searched(self) -> Any:
        """The right operand of the sparse product: by feature if sparse meets sparse."""
        hot = self.hot_searched[: self.n_searched]
        return hot if self._hot_meets_often else hot.T.tocsr()

    @cached_property
    def _hot_meets_often(self) -> bool:
        """Whether rows share so many of few features that a product with dense rows is cheaper."""
        if self.hot.shape[1] > DENSE_FEATURES:
            return False
        per_feature = np.bincount(self.hot.indices)
        shared = float((per_feature / self.hot.shape[0]) @ (per_feature / self.hot.shape[0]))
        return SHARED_COST * shared > self.hot.nnz / self.hot.shape[0]

    def _hot_product(self, rows: Array) -> Array:
        block = self.hot[rows]
        block.data *= -2
        if self._hot_meets_often:
            return (self._hot_searched @ np.ascontiguousarray(block.toarray().T)).T
        return (block @ self._hot_searched).toarray()

    def widened(self, rows: Array, limit: Array) -> Array:
        """Raise the k-th smallest value found to what rounding may have made of the k-th distance.

        A product of x and y errs by no more than a share of 2|x||y| + |y|², and a sample y whose
        value is within the limit is no longer than |x| + √(|x|² + limit): twice the error there,
        once for the sample that set the limit and once for the one that is compared with it. Where
        there are gaps, any length up to the largest, 1, may be within the limit.
        """
        if self.is_exact:
            return limit
        norm, rounding = self.norms[rows], self.rounding[rows]
        if self.gap_terms is None:
            at_most = rounding * (2 * norm + 1)
            reach = np.minimum(1, norm + np.sqrt(np.maximum(0, norm**2 + limit + at_most)))
            wide = limit + 2 * rounding * (2 * norm * reach + reach**2)
        else:
            wide = limit + 2 * rounding * (2 * norm + 1 + self.gap_terms[rows])
        return np.nextafter(wide.astype(limit.dtype), limit.dtype.type(np.inf))

    def distances(self, rows: Array, room: Array) -> Array:
        """Squared distances of a block of samples to all, less the sample's own squared norm."""
        block = np.ones((rows.size, self.searched.shape[1]), dtype=self.dense.dtype)
        np.multiply(self.dense[rows], -2, out=block[:, :-1])
        product = room[: rows.size * self.searched.shape[0]].reshape(rows.size, -1)
        np.matmul(block, self.searched.T, out=product)
        if self.hot is not None:
            product[:, : self.n_searched] += self._hot_product(rows)
        itself = np.flatnonzero(rows < self.n_searched)
        product[itself, rows[itself]] = np.inf
        return product


class _BlockSearch:
    def __init__(self, space: FeatureSpace, n_searched: int) -> None:
        self.space = space
        self.n_searched = n_searched
        self.single = _points(space, n_searched, np.float32)

    @cached_property
    def double(self) -> _Points:
        return _points(self.space, self.n_searched, np.float64)

    def nearest(self, rows: Array, n_neighbors: int) -> Array:
        size = max(1, min(BLOCK_ROWS, BLOCK_ENTRIES // self.n_searched))
        blocks = [rows[start : start + size] for start in range(0, rows.size, size)]
        room = np.empty(size * self.single.searched.shape[0], dtype=np.float32)
        found = [self._nearest_of_block(block, n_neighbors, room) for block in blocks]
        return np.concatenate(found)

    def _nearest_of_block(self, rows: Array, n_neighbors: int, room: Array) -> Array:
        points = self.single
        row, column, distance = _candidates(points, rows, n_neighbors, room)
        if points.is_exact:
            return _first_by_key(row, distance, column, n_neighbors)
        if row.size > rows.size * (4 * n_neighbors + 64):
            # Single precision cannot tell these samples apart: look again with twice the digits.
            row, column, _ = _candidates(self.double, rows, n_neighbors, room.astype(np.float64))
        return _nearest_of_candidates(self.space, rows, row, column, n_neighbors)


class _TreeSearch:
    def __init__(self, space: FeatureSpace, n_searched: int) -> None:
        self.space = space
        self.n_searched = n_searched
        self.tree = KDTree(space.numeric[:n_searched])

    def nearest(self, rows: Array, n_neighbors: int, n_candidates: int | None = None) -> Array:
        """Ask the tree for more samples than needed, and again where a tie might reach beyond."""
        n_candidates = min(n_candidates or n_neighbors + 6, self.n_searched)
        found = np.empty((rows.size, n_neighbors), dtype=np.intp)
        step = max(1, BLOCK_ENTRIES // n_candidates)
        for start in range(0, rows.size, step):
            part = slice(start, start + step)
            found[part] = self._nearest_of_block(rows[part], n_neighbors, n_candidates)
        return found

    def _nearest_of_block(self, rows: Array, n_neighbors: int, n_candidates: int) -> Array:
        distance, index = self.tree.query(self.space.numeric[rows], n_candidates)
        # The sample itself may be among them, so the last that counts is one place further.
        last = min(n_neighbors, n_candidates - 1)
        may_tie = distance[:, -1] <= distance[:, last] * (1 + 1e-9) + PLACING
        if n_candidates == self.n_searched:
            may_tie[:] = False
        found = np.empty((rows.size, n_neighbors), dtype=np.intp)
        sure = np.flatnonzero(~may_tie)
        is_other = index[sure] != rows[sure, None]
        row, place = np.nonzero(is_other)
        column = index[sure][row, place]
        if sure.size:
            found[sure] = _nearest_of_candidates(self.space, rows[sure], row, column, n_neighbors)
        if may_tie.any():
            found[may_tie] = self.nearest(rows[may_tie], n_neighbors, 4 * n_candidates)
        return found


def _points(space: FeatureSpace, n_searched: int, dtype: Any) -> _Points:
    dense, hot, weight = _columns(space)
    gaps = _gaps(space, dense if hot is None else hot)
    is_whole = _is_whole(dense) and (hot is None or _is_whole(hot.data))
    is_whole = is_whole and (sparse.issparse(space.raw) or space.is_placed_exactly())
    if not is_whole and dense.shape[1]:
        # Rounding grows with the norms, and distances do not know where the origin is.
        dense = _columns(space, is_centred=True)[0]
    dense, hot = _without_gaps(dense), _without_gaps(hot)
    norms = row_sums(dense * dense) + (row_sums(hot * hot) if hot is not None else 0)
    norms += weight * row_sums(gaps)
    is_exact = is_whole and norms.max() < 2**21
    scale = 1.0 if is_exact or not norms.any() else 1 / np.sqrt(norms.max())
    norms, weight = norms * scale**2, weight * scale**2
    hot = None if hot is None else (hot * scale).astype(dtype)
    dense = (dense * scale).astype(dtype)
    asked, searched, gap_terms = _with_gaps(space, dense, hot, gaps.astype(dtype), weight)
    rounding = _n_terms(*asked) * np.finfo(dtype).eps
    return _Points(
        *asked,
        _operand(searched[0][:n_searched], norms[:n_searched]),
        searched[1],
        np.sqrt(norms),
        rounding,
        gap_terms,
        is_exact,
        n_searched,
    )


def _gaps(space: FeatureSpace, columns: Matrix) -> Matrix:
    """Return the indicator of what is missing in the features with gaps."""
    if sparse.issparse(space.raw):
        found = columns[:, space.gaps]
        found.data = np.isnan(found.data).astype(np.float64)
        found.eliminate_zeros()
        return found
    return np.isnan(space.raw[:, space.gaps]).astype(np.float64)


def _without_gaps(columns: Matrix) -> Matrix:
    """Return columns with 0 where a value is missing."""
    if columns is None or not np.isnan(columns.sum()):
        return columns
    filled = columns.copy()
    values = filled.data if sparse.issparse(filled) else filled
    values[np.isnan(values)] = 0.0
    if sparse.issparse(filled):
        filled.eliminate_zeros()
    return filled


def _with_gaps(
    space: FeatureSpace, dense: Array, hot: Any, gaps: Matrix, weight: float
) -> tuple[tuple[Array, Any], tuple[Array, Any], Array | None]:
    """Put the columns of features with gaps behind the others: as they ask, as they are searched.

    Also return a bound of the terms that they add for each sample.
    """
    if not space.gaps.size:
        return (dense, hot), (dense, hot), None
    is_sparse = sparse.issparse(space.raw)
    values = (hot if is_sparse else dense)[:, space.gaps]
    squares = values * values
    known_or_not = squares + gaps * gaps.dtype.type(weight)
    largest = known_or_not.max(axis=0)
    largest = largest.toarray().ravel() if is_sparse else largest
    terms = row_sums(squares) + gaps @ largest
    # Halves, as everything that asks is multiplied by −2.
    asking, asked = [gaps * 0.5, squares * 0.5], [known_or_not, gaps]
    if is_sparse:
        stack = [sparse.hstack([hot, *more], format="csr") for more in (asking, asked)]
        return (dense, stack[0]), (dense, stack[1]), terms
    stacked = [np.hstack([dense, *more]) for more in (asking, asked)]
    return (stacked[0], hot), (stacked[1], hot), terms


def _columns(
    space: FeatureSpace, is_centred: bool = False
) -> tuple[Array, sparse.csr_array | None, float]:
    """Split the space into dense and sparse columns, and say what 1 squared is among them.

    Squared distances are twice those of the space where there are codes: the factor is on the
    numbers and not on the indicators, since √½ would make equal distances of categories differ in
    the last bit.
    """
    few = space.codes.max(axis=0, initial=0) < DENSE_VALUES
    if sparse.issparse(space.raw):
        few[:] = False
    factor = np.sqrt(2.0) if few.size else 1.0
    # Without gaps it is not needed, and might overflow.
    weight = (2.0 if few.size else 1.0) * space.unit**2 if space.gaps.size else 0.0
    hot = one_hot(space.codes[:, ~few]) * space.unit
    dense_hot = one_hot(space.codes[:, few]).toarray() * space.unit
    if sparse.issparse(space.raw):
        return dense_hot, sparse.hstack([space.numeric * factor, hot], format="csr"), weight
    numeric = space.centred() if is_centred else space.numeric
    if few.size:
        numeric = numeric * factor
    if is_centred and dense_hot.size:
        dense_hot = dense_hot - dense_hot.mean(axis=0)
    dense = np.hstack([numeric, dense_hot]) if dense_hot.size else numeric
    return dense, hot if hot.shape[1] else None, weight


def _is_whole(values: Array) -> bool:
    return bool(((values == np.rint(values)) | np.isnan(values)).all())


def _n_terms(dense: Array, hot: Any) -> Array:
    """Roundings in a product of each sample: one per term, and a few for what is around it."""
    n_terms = np.full(dense.shape[0], dense.shape[1] + 12)
    return n_terms if hot is None else n_terms + np.diff(hot.indptr)


def _operand(dense: Array, norms: Array) -> Array:
    """Put the norms behind the columns and rows at infinity behind the rows, to fill the groups."""
    n_samples, n_columns = dense.shape
    operand = np.zeros((-(-n_samples // GROUP) * GROUP, n_columns + 1), dtype=dense.dtype)
    operand[:n_samples, :-1] = dense
    operand[:n_samples, -1] = norms
    operand[n_samples:, -1] = np.inf
    return operand


def _candidates(
    points: _Points, rows: Array, n_neighbors: int, room: Array
) -> tuple[Array, Array, Array]:
    """Find every row that may belong to the nearest: block row, row and distance of each.

    The k-th smallest group minimum bounds the k-th smallest distance from above, so whatever lies
    above it, by more than rounding explains, is out.
    """
    distances = points.distances(rows, room)
    group = _group_size(points.n_searched, n_neighbors)
    grouped = distances.reshape(rows.size, group, -1)
    minima = grouped.min(axis=1)
    limit = np.partition(minima, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
    limit = points.widened(rows, limit)
    row, place = np.nonzero(minima <= limit[:, None])
    opened = grouped[row, :, place]
    hit, member = np.nonzero(opened <= limit[row, None])
    column = member * minima.shape[1] + place[hit]
    return row[hit], column, opened[hit, member]


def _group_size(n_samples: int, n_neighbors: int) -> int:
    """Return the largest power of two that leaves several times more groups than neighbours."""
    wanted = max(1, min(GROUP, n_samples // (4 * n_neighbors)))
    return 2 ** (int(wanted).bit_length() - 1)


def _nearest_of_candidates(
    space: FeatureSpace, rows: Array, row: Array, column: Array, n_neighbors: int
) -> Array:
    distance = space.distance_keys(rows[row], column)
    order = np.lexsort((column, distance, row))
    return column[order][_firsts(row, n_neighbors)]


def _first_by_key(row: Array, distance: Array, column: Array, n_neighbors: int) -> Array:
    """Order whole distances by one integer key each: three sorts in one."""
    whole = (distance - distance.min()).astype(np.int64)
    n_columns, n_distances = int(column.max()) + 1, int(whole.max()) + 1
    key = np.sort((row * n_distances + whole) * n_columns + column)
    return (key % n_columns)[_firsts(row, n_neighbors)]


def _firsts(row: Array, n_neighbors: int) -> Array:
    """Positions of the first k entries of each block row, the entries lying in the rows' order."""
    counts = np.bincount(row)
    return (np.cumsum(counts) - counts)[:, None] + np.arange(n_neighbors)
