"""The space in which samples lie, and the distances between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._distance.keys import keys_of, keys_of_scaled, row_sums

# Differences that stay in the cache.
ENTRIES_AT_ONCE = 2**17
# Squares of what lies within these powers of two neither overflow nor vanish.
MODERATE = 400
# Samples enough to say where the middle of all is.
CENTRE_SAMPLES = 2**10


@dataclass(frozen=True)
class FeatureSpace:
    """Samples placed so that their distances can be taken.

    Attributes
    ----------
    raw : (n, d1) ndarray or csr_array of float64
        The features that enter as numbers, categorical ones of at most two values among them, as
        they came; NaN where missing.
    wide : mapping of column of `raw` to (n,) ndarray of uint64
        Features of integers that no float holds exactly: what they exceed their minimum by.
    low, raw_spans : (d1,) ndarray
        What is subtracted from each of these features and what a difference is divided by; 0 and
        1 for one that is not rescaled, infinite for a constant one.
    unit : float
        Power of two by which everything is multiplied for the search.
    codes : (n, d2) ndarray of int32
        Categorical features of three values or more, each value a code; what is missing is
        negative, each a number of its own.
    spans : (d,) ndarray
        What a difference in each of the caller's features is divided by; infinite for a constant
        one, and without meaning for a categorical one.
    categorical, ignored : (d,) bool
        Which of the caller's features are categorical, and which are missing in all samples.
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

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.raw.shape[0]

    @cached_property
    def numeric(self) -> Matrix:
        """The numbers as the search sees them: moved, rescaled and times `unit`."""
        if sparse.issparse(self.raw):
            placed = self.raw.copy()
            placed.data /= self.raw_spans[placed.indices]
            placed.data *= self.unit
            return placed
        return self.placed(slice(None), self.low)

    @cached_property
    def gaps(self) -> Array:
        """The columns of `raw` that are missing in some samples."""
        if sparse.issparse(self.raw):
            return np.unique(self.raw.indices[np.isnan(self.raw.data)])
        # One pass without a copy settles the usual case.
        with np.errstate(over="ignore", invalid="ignore"):
            suspects = np.flatnonzero(~np.isfinite(self.raw.sum(axis=0)))
        return suspects[np.isnan(self.raw[:, suspects]).any(axis=0)]

    def take(self, samples: Array) -> FeatureSpace:
        """Return the space of some samples, in the same scale."""
        wide = {j: column[samples] for j, column in self.wide.items()}
        return replace(self, raw=self.raw[samples], wide=wide, codes=self.codes[samples])

    def joined(self, behind: FeatureSpace) -> FeatureSpace:
        """Return the space of these samples and others of the same scale."""
        return replace(
            self,
            raw=np.concatenate([self.raw, behind.raw]),
            wide={j: np.concatenate([held, behind.wide[j]]) for j, held in self.wide.items()},
            codes=np.concatenate([self.codes, behind.codes]),
        )

    def followed_by(self, samples: Array) -> FeatureSpace:
        """Return the space with some of its samples a second time behind the others."""
        return self.take(np.concatenate([np.arange(self.n_samples), samples]))

    def placed(self, samples: slice, origin: Array) -> Array:
        """Return dense numbers less an origin, rescaled and times `unit`.

        That is one subtraction from the values as given, so each number is right to the last bits
        of itself, whatever the values' own size.
        """
        placed = self.raw[samples] - origin
        for j, column in self.wide.items():
            placed[:, j] = _signed_difference(column[samples], np.uint64(max(round(origin[j]), 0)))
        placed /= self.raw_spans
        if self.unit != 1:
            placed *= self.unit
        return placed

    @cached_property
    def centre(self) -> Array:
        """The middle of the dense numbers, of some of them where there are many."""
        some = slice(None, None, -(-self.n_samples // CENTRE_SAMPLES))
        placed = self.placed(some, self.low)
        n_known = np.maximum(1, (~np.isnan(placed)).sum(axis=0))
        means = np.nan_to_num(placed, copy=False).sum(axis=0) / n_known
        reach = np.where(np.isfinite(self.raw_spans), self.raw_spans, 0.0)
        return self.low + reach * (means / self.unit)

    def is_placed_exactly(self, samples: slice, placed: Array) -> bool:
        """Whether numbers placed from `low` are the values but for a shift and a factor."""
        if self.wide:
            return False
        reach = np.where(np.isfinite(self.raw_spans), self.raw_spans, 0.0)
        back, raw = self.low + placed / self.unit * reach, self.raw[samples]
        return bool(((back == raw) | np.isnan(raw)).all())

    def distance_keys(self, left: Array, right: Array, among: FeatureSpace | None = None) -> Array:
        """Return numbers in the order of the distances of samples `left[p]` and `right[p]`.

        Two are equal where the squared distances agree in their first 36 bits. The integer part is
        a power of two, and the rest where the square lies between it and the next, so that no
        distance is too large or too small for it. The right ones may be among the samples of
        another space of the same scale.
        """
        among = self if among is None else among
        step = max(1, ENTRIES_AT_ONCE // self._entries_per_pair)
        parts = [slice(start, start + step) for start in range(0, left.size, step)]
        rooms = self._rooms(min(step, left.size))
        found = [self._distance_keys(left[part], among, right[part], rooms) for part in parts]
        return np.concatenate(found) if found else np.empty(0)

    def _rooms(self, n_pairs: int) -> tuple[Array, Array] | None:
        """Return room for differences that is used again, None where they are taken otherwise.

        To ask for memory anew can take longer than to fill it, in workers of Dask for instance.
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
        rooms: tuple[Array, Array] | None,
    ) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            difference, n_other = self._differences(left, among, right, rooms=rooms)
            if rooms is None:
                squared = row_sums(difference * difference)
            else:
                squared = row_sums(np.multiply(difference, difference, out=rooms[1][: left.size]))
        is_extreme = ~((squared > 2.0 ** (-2 * MODERATE)) & (squared < 2.0 ** (2 * MODERATE)))
        found = keys_of(np.where(is_extreme, 0.0, squared) + n_other)
        if is_extreme.any():
            found[is_extreme] = self._extreme_keys(left[is_extreme], among, right[is_extreme])
        return found

    def _extreme_keys(self, left: Array, among: FeatureSpace, right: Array) -> Array:
        """Do the same with each pair scaled by a power of two of its own."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = keys_of_scaled(*self._differences(left, among, right), 0)
        is_infinite = np.isnan(found)
        if is_infinite.any():
            halves = self._differences(left[is_infinite], among, right[is_infinite], factor=0.5)
            found[is_infinite] = keys_of_scaled(*halves, 1)
        return found

    def _differences(
        self,
        left: Array,
        among: FeatureSpace,
        right: Array,
        factor: float = 1.0,
        rooms: tuple[Array, Array] | None = None,
    ) -> tuple[Matrix, Array]:
        """Return the differences in the numbers, and how many features else differ or are missing.

        A missing feature has the difference 0 and is counted instead.
        """
        if rooms is None:
            difference = self.raw[left] * factor - among.raw[right] * factor
        else:
            # Clipping changes nothing, and takes rows straight into the room.
            first, second = (
                np.take(space.raw, samples, axis=0, out=room[: left.size], mode="clip")
                for space, samples, room in zip((self, among), (left, right), rooms, strict=True)
            )
            difference = np.subtract(first, second, out=first)
        for j, column in self.wide.items():
            difference[:, j] = factor * _signed_difference(column[left], among.wide[j][right])
        n_other = (self.codes[left] != among.codes[right]).sum(axis=1)
        values = difference.data if sparse.issparse(difference) else difference
        if self.gaps.size or among.gaps.size:
            is_missing = np.isnan(values)
            n_other = n_other + _count_in_rows(is_missing, difference)
            values[is_missing] = 0.0
        spans = self.raw_spans
        values /= spans[difference.indices] if sparse.issparse(difference) else spans
        return difference, n_other

    def distances_between(self, left: Matrix, right: Matrix) -> Array:
        """Return the distances of samples, synthetic ones maybe, to the samples beside them."""
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

    def weighted(self, weights: Array) -> FeatureSpace:
        """Return the space in which each column of `euclidean` counts by its weight."""
        points, factors = self.euclidean(), np.sqrt(weights)
        stretched = (
            points @ sparse.diags_array(factors) if sparse.issparse(points) else points * factors
        )
        return plain_space(stretched)

    def euclidean(self) -> Matrix:
        """Return a matrix whose plain Euclidean distances are those of this space."""
        if self.gaps.size:
            raise ValueError(
                "X has missing values (NaN), and no Euclidean distance counts them; the search of "
                "this package does (neighbors=None), or impute (sklearn.impute.SimpleImputer)."
            )
        if not self.codes.shape[1]:
            return self.numeric
        hot = one_hot(self.codes) * (np.sqrt(0.5) * self.unit)
        if sparse.issparse(self.numeric):
            return sparse.hstack([self.numeric, hot], format="csr")
        return np.hstack([self.numeric, hot.toarray()])


def plain_space(points: Matrix) -> FeatureSpace:
    """Return points of numbers as a space, neither moved nor rescaled."""
    n_samples, n_columns = points.shape
    no_codes = np.empty((n_samples, 0), dtype=np.int32)
    zeros, ones, none = np.zeros(n_columns), np.ones(n_columns), np.zeros(n_columns, dtype=bool)
    raw = points.astype(np.float64)
    unit = unit_of(raw, is_alone=True)
    return FeatureSpace(raw, {}, zeros, ones, unit, no_codes, ones, none, none)


def one_hot(codes: Array, n_codes: Array | None = None) -> sparse.csr_array:
    """Return codes as indicator columns: samples that differ in m features lie √(2m) apart.

    Each gap has a column of its own, or none where the number of codes of each feature is given.
    """
    if n_codes is None:
        codes = np.apply_along_axis(_with_codes_for_gaps, 0, codes) if codes.size else codes
        n_codes = codes.max(axis=0, initial=-1) + 1
    ends = np.concatenate([[0], np.cumsum(n_codes)]).astype(np.intp)
    is_held = codes >= 0
    indptr = np.concatenate([[0], np.cumsum(is_held.sum(axis=1))])
    columns = (codes + ends[:-1])[is_held]
    shape = (codes.shape[0], int(ends[-1]))
    return sparse.csr_array((np.ones(columns.size), columns, indptr), shape=shape)


def _with_codes_for_gaps(codes: Array) -> Array:
    is_gap = codes < 0
    return np.where(is_gap, codes.max(initial=-1) + np.cumsum(is_gap), codes)


def unit_of(raw: Matrix, *, is_alone: bool) -> float:
    """Return the power of two that brings extreme values near 1, or 1 for moderate ones.

    Beside categories and gaps, whose difference is 1, small values need no help.
    """
    values = raw.data if sparse.issparse(raw) else raw
    return unit_for(_largest(values), is_alone=is_alone and not np.isnan(values).any())


def unit_for(largest: float, *, is_alone: bool) -> float:
    exponent = int(np.frexp(largest)[1])
    if abs(exponent) <= MODERATE or (exponent < 0 and not is_alone):
        return 1.0
    return float(2.0 ** float(np.clip(-exponent, -1022, 1022)))


def _largest(values: Array) -> float:
    """Return the largest absolute value, 0 where none is known."""
    return max(np.fmax.reduce(values, axis=None, initial=0.0),
               -np.fmin.reduce(values, axis=None, initial=0.0))  # fmt: skip


def _signed_difference(left: Array, right: Any) -> Array:
    """Return the difference of unsigned integers, right to the last bit of a float."""
    is_less = left < right
    return np.where(is_less, -(right - left).astype(np.float64), (left - right).astype(np.float64))


def _count_in_rows(chosen: Array, matrix: Matrix) -> Array:
    """Count the chosen entries of each row of a dense or sparse matrix."""
    if not sparse.issparse(matrix):
        return chosen.sum(axis=1)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.bincount(rows[chosen], minlength=matrix.shape[0])
