"""The threshold of each label that is best on given scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._validation import check_labels
from rarelabels.metrics.confusion import Confusion

ENTRIES_AT_ONCE = 2**22
# What a threshold can maximise: values of `Confusion`.
CRITERIA = ("f1", "gmean", "balanced_accuracy")


def best_f_thresholds(y: Any, y_score: Any) -> Array:
    """Find the threshold of each label that maximises its F-measure, exactly.

    Every cut between two different scores is tried. A label is predicted where its score is at
    least the threshold.

    Parameters
    ----------
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    y_score : array-like of shape (n_samples, n_labels)
        How likely each label is; any finite numbers.

    Returns
    -------
    ndarray of shape (n_labels,)
        Half way between the lowest score that is predicted and the highest that is not. Where
        cuts are equally good, the highest, which predicts the label least often; minus infinity
        where all samples should get the label, infinity for a label without positives, whose F is 0
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
    return best_thresholds(y, y_score, "f1")


def best_thresholds(
    y: Any, y_score: Any, criterion: str, sample_weight: Array | None = None
) -> Array:
    """Find the threshold of each label that maximises a criterion of `CRITERIA`.

    A sample of weight 2 counts as two samples do, and one of weight 0 as none.
    """
    check_criterion(criterion)
    truth, table = check_labels(y).matrix.tocsc(), np.asarray(y_score, dtype=float)
    _check_table(truth, table)
    if sample_weight is not None:
        kept = _positive_weights(sample_weight)
        truth, table, sample_weight = truth[kept], table[kept], sample_weight[kept]
    step = max(1, ENTRIES_AT_ONCE // table.shape[0])
    parts = [slice(start, start + step) for start in range(0, table.shape[1], step)]
    found = [
        _best_cuts(truth[:, part].toarray() == 1, table[:, part], criterion, sample_weight)
        for part in parts
    ]
    return np.concatenate(found)


def check_criterion(criterion: Any) -> str:
    """Check the name of a criterion."""
    if criterion not in CRITERIA:
        known = ", ".join(map(repr, CRITERIA))
        raise ValueError(f"the criterion of a threshold must be one of {known}, got {criterion!r}.")
    return str(criterion)


def _best_cuts(truth: Array, scores: Array, criterion: str, weights: Array | None) -> Array:
    """Find the best cut of each column, the scores sorted once from high to low."""
    labels = np.arange(truth.shape[1])
    order = np.argsort(-scores, axis=0)
    sorted_scores = np.take_along_axis(scores, order, axis=0)
    below = np.vstack([sorted_scores[1:], np.full((1, labels.size), -np.inf)])
    confusion = _confusion_above(np.take_along_axis(truth, order, axis=0), order, weights)
    value = getattr(confusion, criterion)
    # Equal scores stay on one side of the cut.
    best = np.where(sorted_scores > below, value, -1.0).argmax(axis=0)
    found = _between(sorted_scores[best, labels], below[best, labels])
    found[truth.all(axis=0)] = -np.inf
    found[~truth.any(axis=0)] = np.inf
    return found


def _confusion_above(is_positive: Array, order: Array, weights: Array | None) -> Confusion:
    """Count, with each sample in order, those up to it, and the positive ones of them."""
    if weights is None:
        n_samples, hits = is_positive.shape[0], np.cumsum(is_positive, axis=0)
        return Confusion(hits, np.arange(1, n_samples + 1)[:, None], hits[-1], n_samples)
    # Shares do not depend on the scale of weights, and `Confusion` takes no count below 1.
    sorted_weights = (weights / min(1.0, weights.min()))[order]
    hits = np.cumsum(is_positive * sorted_weights, axis=0)
    n_predicted = np.cumsum(sorted_weights, axis=0)
    return Confusion(hits, n_predicted, hits[-1], float(n_predicted[-1, 0]))


def _positive_weights(weights: Array) -> Array:
    """Return where samples have a weight that counts."""
    kept = weights > 0
    if not kept.any():
        raise ValueError("sample_weight has no positive weight; a threshold needs some sample.")
    return kept


def _between(high: Array, low: Array) -> Array:
    """Return the middle of low and high, never low itself, which must stay below."""
    # In halves: the sum of two large numbers would overflow.
    middle = low / 2 + high / 2
    return np.where(middle > low, middle, np.where(np.isinf(low), low, high))


def _check_table(truth: sparse.csc_array, table: Array) -> None:
    if table.shape != truth.shape:
        raise ValueError(
            f"y_score must have the shape of y, {truth.shape}, one score for each sample and "
            f"label; got {table.shape}."
        )
    if not np.isfinite(table).all():
        raise ValueError("y_score has NaN or infinity; a threshold needs every score.")
