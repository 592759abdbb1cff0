"""Random undersampling of many single-label targets at once, for learners that balance classes."""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array
from rarelabels._tasks import Tasks


def balanced_tasks(classes: Array, n_classes: int, rng: np.random.Generator) -> Tasks:
    """Draw as many samples of each class as the smallest class of the target has.

    Samples are drawn without replacement and sorted. Classes that do not occur in a target are left
    out. If a target has a single class, only one sample is drawn.

    Parameters
    ----------
    classes : (n_targets, n_samples) ndarray of small ints
        The targets.
    n_classes : int
        Number of classes, which are 0, …, n_classes - 1.
    rng : Generator
        Random generator that draws the samples.
    """
    n_targets, n_samples = classes.shape
    is_class = [classes == k for k in range(n_classes)]
    counts = np.array([mask.sum(axis=1) for mask in is_class])
    smallest = np.where(counts > 0, counts, n_samples).min(axis=0)
    smallest[(counts > 0).sum(axis=0) == 1] = 1
    flat, wanted, drawn = classes.ravel(), np.where(counts > 0, smallest, 0), []
    for k in range(n_classes):
        chosen = draw_places(counts[k], wanted[k], rng)
        drawn.append(is_class[k].ravel().nonzero()[0][chosen])
    cells = np.concatenate(drawn)
    cells.sort()
    starts = np.zeros(n_targets + 1, dtype=np.int64)
    wanted.sum(axis=0).cumsum(out=starts[1:])
    return Tasks(starts, cells % n_samples, flat[cells], n_classes)


def draw_places(sizes: Array, wanted: Array, rng: np.random.Generator) -> Array:
    """Draw places of each group without replacement; all subsets of a group are equally likely.

    Parameters
    ----------
    sizes, wanted : (n_groups,) ndarrays of ints
        Number of places of each group, and number of places to draw.
    rng : Generator
        Random generator that draws the places.

    Returns
    -------
    ndarray of ints
        The sorted places. Those of the second group are numbered after those of the first, and so
        on.
    """
    starts, is_taken = sizes.cumsum() - sizes, np.zeros(sizes.sum(), dtype=bool)
    all_groups = np.arange(sizes.size)
    # If more than half of the places are wanted, the others are drawn, which needs fewer draws.
    leaves_few = 2 * wanted > sizes
    missing = np.where(leaves_few, sizes - wanted, wanted)
    while missing.any():
        groups = all_groups.repeat(missing)
        # Sorted places are still in the order of `groups`, because groups have consecutive places.
        places = starts[groups] + rng.integers(sizes[groups])
        places.sort()
        is_fresh = ~is_taken[places]
        is_fresh[1:] &= places[1:] != places[:-1]
        is_taken[places] = True
        missing -= np.bincount(groups[is_fresh], minlength=sizes.size)
    return (is_taken ^ leaves_few.repeat(sizes)).nonzero()[0]
