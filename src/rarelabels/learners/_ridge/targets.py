"""Targets of the regression: the labels, their means and the weights of the samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels.learners._ridge.kernels import row_blocks

# Up to this many samples, float64 is used, because it costs little.
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
    table : (n_samples, n_labels) ndarray of float64 or None
        Weights of samples and labels, 0 for an unknown label.
    groups : (n_samples,) ndarray of int or None
        Numbers of the groups that are left out together, in ascending order.
    """

    Y: sparse.csr_array
    weights: Array | None
    means: Array
    dtype: Any
    table: Array | None = None
    groups: Array | None = None

    def values(self) -> Array:
        """Return the labels as a dense array."""
        return self.Y.toarray().astype(self.dtype)

    def centered(self) -> Array:
        """Return the labels minus the means of all samples."""
        return self.values() - self.means.astype(self.dtype)

    def part(self, rows: slice) -> TargetBlock:
        """Return the targets of some of these samples."""
        weights = None if self.weights is None else self.weights[rows]
        table = None if self.table is None else self.table[rows]
        groups = None if self.groups is None else self.groups[rows]
        return TargetBlock(
            self.Y[rows], weights, self.means, self.dtype, table=table, groups=groups
        )


@dataclass(frozen=True)
class Targets:
    """Labels as regression targets.

    Attributes
    ----------
    Y : csr_array of shape (n_samples, n_labels)
        The labels.
    weights : (n_samples,) ndarray of float64 or None
        Positive weights of the samples.
    table : (n_samples, n_labels) ndarray of float64 or None
        Weights of samples and labels, 0 for an unknown label. Each sample has a positive weight.
    groups : (n_samples,) ndarray of int or None
        Numbers of the groups that are left out together, in ascending order.
    """

    Y: sparse.csr_array
    weights: Array | None = None
    table: Array | None = None
    groups: Array | None = None

    @classmethod
    def of(cls, Y: sparse.csr_array, weights: Array | None, groups: Array | None = None) -> Targets:
        """Return targets with weights of samples, or of samples and labels."""
        if weights is None or weights.ndim == 1:
            return cls(Y, weights, None, groups)
        return cls(Y, None, weights, groups)

    def row_blocks(self, n_columns: int) -> list[slice]:
        """Return blocks of samples for which a table is small; groups are not divided."""
        blocks = list(row_blocks(self.n_samples, n_columns))
        if self.groups is None:
            return blocks
        ends = [0, *(int(np.searchsorted(self.groups, self.groups[b.start])) for b in blocks[1:])]
        ends = [*dict.fromkeys(ends), self.n_samples]
        return [slice(start, stop) for start, stop in pairwise(ends)]

    @property
    def dtype(self) -> Any:
        """The precision of the regression: float64 for few samples, else float32."""
        return np.float64 if self.n_samples <= IN_FLOAT64 else np.float32

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.Y.shape[0]

    @property
    def known(self) -> Array | None:
        """Which entries are known, or None if all are known."""
        return None if self.table is None else self.table > 0

    @property
    def entry_weights(self) -> Array | None:
        """The weights of samples, or of samples and labels; None if known entries have weight 1."""
        if self.table is None:
            return self.weights
        return None if np.isin(self.table, (0, 1)).all() else self.table

    @cached_property
    def patterns(self) -> list[Array]:
        """Groups of labels that have the same weights and therefore share a factorization."""
        if self.table is None:
            return [np.arange(self.Y.shape[1])]
        columns: dict[bytes, list[int]] = {}
        for label, column in enumerate(self.table.T):
            columns.setdefault(column.tobytes(), []).append(label)
        return [np.array(labels) for labels in columns.values()]

    @property
    def n_known(self) -> int:
        """Number of samples for which a label is known, as the median over labels."""
        if self.table is None:
            return self.n_samples
        return int(np.median((self.table > 0).sum(axis=0)))

    @property
    def total_weight(self) -> float:
        """The sum of the samples' weights, or the number of samples without weights."""
        return float(self.n_samples if self.weights is None else self.weights.sum())

    @cached_property
    def counts(self) -> Array:
        """Number of positives of each label."""
        return np.asarray(self.Y.sum(axis=0, dtype=np.int64)).ravel()

    @cached_property
    def means(self) -> Array:
        """Weighted share of positives of each label, float64."""
        if self.table is not None:
            return np.asarray(self.Y.multiply(self.table).sum(axis=0)) / self.table.sum(axis=0)
        if self.weights is None:
            return self.counts / self.n_samples
        return np.asarray(self.weights @ self.Y) / self.weights.sum()

    def values(self) -> Array:
        """Return the labels as a dense array."""
        return self.block().values()

    def block(self, rows: slice = slice(None)) -> TargetBlock:
        """Return the targets of some samples."""
        whole = TargetBlock(self.Y, self.weights, self.means, self.dtype, self.table, self.groups)
        return whole.part(rows)


def used_samples(weights: Array | None, n_samples: int) -> Array:
    """Return the samples with a positive weight for at least one label."""
    if weights is None:
        return np.arange(n_samples)
    return np.flatnonzero((weights > 0).reshape(n_samples, -1).any(axis=1))


def pattern_cost(targets: Targets) -> float:
    """Return the cost of all patterns of unknown labels; a system of n samples costs n cubed."""
    if targets.table is None:
        return 0.0
    firsts = [labels[0] for labels in targets.patterns]
    n_known = (targets.table[:, firsts] > 0).sum(axis=0)
    saved = max(0.0, whole_inverse_saves(n_known, targets.n_samples))
    return float((n_known.astype(np.float64) ** 3).sum()) - saved


def restriction_cost(n_known: Any, n_others: Any) -> Any:
    """Return the cost of the system of known samples, given the inverse of the whole system."""
    n_known, n_others = np.asarray(n_known, dtype=np.float64), np.asarray(n_others, dtype=float)
    return 1.5 * n_others**2 * n_known + 0.5 * n_others**3


def whole_inverse_saves(n_known: Array, n_samples: int) -> float:
    """Return the cost that the inverse of the whole system saves; it costs 1.5 systems itself."""
    systems = n_known.astype(np.float64) ** 3
    cheaper = np.minimum(systems, restriction_cost(n_known, n_samples - n_known))
    return float((systems - cheaper).sum() - 1.5 * float(n_samples) ** 3)
