"""Samplers that use only the labels, and minority and majority labels by IRLbl."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._local import label_counts, row_numbers
from rarelabels.base import BaseSampler
from rarelabels.measures.counts import finite_mean, irlbl_of_counts


class LabelsOnlySampler(BaseSampler):
    """Base of samplers that use only the labels, and add or remove a share of the samples."""

    _takes_missing_values = True

    def __init__(
        self,
        *,
        sampling_ratio: float = 0.1,
        random_state: Any = None,
        n_jobs: int | None = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.sampling_ratio = sampling_ratio
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels


@dataclass(frozen=True)
class LabelGroups:
    """Counts and imbalance ratios of the labels.

    Attributes
    ----------
    counts : (q,) ndarray
        Number of positives of each label.
    ratios : (q,) ndarray
        IRLbl of each label, infinite for a label without positives.
    mean_ratio : float
        MeanIR, the mean of the finite ratios; NaN if there are none.
    """

    counts: Array
    ratios: Array
    mean_ratio: float

    @property
    def is_minority(self) -> Array:
        """Mask of the labels with positives whose IRLbl is above the mean."""
        return (self.counts > 0) & (self.ratios > self.mean_ratio)

    @property
    def is_majority(self) -> Array:
        """Mask of the labels whose IRLbl is below the mean."""
        return self.ratios < self.mean_ratio


def label_groups(Y: sparse.csr_array) -> LabelGroups:
    """Compute the counts and imbalance ratios of the labels."""
    counts = label_counts(Y)
    ratios = irlbl_of_counts(counts)
    return LabelGroups(counts, ratios, finite_mean(ratios))


def count_labels(Y: sparse.csr_array, chosen: Array) -> Array:
    """Count how many of the chosen labels each sample carries."""
    return np.bincount(row_numbers(Y)[chosen[Y.indices]], minlength=Y.shape[0])


def carriers(Y: sparse.csr_array, labels: Array) -> dict[int, Array]:
    """Return the samples that carry each of the labels, in ascending order."""
    by_label = Y.tocsc()
    starts, ends = by_label.indptr[labels], by_label.indptr[labels + 1]
    return {
        int(label): by_label.indices[start:end]
        for label, start, end in zip(labels, starts, ends, strict=True)
    }


def turns(labels: list[int], has_turn: Callable[[int], bool]) -> Iterator[int]:
    """Yield the labels in turn repeatedly; drop a label for good once it has no turn."""
    while labels:
        remaining = []
        for label in labels:
            if has_turn(label):
                remaining.append(label)
                yield label
        labels = remaining
