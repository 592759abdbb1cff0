"""The coverage: how far down the ranking the labels of a sample go."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._parameter_docs import shared_parameters
from rarelabels.metrics._inputs import check_sample_scores
from rarelabels.metrics.sample_means import Floats, SampleBlock, mean_over_samples


@shared_parameters
def coverage(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return how many of the best-ranked labels it takes to cover all labels of a sample.

    Parameters
    ----------
    {y_true}
    {y_score, or sparse}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        The mean over samples, at least their mean number of labels; lower is better. Samples
        without labels are left out. NaN, with a warning, if all are.

    Notes
    -----
    This is scikit-learn's `coverage_error`, which counts samples without labels as 0. The paper and
    Mulan subtract 1. Of equal scores all count. Labels that are not known are not ranked.

    References
    ----------
    R. E. Schapire, Y. Singer. BoosTexter: A Boosting-based System for Text Categorization. Machine
    Learning 39, 2000, 135-168.

    Examples
    --------
    >>> from rarelabels.metrics import coverage
    >>> coverage([[1, 0, 0], [0, 1, 1]], [[0.8, 0.9, 0.1], [0.2, 0.6, 0.3]])
    2.0
    """
    truth, scores = check_sample_scores(y_true, y_score, sample_weight, allow_missing_labels)
    return mean_over_samples(truth, scores, labels_needed, "coverage", "no sample has a label")


def labels_needed(block: SampleBlock) -> Floats:
    """Return how many labels score at least as high as the last label of each sample."""
    is_own = block.has_label & block.counts
    lowest = np.where(is_own, block.predicted, np.inf).min(axis=1)
    needed = block.total(block.predicted >= lowest[:, None])
    return np.where(is_own.any(axis=1), needed, np.nan)
