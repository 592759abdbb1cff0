"""The ranking loss: how often a label of a sample ranks below one that it lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._parameter_docs import shared_parameters
from rarelabels.metrics._inputs import check_sample_scores
from rarelabels.metrics._ranking import last_of_ties
from rarelabels.metrics.sample_means import Floats, SampleBlock, mean_over_samples, ratio


@shared_parameters
def ranking_loss(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the mean share of pairs of labels that are ranked wrong. Lower is better.

    Parameters
    ----------
    {y_true}
    {y_score, or sparse}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        From 0 to 1. A pair is a label that a sample has and one that it lacks; it is wrong unless
        the first has the higher score. Samples without such a pair are left out. NaN, with a
        warning, if all are.

    Notes
    -----
    Equal scores count as wrong, as in the paper and in scikit-learn's `label_ranking_loss`, which
    counts samples without a pair as 0. The weight of a pair is the product of those of its entries.

    References
    ----------
    R. E. Schapire, Y. Singer. BoosTexter: A Boosting-based System for Text Categorization. Machine
    Learning 39, 2000, 135-168.

    Examples
    --------
    >>> from rarelabels.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0], [0, 1, 0]], [[0.8, 0.9, 0.1], [0.2, 0.6, 0.3]])
    0.25
    """
    truth, scores = check_sample_scores(y_true, y_score, sample_weight, allow_missing_labels)
    why = "no sample has a label and lacks another"
    return mean_over_samples(truth, scores, wrong_pairs, "ranking_loss", why)


def wrong_pairs(block: SampleBlock) -> Floats:
    """Return the share of pairs of labels of each sample that are ranked the wrong way round."""
    order = np.argsort(-block.predicted, axis=1, kind="stable")
    scores, weights, has_label = (
        np.take_along_axis(table, order, axis=1)
        for table in (block.predicted, block.weights, block.has_label)
    )
    positive, negative = np.where(has_label, weights, 0.0), np.where(has_label, 0.0, weights)
    # The weight of labels that a sample lacks and that score at least as high.
    above = np.take_along_axis(np.cumsum(negative, axis=1), last_of_ties(scores.T).T, axis=1)
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    return ratio((positive * above).sum(axis=1), pairs, pairs > 0)
