"""Compare two methods over data sets: mean difference, interval, wins and Wilcoxon's test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from rare_labels_today.leaderboard import paired

N_RESAMPLES, SEED = 2000, 0


@dataclass(frozen=True)
class Difference:
    """How much better a method is than another, over the data sets that both have.

    Attributes
    ----------
    n_datasets, n_better : int
        The number of data sets, and of those on which the method is better.
    mean, low, high : float
        The mean difference with its 95 % bootstrap interval over data sets.
    p_value : float
        Of Wilcoxon's signed-rank test, after `corrected` with Holm's correction.
    """

    n_datasets: int
    n_better: int
    mean: float
    low: float
    high: float
    p_value: float

    @classmethod
    def of(cls, differences: Any) -> Difference:
        """Summarize the differences of data sets."""
        values = np.asarray(differences, dtype=float)
        rng = np.random.default_rng(SEED)
        drawn = rng.choice(values, (N_RESAMPLES, values.size)).mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        p_value = float(wilcoxon(values).pvalue) if values.any() else 1.0
        better = int((values > 0).sum())
        return cls(values.size, better, float(values.mean()), float(low), float(high), p_value)


def difference(
    grouped: dict[str, Any], method: str, other: str, value: Callable[[list[Any]], float]
) -> Difference | None:
    """Compare two methods by a value of their records on a data set, None without common sets."""
    pairs = paired(grouped, method, other).values()
    values = [value(ours) - value(theirs) for ours, theirs in pairs]
    defined = [one for one in values if not np.isnan(one)]
    return Difference.of(defined) if defined else None


def corrected(differences: Sequence[Difference]) -> list[Difference]:
    """Return the differences with p values corrected by Holm's procedure."""
    order = np.argsort([one.p_value for one in differences], kind="stable")
    corrected_values = np.empty(len(differences))
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, differences[place].p_value * (len(differences) - rank)))
        corrected_values[place] = largest
    return [
        replace(one, p_value=float(p)) for one, p in zip(differences, corrected_values, strict=True)
    ]
