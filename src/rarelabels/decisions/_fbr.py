"""SCutFBR.1: the best F of each label, or the highest score where that F is too low."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.decisions._chance import repaired
from rarelabels.decisions.cuts import best_places, cuts_of_blocks, f1_of

# The best F below which a cut is not trusted; the smallest value that Fan and Lin try.
FBR = 0.1


def fbr_thresholds(Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
    """Return the cut with the highest F; where that F is below 0.1, the highest score.

    After Y. Yang (SIGIR 2001) and R.-E. Fan and C.-J. Lin (2007).
    """
    thresholds = []
    for cuts in cuts_of_blocks(Y, scores, weights, known):
        places = best_places(cuts, "f1")
        best = f1_of(cuts)[np.arange(places.size), places]
        highest = np.where(cuts.has_negatives, cuts.scores[:, 0], -np.inf)
        # Where more samples share the highest score than there are positives, none of them.
        at_top = cuts.predicted[np.arange(places.size), cuts.is_cut.argmax(axis=1)]
        highest = np.where(at_top > cuts.n_positive, np.nextafter(highest, np.inf), highest)
        is_low = cuts.has_positives & (best < FBR)
        thresholds.append(np.where(is_low, highest, cuts.thresholds(repaired(cuts, places))))
    return np.concatenate(thresholds)
