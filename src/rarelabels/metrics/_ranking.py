"""Measures of scores: the areas under the ROC and the precision-recall curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.stats import rankdata

from rarelabels.metrics._inputs import check_scores
from rarelabels.metrics._label_scores import Floats, LabelScores, macro, mask_single_class

Array = npt.NDArray[Any]

# Scores looked at in one go: enough for NumPy to pay off, little enough for any machine.
BLOCK_ENTRIES = 2_000_000


def label_auc_roc(y_true: Any, y_score: Any) -> LabelScores:
    """Return the area under the ROC curve of each label.

    It is the chance that a positive sample has a higher score than a negative one, ties counting
    half.

    Parameters
    ----------
    y_true : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    y_score : array-like or dataframe of shape (n_samples, n_labels)
        Scores, probabilities or votes: higher means more likely.

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
    return _by_blocks(y_true, y_score, _auc_roc)


def label_auc_pr(y_true: Any, y_score: Any) -> LabelScores:
    """Return the area under the precision-recall curve of each label (average precision).

    It is the mean, over the positive samples, of the precision among the samples that score at
    least as high: the curve's steps are summed without lines between its points, which would
    flatter the classifier.

    Parameters
    ----------
    y_true : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    y_score : array-like or dataframe of shape (n_samples, n_labels)
        Scores, probabilities or votes: higher means more likely.

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
    return _by_blocks(y_true, y_score, _average_precision)


def macro_auc_roc(y_true: Any, y_score: Any) -> float:
    """Return the mean over labels of the area under the ROC curve.

    Parameters
    ----------
    y_true : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    y_score : array-like or dataframe of shape (n_samples, n_labels)
        Scores, probabilities or votes: higher means more likely.

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
    return macro(label_auc_roc(y_true, y_score), "macro_auc_roc")


def macro_auc_pr(y_true: Any, y_score: Any) -> float:
    """Return the mean over labels of the area under the precision-recall curve.

    Parameters
    ----------
    y_true : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    y_score : array-like or dataframe of shape (n_samples, n_labels)
        Scores, probabilities or votes: higher means more likely.

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
    return macro(label_auc_pr(y_true, y_score), "macro_auc_pr")


def _by_blocks(y_true: Any, y_score: Any, area: Callable[[Array, Array], Floats]) -> LabelScores:
    Y, scores = check_scores(y_true, y_score)
    n_positive = np.asarray(Y.sum(axis=0, dtype=np.int64))
    columns = sparse.csc_array(Y)
    values = np.empty(Y.shape[1])
    for labels in _blocks(*Y.shape):
        values[labels] = area(columns[:, labels].toarray().astype(bool), scores[:, labels])
    return mask_single_class(values, n_positive, Y.shape[0])


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
    last = _last_of_ties(sorted_scores)
    precision = np.take_along_axis(np.cumsum(hits, axis=0), last, axis=0) / (last + 1)
    return (precision * hits).sum(axis=0) / np.maximum(hits.sum(axis=0), 1)


def _last_of_ties(sorted_scores: Array) -> npt.NDArray[np.intp]:
    """Return, for each place in each column, the last place with the same score."""
    n_samples = sorted_scores.shape[0]
    places = np.broadcast_to(np.arange(n_samples)[:, None], sorted_scores.shape).copy()
    places[:-1][sorted_scores[1:] == sorted_scores[:-1]] = n_samples
    return np.minimum.accumulate(places[::-1], axis=0)[::-1]
