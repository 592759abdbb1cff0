"""The dense columns of samples, computed part by part: one copy of X in float32."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, row_sums
from rarelabels._neighbors.space import FeatureSpace, one_hot

# Categories with up to so many values become dense one-hot columns, all others sparse ones.
DENSE_VALUES = 32
# Samples are scaled in parts that fit into the cache.
ENTRIES_PER_PART = 2**15
# Sums of integers are exact in single precision if no squared norm is larger.
EXACT = 2**21


@dataclass(frozen=True)
class ColumnLayout:
    """How samples become columns. Columns of the same layout can be multiplied.

    Attributes
    ----------
    origin : (d1,) ndarray
        Subtracted from the numbers.
    incomplete : (g,) ndarray of ints
        The columns of numbers with missing values.
    n_codes : (d2,) ndarray of ints
        Number of values of each feature that is given as codes.
    is_exact : bool
        Whether all columns are integers that are small enough for exact products.
    scale : float
        The factor that makes the largest norm 1, or 1 if products are exact.
    largest : (g,) ndarray
        The most that each incomplete feature adds to a squared norm, before scaling.
    """

    origin: Array
    incomplete: Array
    n_codes: Array
    is_exact: bool = True
    scale: float = 1.0
    largest: Array | float = 0.0

    def about(self, center: Array) -> ColumnLayout:
        """Return the layout of numbers that are not integers, with another origin.

        Distances do not depend on the origin, but rounding errors grow with the norms.
        """
        return replace(self, origin=center, is_exact=False)

    def reaching(self, reaches: Iterable[tuple[float, Array]]) -> ColumnLayout:
        """Return the layout scaled so that no sample of some spaces has a norm above 1."""
        squares, largest = zip(*reaches, strict=True)
        return replace(self, scale=scale_for(max(squares)), largest=np.max(largest, axis=0))


def layout_for(space: FeatureSpace) -> ColumnLayout:
    """Return the layout of all samples of a space: integers unchanged, other numbers centered."""
    layout = ColumnLayout(space.low, space.incomplete, space.codes.max(axis=0, initial=-1) + 1)
    if DenseColumns(space, layout).are_exact():
        return layout
    layout = layout.about(space.center)
    return layout.reaching([DenseColumns(space, layout).reach()])


@dataclass(frozen=True)
class DenseColumns:
    """The dense columns of a space, computed from the original values."""

    space: FeatureSpace
    layout: ColumnLayout

    @cached_property
    def factor_and_weight(self) -> tuple[float, float]:
        """The factor of numbers, and the weight of a missing value; see `factor_and_weight`."""
        return factor_and_weight(self.space, self.layout.incomplete.size > 0)

    @cached_property
    def dense_indicators(self) -> sparse.csr_array:
        """The indicators of features with few categories, which become dense columns."""
        return self._indicators(self._is_few)

    @cached_property
    def sparse_indicators(self) -> sparse.csr_array | None:
        """The indicators that stay sparse, None if there are none."""
        return None if self._is_few.all() else self._indicators(~self._is_few)

    @property
    def _is_few(self) -> Array:
        return self.layout.n_codes <= DENSE_VALUES

    def _indicators(self, chosen: Array) -> sparse.csr_array:
        codes, n_codes = self.space.codes[:, chosen], self.layout.n_codes[chosen]
        return one_hot(codes, n_codes) * self.space.unit

    @property
    def n_columns(self) -> int:
        """Number of columns, without those for missing values."""
        return self.space.raw.shape[1] + self.dense_indicators.shape[1]

    def parts(self) -> Iterator[tuple[slice, Array, Array]]:
        """Yield slices of the samples, their columns with 0 for missing values, and a mask."""
        incomplete, step = (
            self.layout.incomplete,
            max(1, ENTRIES_PER_PART // max(1, self.n_columns)),
        )
        for start in range(0, self.space.n_samples, step):
            samples = slice(start, min(start + step, self.space.n_samples))
            part = self.part(samples)
            is_missing = np.isnan(part[:, incomplete])
            if incomplete.size:
                part[:, incomplete] = np.where(is_missing, 0.0, part[:, incomplete])
            yield samples, part, is_missing

    def part(self, samples: slice) -> Array:
        """Return the columns of some samples in double precision, NaN if missing."""
        numeric, factor = self.space.placed(samples, self.layout.origin), self.factor_and_weight[0]
        if factor != 1:
            numeric *= factor
        if not self.dense_indicators.shape[1]:
            return numeric
        return np.hstack([numeric, self.dense_indicators[samples].toarray()])

    def _squares(self, part: Array, is_missing: Array) -> Array:
        """Return the part of the squared norms that comes from the dense columns."""
        squares = np.einsum("ij,ij->i", part, part)
        if is_missing.shape[1]:
            squares += self.factor_and_weight[1] * is_missing.sum(axis=1)
        return squares

    def _other_squares(self) -> Array:
        """Return the part of the squared norms from sparse indicators and missing categories."""
        squares = row_sums(np.where(self.space.codes < 0, self.space.unit, 0.0) ** 2)
        return (
            squares
            if self.sparse_indicators is None
            else squares + row_sums(self.sparse_indicators * self.sparse_indicators)
        )

    def reach(self) -> tuple[float, Array]:
        """Return the largest squared norm, and the most that each incomplete feature adds to it."""
        squares, incomplete = self._other_squares(), self.layout.incomplete
        largest = np.full(incomplete.size, self.factor_and_weight[1])
        for samples, part, is_missing in self.parts():
            squares[samples] += self._squares(part, is_missing)
            if incomplete.size:
                np.maximum(largest, (part[:, incomplete] ** 2).max(axis=0), out=largest)
        # All samples closer to each other are ties, and a larger scale might overflow.
        return max(float(squares.max()), self.space.metric.ties.negligible), largest

    def operands(self, dtype: Any) -> tuple[Array, Array, Array, Array | None]:
        """Return query columns, target columns, squared norms and bounds for missing values.

        The last two target columns are the squared norm and 1. The bounds limit the terms that
        missing values add to the products of each sample; they are None if no value is missing.
        Everything is scaled.
        """
        incomplete, n_incomplete, scale = (
            self.layout.incomplete,
            self.layout.incomplete.size,
            self.layout.scale,
        )
        shape = (self.space.n_samples, self.n_columns + 2 * n_incomplete + 2)
        searched, squares = np.ones(shape, dtype=dtype), self._other_squares()
        asking, terms = searched[:, :-2], np.zeros(shape[0])
        if n_incomplete:
            asking = np.empty_like(asking)
        weight, largest = self.factor_and_weight[1] * scale**2, self.layout.largest * scale**2
        for samples, part, is_missing in self.parts():
            squares[samples] += self._squares(part, is_missing)
            part *= scale
            searched[samples, : self.n_columns] = asking[samples, : self.n_columns] = part
            if n_incomplete:
                values = part[:, incomplete] ** 2
                known_or_not = values + is_missing * weight
                searched[samples, self.n_columns : -2] = np.hstack([known_or_not, is_missing])
                # Halves, since query columns are multiplied by −2.
                asking[samples, self.n_columns :] = np.hstack([is_missing, values]) / 2
                terms[samples] = values.sum(axis=1) + (is_missing * largest).sum(axis=1)
        squares *= scale**2
        searched[:, -2] = squares
        return asking, searched, squares, terms if n_incomplete else None

    def are_exact(self) -> bool:
        """Whether all columns are small integers that represent the original values exactly."""
        if self.space.wide or not is_whole(self.dense_indicators.data):
            return False
        if self.sparse_indicators is not None and not is_whole(self.sparse_indicators.data):
            return False
        return all(map(self._is_exact, self.parts())) and self.reach()[0] < EXACT

    def _is_exact(self, one: tuple[slice, Array, Array]) -> bool:
        samples, part, _ = one
        numeric = part[:, : self.space.raw.shape[1]]
        placed = numeric / self.factor_and_weight[0]
        return is_whole(numeric) and self.space.is_placed_exactly(samples, placed)


def factor_and_weight(space: FeatureSpace, has_missing: bool) -> tuple[float, float]:
    """Return the factor of numbers, and the weight of a missing value in squared distances.

    If there are codes, squared distances are twice those of the space. The factor √2 is applied to
    the numbers, since a factor √½ of the indicators would make equal distances of categories differ
    in the last bit.
    """
    is_doubled = space.codes.shape[1] > 0
    # Without missing values the weight is not needed, and might overflow.
    weight = (2.0 if is_doubled else 1.0) * space.unit**2 if has_missing else 0.0
    return (float(np.sqrt(2.0)) if is_doubled else 1.0), weight


def scale_for(square: float) -> float:
    """Return the factor that makes the largest norm 1, given its square."""
    return float(1 / np.sqrt(square)) if square else 1.0


def is_whole(values: Array) -> bool:
    """Whether all values are integers."""
    return bool((values == np.rint(values)).all())
