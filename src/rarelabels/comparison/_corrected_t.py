"""Tests of a mean difference over the folds of a repeated cross-validation.

The folds of one data set share training samples, so their scores are not independent, and a plain
paired t-test finds differences that do not exist. With test folds of 1 / k of the samples, the
correlation between folds is assumed to be 1 / k, which increases the variance of the mean from
s² / n to s² · (1 / n + 1 / (k − 1)) (Nadeau and Bengio 2003). The same correction is used for the
posterior of the Bayesian test (Benavoli et al. 2017) and for the power.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import optimize, stats

from rarelabels._validation import check_count

# A standard error below this is due to rounding.
SMALLEST_ERROR = 1e-12


@dataclass(frozen=True)
class FoldMean:
    """A mean over folds with its corrected standard error.

    Attributes
    ----------
    mean : float
        The mean over folds, of scores or of differences of scores.
    standard_error : float
        The standard error, corrected for the overlap of training sets; NaN for a single fold.
    n_folds, n_splits : int
        Total number of folds, and number of folds in each repetition.
    """

    mean: float
    standard_error: float
    n_folds: int
    n_splits: int

    @property
    def pvalue(self) -> float:
        """Two-sided p-value of the corrected resampled t-test of a mean of 0."""
        if self.n_folds < 2:
            return math.nan
        if self.standard_error < SMALLEST_ERROR:
            return 1.0 if abs(self.mean) < SMALLEST_ERROR else 0.0
        return float(2 * stats.t.sf(abs(self.mean) / self.standard_error, self.n_folds - 1))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the mean.

        Parameters
        ----------
        level : float, default=0.95
            Coverage of the interval.

        Returns
        -------
        (float, float)
            Lower and upper end; NaN for a single fold.
        """
        if self.n_folds < 2:
            return math.nan, math.nan
        reach = float(stats.t.isf((1 - level) / 2, self.n_folds - 1)) * self.standard_error
        return self.mean - reach, self.mean + reach

    def probability_above(self, margin: float = 0.0) -> float:
        """Return the probability that the true mean exceeds a margin.

        This is the Bayesian correlated t-test. The posterior of the mean is a Student distribution
        around the observed mean, with the corrected standard error as its scale.

        Parameters
        ----------
        margin : float, default=0
            The margin.

        Returns
        -------
        float
            The posterior probability; NaN for a single fold.
        """
        if self.n_folds < 2:
            return math.nan
        if self.standard_error < SMALLEST_ERROR:
            return float(self.mean > margin)
        return float(stats.t.sf((margin - self.mean) / self.standard_error, self.n_folds - 1))


def corrected_t_test(differences: Any, *, n_splits: int) -> FoldMean:
    """Test whether the mean of differences over folds is 0, by the corrected resampled t-test.

    Parameters
    ----------
    differences : array-like of shape (n_folds,)
        Score of one method minus that of another on each fold of a (repeated) cross-validation of
        one data set.
    n_splits : int
        Number of folds in each repetition, *k*. A test fold has 1 / (k − 1) of the size of its
        training set.

    Returns
    -------
    FoldMean
        Object with `mean`, `standard_error`, `pvalue`, `interval(level)` and, for the Bayesian
        correlated t-test, `probability_above(margin)`.

    References
    ----------
    C. Nadeau, Y. Bengio. Inference for the Generalization Error. Machine Learning 52, 2003,
    239-281.

    A. Benavoli, G. Corani, J. Demšar, M. Zaffalon. Time for a Change: a Tutorial for Comparing
    Multiple Classifiers Through Bayesian Analysis. JMLR 18, 2017, 1-36.

    Examples
    --------
    >>> from rarelabels.comparison import corrected_t_test
    >>> test = corrected_t_test([0.02, 0.03, 0.01, 0.02], n_splits=2)
    >>> round(test.mean, 3), round(test.pvalue, 3)
    (0.02, 0.116)
    >>> round(test.probability_above(0.01), 3)
    0.823
    """
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(
            f"differences must be one finite number for each fold, got shape {values.shape}"
            f"{'' if np.isfinite(values).all() else ' with NaN or infinity'}; leave out folds "
            "on which one of the methods has no score."
        )
    check_count("n_splits", n_splits, 2)
    if values.size < 2:
        return FoldMean(float(values[0]), math.nan, 1, n_splits)
    variance = float(values.var(ddof=1)) * overlap_factor(values.size, n_splits)
    return FoldMean(float(values.mean()), math.sqrt(variance), values.size, n_splits)


def overlap_factor(n_folds: int, n_splits: int) -> float:
    """Return the factor that turns the variance over folds into the variance of their mean."""
    return 1 / n_folds + 1 / (n_splits - 1)


def smallest_detectable_gain(gain: FoldMean, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true mean that such a test would detect with the given power.

    Parameters
    ----------
    gain : FoldMean
        Result of `corrected_t_test`. Its standard error and number of folds are used, not its mean.
    alpha : float, default=0.05
        The two-sided level of significance. With several methods, use the level of the smallest
        p-value (`alpha` / number of methods under Holm's correction).
    power : float, default=0.8
        The probability of detecting it.

    Returns
    -------
    float
        A gain in the units of the scores; NaN for a single fold.

    Examples
    --------
    >>> from rarelabels.comparison import corrected_t_test, smallest_detectable_gain
    >>> test = corrected_t_test([0.02, 0.03, 0.01, 0.02, 0.00, 0.04], n_splits=2)
    >>> round(smallest_detectable_gain(test), 3)
    0.054
    """
    if gain.n_folds < 2:
        return math.nan
    return gain.standard_error * _noncentrality(gain.n_folds - 1, alpha, power)


def repeats_to_detect(
    gain: FoldMean, *, alpha: float = 0.05, power: float = 0.8, most: int = 1000
) -> int | None:
    """Return how many repetitions would detect a true mean as large as the observed one.

    Parameters
    ----------
    gain : FoldMean
        Result of `corrected_t_test`.
    alpha : float, default=0.05
        The two-sided level of significance.
    power : float, default=0.8
        The probability of detecting it.
    most : int, default=1000
        The largest number of repetitions to consider.

    Returns
    -------
    int or None
        Number of repetitions of `n_splits` folds, or None if no number is sufficient. Repetitions
        share one data set, so they cannot reduce the standard error below s / √(k − 1).

    Examples
    --------
    >>> from rarelabels.comparison import corrected_t_test, repeats_to_detect
    >>> test = corrected_t_test([0.03, 0.04, 0.02, 0.03, 0.01, 0.05], n_splits=5)
    >>> repeats_to_detect(test)
    2
    """
    if gain.n_folds < 2 or gain.mean == 0:
        return None
    spread = gain.standard_error / math.sqrt(overlap_factor(gain.n_folds, gain.n_splits))

    def is_enough(n_repeats: int) -> bool:
        n_folds = n_repeats * gain.n_splits
        error = spread * math.sqrt(overlap_factor(n_folds, gain.n_splits))
        return abs(gain.mean) >= error * _noncentrality(n_folds - 1, alpha, power)

    if not is_enough(most):
        return None
    # More repetitions never reduce the power, so bisection finds the smallest number.
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


@cache
def _noncentrality(df: int, alpha: float, power: float) -> float:
    """Return the mean in standard errors at which a two-sided t-test has the requested power."""
    critical = float(stats.t.isf(alpha / 2, df))
    # The power is integrated over the observed variance, which works for any degrees of freedom;
    # SciPy's noncentral t returns NaN for some.
    shares, weights = _quadrature()
    thresholds = critical * np.sqrt(stats.chi2.ppf(shares, df) / df)

    def missing_power(shift: float) -> float:
        powers = stats.norm.cdf(shift - thresholds) + stats.norm.cdf(-shift - thresholds)
        return float(weights @ powers) - power

    return float(optimize.brentq(missing_power, 0.0, 4 * critical + 4))


@cache
def _quadrature() -> tuple[Any, Any]:
    """Return points and weights to integrate over (0, 1)."""
    points, weights = np.polynomial.legendre.leggauss(200)
    return (points + 1) / 2, weights / 2
