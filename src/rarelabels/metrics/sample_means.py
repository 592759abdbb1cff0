"""Means over samples: what all metrics that score one sample at a time have in common."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from rarelabels._containers import Array, Matrix
from rarelabels.metrics._inputs import Truth, dense_rows

Floats = npt.NDArray[np.float64]

# Entries looked at at a time: enough for NumPy to pay off, little enough for any machine.
BLOCK_ENTRIES = 2_000_000


@dataclass(frozen=True)
class SampleBlock:
    """Some samples: what is true, how much each entry counts, and what was predicted.

    Attributes
    ----------
    has_label : (m, n_labels) ndarray of bools
        The true labels.
    weights : (m, n_labels) ndarray
        Weights within a sample: 0 for entries that do not count, and 1 on average over the others.
    predicted : (m, n_labels) ndarray
        Predicted labels as bools, or scores.
    """

    has_label: Array
    weights: Floats
    predicted: Array

    @property
    def counts(self) -> Array:
        """Which entries count."""
        return self.weights > 0

    def total(self, entries: Array) -> Floats:
        """Return the weight of some entries of each sample."""
        return np.where(entries, self.weights, 0.0).sum(axis=1)


def mean_over_samples(
    truth: Truth, predicted: Matrix, value: Callable[[SampleBlock], Floats], name: str, why: str
) -> float:
    """Return the mean of a value of samples; NaN, with a warning, if no sample has one.

    Parameters
    ----------
    truth : Truth
        The true labels and their weights.
    predicted : (n_samples, n_labels) ndarray or sparse matrix
        Predicted labels or scores.
    value : callable
        Takes a block of samples and returns a value for each, NaN if it is undefined.
    name : str
        The metric's.
    why : str
        What all samples are like if none has a value.
    """
    total = weight = 0.0
    for sample_weights, block in sample_blocks(truth, predicted):
        values = value(block)
        is_defined = ~np.isnan(values) & (sample_weights > 0)
        total += float(sample_weights[is_defined] @ values[is_defined])
        weight += float(sample_weights[is_defined].sum())
    return total / weight if weight > 0 else undefined(name, why)


def sample_blocks(truth: Truth, predicted: Matrix) -> Iterator[tuple[Floats, SampleBlock]]:
    """Yield the weights of samples and what there is to know of them, block by block.

    The weight of a sample is the mean weight of its entries that count.
    """
    n_samples, n_labels = truth.labels.shape
    step = max(1, BLOCK_ENTRIES // n_labels)
    for start in range(0, n_samples, step):
        rows = slice(start, min(start + step, n_samples))
        weights = truth.entry_weights(rows)
        n_counted = np.maximum((weights > 0).sum(axis=1), 1)
        sample_weights = weights.sum(axis=1) / n_counted
        relative = weights / np.where(sample_weights > 0, sample_weights, 1.0)[:, None]
        has_label = truth.labels.positives[rows].toarray() == 1
        yield sample_weights, SampleBlock(has_label, relative, dense_rows(predicted, rows))


def undefined(name: str, why: str) -> float:
    """Warn that a metric has no value, and return NaN."""
    warnings.warn(
        f"{name} is NaN: {why}, so there is nothing to average; test on more samples.",
        UndefinedMetricWarning,
        stacklevel=4,
    )
    return float("nan")


def ratio(part: Floats, whole: Floats, is_defined: Array) -> Floats:
    """Return shares: 0 for 0/0, and NaN if a share is undefined."""
    shares = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return np.where(is_defined, shares, np.nan)
