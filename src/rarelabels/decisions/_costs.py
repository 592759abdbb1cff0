"""Costs: the cut with the lowest total cost of false negatives and false positives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.decisions._chance import SIGNIFICANCE_OF_BEST, chance_of, is_rare
from rarelabels.decisions._rule_base import DecisionRule, one_per_label
from rarelabels.decisions.cuts import NOTHING, Cuts, cuts_of_blocks


@dataclass(frozen=True)
class Costs(DecisionRule):
    """Choose the thresholds with the lowest total cost of errors.

    Parameters
    ----------
    false_negative : float or sequence of floats
        What a false negative costs, in units of a false positive; one number for all labels, or one
        for each.

    See Also
    --------
    choose_thresholds : Applies a rule to labels and scores.

    Notes
    -----
    Predicting a label for no sample or for all samples is also considered. If the scores of a rare
    label rank its positives only as chance would, it is predicted for no sample, or for all samples
    if that costs less.

    Examples
    --------
    If a missed positive costs as much as three false alarms, two false alarms are accepted for the
    second positive:

    >>> from rarelabels.decisions import Costs, choose_thresholds
    >>> Y, scores = [[1], [0], [0], [1], [0]], [[0.9], [0.8], [0.6], [0.4], [0.2]]
    >>> choose_thresholds(Y, scores, Costs(3)).round(2)
    array([0.3])
    >>> choose_thresholds(Y, scores, Costs(1)).round(2)
    array([0.85])
    """

    false_negative: Any

    def __post_init__(self) -> None:
        costs = np.asarray(self.false_negative, dtype=float)
        if not (np.isfinite(costs) & (costs > 0)).all():
            raise ValueError(
                "false_negative must be positive: what a false negative costs in units of a false "
                f"positive; got {self.false_negative!r}."
            )

    def thresholds(self, Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
        """Return the threshold of each label with the lowest cost, the highest in case of ties."""
        costs = one_per_label("false_negative", self.false_negative, scores.shape[1])
        thresholds, start = [], 0
        for cuts in cuts_of_blocks(Y, scores, weights, known):
            part = costs[start : start + len(cuts.scores)]
            thresholds.append(cuts.thresholds(_cheapest(cuts, part)))
            start += part.size
        return np.concatenate(thresholds)


def _cheapest(cuts: Cuts, costs: Array) -> Array:
    """Return the places with the lowest costs."""
    missed = cuts.n_positive[:, None] - cuts.hits
    cost = np.where(cuts.is_cut, cuts.predicted - cuts.hits + costs[:, None] * missed, np.inf)
    rows, places = np.arange(costs.size), cost.argmin(axis=1)
    nothing = costs * cuts.n_positive
    places = np.where(nothing <= cost[rows, places], NOTHING, places)
    hits, predicted = cuts.counts_at(places)
    p_value = chance_of(hits, cuts.n_positive, predicted, cuts.n_samples)
    everything = cuts.is_cut.shape[1] - 1 - cuts.is_cut[:, ::-1].argmax(axis=1)
    by_share = np.where(nothing <= cuts.n_samples - cuts.n_positive, NOTHING, everything)
    return np.where(is_rare(cuts) & (p_value > SIGNIFICANCE_OF_BEST), by_share, places)
