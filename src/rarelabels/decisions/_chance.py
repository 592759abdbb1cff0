"""Rare labels whose scores rank their samples only as chance would."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc

from rarelabels._containers import Array
from rarelabels.decisions.cuts import Cuts

# Labels with a larger share of positives keep the cut that a rule chose, even if their scores carry
# no information: predicting such a label for all samples maximizes F.
LARGEST_RARE_SHARE = 0.1
# The probability up to which chance alone is ruled out as the reason for the positives above a
# cut; less for a cut that is the best of all, because some cut always looks good.
SIGNIFICANCE = 0.05
SIGNIFICANCE_OF_BEST = 0.01


def repaired(cuts: Cuts, places: Array) -> Array:
    """Return the places of a rule's cuts; rare labels without information get other places.

    If a label has few positives, they are easily spread over the whole ranking. The best cut is
    then below the last of them and predicts the label for nearly all samples. Here, such a label is
    predicted as often as it occurs.
    """
    hits, predicted = cuts.counts_at(places)
    p_value = chance_of(hits, cuts.n_positive, predicted, cuts.n_samples)
    return at_frequency(cuts, places, is_rare(cuts) & (p_value > SIGNIFICANCE_OF_BEST))


def is_rare(cuts: Cuts) -> Array:
    """Return which labels have few positives among their samples, but some."""
    return cuts.has_positives & (cuts.n_positive <= LARGEST_RARE_SHARE * cuts.n_samples)


def chance_of(hits: Array, n_positive: Array, predicted: Array, n_samples: Array) -> Array:
    """Return the probability that scores at random put at least as many positives above a cut.

    Each positive sample lies above it with the share of all samples that do. Weights need not be
    whole numbers: the binomial tail is an incomplete beta function.
    """
    share = np.minimum(predicted / np.maximum(n_samples, 1e-300), 1.0)
    tail = betainc(np.maximum(hits, 1e-300), n_positive - hits + 1, share)
    return np.where(hits > 0, tail, 1.0)


def at_frequency(cuts: Cuts, places: Array, which: Array) -> Array:
    """Return the places, with those of some labels moved to predict them as often as they occur."""
    moved = places.copy()
    for label in np.flatnonzero(which):
        moved[label] = cuts.nearest(int(label), cuts.n_positive[label], or_none=True)
    return moved
