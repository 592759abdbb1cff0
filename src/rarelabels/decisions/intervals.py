"""Intervals for shares, such as precision and recall."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from rarelabels._containers import Array


def wilson_interval(hits: Array, trials: Array, level: float = 0.95) -> tuple[Array, Array, Array]:
    """Return shares with Wilson's score interval; NaN without trials.

    >>> [part.round(3).tolist() for part in wilson_interval(np.array([8]), np.array([10]))]
    [[0.8], [0.49], [0.943]]
    """
    z = float(stats.norm.isf((1 - level) / 2))
    n = np.where(trials > 0, trials, np.nan)
    share = hits / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return share, middle - reach, middle + reach


def trials_for_width(width: float, level: float = 0.95) -> int:
    """Return the trials with which Wilson's interval is never wider.

    >>> trials_for_width(0.3)
    39
    """
    z = float(stats.norm.isf((1 - level) / 2))
    # The interval of one half is the widest: z / √(n + z²).
    return math.ceil(z**2 / width**2 - z**2)
