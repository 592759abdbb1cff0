"""The dense columns of samples, made part by part: X lies in memory once more, in float32."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace, one_hot, row_sums

# One-hot columns of features with few values go into the dense product, the others stay sparse.
DENSE_VALUES = 32
# Samples are placed in parts that stay in the cache, and in memory that is kept for the next one.
ENTRIES_PER_PART = 2**15
# Single precision holds sums of whole terms while no squared norm is larger.
EXACT = 2**21


@dataclass(frozen=True)
class Frame:
    """Where the columns of samples are measured from: those of one frame can be multiplied.

    Attributes
    ----------
    origin : (d1,) ndarray
        What is subtracted from the numbers.
    gaps : (g,) ndarray of ints
        The columns of numbers that are missing in some samples.
    n_codes : (d2,) ndarray of ints
        The values of each feature that enters as codes.
    is_exact : bool
        Whether all columns are whole numbers, and small enough for exact products.
    scale : float
        What makes the largest norm 1, and 1 where products are exact.
    largest : (g,) ndarray
        What each feature with gaps adds to a squared norm at most, before it is scaled.
    """

    origin: Array
    gaps: Array
    n_codes: Array
    is_exact: bool = True
    scale: float = 1.0
    largest: Array | float = 0.0

    def about(self, centre: Array) -> Frame:
        """Return the frame of numbers that are not whole.

        Rounding grows with the norms, and distances do not know where the origin is.
        """
        return replace(self, origin=centre, is_exact=False)

    def reaching(self, reaches: Iterable[tuple[float, Array]]) -> Frame:
        """Return the frame in which no sample of some spaces has a norm above 1."""
        squares, largest = zip(*reaches, strict=True)
        return replace(self, scale=scale_for(max(squares)), largest=np.max(largest, axis=0))


def frame_for(space: FeatureSpace) -> Frame:
    """Return the frame of all samples of a space: whole numbers as they are, others centred."""
    frame = Frame(space.low, space.gaps, space.codes.max(axis=0, initial=-1) + 1)
    if DenseColumns(space, frame).are_exact():
        return frame
    frame = frame.about(space.centre)
    return frame.reaching([DenseColumns(space, frame).reach()])


@dataclass(frozen=True)
class DenseColumns:
    """How the dense columns of a space are made from the values as given."""

    space: FeatureSpace
    frame: Frame

    @cached_property
    def factor_and_weight(self) -> tuple[float, float]:
        """What numbers are multiplied by, and what 1 squared is among them where it is needed."""
        return factor_and_weight(self.space, self.frame.gaps.size > 0)

    @cached_property
    def few(self) -> sparse.csr_array:
        """The indicators of features with few categories, which are dense columns too."""
        return self._indicators(self._is_few)

    @cached_property
    def hot(self) -> sparse.csr_array | None:
        """The indicators that stay sparse, None where there are none."""
        return None if self._is_few.all() else self._indicators(~self._is_few)

    @property
    def _is_few(self) -> Array:
        return self.frame.n_codes <= DENSE_VALUES

    def _indicators(self, chosen: Array) -> sparse.csr_array:
        codes, n_codes = self.space.codes[:, chosen], self.frame.n_codes[chosen]
        return one_hot(codes, n_codes) * self.space.unit

    @property
    def n_columns(self) -> int:
        """Number of columns, those for gaps left out."""
        return self.space.raw.shape[1] + self.few.shape[1]

    def parts(self) -> Iterator[tuple[slice, Array, Array]]:
        """Yield slices of the samples, their columns with 0 for gaps, and where the gaps are."""
        gaps, step = self.frame.gaps, max(1, ENTRIES_PER_PART // max(1, self.n_columns))
        for start in range(0, self.space.n_samples, step):
            samples = slice(start, min(start + step, self.space.n_samples))
            part = self.part(samples)
            is_missing = np.isnan(part[:, gaps])
            if gaps.size:
                part[:, gaps] = np.where(is_missing, 0.0, part[:, gaps])
            yield samples, part, is_missing

    def part(self, samples: slice) -> Array:
        """Return the columns of some samples in double precision, NaN where missing."""
        numeric, factor = self.space.placed(samples, self.frame.origin), self.factor_and_weight[0]
        if factor != 1:
            numeric *= factor
        if not self.few.shape[1]:
            return numeric
        return np.hstack([numeric, self.few[samples].toarray()])

    def _squares(self, part: Array, is_missing: Array) -> Array:
        """Return what the dense columns add to the squared norms of some samples."""
        squares = np.einsum("ij,ij->i", part, part)
        if is_missing.shape[1]:
            squares += self.factor_and_weight[1] * is_missing.sum(axis=1)
        return squares

    def _other_squares(self) -> Array:
        """Return what sparse indicators add to the squared norms, and gaps, which have none."""
        squares = row_sums(np.where(self.space.codes < 0, self.space.unit, 0.0) ** 2)
        return squares if self.hot is None else squares + row_sums(self.hot * self.hot)

    def reach(self) -> tuple[float, Array]:
        """Return the largest squared norm, and what each feature with gaps adds at most."""
        squares, gaps = self._other_squares(), self.frame.gaps
        largest = np.full(gaps.size, self.factor_and_weight[1])
        for samples, part, is_missing in self.parts():
            squares[samples] += self._squares(part, is_missing)
            if gaps.size:
                np.maximum(largest, (part[:, gaps] ** 2).max(axis=0), out=largest)
        return float(squares.max()), largest

    def operands(self, dtype: Any) -> tuple[Array, Array, Array, Array | None]:
        """Return the columns as they ask and as they are searched, the squared norms, gap terms.

        Behind those that are searched are the squared norm and 1. The last bound what gaps add to
        the products of each sample, None where there are none. All of it is scaled.
        """
        gaps, n_gaps, scale = self.frame.gaps, self.frame.gaps.size, self.frame.scale
        shape = (self.space.n_samples, self.n_columns + 2 * n_gaps + 2)
        searched, squares = np.ones(shape, dtype=dtype), self._other_squares()
        asking, terms = searched[:, :-2], np.zeros(shape[0])
        if n_gaps:
            asking = np.empty_like(asking)
        weight, largest = self.factor_and_weight[1] * scale**2, self.frame.largest * scale**2
        for samples, part, is_missing in self.parts():
            squares[samples] += self._squares(part, is_missing)
            part *= scale
            searched[samples, : self.n_columns] = asking[samples, : self.n_columns] = part
            if n_gaps:
                values = part[:, gaps] ** 2
                known_or_not = values + is_missing * weight
                searched[samples, self.n_columns : -2] = np.hstack([known_or_not, is_missing])
                # Halves, as everything that asks is multiplied by −2.
                asking[samples, self.n_columns :] = np.hstack([is_missing, values]) / 2
                terms[samples] = values.sum(axis=1) + (is_missing * largest).sum(axis=1)
        squares *= scale**2
        searched[:, -2] = squares
        return asking, searched, squares, terms if n_gaps else None

    def are_exact(self) -> bool:
        """Whether all columns are small whole numbers, the values but for shift and factor."""
        if self.space.wide or not is_whole(self.few.data):
            return False
        if self.hot is not None and not is_whole(self.hot.data):
            return False
        return all(map(self._is_exact, self.parts())) and self.reach()[0] < EXACT

    def _is_exact(self, one: tuple[slice, Array, Array]) -> bool:
        samples, part, _ = one
        numeric = part[:, : self.space.raw.shape[1]]
        placed = numeric / self.factor_and_weight[0]
        return is_whole(numeric) and self.space.is_placed_exactly(samples, placed)


def factor_and_weight(space: FeatureSpace, has_gaps: bool) -> tuple[float, float]:
    """Return what numbers are multiplied by, and what 1 squared is among them where it is needed.

    Squared distances are twice those of the space where there are codes: the factor is on the
    numbers and not on the indicators, since √½ would make equal distances of categories differ in
    the last bit.
    """
    is_doubled = space.codes.shape[1] > 0
    # Without gaps the weight is not needed, and might overflow.
    weight = (2.0 if is_doubled else 1.0) * space.unit**2 if has_gaps else 0.0
    return (float(np.sqrt(2.0)) if is_doubled else 1.0), weight


def scale_for(square: float) -> float:
    """Return the factor that makes the largest norm 1, of which the square is given."""
    return float(1 / np.sqrt(square)) if square else 1.0


def is_whole(values: Array) -> bool:
    """Whether all values are whole numbers."""
    return bool((values == np.rint(values)).all())
