"""Micro averages: precision, recall and F1 over the entries of all labels together."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._parameter_docs import shared_parameters
from rarelabels.metrics._decisions import check_confusion
from rarelabels.metrics.confusion import Confusion
from rarelabels.metrics.sample_means import undefined


@shared_parameters
def micro_precision(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the micro precision over all labels: the share of predicted labels that are right.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

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
    _, counts = check_confusion(y_true, y_pred, sample_weight, allow_missing_labels)
    return micro_average(counts, "precision")


@shared_parameters
def micro_recall(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the micro recall over all labels: the share of labels that are predicted.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

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
    _, counts = check_confusion(y_true, y_pred, sample_weight, allow_missing_labels)
    return micro_average(counts, "recall")


@shared_parameters
def micro_f1(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the micro F1 over all labels: the harmonic mean of precision and recall.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

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
    _, counts = check_confusion(y_true, y_pred, sample_weight, allow_missing_labels)
    return micro_average(counts, "f1")


def micro_average(counts: Confusion, of: str) -> float:
    """Return "precision", "recall" or "f1" of the counts over all labels."""
    hits, n_predicted, n_positive = (
        float(np.sum(part))
        for part in (counts.true_positive, counts.n_predicted, counts.n_positive)
    )
    if n_predicted + n_positive == 0:
        return undefined(f"micro_{of}", "no label occurs or is predicted")
    part = {"precision": n_predicted, "recall": n_positive, "f1": (n_predicted + n_positive) / 2}
    return hits / part[of] if part[of] > 0 else 0.0
