"""Samples as the operands of a matrix product that gives their squared distances.

A sample x asks with the columns (−2x, 1, |x|²), and a sample y is searched with (y, |y|², 1), so
that their product is |x − y|². A feature with gaps is two columns more. With z its value (0 where
missing), q = z² and m whether it is missing, it adds to the squared distance of samples i and k

    (q_i + m_i) + (q_k + m_k) − 2 z_i z_k − m_i (q_k + m_k) − q_i m_k

which is (x_i − x_k)² where both are known and 1 elsewhere; the first two terms are in the norms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._distance import COMPARED_BITS, FeatureSpace, one_hot, row_sums, squares_of_keys
from rarelabels._search.columns import (
    EXACT,
    DenseColumns,
    Frame,
    factor_and_weight,
    frame_for,
    is_whole,
    scale_for,
)

# A feature that two sparse samples share costs as much as so many entries of a sample do in a
# product with dense samples.
SHARED_COST = 45
# A block of dense samples wider than this falls out of the cache.
DENSE_FEATURES = 2**12
# Share that squared distances differ by, at most, where they are ties.
TIE = 2.0 ** (2 - COMPARED_BITS)
# Roundings around the terms of a product: of the columns, the norms, the scale.
N_ROUNDINGS = 14


@dataclass(frozen=True)
class Points:
    """Operands of all samples.

    `searched` has the dense columns of the samples as they are searched, the squared norm and 1;
    `asking` the dense columns as they ask, which differ only where there are gaps. `hot` and
    `hot_searched` are the sparse columns, None where there are none. `norms` are those of all
    samples, none above 1 unless the product is exact; `rounding` bounds the relative error of each
    sample's products, and `gap_terms` the size of the terms that gaps add to them, None where there
    are none. A squared distance of 1 in the space has the product `per_square`, times 2 to the
    `power`.
    """

    asking: Array
    searched: Array
    hot: Any
    hot_searched: Any
    norms: Array
    rounding: Array
    gap_terms: Array | None
    is_exact: bool
    per_square: float
    power: int

    @property
    def dtype(self) -> Any:
        """Precision of the product."""
        return self.searched.dtype

    def asked_by(self, samples: Any) -> Array:
        """Return the left operand of some samples: an array of them or a slice."""
        columns = self.asking[samples]
        block = np.ones((columns.shape[0], self.searched.shape[1]), dtype=self.dtype)
        np.multiply(columns, -2, out=block[:, :-2])
        block[:, -1] = self.searched[samples, -2]
        return block

    def squared_distances(
        self, left: Array, samples: Any, among: Points, searched: slice, room: Array
    ) -> Array:
        """Multiply the left operand of some samples with some among others, in the room given."""
        right = among.searched[searched]
        product = room[: left.shape[0] * right.shape[0]].reshape(left.shape[0], right.shape[0])
        np.matmul(left, right.T, out=product)
        if self.hot is not None:
            product += self._hot_product(samples, among, searched)
        return product

    def _hot_product(self, samples: Any, among: Points, searched: slice) -> Array:
        block = self.hot[samples]
        block.data *= -2
        right = among._hot_rows(searched)
        if among._hot_meets_often:
            return (right @ np.ascontiguousarray(block.toarray().T)).T
        return (block @ right).toarray()

    def _hot_rows(self, searched: slice) -> Any:
        """Return the right operand of the sparse product: by feature if sparse meets sparse."""
        key = (searched.start, searched.stop)
        if key not in self._hot_operands:
            rows = self.hot_searched[searched]
            self._hot_operands[key] = rows if self._hot_meets_often else rows.T.tocsr()
        return self._hot_operands[key]

    @cached_property
    def _hot_operands(self) -> dict[tuple[int, int], Any]:
        return {}

    @cached_property
    def _hot_meets_often(self) -> bool:
        """Whether samples share so many of few features that dense ones are multiplied faster."""
        if self.hot.shape[1] > DENSE_FEATURES:
            return False
        per_feature = np.bincount(self.hot.indices)
        shared = float((per_feature / self.hot.shape[0]) @ (per_feature / self.hot.shape[0]))
        return SHARED_COST * shared > self.hot.nnz / self.hot.shape[0]

    def errors(self, samples: Any, limit: Array) -> Array:
        """Bound the rounding error of the values of each sample that are within its limit.

        The product of x and y errs by no more than a share of (|x| + |y|)², and a sample y whose
        value is within the limit is no longer than |x| + √limit. Where there are gaps, any length
        up to the largest, 1, may be within the limit.
        """
        if self.is_exact:
            return np.zeros(limit.shape, dtype=limit.dtype)
        norm, rounding = self.norms[samples], self.rounding[samples]
        if self.gap_terms is not None:
            return rounding * ((norm + 1) ** 2 + self.gap_terms[samples])
        # The limit itself may be too low by the error, which is at most that for |y| = 1.
        reach = np.sqrt(np.maximum(0, limit) + rounding * (norm + 1) ** 2)
        return rounding * (norm + np.minimum(1, norm + reach)) ** 2

    def widened(self, samples: Any, limit: Array) -> Array:
        """Raise the k-th smallest value found to what rounding may have made of the k-th distance.

        Twice the error: once for the sample that set the limit and once for the one that is
        compared with it. And what ties with it, in the bits that are compared, belongs to it.
        """
        # Below infinity, which stands for a sample's distance to itself.
        top = np.finfo(limit.dtype).max
        if self.is_exact:
            return np.minimum(limit, top)
        wide = limit * (1 + TIE) + 2 * self.errors(samples, limit)
        wide = wide.astype(limit.dtype)
        return np.minimum(np.nextafter(wide, limit.dtype.type(np.inf)), top)

    def ceilings(self, samples: Any, keys: Array) -> Array:
        """Return the largest value that a distance up to a key can have, for each sample."""
        with np.errstate(over="ignore"):
            squares = squares_of_keys(keys, self.power) * self.per_square
            limit = (np.rint(squares) if self.is_exact else squares).astype(self.dtype)
        return self.widened(samples, limit)


def points_of(space: FeatureSpace, dtype: Any) -> Points:
    """Return the samples of a space as operands of products in single or double precision."""
    if sparse.issparse(space.raw):
        return _sparse_points(space, dtype)
    return points_in(frame_for(space), space, dtype)


def _sparse_points(space: FeatureSpace, dtype: Any) -> Points:
    factor, weight = factor_and_weight(space, space.gaps.size > 0)
    columns = [space.numeric * factor, one_hot(space.codes) * space.unit]
    gaps, hot = _taken_apart(sparse.hstack(columns, format="csr"), space.gaps)
    squares = row_sums(hot * hot) + weight * row_sums(gaps)
    is_exact = is_whole(hot.data) and squares.max() < EXACT
    scale = 1.0 if is_exact else scale_for(squares.max())
    hot, gaps = (hot * scale).astype(dtype), gaps.astype(dtype)
    hot, hot_searched, gap_terms = _sparse_with_gaps(space, hot, gaps, weight * scale**2)
    searched = np.ones((space.n_samples, 2), dtype=dtype)
    searched[:, 0] = squares * scale**2
    return Points(
        searched[:, :0],
        searched,
        hot,
        hot_searched,
        np.sqrt(squares) * scale,
        (N_ROUNDINGS + np.diff(hot.indptr)) * np.finfo(dtype).eps,
        gap_terms,
        is_exact,
        (factor * scale) ** 2,
        _power(space),
    )


def _taken_apart(columns: Any, gaps: Array) -> tuple[Any, Any]:
    """Return which values of the features with gaps are missing, and all with 0 in their place."""
    is_missing = columns[:, gaps]
    is_missing.data = np.isnan(is_missing.data).astype(np.float64)
    is_missing.eliminate_zeros()
    filled = columns.copy()
    filled.data[np.isnan(filled.data)] = 0.0
    filled.eliminate_zeros()
    return is_missing, filled


def _sparse_with_gaps(
    space: FeatureSpace, hot: Any, is_missing: Any, weight: float
) -> tuple[Any, Any, Array | None]:
    """Put the columns of features with gaps behind the others: as they ask, as they are searched.

    Also return a bound of the terms that they add for each sample.
    """
    if not space.gaps.size:
        return hot, hot, None
    values = hot[:, space.gaps]
    squares = values * values
    known_or_not = squares + is_missing * is_missing.dtype.type(weight)
    terms = row_sums(squares) + is_missing @ known_or_not.max(axis=0).toarray().ravel()
    # Halves, as everything that asks is multiplied by −2.
    asking = sparse.hstack([hot, is_missing * 0.5, squares * 0.5], format="csr")
    searched = sparse.hstack([hot, known_or_not, is_missing], format="csr")
    return asking, searched, terms


def points_in(frame: Frame, space: FeatureSpace, dtype: Any) -> Points:
    """Return samples of dense numbers as operands that meet all others of the same frame."""
    columns = DenseColumns(space, frame)
    asking, searched, squares, gap_terms = columns.operands(dtype)
    hot = None if columns.hot is None else (columns.hot * frame.scale).astype(dtype)
    n_terms = np.full(space.n_samples, N_ROUNDINGS + searched.shape[1])
    return Points(
        asking,
        searched,
        hot,
        hot,
        np.sqrt(squares),
        (n_terms if hot is None else n_terms + np.diff(hot.indptr)) * np.finfo(dtype).eps,
        gap_terms,
        frame.is_exact,
        (columns.factor_and_weight[0] * frame.scale) ** 2,
        _power(space),
    )


def _power(space: FeatureSpace) -> int:
    """Return the power of two that squares are multiplied by."""
    return 2 * (int(np.frexp(space.unit)[1]) - 1)
