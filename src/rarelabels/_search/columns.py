"""The dense columns of samples, made part by part: X lies in memory once more, in float32."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace, one_hot, row_sums

# One-hot columns of features with few values go into the dense product, the others stay sparse.
DENSE_VALUES = 32
# Samples are placed in parts that stay in the cache, and in memory that is kept for the next one.
ENTRIES_PER_PART = 2**15


@dataclass(frozen=True)
class DenseColumns:
    """How the dense columns of a space are made from the values as given.

    `factor` and `weight` are those of `factor_and_weight`. `few` are the indicators of features
    with few categories, which are dense columns too, and `means` what is subtracted from them;
    `hot` are those that stay sparse, None where there are none.
    """

    space: FeatureSpace
    factor: float
    weight: float
    origin: Array
    few: sparse.csr_array
    means: Array
    hot: sparse.csr_array | None
    is_whole: bool

    @property
    def n_columns(self) -> int:
        """Number of columns, those for gaps left out."""
        return self.space.raw.shape[1] + self.few.shape[1]

    def parts(self) -> Iterator[tuple[slice, Array, Array]]:
        """Yield slices of the samples, their columns with 0 for gaps, and where the gaps are."""
        gaps, step = self.space.gaps, max(1, ENTRIES_PER_PART // max(1, self.n_columns))
        for start in range(0, self.space.n_samples, step):
            samples = slice(start, min(start + step, self.space.n_samples))
            part = self.part(samples)
            is_missing = np.isnan(part[:, gaps])
            if gaps.size:
                part[:, gaps] = np.where(is_missing, 0.0, part[:, gaps])
            yield samples, part, is_missing

    def part(self, samples: slice) -> Array:
        """Return the columns of some samples in double precision, NaN where missing."""
        numeric = self.space.placed(samples, self.origin)
        if self.factor != 1:
            numeric *= self.factor
        if not self.few.shape[1]:
            return numeric
        return np.hstack([numeric, self.few[samples].toarray() - self.means])

    def squared_norms(self) -> tuple[Array, Array]:
        """Return the squared norm of each sample, and what each feature with gaps adds at most."""
        squares = np.zeros(self.space.n_samples)
        largest = np.full(self.space.gaps.size, self.weight)
        for samples, part, is_missing in self.parts():
            squares[samples] = np.einsum("ij,ij->i", part, part)
            if largest.size:
                squares[samples] += self.weight * is_missing.sum(axis=1)
                np.maximum(largest, (part[:, self.space.gaps] ** 2).max(axis=0), out=largest)
        return squares if self.hot is None else squares + row_sums(self.hot * self.hot), largest

    def operands(
        self, squares: Array, largest: Array, scale: float, dtype: Any
    ) -> tuple[Array, Array, Array | None]:
        """Return the columns as they ask and as they are searched, and what gaps add at most.

        Behind those that are searched are the squared norm and 1.
        """
        n_samples, n_gaps = self.space.n_samples, self.space.gaps.size
        searched = np.ones((n_samples, self.n_columns + 2 * n_gaps + 2), dtype=dtype)
        searched[:, -2] = squares * scale**2
        asking, terms = searched[:, :-2], np.zeros(n_samples)
        if n_gaps:
            asking = np.empty_like(asking)
        for samples, part, is_missing in self.parts():
            part *= scale
            searched[samples, : self.n_columns] = asking[samples, : self.n_columns] = part
            if n_gaps:
                values = part[:, self.space.gaps] ** 2
                known_or_not = values + is_missing * (self.weight * scale**2)
                searched[samples, self.n_columns : -2] = np.hstack([known_or_not, is_missing])
                # Halves, as everything that asks is multiplied by −2.
                asking[samples, self.n_columns :] = np.hstack([is_missing, values]) / 2
                terms[samples] = values.sum(axis=1) + is_missing @ (largest * scale**2)
        return asking, searched, terms if n_gaps else None


def dense_columns(space: FeatureSpace, factor: float, weight: float) -> DenseColumns:
    """Return the columns of a space of dense numbers: whole as they are, others about the mean."""
    is_few = space.codes.max(axis=0, initial=0) < DENSE_VALUES
    few = one_hot(space.codes[:, is_few]) * space.unit
    hot = one_hot(space.codes[:, ~is_few]) * space.unit if not is_few.all() else None
    columns = DenseColumns(
        space, factor, weight, space.low, few, np.zeros(few.shape[1]), hot, is_whole=True
    )
    if _are_whole(columns):
        return columns
    # Rounding grows with the norms, and distances do not know where the origin is.
    means = np.asarray(few.mean(axis=0)).ravel()
    return DenseColumns(space, factor, weight, space.centre, few, means, hot, is_whole=False)


def factor_and_weight(space: FeatureSpace) -> tuple[float, float]:
    """Return what numbers are multiplied by, and what 1 squared is among them where it is needed.

    Squared distances are twice those of the space where there are codes: the factor is on the
    numbers and not on the indicators, since √½ would make equal distances of categories differ in
    the last bit.
    """
    is_doubled = space.codes.shape[1] > 0
    # Without gaps the weight is not needed, and might overflow.
    weight = (2.0 if is_doubled else 1.0) * space.unit**2 if space.gaps.size else 0.0
    return (float(np.sqrt(2.0)) if is_doubled else 1.0), weight


def is_whole(values: Array) -> bool:
    """Whether all values are whole numbers."""
    return bool((values == np.rint(values)).all())


def _are_whole(columns: DenseColumns) -> bool:
    """Whether all columns are whole numbers, and the values as given but for shift and factor."""
    space = columns.space
    if space.wide or not is_whole(columns.few.data):
        return False
    if columns.hot is not None and not is_whole(columns.hot.data):
        return False
    for samples, part, _ in columns.parts():
        numeric = part[:, : space.raw.shape[1]]
        if not (is_whole(numeric) and space.is_placed_exactly(samples, numeric / columns.factor)):
            return False
    return True
