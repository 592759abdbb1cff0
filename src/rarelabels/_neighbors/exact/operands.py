"""Samples as the operands of a matrix product that gives their squared distances.

A query x has the columns (−2x, 1, |x|²) and a target y the columns (y, |y|², 1), so that their
product is |x − y|². A feature with missing values has two columns more. With z its value (0 if
missing), q = z² and m whether it is missing, it adds to the squared distance of samples i and k

    (q_i + m_i) + (q_k + m_k) − 2 z_i z_k − m_i (q_k + m_k) − q_i m_k

which is (x_i − x_k)² if both are known and 1 otherwise. The first two terms are in the norms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, row_sums
from rarelabels._neighbors.exact.dense_operands import (
    EXACT,
    ColumnLayout,
    DenseColumns,
    factor_and_weight,
    is_whole,
    layout_for,
    scale_for,
)
from rarelabels._neighbors.space import FeatureSpace, one_hot
from rarelabels._neighbors.tie_keys import GridTies, RelativeTies

# Cost of a feature that two sparse samples share, relative to the cost of an entry of a sample in a
# product with dense samples.
SHARED_COST = 45
# A block of dense samples with more features does not fit into the cache.
DENSE_FEATURES = 2**12
# Roundings in addition to those of a product's terms: of the columns, the norms, the scale.
N_ROUNDINGS = 14


@dataclass(frozen=True)
class Operands:
    """Operands of all samples.

    Attributes
    ----------
    query_columns : (n, c) ndarray
        The dense columns of the samples as queries, without factors and norms.
    target_columns : (n, c + 2) ndarray
        The dense columns of the samples as targets, the squared norm and 1. The first c differ from
        those of queries only if values are missing.
    sparse_query, sparse_target : csr_array or None
        The sparse columns.
    norms : (n,) ndarray
        Euclidean norms, none above 1 unless the product is exact.
    rounding : (n,) ndarray
        Bounds of the relative error of each sample's products.
    missing_terms : (n,) ndarray or None
        Bounds of the terms that missing values add to each sample's products.
    is_exact : bool
        Whether products are exact, since all columns are small integers.
    per_square, power : float, int
        A squared distance of 1 in the space has the product `per_square` times 2 to the `power`.
    ties : RelativeTies or GridTies
        When two squared distances are equal.
    """

    query_columns: Array
    target_columns: Array
    sparse_query: Any
    sparse_target: Any
    norms: Array
    rounding: Array
    missing_terms: Array | None
    is_exact: bool
    per_square: float
    power: int
    ties: RelativeTies | GridTies

    @property
    def dtype(self) -> Any:
        """Precision of the product."""
        return self.target_columns.dtype

    def query_operand(self, samples: Any) -> Array:
        """Return the left operand of some samples, given as an array or a slice."""
        columns = self.query_columns[samples]
        block = np.ones((columns.shape[0], self.target_columns.shape[1]), dtype=self.dtype)
        np.multiply(columns, -2, out=block[:, :-2])
        block[:, -1] = self.target_columns[samples, -2]
        return block

    def squared_distances(
        self, left: Array, samples: Any, among: Operands, searched: slice, buffer: Array
    ) -> Array:
        """Multiply the left operand of some queries with some targets, into a buffer."""
        right = among.target_columns[searched]
        product = buffer[: left.shape[0] * right.shape[0]].reshape(left.shape[0], right.shape[0])
        np.matmul(left, right.T, out=product)
        if self.sparse_query is not None:
            product += self._sparse_product(samples, among, searched)
        return product

    def _sparse_product(self, samples: Any, among: Operands, searched: slice) -> Array:
        block = self.sparse_query[samples]
        block.data *= -2
        right = among._sparse_rows(searched)
        if among._shares_many_features:
            return (right @ np.ascontiguousarray(block.toarray().T)).T
        return (block @ right).toarray()

    def _sparse_rows(self, searched: slice) -> Any:
        """Return the right operand of the sparse product, by feature if both are sparse."""
        key = (searched.start, searched.stop)
        if key not in self._sparse_cache:
            rows = self.sparse_target[searched]
            self._sparse_cache[key] = rows if self._shares_many_features else rows.T.tocsr()
        return self._sparse_cache[key]

    @cached_property
    def _sparse_cache(self) -> dict[tuple[int, int], Any]:
        return {}

    @cached_property
    def _shares_many_features(self) -> bool:
        """Whether samples share so many features that dense queries are multiplied faster."""
        if self.sparse_query.shape[1] > DENSE_FEATURES:
            return False
        per_feature = np.bincount(self.sparse_query.indices)
        shared = float(
            (per_feature / self.sparse_query.shape[0]) @ (per_feature / self.sparse_query.shape[0])
        )
        return SHARED_COST * shared > self.sparse_query.nnz / self.sparse_query.shape[0]

    def errors(self, samples: Any, limit: Array) -> Array:
        """Bound the rounding error of the values of each sample that are within its limit.

        The error of the product of x and y is at most `rounding` times (|x| + |y|)², and the norm
        of a sample y within the limit is at most |x| + √limit. If values are missing, a sample of
        any norm up to the largest, 1, may be within the limit.
        """
        if self.is_exact:
            return np.zeros(limit.shape, dtype=limit.dtype)
        norm, rounding = self.norms[samples], self.rounding[samples]
        if self.missing_terms is not None:
            return rounding * ((norm + 1) ** 2 + self.missing_terms[samples])
        # The limit itself may be too low by the error, which is largest for |y| = 1.
        reach = np.sqrt(np.maximum(0, limit) + rounding * (norm + 1) ** 2)
        return rounding * (norm + np.minimum(1, norm + reach)) ** 2

    def uncertainty(self, samples: Any, limit: Array) -> Array:
        """Return how much two values may differ although their true order is the reverse, or a tie.

        Ties may differ by a share of their values more.
        """
        tie = np.ldexp(self.ties.amount * self.per_square, self.power) if self.ties.amount else 0.0
        return 2 * self.errors(samples, limit) + tie

    def widened(self, samples: Any, limit: Array) -> Array:
        """Return the largest value that any of the k nearest samples may have.

        The limit is the k-th smallest value. Twice the error is added: once for the sample that set
        the limit, and once for the sample that is compared with it. Ties are within the limit.
        """
        # Finite, because infinity is the value of a sample with itself.
        top = np.finfo(limit.dtype).max
        if self.is_exact:
            return np.minimum(limit, top)
        wide = limit * (1 + self.ties.share) + self.uncertainty(samples, limit)
        wide = wide.astype(limit.dtype)
        return np.minimum(np.nextafter(wide, limit.dtype.type(np.inf)), top)

    def ceilings(self, samples: Any, keys: Array) -> Array:
        """Return the largest value of a distance up to a key, for each sample."""
        with np.errstate(over="ignore"):
            squares = self.ties.squares_of(keys, self.power) * self.per_square
            limit = (np.rint(squares) if self.is_exact else squares).astype(self.dtype)
        return self.widened(samples, limit)


def operands_of(space: FeatureSpace, dtype: Any) -> Operands:
    """Return the samples of a space as operands of products in single or double precision."""
    if sparse.issparse(space.raw):
        return _sparse_operands(space, dtype)
    return operands_in(layout_for(space), space, dtype)


def _sparse_operands(space: FeatureSpace, dtype: Any) -> Operands:
    factor, weight = factor_and_weight(space, space.incomplete.size > 0)
    columns = [space.numeric * factor, one_hot(space.codes) * space.unit]
    incomplete, sparse_query = _split_missing(
        sparse.hstack(columns, format="csr"), space.incomplete
    )
    squares = row_sums(sparse_query * sparse_query) + weight * row_sums(incomplete)
    is_exact = is_whole(sparse_query.data) and squares.max() < EXACT
    scale = 1.0 if is_exact else scale_for(squares.max())
    sparse_query, incomplete = (sparse_query * scale).astype(dtype), incomplete.astype(dtype)
    sparse_query, sparse_target, missing_terms = _sparse_with_missing(
        space, sparse_query, incomplete, weight * scale**2
    )
    searched = np.ones((space.n_samples, 2), dtype=dtype)
    searched[:, 0] = squares * scale**2
    return Operands(
        searched[:, :0],
        searched,
        sparse_query,
        sparse_target,
        np.sqrt(squares) * scale,
        (N_ROUNDINGS + np.diff(sparse_query.indptr)) * np.finfo(dtype).eps,
        missing_terms,
        is_exact,
        (factor * scale) ** 2,
        _power(space),
        space.metric.ties,
    )


def _split_missing(columns: Any, incomplete: Array) -> tuple[Any, Any]:
    """Return which values of incomplete features are missing, and the columns with 0 instead."""
    is_missing = columns[:, incomplete]
    is_missing.data = np.isnan(is_missing.data).astype(np.float64)
    is_missing.eliminate_zeros()
    filled = columns.copy()
    filled.data[np.isnan(filled.data)] = 0.0
    filled.eliminate_zeros()
    return is_missing, filled


def _sparse_with_missing(
    space: FeatureSpace, sparse_query: Any, is_missing: Any, weight: float
) -> tuple[Any, Any, Array | None]:
    """Append the columns for missing values. Return them as queries and as targets.

    Also return a bound of the terms that they add for each sample.
    """
    if not space.incomplete.size:
        return sparse_query, sparse_query, None
    values = sparse_query[:, space.incomplete]
    squares = values * values
    known_or_not = squares + is_missing * is_missing.dtype.type(weight)
    terms = row_sums(squares) + is_missing @ known_or_not.max(axis=0).toarray().ravel()
    # Halves, since query columns are multiplied by −2.
    asking = sparse.hstack([sparse_query, is_missing * 0.5, squares * 0.5], format="csr")
    searched = sparse.hstack([sparse_query, known_or_not, is_missing], format="csr")
    return asking, searched, terms


def operands_in(layout: ColumnLayout, space: FeatureSpace, dtype: Any) -> Operands:
    """Return samples of dense numbers as operands for products with others of the same layout."""
    columns = DenseColumns(space, layout)
    asking, searched, squares, missing_terms = columns.operands(dtype)
    sparse_query = (
        None
        if columns.sparse_indicators is None
        else (columns.sparse_indicators * layout.scale).astype(dtype)
    )
    n_terms = np.full(space.n_samples, N_ROUNDINGS + searched.shape[1])
    return Operands(
        asking,
        searched,
        sparse_query,
        sparse_query,
        np.sqrt(squares),
        (n_terms if sparse_query is None else n_terms + np.diff(sparse_query.indptr))
        * np.finfo(dtype).eps,
        missing_terms,
        layout.is_exact,
        (columns.factor_and_weight[0] * layout.scale) ** 2,
        _power(space),
        space.metric.ties,
    )


def _power(space: FeatureSpace) -> int:
    """Return the power of two that squares are multiplied by."""
    return 2 * (int(np.frexp(space.unit)[1]) - 1)
