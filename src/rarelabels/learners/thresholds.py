"""The threshold of each label that is best on given scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._validation import check_labels

ENTRIES_AT_ONCE = 2**22


def best_f_thresholds(Y: Any, scores: Any) -> Array:
    """Find the threshold of each label that maximises its F-measure, exactly.

    Every cut between two different scores is tried. A label is predicted where its score is at
    least the threshold.

    Parameters
    ----------
    Y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    scores : array-like of shape (n_samples, n_labels)
        How likely each label is; any finite numbers.

    Returns
    -------
    ndarray of shape (n_labels,)
        Half way between the lowest score that is predicted and the highest that is not. Where
        cuts are equally good, the highest, which predicts the label least often; minus infinity
        where all rows should get the label, infinity for a label without positives, whose F is 0
        at any cut.

    See Also
    --------
    ThresholdedClassifier : Gives any multi-label classifier such thresholds.

    Examples
    --------
    Predicting the three highest finds both positives with one mistake, F = 0.8:

    >>> from rarelabels.learners import best_f_thresholds
    >>> best_f_thresholds([[1], [0], [1], [0], [0]], [[0.9], [0.8], [0.6], [0.2], [0.1]])
    array([0.4])
    """
    return best_thresholds(Y, scores, "f1")


def best_thresholds(Y: Any, scores: Any, criterion: str) -> Array:
    """Find the threshold of each label that maximises a criterion of `CRITERIA`."""
    measure = CRITERIA[check_criterion(criterion)]
    truth, table = check_labels(Y).matrix.tocsc(), np.asarray(scores, dtype=float)
    _check_table(truth, table)
    step = max(1, ENTRIES_AT_ONCE // table.shape[0])
    parts = [slice(start, start + step) for start in range(0, table.shape[1], step)]
    found = [_best_cuts(truth[:, part].toarray() == 1, table[:, part], measure) for part in parts]
    return np.concatenate(found)


def check_criterion(criterion: Any) -> str:
    """Check the name of a criterion."""
    if criterion not in CRITERIA:
        known = ", ".join(map(repr, CRITERIA))
        raise ValueError(f"the criterion of a threshold must be one of {known}, got {criterion!r}.")
    return str(criterion)


def f_measure(hits: Array, predicted: Array, n_positive: Array, n_samples: int) -> Array:
    """Harmonic mean of precision and recall."""
    return 2 * hits / (predicted + n_positive)


def balanced_accuracy(hits: Array, predicted: Array, n_positive: Array, n_samples: int) -> Array:
    """Mean of the shares of positives and of negatives that are right."""
    of_positives, of_negatives = _rates(hits, predicted, n_positive, n_samples)
    return (of_positives + of_negatives) / 2


def geometric_mean(hits: Array, predicted: Array, n_positive: Array, n_samples: int) -> Array:
    """Geometric mean of the shares of positives and of negatives that are right."""
    of_positives, of_negatives = _rates(hits, predicted, n_positive, n_samples)
    return np.sqrt(of_positives * of_negatives)


Measure = Callable[[Array, Array, Array, int], Array]
CRITERIA: dict[str, Measure] = {
    "f1": f_measure,
    "gmean": geometric_mean,
    "balanced_accuracy": balanced_accuracy,
}


def _rates(hits: Array, predicted: Array, n_positive: Array, n_samples: int) -> tuple[Array, Array]:
    # A label with one class is decided before; a count of 1 keeps it from dividing by 0.
    n_negative = n_samples - n_positive
    true_negatives = n_negative - (predicted - hits)
    return hits / np.maximum(n_positive, 1), true_negatives / np.maximum(n_negative, 1)


def _best_cuts(truth: Array, scores: Array, measure: Measure) -> Array:
    """Find the best cut of each column, the scores sorted once from high to low."""
    n_samples, n_labels = truth.shape
    order = np.argsort(-scores, axis=0)
    sorted_scores = np.take_along_axis(scores, order, axis=0)
    hits = np.cumsum(np.take_along_axis(truth, order, axis=0), axis=0)
    below = np.vstack([sorted_scores[1:], np.full((1, n_labels), -np.inf)])
    value = measure(hits, np.arange(1, n_samples + 1)[:, None], hits[-1], n_samples)
    # Equal scores stay on one side of the cut.
    best = np.where(sorted_scores > below, value, -1.0).argmax(axis=0)
    labels = np.arange(n_labels)
    found = _between(sorted_scores[best, labels], below[best, labels])
    found[hits[-1] == n_samples] = -np.inf
    found[hits[-1] == 0] = np.inf
    return found


def _between(high: Array, low: Array) -> Array:
    """Half way from low to high, never low itself, which must stay below."""
    # In halves: the sum of two large numbers would overflow.
    middle = low / 2 + high / 2
    return np.where(middle > low, middle, np.where(np.isinf(low), low, high))


def _check_table(truth: sparse.csc_array, table: Array) -> None:
    if table.shape != truth.shape:
        raise ValueError(
            f"scores must have the shape of Y, {truth.shape}, one score for each row and label; "
            f"got {table.shape}."
        )
    if not np.isfinite(table).all():
        raise ValueError("scores has NaN or infinity; a threshold needs every score.")
