"""Measures of scores: the areas under the ROC and the precision-recall curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.stats import rankdata

from rarelabels._parameter_docs import shared_parameters
from rarelabels.metrics._inputs import Truth, check_scores
from rarelabels.metrics._label_scores import Floats, LabelScores, macro, mask_single_class

Array = npt.NDArray[Any]

# Scores looked at in one go: enough for NumPy to pay off, little enough for any machine.
BLOCK_ENTRIES = 2_000_000


@shared_parameters
def label_auc_roc(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> LabelScores:
    """Return the area under the ROC curve of each label.

    It is the chance that a positive sample has a higher score than a negative one, ties counting
    half.

    Parameters
    ----------
    {y_true}
    {y_score}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    LabelScores
        The values, and which labels were left out for having a single class in `y_true`.

    Examples
    --------
    >>> from rarelabels.metrics import label_auc_roc
    >>> label_auc_roc([[1, 0], [0, 0], [0, 0]], [[0.6, 0.1], [0.2, 0.3], [0.6, 0.2]])
    LabelScores(mean=0.7500 over 1 labels, 1 left out)
    """
    truth, scores = check_scores(y_true, y_score, sample_weight, allow_missing_labels)
    return _areas(truth, scores, _auc_roc, _weighted_auc_roc)


@shared_parameters
def label_auc_pr(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> LabelScores:
    """Return the area under the precision-recall curve of each label (average precision).

    It is the mean, over the positive samples, of the precision among the samples that score at
    least as high: the curve's steps are summed without lines between its points, which would
    flatter the classifier.

    Parameters
    ----------
    {y_true}
    {y_score}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    LabelScores
        The values, and which labels were left out for having a single class in `y_true`.

    References
    ----------
    J. Davis, M. Goadrich. The Relationship Between Precision-Recall and ROC Curves. ICML 2006.

    Examples
    --------
    >>> from rarelabels.metrics import label_auc_pr
    >>> label_auc_pr([[1, 0], [0, 0], [1, 0]], [[0.6, 0.1], [0.5, 0.3], [0.4, 0.2]])
    LabelScores(mean=0.8333 over 1 labels, 1 left out)
    """
    truth, scores = check_scores(y_true, y_score, sample_weight, allow_missing_labels)
    return _areas(truth, scores, _average_precision, _weighted_average_precision)


@shared_parameters
def macro_auc_roc(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the mean over labels of the area under the ROC curve.

    Parameters
    ----------
    {y_true}
    {y_score}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        The mean over the labels that have both classes in `y_true`; the others are left out, and
        `label_auc_roc` counts them. NaN, with a warning, if no label has both.

    See Also
    --------
    label_auc_roc : The values behind the mean.

    Examples
    --------
    >>> from rarelabels.metrics import macro_auc_roc
    >>> macro_auc_roc([[1, 0], [0, 0], [0, 1]], [[0.6, 0.1], [0.2, 0.3], [0.6, 0.2]])
    0.625
    """
    scores = label_auc_roc(
        y_true, y_score, sample_weight=sample_weight, allow_missing_labels=allow_missing_labels
    )
    return macro(scores, "macro_auc_roc")


@shared_parameters
def macro_auc_pr(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the mean over labels of the area under the precision-recall curve.

    Parameters
    ----------
    {y_true}
    {y_score}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        The mean over the labels that have both classes in `y_true`; the others are left out, and
        `label_auc_pr` counts them. NaN, with a warning, if no label has both.

    See Also
    --------
    label_auc_pr : The values behind the mean.

    Examples
    --------
    >>> from rarelabels.metrics import macro_auc_pr
    >>> macro_auc_pr([[1, 0], [0, 0], [0, 1]], [[0.6, 0.1], [0.2, 0.3], [0.6, 0.2]])
    0.5
    """
    scores = label_auc_pr(
        y_true, y_score, sample_weight=sample_weight, allow_missing_labels=allow_missing_labels
    )
    return macro(scores, "macro_auc_pr")


def _areas(
    truth: Truth,
    scores: Array,
    area: Callable[[Array, Array], Floats],
    weighted_area: Callable[[Array, Array, Array], float],
) -> LabelScores:
    """Return the areas of all labels: by blocks, or one by one if entries count differently."""
    n_samples, n_labels = truth.labels.shape
    values = np.empty(n_labels)
    if truth.is_plain:
        columns = sparse.csc_array(truth.labels.positives)
        for labels in _blocks(n_samples, n_labels):
            values[labels] = area(columns[:, labels].toarray().astype(bool), scores[:, labels])
    else:
        for label in range(n_labels):
            counts, has_label, weights = truth.column(label)
            values[label] = weighted_area(has_label, scores[counts, label], weights)
    return mask_single_class(values, truth)


def _blocks(n_samples: int, n_labels: int) -> Iterator[slice]:
    width = max(1, BLOCK_ENTRIES // n_samples)
    return (slice(start, start + width) for start in range(0, n_labels, width))


def _auc_roc(Y: Array, scores: Array) -> Floats:
    """Return the area by ranks (Mann-Whitney): 0 where all positives score lowest."""
    n_positive = Y.sum(axis=0)
    n_pairs = n_positive * (Y.shape[0] - n_positive)
    wins = (rankdata(scores, axis=0) * Y).sum(axis=0) - n_positive * (n_positive + 1) / 2
    return wins / np.maximum(n_pairs, 1)


def _average_precision(Y: Array, scores: Array) -> Floats:
    order = np.argsort(scores, axis=0)[::-1]
    hits, sorted_scores = (np.take_along_axis(array, order, axis=0) for array in (Y, scores))
    last = last_of_ties(sorted_scores)
    precision = np.take_along_axis(np.cumsum(hits, axis=0), last, axis=0) / (last + 1)
    return (precision * hits).sum(axis=0) / np.maximum(hits.sum(axis=0), 1)


def last_of_ties(sorted_scores: Array) -> npt.NDArray[np.intp]:
    """Return, for each place in each column, the last place with the same score."""
    n_samples = sorted_scores.shape[0]
    places = np.broadcast_to(np.arange(n_samples)[:, None], sorted_scores.shape).copy()
    places[:-1][sorted_scores[1:] == sorted_scores[:-1]] = n_samples
    return np.minimum.accumulate(places[::-1], axis=0)[::-1]


def _weighted_auc_roc(has_label: Array, scores: Array, weights: Array) -> float:
    """Return the area where each pair of samples counts the product of its weights."""
    distinct, place = np.unique(scores, return_inverse=True)
    positive = np.bincount(place, weights * has_label, distinct.size)
    negative = np.bincount(place, weights * ~has_label, distinct.size)
    below = np.cumsum(negative) - negative
    pairs = positive.sum() * negative.sum()
    return float(positive @ (below + negative / 2) / pairs) if pairs > 0 else np.nan


def _weighted_average_precision(has_label: Array, scores: Array, weights: Array) -> float:
    """Return the mean precision at the positive samples, each with its weight."""
    distinct, place = np.unique(-scores, return_inverse=True)
    positive = np.bincount(place, weights * has_label, distinct.size)
    precision = np.cumsum(positive) / np.cumsum(np.bincount(place, weights, distinct.size))
    return float(positive @ precision / positive.sum()) if positive.sum() > 0 else np.nan
