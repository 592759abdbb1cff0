"""Targets of the regression: the labels, their means and the weights of the samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array

# Up to this many samples float64 costs little.
IN_FLOAT64 = 1000


@dataclass(frozen=True)
class TargetBlock:
    """The targets of some samples.

    Attributes
    ----------
    Y : csr_array of shape (n_samples, n_labels)
        The labels of these samples.
    weights : (n_samples,) ndarray of float64 or None
        Positive weights of these samples.
    means : (n_labels,) ndarray of float64
        The label means of all samples.
    dtype : dtype
        The precision of the regression.
    """

    Y: sparse.csr_array
    weights: Array | None
    means: Array
    dtype: Any

    def values(self) -> Array:
        """Return the labels as a dense array."""
        return self.Y.toarray().astype(self.dtype)

    def centered(self) -> Array:
        """Return the labels less the means of all samples."""
        return self.values() - self.means.astype(self.dtype)

    def part(self, rows: slice) -> TargetBlock:
        """Return the targets of some of these samples."""
        weights = None if self.weights is None else self.weights[rows]
        return TargetBlock(self.Y[rows], weights, self.means, self.dtype)


@dataclass(frozen=True)
class Targets:
    """Labels as regression targets.

    Attributes
    ----------
    Y : csr_array of shape (n_samples, n_labels)
        The labels.
    weights : (n_samples,) ndarray of float64 or None
        Positive weights of the samples.
    """

    Y: sparse.csr_array
    weights: Array | None = None

    @property
    def dtype(self) -> Any:
        """The precision of the regression: float64 for few samples, else float32."""
        return np.float64 if self.n_samples <= IN_FLOAT64 else np.float32

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.Y.shape[0]

    @property
    def total_weight(self) -> float:
        """The sum of the samples' weights, their number where they have none."""
        return float(self.n_samples if self.weights is None else self.weights.sum())

    @cached_property
    def counts(self) -> Array:
        """Number of positives of each label."""
        return np.asarray(self.Y.sum(axis=0, dtype=np.int64)).ravel()

    @cached_property
    def means(self) -> Array:
        """Weighted share of positives of each label, float64."""
        if self.weights is None:
            return self.counts / self.n_samples
        return np.asarray(self.weights @ self.Y) / self.weights.sum()

    def values(self) -> Array:
        """Return the labels as a dense array."""
        return self.block().values()

    def block(self, rows: slice = slice(None)) -> TargetBlock:
        """Return the targets of some samples."""
        return TargetBlock(self.Y, self.weights, self.means, self.dtype).part(rows)
