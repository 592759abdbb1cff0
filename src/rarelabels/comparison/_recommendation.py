"""Which method to use: the simplest one that no other is clearly better than."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.comparison._corrected_t import corrected_t_test
from rarelabels.comparison._corrections import holm
from rarelabels.comparison._gains import Gain


def clear_differences(
    scores: Mapping[str, Any], gains: Mapping[str, Gain], baseline: str, n_splits: int, alpha: float
) -> Array:
    """Return which pairs of methods differ clearly.

    A pair with the baseline differs if the method helps or hurts. The other pairs are tested by the
    corrected resampled t-test, with Holm's correction for their number.

    Parameters
    ----------
    scores : mapping of str to scores
        A column for each method, over the same folds.
    gains : mapping of str to Gain
        The gains over the baseline.
    baseline : str
        The method that the others are compared with.
    n_splits : int
        Folds of each repetition.
    alpha : float
        The level of significance.

    Returns
    -------
    ndarray of bools of shape (n_methods, n_methods)
        In the order of `scores`; symmetric.
    """
    names = list(scores)
    differs = np.zeros((len(names), len(names)), dtype=bool)
    others = [place for place, name in enumerate(names) if name != baseline]
    for place in others:
        is_clear = gains[names[place]].adjusted_pvalue <= alpha
        differs[place, names.index(baseline)] = differs[names.index(baseline), place] = is_clear
    pairs = [(a, b) for i, a in enumerate(others) for b in others[i + 1 :]]
    tests = [
        corrected_t_test(np.subtract(scores[names[a]], scores[names[b]]), n_splits=n_splits)
        for a, b in pairs
    ]
    if tests:
        # The p-values of a single fold are NaN.
        adjusted = holm(np.nan_to_num([test.pvalue for test in tests], nan=1.0))
        rows, columns = np.array(pairs).T
        differs[rows, columns] = differs[columns, rows] = adjusted <= alpha
    return differs


def recommended_method(
    scores: Mapping[str, Any], differs: Array, baseline: str, simplest_first: Sequence[str]
) -> str:
    """Return the simplest method that no other is clearly better than.

    If some method is clearly better than the baseline, so must be the one that is recommended.

    Parameters
    ----------
    scores : mapping of str to scores
        A column for each method, over the same folds.
    differs : ndarray of bools of shape (n_methods, n_methods)
        Which pairs differ clearly.
    baseline : str
        The simplest method of all.
    simplest_first : sequence of str
        The other methods, the simplest first. Those that are not named come last.
    """
    names = list(scores)
    means = np.array([np.mean(scores[name]) for name in names])
    is_better: Array = differs & (means[:, None] > means)
    better: list[int] = np.flatnonzero(is_better[:, names.index(baseline)]).tolist()
    if not better:
        return baseline
    unbeaten = [place for place in better if not is_better[:, place].any()]
    order = {name: number for number, name in enumerate(simplest_first)}

    def complexity(place: int) -> tuple[int, float]:
        return order.get(names[place], len(order)), -means[place]

    return names[min(unbeaten or better, key=complexity)]
