"""Metrics of the best-ranked labels: one-error and precision at k."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_count
from rarelabels.metrics._inputs import check_sample_scores
from rarelabels.metrics.sample_means import Floats, SampleBlock, mean_over_samples, ratio

UNKNOWN = "no sample has a known label"


@shared_parameters
def one_error(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the share of samples that do not have their best-ranked label. Lower is better.

    Parameters
    ----------
    {y_true}
    {y_score, or sparse}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1: one minus the precision at 1. Samples without known labels are left out. NaN,
        with a warning, if all samples are left out.

    Notes
    -----
    Labels that tie for the first place count equally: the order of the labels does not matter.

    References
    ----------
    R. E. Schapire, Y. Singer. BoosTexter: A Boosting-based System for Text Categorization. Machine
    Learning 39, 2000, 135-168.

    Examples
    --------
    >>> from rarelabels.metrics import one_error
    >>> one_error([[1, 0, 0], [0, 1, 0]], [[0.8, 0.9, 0.1], [0.2, 0.6, 0.3]])
    0.5
    """
    truth, scores = check_sample_scores(y_true, y_score, sample_weight, allow_missing_labels)
    best = partial(precision_in_top, k=1)
    return 1 - mean_over_samples(truth, scores, best, "one_error", UNKNOWN)


@shared_parameters
def precision_at_k(
    y_true: Any,
    y_score: Any,
    k: int = 5,
    *,
    sample_weight: Any = None,
    allow_missing_labels: bool = False,
) -> float:
    """Return the mean share of the k best-ranked labels of a sample that it has.

    Parameters
    ----------
    {y_true}
    {y_score, or sparse}
    k : int, default=5
        How many labels are looked at.
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. Samples without labels count 0. NaN, with a warning, if no sample has known
        labels.

    Notes
    -----
    Labels that tie at the last place share what is left of the places. A sample of which fewer than
    k labels are known is ranked by these.

    Examples
    --------
    >>> from rarelabels.metrics import precision_at_k
    >>> precision_at_k([[1, 0, 0], [0, 1, 1]], [[0.8, 0.9, 0.1], [0.2, 0.6, 0.3]], k=2)
    0.75
    """
    truth, scores = check_sample_scores(y_true, y_score, sample_weight, allow_missing_labels)
    n_labels = truth.labels.shape[1]
    if check_count("k", k, 1) > n_labels:
        raise ValueError(
            f"k must be at most the number of labels, {n_labels}, got {k}; take a smaller k."
        )
    best = partial(precision_in_top, k=k)
    return mean_over_samples(truth, scores, best, f"precision_at_{k}", UNKNOWN)


@shared_parameters
def precision_at_1(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the precision at 1: :func:`precision_at_k` with ``k=1``.

    Parameters
    ----------
    {y_true}
    {y_score, or sparse}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. NaN if there are fewer than 1 labels.

    Examples
    --------
    >>> from rarelabels.metrics import precision_at_1
    >>> precision_at_1([[1, 0], [0, 1]], [[0.7, 0.2], [0.6, 0.1]])
    0.5
    """
    options = {"sample_weight": sample_weight, "allow_missing_labels": allow_missing_labels}
    return _precision_or_nan(y_true, y_score, 1, options)


@shared_parameters
def precision_at_3(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the precision at 3: :func:`precision_at_k` with ``k=3``.

    Parameters
    ----------
    {y_true}
    {y_score, or sparse}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. NaN if there are fewer than 3 labels.

    Examples
    --------
    >>> from rarelabels.metrics import precision_at_3
    >>> precision_at_3([[1, 0, 1], [0, 1, 1]], [[0.7, 0.2, 0.1], [0.6, 0.1, 0.3]]) * 3
    2.0
    """
    options = {"sample_weight": sample_weight, "allow_missing_labels": allow_missing_labels}
    return _precision_or_nan(y_true, y_score, 3, options)


@shared_parameters
def precision_at_5(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the precision at 5: :func:`precision_at_k` with ``k=5``.

    Parameters
    ----------
    {y_true}
    {y_score, or sparse}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. NaN if there are fewer than 5 labels.

    Examples
    --------
    >>> from rarelabels.metrics import precision_at_5
    >>> precision_at_5([[1, 0], [0, 1]], [[0.7, 0.2], [0.6, 0.1]])
    nan
    """
    options = {"sample_weight": sample_weight, "allow_missing_labels": allow_missing_labels}
    return _precision_or_nan(y_true, y_score, 5, options)


def _precision_or_nan(y_true: Any, y_score: Any, k: int, options: dict[str, Any]) -> float:
    """Return the precision at k, NaN for fewer labels."""
    if np.shape(y_score)[1:] and np.shape(y_score)[1] < k:
        return float("nan")
    return precision_at_k(y_true, y_score, k, **options)


def precision_in_top(block: SampleBlock, k: int) -> Floats:
    """Return the share of the k best-ranked labels that each sample has.

    Labels that tie at the last place share what is left of the places.
    """
    n_counted = block.counts.sum(axis=1)
    places = np.minimum(k, n_counted)
    scores = np.where(block.counts, block.predicted, -np.inf)
    ranked = -np.sort(-scores, axis=1)
    last = np.take_along_axis(ranked, np.maximum(places - 1, 0)[:, None], axis=1)
    above, tied = scores > last, (scores == last) & block.counts
    left = (places - above.sum(axis=1)) / np.maximum(tied.sum(axis=1), 1)
    hits = block.total(above & block.has_label) + left * block.total(tied & block.has_label)
    return ratio(hits, block.total(above) + left * block.total(tied), n_counted > 0)
