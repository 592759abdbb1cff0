"""Exact search for the k nearest rows of every row.

Rows are searched in blocks. A block's distances to all rows come from one matrix product in
float32; the columns are looked at in groups, of which only those whose minimum is small enough are
opened. Every row within the rounding bound of the product is a candidate, and candidates are
ranked by their distance in float64, then by row number: the result is that of a search in float64,
ties included, whatever the block size and the number of threads. Where the numbers are small whole
ones the product is exact, and there is nothing to rank again.
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

from rarelabels._containers import Array
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
# With few features and many rows a k-d tree beats the matrix product.
TREE_FEATURES = 6
TREE_SAMPLES = 5000


def nearest_rows(
    space: FeatureSpace,
    n_neighbors: int,
    *,
    n_jobs: int | None = None,
    queries_from: int | None = None,
) -> Array:
    """Give the `n_neighbors` nearest other rows of every row, nearest first, as (n, k) indices.

    With `queries_from`, the rows from there on are asked for, and those before them searched.
    """
    n_searched = space.n_samples if queries_from is None else queries_from
    search = (_TreeSearch if _suits_tree(space, n_searched) else _BlockSearch)(space, n_searched)
    rows = np.arange(queries_from or 0, space.n_samples)
    n_blocks = -(-rows.size // BLOCK_ROWS)
    # To ask how many threads there are takes longer than a search among few rows.
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
    is_dense = not sparse.issparse(space.numeric) and not space.codes.shape[1]
    return is_dense and 0 < space.numeric.shape[1] <= TREE_FEATURES and n_searched >= TREE_SAMPLES


@dataclass(frozen=True)
class _Points:
    """Rows as the operands of a matrix product that gives distances.

    `dense` and `hot` are the dense and the sparse columns of all rows. `searched` holds those of
    the rows that are searched: their dense columns and, last, the squared norm of the whole row.
    `norms` are those of all rows, none above 1 unless the product is exact; `rounding` bounds the
    relative error of each row's products.
    """

    dense: Array
    hot: Any
    searched: Array
    norms: Array
    rounding: Array
    is_exact: bool
    n_searched: int

    @cached_property
    def _hot_searched(self) -> Any:
        """The right operand of the sparse product: by feature if sparse meets sparse."""
        hot = self.hot[: self.n_searched]
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

        A product of x and y errs by no more than a share of 2|x||y| + |y|², and a row y whose
        value is within the limit is no longer than |x| + √(|x|² + limit): twice the error there,
        once for the row that set the limit and once for the one that is compared with it.
        """
        if self.is_exact:
            return limit
        norm, rounding = self.norms[rows], self.rounding[rows]
        at_most = rounding * (2 * norm + 1)
        reach = np.minimum(1, norm + np.sqrt(np.maximum(0, norm**2 + limit + at_most)))
        wide = limit + 2 * rounding * (2 * norm * reach + reach**2)
        return np.nextafter(wide.astype(limit.dtype), limit.dtype.type(np.inf))

    def distances(self, rows: Array, room: Array) -> Array:
        """Squared distances of a block of rows to all, less the row's own squared norm."""
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
            # Single precision cannot tell these rows apart: look again with twice the digits.
            row, column, _ = _candidates(self.double, rows, n_neighbors, room.astype(np.float64))
        return _nearest_of_candidates(self.space, rows, row, column, n_neighbors)


class _TreeSearch:
    def __init__(self, space: FeatureSpace, n_searched: int) -> None:
        self.space = space
        self.n_searched = n_searched
        self.tree = KDTree(space.numeric[:n_searched])

    def nearest(self, rows: Array, n_neighbors: int, n_candidates: int | None = None) -> Array:
        """Ask the tree for more rows than needed, and again where a tie might reach beyond."""
        n_candidates = min(n_candidates or n_neighbors + 6, self.n_searched)
        found = np.empty((rows.size, n_neighbors), dtype=np.intp)
        step = max(1, BLOCK_ENTRIES // n_candidates)
        for start in range(0, rows.size, step):
            part = slice(start, start + step)
            found[part] = self._nearest_of_block(rows[part], n_neighbors, n_candidates)
        return found

    def _nearest_of_block(self, rows: Array, n_neighbors: int, n_candidates: int) -> Array:
        distance, index = self.tree.query(self.space.numeric[rows], n_candidates)
        # The row itself may be among them, so the last that counts is one place further.
        last = min(n_neighbors, n_candidates - 1)
        may_tie = distance[:, -1] <= distance[:, last] * (1 + 1e-9)
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
    dense, hot = _columns(space)
    is_whole = _is_whole(dense) and (hot is None or _is_whole(hot.data))
    if not is_whole and dense.shape[1]:
        # Rounding grows with the norms, and distances do not know where the origin is.
        dense = dense - dense.mean(axis=0)
    norms = row_sums(dense * dense) + (row_sums(hot * hot) if hot is not None else 0)
    is_exact = is_whole and norms.max() < 2**22
    scale = 1.0 if is_exact or not norms.any() else 1 / np.sqrt(norms.max())
    norms *= scale**2
    hot = None if hot is None else (hot * scale).astype(dtype)
    dense = (dense * scale).astype(dtype)
    searched = _operand(dense[:n_searched], norms[:n_searched])
    rounding = _n_terms(dense, hot) * np.finfo(dtype).eps
    return _Points(dense, hot, searched, np.sqrt(norms), rounding, is_exact, n_searched)


def _columns(space: FeatureSpace) -> tuple[Array, sparse.csr_array | None]:
    """Split the space into dense and sparse columns whose squared distances are twice its own.

    Once its own where there are no codes. The factor is on the numbers and not on the indicators,
    since √½ would make equal distances of categories differ in the last bit.
    """
    few = space.codes.max(axis=0, initial=0) < DENSE_VALUES
    if sparse.issparse(space.numeric):
        few[:] = False
    factor = np.sqrt(2.0) if few.size else 1.0
    hot, dense_hot = one_hot(space.codes[:, ~few]), one_hot(space.codes[:, few]).toarray()
    if sparse.issparse(space.numeric):
        return dense_hot, sparse.hstack([space.numeric * factor, hot], format="csr")
    numeric = space.numeric * factor if few.size else space.numeric
    dense = np.hstack([numeric, dense_hot]) if dense_hot.size else numeric
    return dense, hot if hot.shape[1] else None


def _is_whole(values: Array) -> bool:
    return bool((values == np.rint(values)).all())


def _n_terms(dense: Array, hot: Any) -> Array:
    """Roundings in a product of each row: one for every term, and a few for what is around it."""
    n_terms = np.full(dense.shape[0], dense.shape[1] + 8)
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
    """Give the largest power of two that leaves several times more groups than neighbours."""
    wanted = max(1, min(GROUP, n_samples // (4 * n_neighbors)))
    return 2 ** (int(wanted).bit_length() - 1)


def _nearest_of_candidates(
    space: FeatureSpace, rows: Array, row: Array, column: Array, n_neighbors: int
) -> Array:
    distance = space.squared_distances(rows[row], column)
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
