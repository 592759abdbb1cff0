"""Whether methods differ on one data set, from scores on the same folds.

The folds of a repeated cross-validation share training rows, so that a plain paired test finds
differences where there are none. The corrected resampled t-test of Nadeau and Bengio ("Inference
for the Generalization Error", Machine Learning 52, 2003) widens the variance for that.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from rarelabels.comparison._bergmann_hommel import holm


class Estimate(NamedTuple):
    """A mean over folds, its 95 % interval and the p-value of its being 0."""

    mean: float
    low: float
    high: float
    p_value: float


def corrected_estimate(values: Any, n_splits: int) -> Estimate:
    """Estimate the mean of values over folds.

    Parameters
    ----------
    values : array of shape (n_folds,)
        Scores, or differences of scores.
    n_splits : int
        Parts of each repetition: a test fold is 1 / (n_splits - 1) of its training rows.

    Examples
    --------
    >>> found = corrected_estimate([0.02, 0.03, 0.01, 0.02], n_splits=2)
    >>> round(found.mean, 3), round(found.p_value, 3)
    (0.02, 0.116)
    """
    differences = np.asarray(values, dtype=float)
    n_folds, mean = differences.size, float(differences.mean())
    if n_folds < 2:
        return Estimate(mean, math.nan, math.nan, math.nan)
    variance = float(differences.var(ddof=1)) * (1 / n_folds + 1 / (n_splits - 1))
    if variance < 1e-24:
        return Estimate(mean, mean, mean, 1.0 if abs(mean) < 1e-12 else 0.0)
    error = math.sqrt(variance)
    reach = float(stats.t.isf(0.025, n_folds - 1)) * error
    p_value = 2 * float(stats.t.sf(abs(mean) / error, n_folds - 1))
    return Estimate(mean, mean - reach, mean + reach, p_value)


def against_baseline(scores: dict[str, Any], baseline: str, n_splits: int) -> dict[str, Estimate]:
    """Estimate each method's gain over the baseline, p-values corrected by Holm."""
    others = [name for name in scores if name != baseline]
    base = np.asarray(scores[baseline], dtype=float)
    found = [corrected_estimate(np.asarray(scores[name]) - base, n_splits) for name in others]
    adjusted = holm(np.array([one.p_value for one in found]))
    return {
        name: one._replace(p_value=float(p))
        for name, one, p in zip(others, found, adjusted, strict=True)
    }


def pairs_alike(scores: dict[str, Any], n_splits: int, alpha: float) -> Any:
    """Tell for each pair of methods whether they do not differ, p-values corrected by Holm."""
    values = np.column_stack([np.asarray(column, dtype=float) for column in scores.values()])
    rows, columns = np.triu_indices(values.shape[1], 1)
    p_values = [
        corrected_estimate(values[:, a] - values[:, b], n_splits).p_value
        for a, b in zip(rows, columns, strict=True)
    ]
    alike = np.ones((values.shape[1], values.shape[1]), dtype=bool)
    alike[rows, columns] = alike[columns, rows] = holm(np.array(p_values)) > alpha
    return alike
