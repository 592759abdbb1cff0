"""The subset accuracy: the share of samples that are predicted right as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._parameter_docs import shared_parameters
from rarelabels.metrics._inputs import check_counted_predictions
from rarelabels.metrics.sample_means import SampleBlock, mean_over_samples


@shared_parameters
def subset_accuracy(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the share of samples all of whose labels are predicted right.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. Samples without known labels are left out. NaN, with a warning, if there are no
        others.

    Examples
    --------
    >>> from rarelabels.metrics import subset_accuracy
    >>> subset_accuracy([[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]])
    0.5
    """
    truth, predicted = check_counted_predictions(
        y_true, y_pred, sample_weight, allow_missing_labels
    )
    why = "no sample has a known label"
    return mean_over_samples(truth, predicted, is_exact_match, "subset_accuracy", why)


def is_exact_match(block: SampleBlock) -> Array:
    """Return 1 for samples without an error, 0 for others, NaN without an entry that counts."""
    is_wrong = (block.has_label != (block.predicted == 1)) & block.counts
    return np.where(block.counts.any(axis=1), ~is_wrong.any(axis=1), np.nan)
