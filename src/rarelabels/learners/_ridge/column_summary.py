"""Statistics of columns for scalings and indicators, computed block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Protocol, Self, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from rarelabels._containers import Array, Matrix, column_of
from rarelabels.learners._ridge.kernels import row_blocks


class Summary(Protocol):
    """A summary of some samples."""

    def join(self, other: Self) -> Self:
        """Return the summary of these and other samples."""
        ...


S = TypeVar("S", bound=Summary)


def joined_summaries(summaries: Iterable[S]) -> S:
    """Return the summary of all samples."""
    # The sums and squares of values near the largest float are not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        return reduce(lambda left, right: left.join(right), summaries)


def summarized(X: Matrix, summarize: Callable[[Matrix], S]) -> S:
    """Summarize samples, dense ones block by block so that little memory is needed."""
    blocks = [slice(None)] if sparse.issparse(X) else row_blocks(*X.shape)
    return joined_summaries(summarize(X[rows]) for rows in blocks)


@dataclass(frozen=True)
class ColumnSummary:
    """Statistics of columns without missing values.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    low, high, mean : (d,) ndarray
        The smallest value, the largest value and the mean of each column.
    squares : (d,) ndarray
        The sum of squared deviations from the mean of each column.
    n_positive : (d,) ndarray of int
        Number of samples with a positive value in each column.
    n_nonzero : int
        Number of values that are not zero.
    is_whole : bool
        Whether all values are whole numbers.
    """

    n_samples: int
    low: Array
    high: Array
    mean: Array
    squares: Array
    n_positive: Array
    n_nonzero: int
    is_whole: bool

    @classmethod
    def of(cls, X: Matrix) -> ColumnSummary:
        """Summarize the columns of X."""
        return summarized(X, _summary_of_sparse if sparse.issparse(X) else _summary_of_dense)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.low.size

    @property
    def variance(self) -> Array:
        """The variance of each column, 0 if all its values are equal."""
        return np.where(self.low == self.high, 0.0, self.squares / self.n_samples)

    @property
    def is_nonnegative(self) -> bool:
        """Whether no value is negative."""
        return not self.low.size or bool(self.low.min() >= 0)

    def join(self, other: ColumnSummary) -> ColumnSummary:
        """Return the summary of these and other samples.

        Means and deviations are joined by the formula of Chan, Golub and LeVeque (1983), which does
        not lose digits if the mean is large.
        """
        n_samples = self.n_samples + other.n_samples
        share, difference = other.n_samples / n_samples, other.mean - self.mean
        return ColumnSummary(
            n_samples=n_samples,
            low=np.minimum(self.low, other.low),
            high=np.maximum(self.high, other.high),
            mean=self.mean + share * difference,
            squares=self.squares + other.squares + self.n_samples * share * difference**2,
            n_positive=self.n_positive + other.n_positive,
            n_nonzero=self.n_nonzero + other.n_nonzero,
            is_whole=self.is_whole and other.is_whole,
        )


def _summary_of_sparse(X: Matrix) -> ColumnSummary:
    low, high = (np.asarray(end, dtype=np.float64) for end in min_max_axis(X, axis=0))
    mean, variance = mean_variance_axis(X.astype(np.float64), axis=0)
    return ColumnSummary(
        n_samples=X.shape[0],
        low=low,
        high=high,
        mean=mean,
        squares=variance * X.shape[0],
        n_positive=np.asarray((X > 0).sum(axis=0)).ravel(),
        n_nonzero=int(X.count_nonzero()),
        is_whole=bool((X.data == np.rint(X.data)).all()),
    )


def _summary_of_dense(X: Array) -> ColumnSummary:
    mean = X.mean(axis=0, dtype=np.float64)
    return ColumnSummary(
        n_samples=X.shape[0],
        low=X.min(axis=0).astype(np.float64),
        high=X.max(axis=0).astype(np.float64),
        mean=mean,
        squares=np.square(X - mean).sum(axis=0),
        n_positive=(X > 0).sum(axis=0),
        n_nonzero=int(np.count_nonzero(X)),
        is_whole=bool((np.rint(X) == X).all()),
    )


@dataclass(frozen=True)
class KnownValues:
    """Statistics of features that may be categorical or have missing values.

    Attributes
    ----------
    categorical : (d,) bool
        Which features are categorical.
    n_samples : int
        Number of samples.
    n_known, mean : (d,) ndarray
        Number of known values of each feature, and their mean, 0 if there are none.
    categories : dict of int to ndarray
        The sorted distinct values of each categorical feature.
    """

    categorical: Array
    n_samples: int
    n_known: Array
    mean: Array
    categories: dict[int, Array]

    @classmethod
    def of(cls, numbers: Matrix, categorical: Array) -> KnownValues:
        """Summarize features with NaN for missing values."""
        return summarized(numbers, partial(_known_values, categorical=categorical))

    @property
    def is_incomplete(self) -> Array:
        """Which features have missing values."""
        return self.n_known < self.n_samples

    def join(self, other: KnownValues) -> KnownValues:
        """Return the summary of these and other samples."""
        n_known = self.n_known + other.n_known
        share = other.n_known / np.maximum(n_known, 1)
        categories = {
            j: np.union1d(values, other.categories[j]) for j, values in self.categories.items()
        }
        return KnownValues(
            categorical=self.categorical,
            n_samples=self.n_samples + other.n_samples,
            n_known=n_known,
            mean=self.mean + share * (other.mean - self.mean),
            categories=categories,
        )


def _known_values(numbers: Matrix, categorical: Array) -> KnownValues:
    by_column = numbers.tocsc() if sparse.issparse(numbers) else numbers
    columns = {j: column_of(by_column, j) for j in np.flatnonzero(categorical).tolist()}
    return KnownValues(
        categorical=categorical,
        n_samples=numbers.shape[0],
        n_known=numbers.shape[0] - n_missing(numbers),
        mean=_known_means(numbers),
        categories={j: np.unique(column[~np.isnan(column)]) for j, column in columns.items()},
    )


def n_missing(numbers: Matrix) -> Array:
    """Return the number of missing values of each column."""
    if not sparse.issparse(numbers):
        return np.isnan(numbers).sum(axis=0)
    csr = numbers.tocsr()
    return np.bincount(csr.indices[np.isnan(csr.data)], minlength=numbers.shape[1])


def _known_means(numbers: Matrix) -> Array:
    """Return the mean of the known values of each column, 0 if there are none."""
    n_known = np.maximum(numbers.shape[0] - n_missing(numbers), 1)
    if not sparse.issparse(numbers):
        return np.nansum(numbers, axis=0, dtype=np.float64) / n_known
    known = numbers.tocsr().astype(np.float64)
    known.data[np.isnan(known.data)] = 0
    return np.asarray(known.sum(axis=0)).ravel() / n_known
