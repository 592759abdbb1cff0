"""Recommend the simplest method that no other method is clearly better than."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.comparison._corrected_t import corrected_t_test
from rarelabels.comparison._corrections import holm
from rarelabels.comparison._gains import Gain, differences_of


def clear_differences(
    scores: Mapping[str, Any], gains: Mapping[str, Gain], baseline: str, n_splits: int, alpha: float
) -> Array:
    """Return which pairs of methods differ clearly.

    A pair with the baseline differs if the method helps or hurts. The other pairs are tested by the
    corrected resampled t-test, with Holm's correction for their number.

    Parameters
    ----------
    scores : mapping of str to scores
        A column for each method over the same folds, NaN on folds where it was not run.
        Two methods are compared on the folds that both have.
    gains : mapping of str to Gain
        The gains over the baseline.
    baseline : str
        The method that the others are compared with.
    n_splits : int
        Number of folds in each repetition.
    alpha : float
        The level of significance.

    Returns
    -------
    ndarray of bools of shape (n_methods, n_methods)
        A symmetric matrix in the order of `scores`.
    """
    names = list(scores)
    differs = np.zeros((len(names), len(names)), dtype=bool)
    others = [place for place, name in enumerate(names) if name != baseline]
    for place in others:
        is_clear = gains[names[place]].adjusted_pvalue <= alpha
        differs[place, names.index(baseline)] = differs[names.index(baseline), place] = is_clear
    pairs = [(a, b) for i, a in enumerate(others) for b in others[i + 1 :]]
    p_values = [_p_value(differences_of(scores, names[a], names[b]), n_splits) for a, b in pairs]
    if p_values:
        adjusted = holm(np.array(p_values))
        rows, columns = np.array(pairs).T
        differs[rows, columns] = differs[columns, rows] = adjusted <= alpha
    return differs


def _p_value(differences: Array, n_splits: int) -> float:
    """Return the p-value of a mean difference of 0; 1 for fewer than two folds."""
    if differences.size < 2:
        return 1.0
    return corrected_t_test(differences, n_splits=n_splits).pvalue


def recommended_method(
    scores: Mapping[str, Any], differs: Array, baseline: str, simplest_first: Sequence[str]
) -> str:
    """Return the simplest method that no other method is clearly better than.

    If some method is clearly better than the baseline, the recommended one must be too.

    Parameters
    ----------
    scores : mapping of str to scores
        A column for each method over the same folds, NaN on folds where it was not run.
    differs : ndarray of bools of shape (n_methods, n_methods)
        Which pairs differ clearly.
    baseline : str
        The baseline, which is the simplest method.
    simplest_first : sequence of str
        The other methods from the simplest to the most complex. Missing ones come last.
    """
    names = list(scores)
    means = np.array([adjusted_mean(scores, name, baseline) for name in names])
    is_better: Array = differs & (means[:, None] > means)
    better: list[int] = np.flatnonzero(is_better[:, names.index(baseline)]).tolist()
    if not better:
        return baseline
    unbeaten = [place for place in better if not is_better[:, place].any()]
    order = {name: number for number, name in enumerate(simplest_first)}

    def complexity(place: int) -> tuple[int, float]:
        return order.get(names[place], len(order)), -means[place]

    return names[min(unbeaten or better, key=complexity)]


def adjusted_mean(scores: Mapping[str, Any], name: str, baseline: str) -> float:
    """Return the mean score of a method on all folds of the baseline.

    For a method that lacks some of these folds, this is the mean of the baseline plus the gain on
    the common folds. The mean on these folds alone would depend on how difficult they are.

    >>> scores = {"none": np.array([0.2, 0.4]), "a": np.array([0.3, np.nan])}
    >>> round(adjusted_mean(scores, "a", "none"), 3)
    0.4
    """
    base, values = np.asarray(scores[baseline]), np.asarray(scores[name])
    if np.isnan(values).any():
        return float(np.mean(base) + np.mean(differences_of(scores, name, baseline)))
    return float(np.mean(values))
