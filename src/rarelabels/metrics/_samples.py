"""Averages over samples of precision, recall and F1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rarelabels._parameter_docs import shared_parameters
from rarelabels.metrics._inputs import check_counted_predictions
from rarelabels.metrics.sample_means import Floats, SampleBlock, mean_over_samples, ratio

EMPTY = "no sample has a label or is predicted one"


@shared_parameters
def samples_precision(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the mean over samples of precision: the share of predicted labels that are right.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. A sample without labels for which none is predicted is left out; otherwise 0/0
        counts 0. NaN, with a warning, if all samples are left out.

    Notes
    -----
    scikit-learn counts a sample without labels for which none is predicted as `zero_division`.

    Examples
    --------
    >>> from rarelabels.metrics import samples_precision
    >>> samples_precision([[1, 0], [1, 0], [0, 0]], [[1, 1], [1, 0], [0, 0]])
    0.75
    """
    options = {"sample_weight": sample_weight, "allow_missing_labels": allow_missing_labels}
    return _mean_of(sample_precision, "samples_precision", y_true, y_pred, options)


@shared_parameters
def samples_recall(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the mean over samples of recall: the share of labels that are predicted.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. A sample without labels for which none is predicted is left out; otherwise 0/0
        counts 0. NaN, with a warning, if all samples are left out.

    Notes
    -----
    scikit-learn counts a sample without labels for which none is predicted as `zero_division`.

    Examples
    --------
    >>> from rarelabels.metrics import samples_recall
    >>> samples_recall([[1, 0], [1, 0], [0, 0]], [[1, 1], [1, 0], [0, 0]])
    1.0
    """
    options = {"sample_weight": sample_weight, "allow_missing_labels": allow_missing_labels}
    return _mean_of(sample_recall, "samples_recall", y_true, y_pred, options)


@shared_parameters
def samples_f1(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the mean over samples of F1: the harmonic mean of precision and recall.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. A sample without labels for which none is predicted is left out; otherwise 0/0
        counts 0. NaN, with a warning, if all samples are left out.

    Notes
    -----
    scikit-learn counts a sample without labels for which none is predicted as `zero_division`.

    Examples
    --------
    >>> from rarelabels.metrics import samples_f1
    >>> samples_f1([[1, 0], [1, 0], [0, 0]], [[1, 1], [1, 0], [0, 0]])
    0.8333333333333333
    """
    options = {"sample_weight": sample_weight, "allow_missing_labels": allow_missing_labels}
    return _mean_of(sample_f1, "samples_f1", y_true, y_pred, options)


def _mean_of(
    score: Callable[[SampleBlock], Floats],
    name: str,
    y_true: Any,
    y_pred: Any,
    options: dict[str, Any],
) -> float:
    """Return the mean over samples of a score."""
    truth, predicted = check_counted_predictions(y_true, y_pred, **options)
    return mean_over_samples(truth, predicted, score, name, EMPTY)


def sample_precision(block: SampleBlock) -> Floats:
    """Return the share of the labels predicted for each sample that are right."""
    hits, n_predicted, n_positive = counts(block)
    return ratio(hits, n_predicted, n_predicted + n_positive > 0)


def sample_recall(block: SampleBlock) -> Floats:
    """Return the share of the labels of each sample that are predicted."""
    hits, n_predicted, n_positive = counts(block)
    return ratio(hits, n_positive, n_predicted + n_positive > 0)


def sample_f1(block: SampleBlock) -> Floats:
    """Return the F1 score of each sample."""
    hits, n_predicted, n_positive = counts(block)
    return ratio(2 * hits, n_predicted + n_positive, n_predicted + n_positive > 0)


def counts(block: SampleBlock) -> tuple[Floats, Floats, Floats]:
    """Return the weights of right labels, of predicted labels and of labels of each sample."""
    is_predicted = block.predicted == 1
    hits = block.total(is_predicted & block.has_label)
    return hits, block.total(is_predicted), block.total(block.has_label)
