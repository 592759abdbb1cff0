"""Units assigned to the folds: samples, or groups of samples that stay together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._labels import LabelMatrix
from rarelabels._validation import group_numbers
from rarelabels.model_selection._iterative import Integers


@dataclass(frozen=True)
class Units:
    """The units of a split.

    Attributes
    ----------
    counts : csr_array of shape (n_units, n_labels)
        Number of positive samples of each label in each unit, and of known negative samples for
        labels with unknown entries.
    sizes : ndarray of shape (n_units,)
        Number of samples in each unit.
    unit_of_sample : ndarray of shape (n_samples,)
        The unit of each sample.
    """

    counts: sparse.csr_array
    sizes: Integers
    unit_of_sample: Integers


def units_of(labels: LabelMatrix, groups: Any, *, at_least: int, why: str) -> Units:
    """Gather the samples of each group; without groups each sample is a separate unit."""
    n_samples, Y = labels.n_samples, spread_entries(labels)
    if groups is None:
        _check_enough(n_samples, "samples", at_least, why)
        return Units(Y, np.ones(n_samples, dtype=np.intp), np.arange(n_samples))
    unit_of_sample = group_numbers(groups, n_samples)
    sizes = np.bincount(unit_of_sample)
    _check_enough(sizes.size, "groups", at_least, why)
    belongs = sparse.csr_array(
        (np.ones(n_samples, dtype=np.int64), (unit_of_sample, np.arange(n_samples)))
    )
    return Units(sparse.csr_array(belongs @ Y), sizes, unit_of_sample)


def spread_entries(labels: LabelMatrix) -> sparse.csr_array:
    """Return the entries that are spread over the folds, a column for each kind.

    These are the positives of each label. If some entries of a label are unknown, its known
    negatives are a column as well, because they are no longer all samples without the label.
    """
    if labels.unknown is None:
        return labels.positives
    incomplete = np.unique(labels.unknown.indices)
    known = sparse.csr_array(np.ones((labels.n_samples, incomplete.size), dtype=np.int8))
    negatives = known - labels.unknown[:, incomplete] - labels.positives[:, incomplete]
    negatives.eliminate_zeros()
    return sparse.csr_array(sparse.hstack([labels.positives, negatives], format="csr"))


def _check_enough(n_units: int, kind: str, at_least: int, why: str) -> None:
    if n_units < at_least:
        raise ValueError(
            f"{why} needs at least {at_least} {kind}, got {n_units}; "
            "use fewer splits, or more data."
        )
