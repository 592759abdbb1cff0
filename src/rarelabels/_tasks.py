"""Batches of classification tasks on one X, for estimators with `fit_many`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rarelabels._containers import Array


@dataclass(frozen=True)
class Tasks:
    """Classification tasks with separate samples and classes.

    Attributes
    ----------
    starts : (n_tasks + 1,) int64
        Start of each task in `classes`.
    samples : (n_entries,) int32
        Sample indices, possibly repeated; those of one task if all tasks have the same samples.
    classes : (n_entries,) int32
        The class of each sample, in 0, …, n_classes - 1.
    n_classes : int
        Number of classes over all tasks; a task may have fewer.
    weights : (n_entries,) float64 or None
        The weight of each entry, if samples have different weights in different tasks.
    """

    starts: Array
    samples: Array
    classes: Array
    n_classes: int
    weights: Array | None = None

    def __post_init__(self) -> None:
        for name, dtype in (("starts", np.int64), ("samples", np.int32), ("classes", np.int32)):
            array: Any = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            object.__setattr__(self, name, array)
        if self.starts.size == 0 or self.starts[-1] != self.classes.size:
            raise ValueError(
                f"starts must end with the number of entries in classes, {self.classes.size}; "
                f"got {self.starts[-1:].tolist()}."
            )
        if not self.has_same_samples and self.samples.size != self.classes.size:
            raise ValueError(
                f"samples and classes must have the same length, got {self.samples.size} and "
                f"{self.classes.size}."
            )

    @classmethod
    def same_samples(cls, n_samples: int, classes: Any, n_classes: int) -> Tasks:
        """Return one task for each column of `classes`, (n_samples, n_tasks), on all samples."""
        columns = np.asarray(classes, dtype=np.int32)
        starts = np.arange(columns.shape[1] + 1, dtype=np.int64) * n_samples
        return cls(starts, np.arange(n_samples), columns.ravel(order="F"), n_classes)

    @classmethod
    def known_classes(cls, classes: Array, n_classes: int) -> Tasks:
        """Return one task for each row of `classes`, (n_tasks, n_samples).

        A task has the samples whose class is known; an unknown class is -1.
        """
        is_known = classes >= 0
        starts = np.zeros(len(classes) + 1, dtype=np.int64)
        is_known.sum(axis=1).cumsum(out=starts[1:])
        return cls(starts, is_known.nonzero()[1], classes[is_known], n_classes)

    def with_weights(self, weights: Array) -> Tasks:
        """Return the tasks with weights, given for all samples of each, (n_tasks, n_samples)."""
        task = np.repeat(np.arange(len(self)), np.diff(self.starts))
        samples = np.tile(self.samples, len(self)) if self.has_same_samples else self.samples
        return replace(self, weights=weights[task, samples])

    @property
    def has_same_samples(self) -> bool:
        """Whether `samples` is stored once for all tasks."""
        if self.samples.size == self.classes.size:
            return False
        return bool((np.diff(self.starts) == self.samples.size).all())

    def __len__(self) -> int:
        return self.starts.size - 1

    def of(self, task: int) -> tuple[Array, Array]:
        """Return the samples and classes of a task."""
        start, end = self.starts[task], self.starts[task + 1]
        samples = self.samples if self.has_same_samples else self.samples[start:end]
        return samples, self.classes[start:end]

    def weights_of(self, task: int) -> Array | None:
        """Return the weights of the entries of a task, or None if it has no weights."""
        if self.weights is None:
            return None
        return self.weights[self.starts[task] : self.starts[task + 1]]
