"""Rules that choose the cut of each label alone: the best F, G-mean or balanced accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.decisions._chance import repaired
from rarelabels.decisions.cuts import best_places, cuts_of_blocks


def f1_thresholds(Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
    """Return the cut of each label with the highest F, if its scores are better than chance."""
    return _repaired_thresholds("f1", Y, scores, weights, known)


def gmean_thresholds(Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
    """Return the cut with the highest G-mean, if a label's scores are better than chance."""
    return _repaired_thresholds("gmean", Y, scores, weights, known)


def balanced_accuracy_thresholds(
    Y: Array, scores: Array, weights: Any = None, known: Any = None
) -> Array:
    """Return the cut with the highest balanced accuracy, if scores are better than chance."""
    return _repaired_thresholds("balanced_accuracy", Y, scores, weights, known)


def _repaired_thresholds(
    criterion: str, Y: Array, scores: Array, weights: Any, known: Any
) -> Array:
    blocks = cuts_of_blocks(Y, scores, weights, known)
    return np.concatenate(
        [cuts.thresholds(repaired(cuts, best_places(cuts, criterion))) for cuts in blocks]
    )
