"""The training samples, in memory or in blocks on other machines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, stack_matrices
from rarelabels._features import Features
from rarelabels.learners._ridge.column_summary import ColumnSummary, KnownValues, joined_summaries
from rarelabels.learners._ridge.feature_blocks import (
    FeatureBlocks,
    LocalBlocks,
    RowFunction,
    Summands,
    added,
)
from rarelabels.learners._ridge.indicators import IndicatorColumns
from rarelabels.learners._ridge.kernels import ScaledSamples, row_blocks
from rarelabels.learners._ridge.scalings import FeatureScaling
from rarelabels.learners._ridge.targets import TargetBlock, Targets

# Features with at most this number of entries are stored instead of computed again.
KEPT_ENTRIES = 2**27

# Features of scaled samples, such as their similarities to landmarks.
FeatureMap = Callable[[ScaledSamples], Array]


class ScaledTable(ABC):
    """All training samples, scaled."""

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of samples."""

    @abstractmethod
    def take(self, samples: Array) -> ScaledSamples:
        """Return some samples, given in ascending order."""

    def all(self) -> ScaledSamples:
        """Return all samples."""
        return self.take(np.arange(self.n_samples))

    @abstractmethod
    def mean(self) -> Array:
        """Return the mean of the samples."""

    @abstractmethod
    def blocks(self, features: FeatureMap, n_features: int, *, may_keep: bool) -> FeatureBlocks:
        """Return features of all samples; small ones are stored if `may_keep` is True."""


class TrainingSamples(ABC):
    """The training samples as numbers, with indicators of categories and missing values.

    Attributes
    ----------
    indicators : IndicatorColumns
        How features become numbers.
    """

    indicators: IndicatorColumns

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of samples."""

    @property
    @abstractmethod
    def is_sparse(self) -> bool:
        """Whether the numbers are sparse."""

    @property
    @abstractmethod
    def columns(self) -> ColumnSummary:
        """Statistics of the columns."""

    @abstractmethod
    def scaled(self, scaling: FeatureScaling, dtype: Any) -> ScaledTable:
        """Return the samples scaled."""


def training_samples(X: Features, used: Array) -> TrainingSamples:
    """Return the training samples, given as positions in X, ascending if X is in blocks."""
    if X.backend is None:
        return LocalSamples.of(X, used)
    return RemoteSamples.of(X, used)


def scaled_samples(scaling: FeatureScaling, X: Matrix, dtype: Any) -> ScaledSamples:
    """Scale samples; dense samples are scaled block by block, because this is done in float64."""
    if sparse.issparse(X):
        return ScaledSamples.of(scaling.transform(X), dtype)
    scaled = np.empty(X.shape, dtype=dtype)
    for rows in row_blocks(*X.shape):
        scaled[rows] = scaling.transform(X[rows])
    return ScaledSamples.of(scaled, dtype)


@dataclass(frozen=True)
class LocalSamples(TrainingSamples):
    """Samples in memory.

    Attributes
    ----------
    X : (n, d) ndarray or csr_array
        The samples.
    indicators : IndicatorColumns
        How features became numbers.
    """

    X: Matrix
    indicators: IndicatorColumns

    @classmethod
    def of(cls, X: Features, used: Array) -> LocalSamples:
        """Learn the categories and the means of some samples, and return these samples."""
        is_all = np.array_equal(used, np.arange(X.n_samples))
        numbers = X.numbers if is_all else X.numbers[used]
        indicators = IndicatorColumns.fit(KnownValues.of(numbers, X.categorical))
        return cls(indicators.transform(numbers), indicators)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.X.shape[0]

    @property
    def is_sparse(self) -> bool:
        """Whether the numbers are sparse."""
        return sparse.issparse(self.X)

    @cached_property
    def columns(self) -> ColumnSummary:
        """Statistics of the columns."""
        return ColumnSummary.of(self.X)

    def scaled(self, scaling: FeatureScaling, dtype: Any) -> LocalTable:
        """Return the samples scaled."""
        return LocalTable(scaled_samples(scaling, self.X, dtype))


@dataclass(frozen=True)
class LocalTable(ScaledTable):
    """Scaled samples in memory."""

    points: ScaledSamples

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.points.n_samples

    def take(self, samples: Array) -> ScaledSamples:
        """Return some samples."""
        return self.points.take(samples)

    def all(self) -> ScaledSamples:
        """Return all samples."""
        return self.points

    def mean(self) -> Array:
        """Return the mean of the samples."""
        return self.points.mean()

    def blocks(self, features: FeatureMap, n_features: int, *, may_keep: bool) -> FeatureBlocks:
        """Return features of all samples; small ones are stored if `may_keep` is True."""
        if may_keep and self.n_samples * n_features <= KEPT_ENTRIES:
            return LocalBlocks(features(self.points).__getitem__, n_features)
        return LocalBlocks(lambda rows: features(self.points.take(rows)), n_features)


@dataclass(frozen=True)
class RemoteSamples(TrainingSamples):
    """Samples in blocks that may be on other machines.

    Attributes
    ----------
    X : Features
        The features, whose blocks may be on other machines.
    used : (n_samples,) ndarray of int
        The positions of the samples in X, in ascending order.
    indicators : IndicatorColumns
        How features become numbers.
    """

    X: Features
    used: Array
    indicators: IndicatorColumns

    @classmethod
    def of(cls, X: Features, used: Array) -> RemoteSamples:
        """Learn the categories and the means of some samples."""
        of_features = partial(KnownValues.of, categorical=X.categorical)
        known = _map_rows(X, used, (of_features,), joined_summaries)
        return cls(X, used, IndicatorColumns.fit(known))

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.used.size

    @property
    def is_sparse(self) -> bool:
        """Whether the numbers are sparse."""
        return self.X.is_sparse

    @cached_property
    def columns(self) -> ColumnSummary:
        """Statistics of the columns."""
        functions = self.indicators.transform, ColumnSummary.of
        summary: ColumnSummary = _map_rows(self.X, self.used, functions, joined_summaries)
        return summary

    def scaled(self, scaling: FeatureScaling, dtype: Any) -> RemoteTable:
        """Return the samples scaled."""
        return RemoteTable(self.X, self.used, Scaler(self.indicators, scaling, dtype))


@dataclass(frozen=True)
class RowFunctions:
    """Applies functions one after another, beginning with the numbers of some samples of a block.

    The first function also gets the arguments that follow the rows.
    """

    functions: tuple[Callable[..., Any], ...]

    def __call__(self, block: Features, rows: Array, *arguments: Any) -> Any:
        """Return the result of the last function."""
        result = block.numbers if rows.size == block.n_samples else block.numbers[rows]
        for function in self.functions:
            result, arguments = function(result, *arguments), ()
        return result


@dataclass(frozen=True)
class Scaler:
    """Turns the numbers of a block into scaled samples."""

    indicators: IndicatorColumns
    scaling: FeatureScaling
    dtype: Any

    def __call__(self, numbers: Matrix) -> ScaledSamples:
        """Return scaled samples."""
        return scaled_samples(self.scaling, self.indicators.transform(numbers), self.dtype)


@dataclass(frozen=True)
class RemoteTable(ScaledTable):
    """Samples that are scaled on the machines with their blocks."""

    X: Features
    used: Array
    scaler: Scaler

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.used.size

    def take(self, samples: Array) -> ScaledSamples:
        """Return some samples, given in ascending order."""
        parts = _map_rows(self.X, self.used[samples], (self.scaler,))
        return ScaledSamples(
            reduce(stack_matrices, [part.matrix for part in parts]),
            np.concatenate([part.squares for part in parts]),
        )

    def mean(self) -> Array:
        """Return the mean of the samples."""
        (sums,) = _map_rows(self.X, self.used, (self.scaler, _column_sums), added)
        return (sums / self.n_samples).astype(self.scaler.dtype)

    def blocks(self, features: FeatureMap, n_features: int, *, may_keep: bool) -> FeatureBlocks:
        """Return features of all samples, computed on the machines with the samples."""
        return RemoteBlocks(self, features, n_features)


def _column_sums(points: ScaledSamples) -> tuple[Array]:
    return (points.matrix.sum(axis=0, dtype=np.float64),)


@dataclass(frozen=True)
class RemoteBlocks(FeatureBlocks):
    """Features that are computed on the machines with the samples.

    Attributes
    ----------
    table : RemoteTable
        The samples.
    features : callable
        Given scaled samples, it returns their features.
    n_features : int
        Number of columns of the features.
    """

    table: RemoteTable
    features: FeatureMap
    n_features: int

    def total(
        self, function: Summands, targets: Targets, rows: list[slice] | None = None
    ) -> tuple[Array, ...]:
        """Return the sums of a function's results over blocks, in float64."""
        task = RowFunctions((SliceFunction(self.table.scaler, self.features, function, added),))
        total: tuple[Array, ...] = self.table.X.map_blocks(
            task, self._arguments(targets, rows), join=added
        )
        return total

    def per_sample(self, function: RowFunction, targets: Targets) -> Array:
        """Return a function's results for all samples, computed block by block."""
        task = RowFunctions((SliceFunction(self.table.scaler, self.features, function, _stacked),))
        parts = self.table.X.map_blocks(task, self._arguments(targets, None))
        return np.concatenate(parts)

    def _arguments(
        self, targets: Targets, rows: list[slice] | None
    ) -> dict[int, tuple[Array, TargetBlock, list[slice]]]:
        """Return the samples of each block, their targets, and slices to process at a time."""
        arguments = {}
        start = 0
        for number, samples in rows_by_block(self.table.X, self.table.used).items():
            stop = start + samples.size
            slices = (
                list(row_blocks(samples.size, self.n_features))
                if rows is None
                else list(_within(rows, start, stop))
            )
            if slices:
                arguments[number] = (samples, targets.block(slice(start, stop)), slices)
            start = stop
        return arguments


@dataclass(frozen=True)
class SliceFunction:
    """Applies a function to the features and targets of a block, some samples at a time."""

    scaler: Scaler
    features: FeatureMap
    function: Callable[[Array, TargetBlock], Any]
    join: Callable[[Iterator[Any]], Any]

    def __call__(self, numbers: Matrix, targets: TargetBlock, slices: list[slice]) -> Any:
        """Return the joined results."""
        return self.join(
            self.function(self.features(self.scaler(numbers[rows])), targets.part(rows))
            for rows in slices
        )


def _stacked(parts: Iterator[Array]) -> Array:
    return np.concatenate(list(parts))


def rows_by_block(X: Features, samples: Array) -> dict[int, Array]:
    """Return the rows of the given samples in each block; samples are in ascending order."""
    ends = np.searchsorted(samples, X.block_edges).tolist()
    return {
        number: samples[start:stop] - X.block_edges[number]
        for number, (start, stop) in enumerate(pairwise(ends))
        if start < stop
    }


def _map_rows(
    X: Features,
    samples: Array,
    functions: tuple[Callable[..., Any], ...],
    join: Callable[[list[Any]], Any] | None = None,
) -> Any:
    """Apply functions to the numbers of some samples in each block."""
    arguments = {number: (rows,) for number, rows in rows_by_block(X, samples).items()}
    return X.map_blocks(RowFunctions(functions), arguments, join)


def _within(rows: list[slice], start: int, stop: int) -> Iterator[slice]:
    """Return the parts of slices that are in a block, relative to its start.

    >>> list(_within([slice(0, 4), slice(6, 9)], 3, 8))
    [slice(0, 1, None), slice(3, 5, None)]
    """
    for part in rows:
        first, last = max(part.start, start), min(part.stop, stop)
        if first < last:
            yield slice(first - start, last - start)
