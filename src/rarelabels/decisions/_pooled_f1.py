"""Pooled F curves: labels of similar frequency choose together how often they are predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from rarelabels._containers import Array
from rarelabels.decisions._chance import SIGNIFICANCE, at_frequency, is_rare
from rarelabels.decisions.cuts import Cuts, cuts_of_blocks

# How often a label is predicted, as multiples of how often it occurs.
RATIOS = np.geomspace(0.2, 12, 50)
# The pooled curve counts as this many positives of the label.
STRENGTH = 30.0
# Labels are similar if their numbers of positives differ by less than about this, in logarithms.
WIDTH = 0.5
# The expected curve, which counts as one label of the same frequency: a label that is predicted r
# times as often as it occurs has a recall of r / (1 + r).
PRIOR_CURVE = 2 * RATIOS / (1 + RATIOS) ** 2
# Labels whose sums over all others are computed together.
LABELS_AT_ONCE = 256


@dataclass(frozen=True)
class Curves:
    """F of each label over how often it is predicted; arrays of shape (n_labels, n_ratios).

    Attributes
    ----------
    f1 : ndarray
        The F-measure.
    excess, variance : ndarray
        How far it is above that of random scores, and the variance of that under chance.
    """

    f1: Array
    excess: Array
    variance: Array


def pooled_f1_thresholds(Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
    """Return the cuts with the highest F, curves averaged with labels of similar frequency."""
    blocks = cuts_of_blocks(Y, scores, weights, known)
    parts = [_block(cuts) for cuts in blocks]
    names = ("n_positive", "use", "rare", "cuts", "frequency", "f1", "excess", "variance")
    n_positive, use, rare, cuts, frequency, *curves = (
        np.concatenate([part[name] for part in parts]) for name in names
    )
    thresholds = frequency.copy()
    if use.any():
        step, informed = choose_steps(Curves(*(curve[use] for curve in curves)), n_positive[use])
        chosen = cuts[use][np.arange(step.size), step]
        thresholds[use] = np.where(informed | ~rare[use], chosen, frequency[use])
    return thresholds


def choose_steps(curves: Curves, n_positive: Array) -> tuple[Array, Array]:
    """Return the best ratio of each label, and whether its curve is better than chance there."""
    n_labels = n_positive.size
    steps, informed = np.empty(n_labels, dtype=np.intp), np.empty(n_labels, dtype=bool)
    logs, critical = np.log(n_positive), norm.isf(SIGNIFICANCE)
    for start in range(0, n_labels, LABELS_AT_ONCE):
        part = slice(start, start + LABELS_AT_ONCE)
        alike = np.exp(-0.5 * ((logs[part, None] - logs) / WIDTH) ** 2)
        share = _shares(alike, n_positive[part], start)
        missing = 1 - share.sum(axis=1, keepdims=True)
        steps[part] = (share @ curves.f1 + missing * PRIOR_CURVE).argmax(axis=1)
        at = np.arange(len(share)), steps[part]
        excess, variance = (share @ curves.excess)[at], (share**2 @ curves.variance)[at]
        informed[part] = excess > critical * np.sqrt(variance)
    return steps, informed


def _shares(alike: Array, n_positive: Array, start: int) -> Array:
    """Return the weight of each curve for a block of labels; the prior has the remaining weight."""
    own_share = n_positive / (n_positive + STRENGTH)
    share = (1 - own_share)[:, None] * alike / (alike.sum(axis=1, keepdims=True) + 1)
    rows = np.arange(len(alike))
    share[rows, start + rows] += own_share
    return share


def _block(cuts: Cuts) -> dict[str, Array]:
    """Return the curves of a block of labels, and the thresholds that they choose from."""
    places = np.zeros((len(cuts.scores), RATIOS.size), dtype=np.intp)
    use = cuts.has_positives & cuts.has_negatives
    for label in np.flatnonzero(use):
        wanted = RATIOS * cuts.n_positive[label]
        # Where even the highest score is shared by too many samples, nothing is predicted.
        fewest = cuts.predicted[label, cuts.is_cut[label].argmax()]
        places[label] = cuts.nearest(int(label), wanted, or_none=bool(fewest > wanted[-1]))
    at_own = at_frequency(cuts, np.zeros(use.size, dtype=np.intp), use)
    hits, predicted = cuts.counts_at(places)
    n_positive = cuts.n_positive[:, None].astype(float)
    share = predicted / np.where(use, cuts.n_samples, 1)[:, None]
    scale = 2 / np.where(use[:, None], predicted + n_positive, 1)
    return {
        "n_positive": cuts.n_positive.astype(float),
        "use": use,
        "rare": is_rare(cuts),
        "cuts": cuts.thresholds(places),
        "frequency": cuts.thresholds(at_own),
        "f1": scale * hits,
        "excess": scale * (hits - n_positive * share),
        "variance": scale**2 * n_positive * share * (1 - share),
    }
