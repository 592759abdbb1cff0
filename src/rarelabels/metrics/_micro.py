"""Micro averages: precision, recall and F1 over the entries of all labels together."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels.metrics._decisions import count_confusion
from rarelabels.metrics._inputs import Truth, check_counted_predictions
from rarelabels.metrics.sample_means import undefined


def micro_precision(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the micro precision over all labels: the share of predicted labels that are right.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true and the predicted labels, 0 or 1.
    sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Weights of the samples, or of each sample and label.
    allow_missing_labels : bool, default=False
        Whether `y_true` may hold NaN for labels that are not known. Such entries do not count.

    Returns
    -------
    float
        From 0 to 1; 0 for 0/0. NaN, with a warning, if no label occurs in `y_true` or is predicted.

    Notes
    -----
    Entries of all labels are counted together, so frequent labels decide.

    Examples
    --------
    >>> from rarelabels.metrics import micro_precision
    >>> micro_precision([[1, 0], [1, 0]], [[1, 1], [1, 1]])
    0.5
    """
    truth, predicted = check_counted_predictions(
        y_true, y_pred, sample_weight, allow_missing_labels
    )
    return micro_average(truth, predicted, "precision")


def micro_recall(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the micro recall over all labels: the share of labels that are predicted.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true and the predicted labels, 0 or 1.
    sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Weights of the samples, or of each sample and label.
    allow_missing_labels : bool, default=False
        Whether `y_true` may hold NaN for labels that are not known. Such entries do not count.

    Returns
    -------
    float
        From 0 to 1; 0 for 0/0. NaN, with a warning, if no label occurs in `y_true` or is predicted.

    Notes
    -----
    Entries of all labels are counted together, so frequent labels decide.

    Examples
    --------
    >>> from rarelabels.metrics import micro_recall
    >>> micro_recall([[1, 0], [1, 0]], [[1, 1], [1, 1]])
    1.0
    """
    truth, predicted = check_counted_predictions(
        y_true, y_pred, sample_weight, allow_missing_labels
    )
    return micro_average(truth, predicted, "recall")


def micro_f1(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the micro F1 over all labels: the harmonic mean of precision and recall.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true and the predicted labels, 0 or 1.
    sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Weights of the samples, or of each sample and label.
    allow_missing_labels : bool, default=False
        Whether `y_true` may hold NaN for labels that are not known. Such entries do not count.

    Returns
    -------
    float
        From 0 to 1; 0 for 0/0. NaN, with a warning, if no label occurs in `y_true` or is predicted.

    Notes
    -----
    Entries of all labels are counted together, so frequent labels decide; `macro_f1` counts each
    label the same.

    Examples
    --------
    >>> from rarelabels.metrics import micro_f1
    >>> micro_f1([[1, 0], [1, 0]], [[1, 1], [1, 1]])
    0.6666666666666666
    """
    truth, predicted = check_counted_predictions(
        y_true, y_pred, sample_weight, allow_missing_labels
    )
    return micro_average(truth, predicted, "f1")


def micro_average(truth: Truth, predicted: sparse.csr_array, of: str) -> float:
    """Return "precision", "recall" or "f1" of the counts over all labels."""
    counted = count_confusion(truth, predicted)
    hits, n_predicted, n_positive = (
        float(np.sum(part))
        for part in (counted.true_positive, counted.n_predicted, counted.n_positive)
    )
    if n_predicted + n_positive == 0:
        return undefined(f"micro_{of}", "no label occurs or is predicted")
    part = {"precision": n_predicted, "recall": n_positive, "f1": (n_predicted + n_positive) / 2}
    return hits / part[of] if part[of] > 0 else 0.0
