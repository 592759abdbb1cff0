"""Batches of classification tasks on one X: what a learner asks of an estimator with `fit_many`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array


@dataclass(frozen=True)
class Tasks:
    """Classification tasks, each with samples and classes of its own.

    Attributes
    ----------
    starts : (n_tasks + 1,) int64
        Where each task begins in `classes`.
    samples : (n_entries,) int32
        Sample indices, repeats allowed; or one task's, where all tasks have the same samples.
    classes : (n_entries,) int32
        The class of each sample, in 0, …, n_classes - 1.
    n_classes : int
        Number of classes over all tasks; a task may have fewer of them.
    """

    starts: Array
    samples: Array
    classes: Array
    n_classes: int

    def __post_init__(self) -> None:
        for name, dtype in (("starts", np.int64), ("samples", np.int32), ("classes", np.int32)):
            made: Any = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            object.__setattr__(self, name, made)
        if self.starts.size == 0 or self.starts[-1] != self.classes.size:
            raise ValueError(
                f"starts must end with the number of classes given, {self.classes.size}; "
                f"got {self.starts[-1:].tolist()}."
            )
        if not self.has_same_samples and self.samples.size != self.classes.size:
            raise ValueError(
                f"samples and classes must have one length, got {self.samples.size} and "
                f"{self.classes.size}."
            )

    @classmethod
    def same_samples(cls, n_samples: int, classes: Any, n_classes: int) -> Tasks:
        """Return one task for each column of `classes`, (n_samples, n_tasks), on all samples."""
        columns = np.asarray(classes, dtype=np.int32)
        starts = np.arange(columns.shape[1] + 1, dtype=np.int64) * n_samples
        return cls(starts, np.arange(n_samples), columns.ravel(order="F"), n_classes)

    @property
    def has_same_samples(self) -> bool:
        """Whether `samples` is written once for all tasks."""
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
