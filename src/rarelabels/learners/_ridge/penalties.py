"""The penalty of each label, chosen together with labels of similar frequency."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._validation import check_number

# Width of the Gaussian, in log counts, that measures how similar two frequencies are.
WIDTH = 0.5


def check_penalties(name: str, penalties: Any) -> Array:
    """Check that penalties are positive numbers, and sort them."""
    if np.ndim(penalties) != 1 or not np.size(penalties):
        raise ValueError(f"{name} must be a list of positive numbers, got {penalties!r}.")
    return np.array(sorted(check_number(name, penalty, above=0) for penalty in penalties))


def squared_errors(values: Array, scores: Array, weights: Array | None) -> Array:
    """Return the (weighted) sum of squared errors of each label."""
    errors = (values - scores).astype(np.float64)
    if weights is None:
        return np.einsum("ij,ij->j", errors, errors)
    if weights.ndim == 2:
        return np.einsum("ij,ij,ij->j", weights, errors, errors)
    return np.einsum("i,ij,ij->j", weights, errors, errors)


def relative_errors(sums: Array, means: Array, total_weight: float | Array) -> Array:
    """Return squared errors relative to those of the label's mean, (n_penalties, n_labels).

    The total weight is that of all samples, or that of each label's known samples. The relative
    error of a label with a single class is 1.
    """
    variance = means * (1 - means)
    is_constant = variance <= 0
    return np.where(is_constant, 1.0, sums / total_weight / np.where(is_constant, 1.0, variance))


def similar_labels(counts: Array) -> Array:
    """Return weights of labels for each label, by the similarity of their counts; columns sum to 1.

    >>> similar_labels(np.array([10, 10, 1000])).round(2)
    array([[0.5, 0.5, 0. ],
           [0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """
    log_counts = np.log(np.maximum(counts, 1))
    weights = np.exp(-0.5 * ((log_counts[:, None] - log_counts) / WIDTH) ** 2)
    return weights / weights.sum(axis=0)


def smoothed(errors: Array, counts: Array) -> Array:
    """Return errors averaged over labels of similar frequency, (n_penalties, n_labels)."""
    return errors @ similar_labels(counts)


def best_penalties(errors: Array, counts: Array) -> Array:
    """Return the index of the penalty of each label."""
    return smoothed(errors, counts).argmin(axis=0)


def best_few(errors: Array, counts: Array, n_penalties: int) -> list[int]:
    """Return the indices of the few penalties whose errors are smallest if each label has its best.

    >>> errors = np.array([[0.9, 0.9, 0.7], [0.7, 0.8, 0.8], [0.6, 0.6, 0.9]])
    >>> best_few(errors, np.array([1, 10, 1000]), 2)
    [0, 2]
    """
    by_label = smoothed(errors, counts)
    choices = combinations(range(len(errors)), min(n_penalties, len(errors)))
    best = min(choices, key=lambda choice: by_label[list(choice)].min(axis=0).sum())
    return sorted(best)
