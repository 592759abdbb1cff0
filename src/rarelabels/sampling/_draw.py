"""Drawing samples, with and without replacement, in proportion to a weight."""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array


def draw_with_replacement(weights: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Draw samples with probabilities proportional to their weights."""
    return rng.choice(weights.size, size=n_draws, p=weights / weights.sum())


def draw_without_replacement(weights: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Draw samples one after another, each draw proportional to the weights of those left.

    Each sample waits an exponential time at a rate of its weight, and the first to arrive are
    drawn: the same law as drawing one by one (Efraimidis and Spirakis, "Weighted random sampling
    with a reservoir", 2006). Samples of weight 0 are drawn, all alike, only when no others are
    left.
    """
    waits = np.full(weights.size, np.inf)
    np.divide(rng.standard_exponential(weights.size), weights, out=waits, where=weights > 0)
    late = rng.random(weights.size)
    return np.lexsort((late, waits))[:n_draws]
