"""Gains over a baseline on one data set, and a verdict on each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.comparison._corrected_t import (
    FoldMean,
    corrected_t_test,
    repeats_to_detect,
    smallest_detectable_gain,
)
from rarelabels.comparison._corrections import holm
from rarelabels.comparison._table import read_scores

HELPS, HURTS = "helps", "hurts"
NO_RELEVANT_DIFFERENCE, CANNOT_TELL = "no relevant difference", "cannot tell"

# A gain is called relevant if P(|gain| > margin) is at least this.
SURE = 0.95
# More repetitions than this are not recommended: a few more samples would show the same sooner.
MOST_ADVISED = 100
# Coverage of the interval that must be within the margin: two one-sided tests at 5 %.
EQUIVALENCE_LEVEL = 0.9


@dataclass(frozen=True)
class Gain:
    """Gain of a method over the baseline on one data set.

    Attributes
    ----------
    mean : float
        The mean difference of scores over folds.
    low, high : float
        An interval that includes 0 if and only if the adjusted p-value is above `alpha`.
    pvalue, adjusted_pvalue : float
        The p-value of the corrected resampled t-test, and after Holm's correction for the number of
        methods.
    probability_helps, probability_hurts : float
        Posterior probabilities that the true gain is above `margin`, and below −`margin`.
    equivalence_interval : (float, float)
        The 90 % interval, not corrected for the number of methods.
    smallest_detectable : float
        The smallest true gain that this run would have detected with 80 % power.
    repeats_needed : int or None
        Number of repetitions of the cross-validation that would detect the observed gain with 80 %
        power; None if no number would.
    verdict : {"helps", "hurts", "no relevant difference", "cannot tell"}
        The verdict.
    is_relevant : bool
        For "helps" and "hurts": whether the amount is above the margin with 95 % probability.
    margin, alpha : float
        Size up to which gains are considered irrelevant, and the level of significance.
    n_splits : int
        Number of folds in each repetition of the cross-validation.
    """

    mean: float
    low: float
    high: float
    pvalue: float
    adjusted_pvalue: float
    probability_helps: float
    probability_hurts: float
    equivalence_interval: tuple[float, float]
    smallest_detectable: float
    repeats_needed: int | None
    verdict: str
    is_relevant: bool
    margin: float
    alpha: float
    n_splits: int

    def __str__(self) -> str:
        observed = (
            f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}], p = {self.adjusted_pvalue:.2g}"
        )
        if self.verdict in (HELPS, HURTS):
            amount = " by a relevant amount" if self.is_relevant else ""
            return f"{self.verdict}{amount}: {observed}"
        if self.verdict == NO_RELEVANT_DIFFERENCE:
            low, high = self.equivalence_interval
            return f"{self.verdict}: {observed}; 90 % interval {low:+.3f} to {high:+.3f}"
        return f"{self.verdict}: {observed}. {self.what_it_would_take()}"

    def what_it_would_take(self) -> str:
        """Describe which gains this run can detect, and what would detect the observed gain.

        Returns
        -------
        str
            One or more sentences.
        """
        if math.isnan(self.smallest_detectable):
            return "A single fold does not show how much scores vary; use more folds."
        detectable = f"This run can detect gains of {self.smallest_detectable:.3f} or more."
        if self.smallest_detectable >= 1:
            detectable = "This run is too small to detect any gain."
        if self.mean <= 0:
            return detectable
        if self.repeats_needed is None or self.repeats_needed > MOST_ADVISED:
            return f"{detectable} More repetitions would not be sufficient; more data would."
        folds = f"{self.repeats_needed}x{self.n_splits}"
        return f"{detectable} If the true gain is as large as seen, {folds} folds would show it."


def gains_over_baseline(
    scores: Any,
    baseline: Any,
    *,
    n_splits: int,
    margin: float = 0.01,
    alpha: float = 0.05,
    lower_is_better: bool = False,
) -> dict[Any, Gain]:
    """Estimate the gain of each method over a baseline on one data set, with a verdict.

    Parameters
    ----------
    scores : dataframe, dict of columns or array of shape (n_folds, n_methods)
        Scores on the same folds of a (repeated) cross-validation of one data set, with a row for
        each fold and a column for each method; higher is better.
    baseline : column name, or number for an array
        The method that the others are compared with.
    n_splits : int
        Number of folds in each repetition.
    margin : float, default=0.01
        Gains up to this size, in the units of the scores, are considered irrelevant.
    alpha : float, default=0.05
        The level of significance over all methods together.
    lower_is_better : bool, default=False
        Whether a lower score is better. A gain is how much lower it is then.

    Returns
    -------
    dict of Gain
        The gain of each method except the baseline, in the order of the columns.

    See Also
    --------
    corrected_t_test : The test of one difference.
    smallest_detectable_gain, repeats_to_detect : What a run can detect, and what it would take.

    Notes
    -----
    The four verdicts:

    *helps*, *hurts*
        The p-value of the corrected resampled t-test, after Holm's correction, is at most `alpha`.
        The amount is relevant if the probability of a gain (loss) above the margin is at least 95 %
        in the Bayesian correlated t-test.
    *no relevant difference*
        The p-value is above `alpha`, and the 90 % interval of the gain is within ± `margin`.
    *cannot tell*
        None of the above. `smallest_detectable` and `repeats_needed` describe what could be done.

    The test assumes that two folds are correlated by 1 / `n_splits`, which no data set can confirm.
    For equal classifiers, the verdict was *helps* or *hurts* on 0.025 to 0.043 of simulated data
    sets at the level 0.05; if the classifiers learned little, on 0.01 (trees) to 0.1 (nearest
    neighbors). The guide to comparing methods reports the figures.

    Intervals agree with the p-values: if Holm's procedure multiplies a p-value by *f*, the interval
    has the level 1 − `alpha` / *f*.

    Examples
    --------
    >>> from rarelabels.comparison import gains_over_baseline
    >>> scores = {
    ...     "none": [0.50, 0.52, 0.49, 0.51, 0.50, 0.53],
    ...     "MLSOL": [0.56, 0.58, 0.54, 0.56, 0.56, 0.58],
    ...     "MLUL": [0.47, 0.58, 0.46, 0.55, 0.47, 0.56],
    ... }
    >>> gains = gains_over_baseline(scores, "none", n_splits=2)
    >>> print(gains["MLSOL"])
    helps by a relevant amount: +0.055 [+0.036, +0.074], p = 0.00048
    >>> gains["MLUL"].verdict, round(gains["MLUL"].smallest_detectable, 2)
    ('cannot tell', 0.19)
    """
    table = read_scores(scores, least_columns=1, lower_is_better=lower_is_better)
    if baseline not in table.names:
        raise ValueError(
            f"scores has no column {baseline!r}; it has {', '.join(map(str, table.names))}."
        )
    if not margin >= 0 or not 0 < alpha < 1:
        raise ValueError(
            f"margin must be at least 0 and alpha between 0 and 1, got {margin!r} and {alpha!r}."
        )
    columns = {name: table.values[:, place] for place, name in enumerate(table.names)}
    return gains_on_folds(columns, baseline, n_splits=n_splits, margin=margin, alpha=alpha)


def gains_on_folds(
    columns: Mapping[Any, Array], baseline: Any, *, n_splits: int, margin: float, alpha: float
) -> dict[Any, Gain]:
    """Compute the gain of each method on the folds that it has in common with the baseline.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_folds,)
        The scores of each method, NaN on folds where it was not run.
    baseline : str
        The method that the others are compared with.
    n_splits, margin, alpha
        See `gains_over_baseline`.
    """
    tests = {
        name: corrected_t_test(differences_of(columns, name, baseline), n_splits=n_splits)
        for name in columns
        if name != baseline
    }
    adjusted = _holm_or_nan([test.pvalue for test in tests.values()])
    return {
        name: _as_gain(test, float(p), float(margin), float(alpha), len(tests))
        for (name, test), p in zip(tests.items(), adjusted, strict=True)
    }


def differences_of(columns: Mapping[Any, Array], name: Any, other: Any) -> Array:
    """Return the score of one method minus that of another on the folds that both have."""
    differences: Array = np.subtract(columns[name], columns[other])
    return differences[~np.isnan(differences)]


def _holm_or_nan(p_values: list[float]) -> Any:
    """Correct p-values; return them unchanged if they are NaN because of a single fold."""
    values = np.array(p_values)
    return values if np.isnan(values).any() or not values.size else holm(values)


def _as_gain(test: FoldMean, adjusted: float, margin: float, alpha: float, n_methods: int) -> Gain:
    equivalence = test.interval(EQUIVALENCE_LEVEL)
    helps, hurts = test.probability_above(margin), 1 - test.probability_above(-margin)
    verdict = _verdict(test.mean, adjusted, equivalence, margin, alpha)
    low, high = test.interval(1 - agreeing_level(test.pvalue, adjusted, alpha))
    # The smallest p-value is compared with Holm's strictest level, and any method may have it.
    strictest = alpha / n_methods
    return Gain(
        mean=test.mean,
        low=low,
        high=high,
        pvalue=test.pvalue,
        adjusted_pvalue=adjusted,
        probability_helps=helps,
        probability_hurts=hurts,
        equivalence_interval=equivalence,
        smallest_detectable=smallest_detectable_gain(test, alpha=strictest),
        repeats_needed=repeats_to_detect(test, alpha=strictest),
        verdict=verdict,
        is_relevant=(verdict == HELPS and helps >= SURE) or (verdict == HURTS and hurts >= SURE),
        margin=margin,
        alpha=alpha,
        n_splits=test.n_splits,
    )


def agreeing_level(pvalue: float, adjusted: float, alpha: float) -> float:
    """Return the level of the interval that excludes 0 if the adjusted p-value is significant.

    The raw p-value is below the level returned if and only if the adjusted one is below `alpha`.

    >>> agreeing_level(0.01, 0.03, 0.05), agreeing_level(0.0, 0.0, 0.05)
    (0.016666666666666666, 0.05)
    """
    return alpha * pvalue / adjusted if adjusted > 0 else alpha


def _verdict(
    mean: float, adjusted: float, equivalence: tuple[float, float], margin: float, alpha: float
) -> str:
    if adjusted <= alpha:
        return HELPS if mean > 0 else HURTS
    if -margin <= equivalence[0] and equivalence[1] <= margin:
        return NO_RELEVANT_DIFFERENCE
    return CANNOT_TELL
