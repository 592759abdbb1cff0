"""Expected F: the best cut by calibrated probabilities instead of the labels themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit

from rarelabels._containers import Array
from rarelabels.decisions._chance import repaired
from rarelabels.decisions.cuts import Cuts, cuts_of_blocks

MOST_STEPS, TOLERANCE = 50, 1e-10


def expected_f1_thresholds(
    Y: Array, scores: Array, weights: Any = None, known: Any = None
) -> Array:
    """Return the cut of each label with the highest expected F.

    A logistic curve turns the scores of each label into probabilities. The expected F of a cut is
    2 Σ p[predicted] / (Σ p + number predicted). It is highest where the probability equals half of
    it (Z. Lipton, C. Elkan and B. Narayanaswamy, ECML PKDD 2014).
    """
    blocks = cuts_of_blocks(Y, scores, weights, known)
    return np.concatenate([_of_block(cuts) for cuts in blocks])


def _of_block(cuts: Cuts) -> Array:
    places = np.zeros(len(cuts.scores), dtype=np.intp)
    for label in np.flatnonzero(cuts.has_positives & cuts.has_negatives):
        counted = np.diff(cuts.predicted[label], prepend=0)
        is_used = counted > 0
        positive = np.diff(cuts.hits[label], prepend=0)
        scores = cuts.scores[label, is_used]
        chances = np.zeros(counted.size)
        chances[is_used] = probabilities(scores, positive[is_used], counted[is_used])
        expected = np.cumsum(chances * counted)
        value = 2 * expected / (expected[-1] + cuts.predicted[label])
        places[label] = np.where(cuts.is_cut[label], value, -1).argmax()
    return cuts.thresholds(repaired(cuts, places))


def probabilities(scores: Array, positive: Array, counted: Array) -> Array:
    """Return Platt's probabilities of one label's scores.

    Parameters
    ----------
    scores : (n_samples,) ndarray
        Scores of any kind; those from 0 to 1 are turned into logits first.
    positive, counted : (n_samples,) ndarrays
        The weight of each positive sample, 0 for the others; and the weight of each sample.
    """
    at = standardized(scores, counted)
    n_positive, n_samples = positive.sum(), counted.sum()
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_samples - n_positive + 2)
    targets = positive * high + (counted - positive) * low
    slope, intercept = 0.0, float(logit(targets.sum() / n_samples))
    best = _loss(at, targets, counted, slope, intercept)
    for _ in range(MOST_STEPS):
        p = expit(slope * at + intercept)
        curvature, wrong = counted * p * (1 - p), counted * p - targets
        gradient = np.array([wrong @ at, wrong.sum()])
        cross = curvature @ at
        hessian = np.array([[curvature @ at**2, cross], [cross, curvature.sum()]])
        step = np.linalg.solve(hessian + 1e-12 * np.trace(hessian) * np.eye(2), gradient)
        size = 1.0
        while size > 1e-6:
            tried = slope - size * step[0], intercept - size * step[1]
            loss = _loss(at, targets, counted, *tried)
            if loss <= best:
                break
            size /= 2
        else:
            break
        (slope, intercept), before, best = tried, best, loss
        if before - best <= TOLERANCE * abs(best):
            break
    if slope < 0:
        # A higher score must not mean a lower probability.
        slope, intercept = 0.0, float(logit(targets.sum() / n_samples))
    return expit(slope * at + intercept)


def standardized(scores: Array, counted: Array) -> Array:
    """Return scores, as logits if they are probabilities, with mean 0 and deviation 1."""
    if scores.min() >= 0 and scores.max() <= 1:
        scores = logit(np.clip(scores, 1e-6, 1 - 1e-6))
    else:
        # A power of two loses no bit, and keeps squares of large scores from overflowing.
        scores = np.ldexp(scores, -int(np.frexp(np.abs(scores).max())[1]))
    centered = scores - np.average(scores, weights=counted)
    spread = np.sqrt(np.average(centered**2, weights=counted))
    return centered / spread if spread > 0 else centered


def _loss(at: Array, targets: Array, counted: Array, slope: float, intercept: float) -> float:
    z = slope * at + intercept
    return float(counted @ np.logaddexp(0, z) - targets @ z)
