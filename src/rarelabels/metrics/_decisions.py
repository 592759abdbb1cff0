"""Measures of predicted labels: macro F, G-mean and balanced accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rarelabels.metrics._inputs import check_predictions
from rarelabels.metrics._label_scores import Floats, LabelScores, macro, mask_single_class


@dataclass(frozen=True)
class Confusion:
    """How often each label was there and predicted, all of shape (n_labels,)."""

    true_positive: npt.NDArray[np.int64]
    n_predicted: npt.NDArray[np.int64]
    n_positive: npt.NDArray[np.int64]
    n_samples: int

    @property
    def recall(self) -> Floats:
        """The share of the positive samples that were predicted."""
        return self.true_positive / np.maximum(self.n_positive, 1)

    @property
    def specificity(self) -> Floats:
        """The share of the negative samples that were not predicted."""
        n_negative = self.n_samples - self.n_positive
        false_positive = self.n_predicted - self.true_positive
        return (n_negative - false_positive) / np.maximum(n_negative, 1)

    @property
    def f1(self) -> Floats:
        """Twice the true positives by the positive and the predicted samples; NaN for 0/0."""
        total = self.n_positive + self.n_predicted
        return np.where(total > 0, 2 * self.true_positive / np.maximum(total, 1), np.nan)

    def label_scores(self, values: Floats) -> LabelScores:
        """Leave out the labels with a single class."""
        return mask_single_class(values, self.n_positive, self.n_samples)


def confusion(y_true: Any, y_pred: Any) -> Confusion:
    """Count, label by label; sparse labels stay sparse."""
    Y, predicted = check_predictions(y_true, y_pred)
    return Confusion(
        true_positive=Y.multiply(predicted).sum(axis=0, dtype=np.int64),
        n_predicted=predicted.sum(axis=0, dtype=np.int64),
        n_positive=Y.sum(axis=0, dtype=np.int64),
        n_samples=Y.shape[0],
    )


def label_f1(y_true: Any, y_pred: Any) -> LabelScores:
    """F of each label: the harmonic mean of precision and recall.

    Parameters
    ----------
    y_true : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The predicted labels, 0 or 1.

    Returns
    -------
    LabelScores
        The values, and which labels were left out because they neither occur in `y_true` nor are
        predicted, where F is 0/0. A label that occurs and is never predicted has F = 0, and so has
        one that does not occur and is predicted.

    Examples
    --------
    >>> from rarelabels.metrics import label_f1
    >>> label_f1([[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]])
    LabelScores(mean=0.8333 over 2 labels, 1 left out)
    """
    return LabelScores(confusion(y_true, y_pred).f1)


def label_gmean(y_true: Any, y_pred: Any) -> LabelScores:
    """G-mean of each label: the geometric mean of recall and specificity.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true and the predicted labels, 0 or 1.

    Returns
    -------
    LabelScores
        The values, and which labels were left out for having a single class in `y_true`.

    Examples
    --------
    >>> from rarelabels.metrics import label_gmean
    >>> label_gmean([[1], [1], [0], [0]], [[1], [0], [0], [1]]).values
    array([0.5])
    """
    counts = confusion(y_true, y_pred)
    return counts.label_scores(np.sqrt(counts.recall * counts.specificity))


def label_balanced_accuracy(y_true: Any, y_pred: Any) -> LabelScores:
    """Balanced accuracy of each label: the mean of recall and specificity.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true and the predicted labels, 0 or 1.

    Returns
    -------
    LabelScores
        The values, and which labels were left out for having a single class in `y_true`.

    Examples
    --------
    >>> from rarelabels.metrics import label_balanced_accuracy
    >>> label_balanced_accuracy([[1], [1], [0], [0]], [[1], [0], [0], [0]]).values
    array([0.75])
    """
    counts = confusion(y_true, y_pred)
    return counts.label_scores((counts.recall + counts.specificity) / 2)


def macro_f1(y_true: Any, y_pred: Any) -> float:
    """Mean over labels of F.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true and the predicted labels, 0 or 1.

    Returns
    -------
    float
        The mean over the labels that occur in `y_true` or are predicted; the others are left out,
        and `label_f1` counts them. NaN, with a warning, if there are no such labels.

    See Also
    --------
    label_f1 : The values behind the mean.

    Notes
    -----
    scikit-learn's `f1_score(average="macro")` counts a label that neither occurs nor is predicted
    as `zero_division`, 0 or 1, whichever was chosen: with rare labels and small test folds this
    says more about the fold than about the predictions.

    Examples
    --------
    The third label neither occurs nor is predicted, so there is nothing to be right or wrong about:

    >>> from rarelabels.metrics import macro_f1
    >>> macro_f1([[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]])
    1.0
    """
    return macro(label_f1(y_true, y_pred), "macro_f1")


def macro_gmean(y_true: Any, y_pred: Any) -> float:
    """Mean over labels of the geometric mean of recall and specificity.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true and the predicted labels, 0 or 1.

    Returns
    -------
    float
        The mean over the labels that have both classes in `y_true`; the others are left out, and
        `label_gmean` counts them. NaN, with a warning, if no label has both.

    Examples
    --------
    >>> from rarelabels.metrics import macro_gmean
    >>> macro_gmean([[1, 0], [1, 1], [0, 1], [0, 1]], [[1, 0], [0, 1], [0, 1], [1, 1]])
    0.75
    """
    return macro(label_gmean(y_true, y_pred), "macro_gmean")


def macro_balanced_accuracy(y_true: Any, y_pred: Any) -> float:
    """Mean over labels of the mean of recall and specificity.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true and the predicted labels, 0 or 1.

    Returns
    -------
    float
        The mean over the labels that have both classes in `y_true`; the others are left out, and
        `label_balanced_accuracy` counts them. NaN, with a warning, if no label has both.

    Examples
    --------
    >>> from rarelabels.metrics import macro_balanced_accuracy
    >>> macro_balanced_accuracy([[1, 0], [1, 1], [0, 1], [0, 1]], [[1, 0], [0, 1], [0, 1], [0, 1]])
    0.875
    """
    return macro(label_balanced_accuracy(y_true, y_pred), "macro_balanced_accuracy")
