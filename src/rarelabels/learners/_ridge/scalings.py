"""Scalings of the features, one of which is chosen by leave-one-out errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._registry import part_of_models
from rarelabels.learners._ridge.column_summary import ColumnSummary


class FeatureScaling(ABC):
    """A scaling of features, learned from the training data."""

    name: ClassVar[str]

    @abstractmethod
    def fit(self, columns: ColumnSummary) -> Self:
        """Learn the scale of each column."""

    @abstractmethod
    def transform(self, X: Matrix) -> Matrix:
        """Return scaled features; sparse features stay sparse."""


class ColumnScaling(FeatureScaling):
    """Base class of the scalings that shift and divide each column.

    Sparse features are divided and not shifted, because a shift changes neither distances nor a
    centered linear model.
    """

    shift_: Array
    divisor_: Array

    def transform(self, X: Matrix) -> Matrix:
        """Return scaled features; sparse features stay sparse."""
        if sparse.issparse(X):
            scaled = sparse.csr_array(X).astype(np.float64)
            scaled.data /= self.divisor_[scaled.indices]
            return scaled
        return (X - self.shift_) / self.divisor_


@part_of_models
class UnitScaling(ColumnScaling):
    """Every column rescaled to [0, 1]."""

    name = "unit"

    def fit(self, columns: ColumnSummary) -> Self:
        """Learn the range of each column."""
        low, high = columns.low, columns.high
        # Columns are centered at the middle of their range, so that numbers are small.
        self.shift_, self.divisor_ = (low + high) / 2, _positive(high - low)
        return self


@part_of_models
class StandardScaling(ColumnScaling):
    """Every column rescaled to mean 0 and standard deviation 1."""

    name = "standard"

    def fit(self, columns: ColumnSummary) -> Self:
        """Learn the mean and the deviation of each column."""
        self.shift_, self.divisor_ = columns.mean, _positive(np.sqrt(columns.variance))
        return self


@part_of_models
class RowScaling(FeatureScaling):
    """Rows of length 1, for non-negative features such as the words of a text.

    Counts are replaced by log(1 + x), and whole numbers are weighted by the inverse document
    frequency of their column. Other values are not weighted.
    """

    name = "rows"

    def fit(self, columns: ColumnSummary) -> Self:
        """Learn whether the values are counts, and how rare each column is."""
        self.is_count_ = columns.is_whole and float(columns.high.max(initial=0)) > 1
        self.weights_ = np.ones(columns.n_columns)
        if columns.is_whole:
            self.weights_ = np.log((1 + columns.n_samples) / (1 + columns.n_positive)) + 1
        return self

    def transform(self, X: Matrix) -> Matrix:
        """Return scaled features; sparse features stay sparse."""
        csr = sparse.csr_array(X).astype(np.float64)
        # New samples may contain negative values.
        csr.data = np.maximum(csr.data, 0)
        if self.is_count_:
            csr.data = np.log1p(csr.data)
        csr.data *= self.weights_[csr.indices]
        lengths = _positive(np.sqrt(np.asarray(csr.multiply(csr).sum(axis=1)).ravel()))
        csr.data /= np.repeat(lengths, np.diff(csr.indptr))
        return csr if sparse.issparse(X) else csr.toarray()


SCALINGS: dict[str, type[FeatureScaling]] = {
    scaling.name: scaling for scaling in (UnitScaling, StandardScaling, RowScaling)
}


def candidate_scalings(scaling: str, columns: ColumnSummary) -> list[FeatureScaling]:
    """Return the fitted scalings to choose from: the named one, or two for "auto".

    The candidates for "auto" depend on the values of X, and not on whether X is sparse or dense.
    """
    if scaling == "auto":
        other = RowScaling() if _looks_like_text(columns) else StandardScaling()
        return [UnitScaling().fit(columns), other.fit(columns)]
    if scaling not in SCALINGS:
        known = ", ".join(map(repr, ["auto", *SCALINGS]))
        raise ValueError(f"scaling must be one of {known}, got {scaling!r}.")
    if scaling == "rows" and not columns.is_nonnegative:
        raise ValueError(
            'scaling="rows" needs non-negative features, but X has negative values; use '
            'scaling="standard" or "unit".'
        )
    return [SCALINGS[scaling]().fit(columns)]


def _looks_like_text(columns: ColumnSummary) -> bool:
    """Return whether no value is negative and at least half of all values are zero."""
    n_values = columns.n_samples * columns.n_columns
    return columns.is_nonnegative and 2 * columns.n_nonzero <= n_values


def _positive(lengths: Array) -> Array:
    """Return lengths as divisors, with 1 instead of 0."""
    return np.where(lengths > 0, lengths, 1.0)
