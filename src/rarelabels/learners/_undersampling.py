"""Random undersampling of single-label data, for the learners that balance their models."""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array


def balanced_rows(classes: Array, rng: np.random.Generator) -> Array:
    """Draw as many rows of each class as the smallest has, without replacement and sorted.

    Parameters
    ----------
    classes : (n,) ndarray of ints
        The class of each row.
    rng : Generator
        Source of the draws.
    """
    present, counts = np.unique(classes, return_counts=True)
    smallest = counts.min()
    drawn = [
        rng.choice(np.flatnonzero(classes == value), size=smallest, replace=False)
        for value in present
    ]
    return np.sort(np.concatenate(drawn))
