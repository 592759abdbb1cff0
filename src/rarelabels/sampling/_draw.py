"""Draw samples with probabilities proportional to weights."""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array


def draw_with_replacement(weights: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Draw samples with probabilities proportional to their weights."""
    return rng.choice(weights.size, size=n_draws, p=weights / weights.sum())


def draw_without_replacement(weights: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Draw samples one after another, in proportion to the weights of the remaining samples.

    Each sample gets an exponential waiting time whose rate is its weight, and the samples with the
    shortest times are drawn. The distribution is that of drawing one by one (Efraimidis and
    Spirakis, "Weighted random sampling with a reservoir", 2006). Samples of weight 0 are drawn only
    when no others are left, all with equal probability.
    """
    waits = np.full(weights.size, np.inf)
    np.divide(rng.standard_exponential(weights.size), weights, out=waits, where=weights > 0)
    tie_breakers = rng.random(weights.size)
    return np.lexsort((tie_breakers, waits))[:n_draws]
