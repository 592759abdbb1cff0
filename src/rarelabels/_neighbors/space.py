"""The feature space: samples, and the distances between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, dense, row_sums, stack_matrices
from rarelabels._distances import EUCLIDEAN, Distance
from rarelabels._neighbors.tie_keys import keys_of, keys_of_scaled

# Number of differences that fit into the cache.
ENTRIES_AT_ONCE = 2**17
# Squares of numbers within these powers of two neither overflow nor underflow.
MODERATE = 400
# Number of samples that determine the center of all.
CENTER_SAMPLES = 2**10


@dataclass(frozen=True)
class FeatureSpace:
    """Samples and how their distances are computed.

    Attributes
    ----------
    raw : (n, d1) ndarray or csr_array of float64
        The original values of the features that are used as numbers, including categories with at
        most two values. NaN if missing.
    wide : mapping of column of `raw` to (n,) ndarray of uint64
        Features of integers that no float holds exactly: differences from their minimum.
    low, raw_spans : (d1,) ndarray
        Minimum and range of each of these features, by which differences are divided. 0 and 1 if
        the feature is not rescaled; the range of a constant feature is infinite.
    unit : float
        Power of two by which everything is multiplied for the search.
    codes : (n, d2) ndarray of int32
        Categorical features with three values or more, each value a code. Missing values have
        distinct negative codes.
    spans : (d,) ndarray
        The range by which a difference in each of the caller's features is divided. Infinite for a
        constant feature, and not used for a categorical one.
    categorical, ignored : (d,) bool
        Which of the caller's features are categorical, and which are missing in all samples.
    metric : Distance
        The metric. If it transforms samples, `raw` has the results.
    """

    raw: Matrix
    wide: dict[int, Array]
    low: Array
    raw_spans: Array
    unit: float
    codes: Array
    spans: Array
    categorical: Array
    ignored: Array
    metric: Distance = EUCLIDEAN

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.raw.shape[0]

    @cached_property
    def numeric(self) -> Matrix:
        """The numbers after shifting, rescaling and multiplication by `unit`."""
        if sparse.issparse(self.raw):
            placed = self.raw.copy()
            placed.data /= self.raw_spans[placed.indices]
            placed.data *= self.unit
            return placed
        return self.placed(slice(None), self.low)

    @cached_property
    def incomplete(self) -> Array:
        """The columns of `raw` with missing values."""
        if sparse.issparse(self.raw):
            return np.unique(self.raw.indices[np.isnan(self.raw.data)])
        # In most cases one pass without a copy is enough.
        with np.errstate(over="ignore", invalid="ignore"):
            suspects = np.flatnonzero(~np.isfinite(self.raw.sum(axis=0)))
        return suspects[np.isnan(self.raw[:, suspects]).any(axis=0)]

    def take(self, samples: Array) -> FeatureSpace:
        """Return the space of some samples, in the same scale."""
        wide = {j: column[samples] for j, column in self.wide.items()}
        return replace(self, raw=self.raw[samples], wide=wide, codes=self.codes[samples])

    def joined(self, behind: FeatureSpace) -> FeatureSpace:
        """Return the space of these samples followed by others of the same scale."""
        return replace(
            self,
            raw=stack_matrices(self.raw, behind.raw),
            wide={j: np.concatenate([column, behind.wide[j]]) for j, column in self.wide.items()},
            codes=np.concatenate([self.codes, behind.codes]),
        )

    def with_columns(self, columns: Array) -> FeatureSpace:
        """Return the space with more columns of numbers, which are not rescaled."""
        if sparse.issparse(self.raw):
            raw = sparse.hstack([self.raw, sparse.csr_array(columns)], format="csr")
        else:
            raw = np.hstack([self.raw, columns])
        zeros, ones = np.zeros(columns.shape[1]), np.ones(columns.shape[1])
        return replace(
            self,
            raw=raw,
            low=np.concatenate([self.low, zeros]),
            raw_spans=np.concatenate([self.raw_spans, ones]),
        )

    def followed_by(self, samples: Array) -> FeatureSpace:
        """Return the space with some of its samples appended again."""
        return self.take(np.concatenate([np.arange(self.n_samples), samples]))

    def placed(self, samples: slice, origin: Array) -> Array:
        """Return dense numbers minus an origin, rescaled and multiplied by `unit`.

        The origin is subtracted from the original values, so that each result is accurate to its
        last bits, even if the values are large.
        """
        placed = self.raw[samples] - origin
        for j, column in self.wide.items():
            placed[:, j] = _signed_difference(column[samples], np.uint64(max(round(origin[j]), 0)))
        placed /= self.raw_spans
        if self.unit != 1:
            placed *= self.unit
        return placed

    @cached_property
    def center(self) -> Array:
        """The mean of the dense numbers, computed from some samples if there are many."""
        some = slice(None, None, -(-self.n_samples // CENTER_SAMPLES))
        placed = self.placed(some, self.low)
        n_known = np.maximum(1, (~np.isnan(placed)).sum(axis=0))
        means = np.nan_to_num(placed, copy=False).sum(axis=0) / n_known
        reach = np.where(np.isfinite(self.raw_spans), self.raw_spans, 0.0)
        return self.low + reach * (means / self.unit)

    def is_placed_exactly(self, samples: slice, placed: Array) -> bool:
        """Whether the values can be recovered exactly from numbers scaled from `low`."""
        if self.wide:
            return False
        reach = np.where(np.isfinite(self.raw_spans), self.raw_spans, 0.0)
        back, raw = self.low + placed / self.unit * reach, self.raw[samples]
        return bool(((back == raw) | np.isnan(raw)).all())

    def distance_keys(self, left: Array, right: Array, among: FeatureSpace | None = None) -> Array:
        """Return numbers in the order of the distances of samples `left[p]` and `right[p]`.

        Two keys are equal if the squared distances agree in their first 36 bits. The integer part
        of a key is a power of two and the rest the position of the square between this power and
        the next, so that no distance is too large or too small. The right samples may be those
        of another space of the same scale.
        """
        among = self if among is None else among
        step = max(1, ENTRIES_AT_ONCE // self._entries_per_pair)
        parts = [slice(start, start + step) for start in range(0, left.size, step)]
        buffers = self._buffers(min(step, left.size))
        keys = [self._distance_keys(left[part], among, right[part], buffers) for part in parts]
        return np.concatenate(keys) if keys else np.empty(0)

    def _buffers(self, n_pairs: int) -> tuple[Array, Array] | None:
        """Return memory for differences that is reused, None if it is not needed.

        Allocating memory can take longer than filling it, for example in Dask workers.
        """
        if sparse.issparse(self.raw) or not self.raw.flags.c_contiguous:
            return None
        shape = (n_pairs, self.raw.shape[1])
        return np.empty(shape), np.empty(shape)

    @property
    def _entries_per_pair(self) -> int:
        n_numeric = self.raw.shape[1]
        if sparse.issparse(self.raw):
            n_numeric = 2 * self.raw.nnz // self.n_samples
        return max(1, n_numeric + self.codes.shape[1])

    def _distance_keys(
        self,
        left: Array,
        among: FeatureSpace,
        right: Array,
        buffers: tuple[Array, Array] | None,
    ) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            difference, n_other = self._differences(left, among, right, buffers=buffers)
            if buffers is None:
                squared = row_sums(difference * difference)
            else:
                squared = row_sums(np.multiply(difference, difference, out=buffers[1][: left.size]))
        if self.metric.transform is not None:
            return self.metric.ties.keys_of(squared + n_other)
        is_extreme = ~((squared > 2.0 ** (-2 * MODERATE)) & (squared < 2.0 ** (2 * MODERATE)))
        keys = keys_of(np.where(is_extreme, 0.0, squared) + n_other)
        if is_extreme.any():
            keys[is_extreme] = self._extreme_keys(left[is_extreme], among, right[is_extreme])
        return keys

    def _extreme_keys(self, left: Array, among: FeatureSpace, right: Array) -> Array:
        """Do the same with each pair scaled by a separate power of two."""
        with np.errstate(over="ignore", invalid="ignore"):
            keys = keys_of_scaled(*self._differences(left, among, right), 0)
        is_infinite = np.isnan(keys)
        if is_infinite.any():
            halves = self._differences(left[is_infinite], among, right[is_infinite], factor=0.5)
            keys[is_infinite] = keys_of_scaled(*halves, 1)
        return keys

    def _differences(
        self,
        left: Array,
        among: FeatureSpace,
        right: Array,
        factor: float = 1.0,
        buffers: tuple[Array, Array] | None = None,
    ) -> tuple[Matrix, Array]:
        """Return the differences of numbers, and the count of categories that differ.

        A missing value has the difference 0 and is counted instead.
        """
        if buffers is None:
            difference = self.raw[left] * factor - among.raw[right] * factor
        else:
            # With mode="clip", which changes nothing here, NumPy writes into the buffer directly.
            first, second = (
                np.take(space.raw, samples, axis=0, out=buffer[: left.size], mode="clip")
                for space, samples, buffer in zip(
                    (self, among), (left, right), buffers, strict=True
                )
            )
            difference = np.subtract(first, second, out=first)
        for j, column in self.wide.items():
            difference[:, j] = factor * _signed_difference(column[left], among.wide[j][right])
        n_other = (self.codes[left] != among.codes[right]).sum(axis=1)
        values = difference.data if sparse.issparse(difference) else difference
        if self.incomplete.size or among.incomplete.size:
            is_missing = np.isnan(values)
            n_other = n_other + _count_in_rows(is_missing, difference)
            values[is_missing] = 0.0
        spans = self.raw_spans
        values /= spans[difference.indices] if sparse.issparse(difference) else spans
        return difference, n_other

    def distances_between(self, left: Matrix, right: Matrix) -> Array:
        """Return the distance of each row of `left`, which may be synthetic, to that of `right`."""
        if self.metric.transform is not None:
            return self._transformed_distances(self.metric.transform, left, right)
        difference = left - right
        is_sparse = sparse.issparse(difference)
        values = difference.data if is_sparse else difference
        columns = difference.indices if is_sparse else slice(None)
        parts, is_missing = values / self.spans[columns], np.isnan(values)
        if self.categorical.any():
            parts = np.where(self.categorical[columns], values != 0, parts)
        if is_missing.any():
            parts[is_missing] = 1.0
        if self.ignored.any():
            parts = np.where(self.ignored[columns], 0.0, parts)
        if not is_sparse:
            return np.sqrt(row_sums(parts * parts))
        difference.data = parts
        return np.sqrt(row_sums(difference * difference))

    def _transformed_distances(
        self, transform: Callable[[Matrix], Matrix], left: Matrix, right: Matrix
    ) -> Array:
        numeric = np.flatnonzero(~self.categorical)
        difference = transform(left[:, numeric]) - transform(right[:, numeric])
        coded = np.flatnonzero(self.categorical & ~self.ignored)
        is_other = dense(left[:, coded]) != dense(right[:, coded])
        return np.sqrt(row_sums(difference * difference) + is_other.sum(axis=1))

    def weighted(self, weights: Array) -> FeatureSpace:
        """Return the space in which each column of `euclidean` has a weight."""
        points, factors = self.euclidean(), np.sqrt(weights)
        stretched = (
            points @ sparse.diags_array(factors) if sparse.issparse(points) else points * factors
        )
        return plain_space(stretched)

    def euclidean(self) -> Matrix:
        """Return a matrix whose plain Euclidean distances are those of this space."""
        if self.incomplete.size:
            raise ValueError(
                "X has missing values (NaN), for which the Euclidean distance is not defined; use "
                "the search of this package (neighbors=None), or impute them "
                "(sklearn.impute.SimpleImputer)."
            )
        if not self.codes.shape[1]:
            return self.numeric
        hot = one_hot(self.codes) * (np.sqrt(0.5) * self.unit)
        if sparse.issparse(self.numeric):
            return sparse.hstack([self.numeric, hot], format="csr")
        return np.hstack([self.numeric, hot.toarray()])


class RemoteSpace(Protocol):
    """A space of samples that a backend holds elsewhere; it searches for neighbors itself."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        ...

    def nearest(self, n_neighbors: int, neighbors: Any) -> tuple[Array, float]:
        """Return the nearest other samples of each by the search given, and the recall."""
        ...

    def nearest_in_groups(
        self, groups: list[Array], n_neighbors: int, neighbors: Any
    ) -> list[Array]:
        """Return the nearest in its group for each sample of each group, as indices of all."""
        ...

    def take(self, samples: Array) -> Any:
        """Return the space of some samples."""
        ...


def plain_space(points: Matrix) -> FeatureSpace:
    """Return numbers as a space, neither shifted nor rescaled."""
    n_samples, n_columns = points.shape
    no_codes = np.empty((n_samples, 0), dtype=np.int32)
    zeros, ones, none = np.zeros(n_columns), np.ones(n_columns), np.zeros(n_columns, dtype=bool)
    raw = points.astype(np.float64)
    unit = unit_of(raw, is_alone=True)
    return FeatureSpace(raw, {}, zeros, ones, unit, no_codes, ones, none, none)


def one_hot(codes: Array, n_codes: Array | None = None) -> sparse.csr_array:
    """Return codes as indicator columns: samples that differ in m features have distance √(2m).

    Each missing value gets a separate column, or none if the number of codes is given.
    """
    if n_codes is None:
        codes = np.apply_along_axis(_with_codes_for_missing, 0, codes) if codes.size else codes
        n_codes = codes.max(axis=0, initial=-1) + 1
    ends = np.concatenate([[0], np.cumsum(n_codes)]).astype(np.intp)
    is_known = codes >= 0
    indptr = np.concatenate([[0], np.cumsum(is_known.sum(axis=1))])
    columns = (codes + ends[:-1])[is_known]
    shape = (codes.shape[0], int(ends[-1]))
    return sparse.csr_array((np.ones(columns.size), columns, indptr), shape=shape)


def _with_codes_for_missing(codes: Array) -> Array:
    is_missing = codes < 0
    return np.where(is_missing, codes.max(initial=-1) + np.cumsum(is_missing), codes)


def unit_of(raw: Matrix, *, is_alone: bool) -> float:
    """Return the power of two that brings extreme values near 1, or 1 for moderate ones.

    Small values need no factor next to categories and missing values, whose difference is 1.
    """
    values = raw.data if sparse.issparse(raw) else raw
    return unit_for(_largest(values), is_alone=is_alone and not np.isnan(values).any())


def unit_for(largest: float, *, is_alone: bool) -> float:
    exponent = int(np.frexp(largest)[1])
    if abs(exponent) <= MODERATE or (exponent < 0 and not is_alone):
        return 1.0
    return float(2.0 ** float(np.clip(-exponent, -1022, 1022)))


def _largest(values: Array) -> float:
    """Return the largest absolute value, 0 if none is known."""
    return max(np.fmax.reduce(values, axis=None, initial=0.0),
               -np.fmin.reduce(values, axis=None, initial=0.0))  # fmt: skip


def _signed_difference(left: Array, right: Any) -> Array:
    """Return the difference of unsigned integers, accurate to the last bit of a float."""
    is_less = left < right
    return np.where(is_less, -(right - left).astype(np.float64), (left - right).astype(np.float64))


def _count_in_rows(chosen: Array, matrix: Matrix) -> Array:
    """Count the chosen entries of each row of a dense or sparse matrix."""
    if not sparse.issparse(matrix):
        return chosen.sum(axis=1)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.bincount(rows[chosen], minlength=matrix.shape[0])
