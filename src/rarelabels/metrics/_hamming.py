"""The Hamming loss: the share of entries that are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._parameter_docs import shared_parameters
from rarelabels.metrics._inputs import check_counted_predictions
from rarelabels.metrics.sample_means import undefined


@shared_parameters
def hamming_loss(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the Hamming loss: the share of all entries that are predicted wrong. Lower is better.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. NaN, with a warning, if no entry is known.

    Notes
    -----
    A classifier that predicts nothing has the share of positives as its loss, which is small for
    rare labels.

    Examples
    --------
    >>> from rarelabels.metrics import hamming_loss
    >>> hamming_loss([[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]]) * 6
    1.0
    """
    truth, predicted = check_counted_predictions(
        y_true, y_pred, sample_weight, allow_missing_labels
    )
    wrong = abs(truth.labels.positives - predicted)
    total = (truth.totals + np.zeros(truth.labels.shape[1])).sum()
    if not total > 0:
        return undefined("hamming_loss", "no entry of the true labels counts")
    return float(truth.sums(wrong).sum() / total)
