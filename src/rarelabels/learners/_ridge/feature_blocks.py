"""Features of all samples, of which only a block is in memory at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from rarelabels._containers import Array
from rarelabels.learners._ridge.targets import TargetBlock, Targets

# Functions of the features and the targets of a block, which return arrays to sum up, or an array
# with a row for each sample.
Summands = Callable[[Array, TargetBlock], tuple[Array, ...]]
RowFunction = Callable[[Array, TargetBlock], Array]


class FeatureBlocks(ABC):
    """Features of all samples, block by block."""

    n_features: int

    @abstractmethod
    def total(
        self, function: Summands, targets: Targets, rows: list[slice] | None = None
    ) -> tuple[Array, ...]:
        """Return the sums of a function's results over blocks, in float64.

        `rows` are the blocks of samples to sum over, by default all.
        """

    @abstractmethod
    def per_sample(self, function: RowFunction, targets: Targets) -> Array:
        """Return a function's results for all samples, computed block by block."""


@dataclass(frozen=True)
class LocalBlocks(FeatureBlocks):
    """Features that are computed from samples in memory.

    Attributes
    ----------
    features : callable
        Given a slice of samples, it returns their features.
    n_features : int
        Number of columns of the features.
    """

    features: Callable[[slice], Array]
    n_features: int

    def total(
        self, function: Summands, targets: Targets, rows: list[slice] | None = None
    ) -> tuple[Array, ...]:
        """Return the sums of a function's results over blocks, in float64."""
        blocks = targets.row_blocks(self.n_features) if rows is None else rows
        return added(function(self.features(block), targets.block(block)) for block in blocks)

    def per_sample(self, function: RowFunction, targets: Targets) -> Array:
        """Return a function's results for all samples, computed block by block."""
        table = np.empty(targets.Y.shape, dtype=targets.dtype)
        for rows in targets.row_blocks(self.n_features):
            table[rows] = function(self.features(rows), targets.block(rows))
        return table


def added(parts: Iterable[tuple[Array, ...]]) -> tuple[Array, ...]:
    """Return the sums of arrays in float64.

    >>> added([(np.array([1, 2]), np.array(3)), (np.array([4, 5]), np.array(6))])
    (array([5., 7.]), array(9.))
    """
    totals: tuple[Array, ...] = ()
    for arrays in parts:
        if not totals:
            totals = tuple(np.array(array, dtype=np.float64) for array in arrays)
            continue
        for total, array in zip(totals, arrays, strict=True):
            total += array
    return totals
