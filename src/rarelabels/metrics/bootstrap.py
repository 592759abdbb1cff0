"""Intervals by drawing samples, or groups of samples, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._random import as_generator
from rarelabels._validation import group_numbers


def drawn_samples(
    n_samples: int, n_draws: int, groups: Any = None, random_state: Any = None
) -> Iterator[Array]:
    """Yield as many samples as there are, drawn with replacement; groups are drawn whole.

    Parameters
    ----------
    n_samples : int
        Number of samples of the data.
    n_draws : int
        How often to draw.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample.
    random_state : int, RandomState, Generator or None, default=None
        The seed.
    """
    rng = as_generator(random_state)
    if groups is None:
        for _ in range(n_draws):
            yield rng.integers(n_samples, size=n_samples)
        return
    numbers = group_numbers(groups, n_samples)
    members = np.split(np.argsort(numbers, kind="stable"), np.cumsum(np.bincount(numbers))[:-1])
    for _ in range(n_draws):
        chosen = rng.integers(len(members), size=len(members))
        yield np.concatenate([members[group] for group in chosen])


def percentile_intervals(
    measure: Callable[[Array], Array], draws: Iterator[Array], confidence: float
) -> Array:
    """Return the interval of each number that a function of samples returns.

    Parameters
    ----------
    measure : callable
        Takes the numbers of samples and returns an array of numbers, NaN where one is undefined.
    draws : iterator of ndarray
        Samples, one draw after the other.
    confidence : float
        The share of the draws that the interval holds.

    Returns
    -------
    ndarray of shape (2, n_numbers)
        Low and high ends; NaN if a number was never defined.
    """
    drawn = np.array([measure(samples) for samples in draws])
    ends = np.full((2, drawn.shape[1]), np.nan)
    is_defined = ~np.isnan(drawn).all(axis=0)
    tail = (1 - confidence) / 2
    ends[:, is_defined] = np.nanquantile(drawn[:, is_defined], [tail, 1 - tail], axis=0)
    return ends
