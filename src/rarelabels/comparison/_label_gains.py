"""Gains of single labels: a test for each label, corrected for their number, and for rare ones.

By chance alone, the best of many labels has a large gain. The gain of a label therefore counts only
if it is significant after Holm's correction over the labels. A label with few positives is not
tested alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from rarelabels.comparison._corrected_t import SMALLEST_ERROR, overlap_factor
from rarelabels.comparison._corrections import holm
from rarelabels.comparison._gains import Gain, differences_of, gains_on_folds

Floats = npt.NDArray[np.float64]

# With fewer positives, a test fold has three or four of them.
FEWEST_POSITIVES = 20
HIGHER, LOWER, NOT_CLEAR, TOO_FEW = "higher", "lower", "not clear", "too few to judge"


@dataclass(frozen=True, eq=False)
class LabelGains:
    """Gains of one method on each label, in the order of the labels.

    Attributes
    ----------
    mean : ndarray of shape (n_labels,)
        The mean difference over the folds in which both methods have a score; NaN without any.
    low, high : ndarray of shape (n_labels,)
        An interval that excludes 0 if and only if the adjusted p-value is at most `alpha`; NaN for
        labels that are not tested.
    pvalue, adjusted_pvalue : ndarray of shape (n_labels,)
        The p-value of the corrected resampled t-test, and after Holm's correction for the number of
        tested labels.
    verdict : tuple of {"higher", "lower", "not clear", "too few to judge"}
        The verdict for each label.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import label_gains
    >>> scores = {"none": np.full((6, 2), 0.5), "MLSOL": np.full((6, 2), 0.6)}
    >>> scores["MLSOL"][:, 1] += np.array([0.1, -0.4, 0.2, -0.3, 0.4, 0.0])
    >>> label_gains(scores, "none", positives=[40, 30], n_splits=2)["MLSOL"].verdict
    ('higher', 'not clear')
    """

    mean: Floats
    low: Floats
    high: Floats
    pvalue: Floats
    adjusted_pvalue: Floats
    verdict: tuple[str, ...]

    @property
    def n_higher(self) -> int:
        """Number of labels with a higher mean, significant or not."""
        return int((self.mean > 0).sum())

    def places(self, verdict: str) -> list[int]:
        """Return the labels with a verdict, the largest change first.

        Parameters
        ----------
        verdict : {"higher", "lower", "not clear", "too few to judge"}
            The verdict.

        Returns
        -------
        list of int
            Indices of the labels.
        """
        labels = [j for j, label_verdict in enumerate(self.verdict) if label_verdict == verdict]
        return sorted(
            labels, key=lambda j: -abs(self.mean[j]) if np.isfinite(self.mean[j]) else 0.0
        )


def label_gains(
    scores: Mapping[str, Any],
    baseline: str,
    *,
    positives: Sequence[int],
    n_splits: int,
    alpha: float = 0.05,
    fewest: int = FEWEST_POSITIVES,
) -> dict[str, LabelGains]:
    """Test on which labels each method differs from the baseline.

    Parameters
    ----------
    scores : mapping of str to array of shape (n_folds, n_labels)
        The score of each label on each fold for each method; NaN if it is undefined.
    baseline : str
        The method that the others are compared with.
    positives : sequence of int of shape (n_labels,)
        Number of samples that carry each label.
    n_splits : int
        Number of folds in each repetition.
    alpha : float, default=0.05
        The level of significance over all labels of a method together.
    fewest : int, default=20
        The verdict on labels with fewer positives is "too few to judge".

    Returns
    -------
    dict of LabelGains
        The label gains of each method except the baseline.

    See Also
    --------
    rare_label_gains : Combine the labels with few positives in one score.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import label_gains
    >>> base = np.full((10, 3), 0.5)
    >>> spread = np.linspace(-0.01, 0.01, 10)[:, None]
    >>> scores = {"none": base, "MLSOL": base + [0.1, 0.0, 0.1] + spread}
    >>> gains = label_gains(scores, "none", positives=[50, 50, 5], n_splits=5)["MLSOL"]
    >>> gains.verdict, gains.n_higher
    (('higher', 'not clear', 'too few to judge'), 2)
    """
    base = np.asarray(scores[baseline], dtype=float)
    is_tested = np.asarray(positives) >= fewest
    return {
        name: _gains_of_labels(np.asarray(table, dtype=float) - base, is_tested, n_splits, alpha)
        for name, table in scores.items()
        if name != baseline
    }


def rare_label_gains(
    scores: Mapping[str, Any],
    baseline: str,
    *,
    positives: Sequence[int],
    n_splits: int,
    margin: float = 0.01,
    alpha: float = 0.05,
    fewest: int = FEWEST_POSITIVES,
) -> dict[Any, Gain]:
    """Compare methods by the mean score over the labels with few positives.

    Parameters
    ----------
    scores : mapping of str to array of shape (n_folds, n_labels)
        The score of each label on each fold for each method; NaN if it is undefined.
    baseline : str
        The method that the others are compared with.
    positives : sequence of int of shape (n_labels,)
        Number of samples that carry each label.
    n_splits : int
        Number of folds in each repetition.
    margin : float, default=0.01
        Gains up to this size are considered irrelevant.
    alpha : float, default=0.05
        The level of significance over all methods together.
    fewest : int, default=20
        Only labels with fewer positives are used.

    Returns
    -------
    dict of Gain
        The gain of each method except the baseline. It is empty if no label has so few positives,
        or if none of them has a score on any fold.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import rare_label_gains
    >>> spread = np.array([[0.01], [-0.01], [0.0], [0.02]])
    >>> scores = {"none": np.full((4, 2), 0.2), "MLSOL": np.full((4, 2), 0.4) + spread}
    >>> gains = rare_label_gains(scores, "none", positives=[9, 12], n_splits=2)
    >>> print(gains["MLSOL"])
    helps by a relevant amount: +0.205 [+0.159, +0.251], p = 0.00076
    """
    is_rare = np.asarray(positives) < fewest
    full = {name: np.asarray(table, dtype=float) for name, table in scores.items()}
    tables = {name: table[:, is_rare] for name, table in full.items()}
    # Labels with a score for every method that was run on a fold.
    is_run = {name: ~np.isnan(table).all(axis=1) for name, table in full.items()}
    scored = np.logical_and.reduce(
        [~np.isnan(table) | ~is_run[name][:, None] for name, table in tables.items()]
    )
    folds = (scored & is_run[baseline][:, None]).any(axis=1)
    means = {
        name: _mean_of_labels(np.where(scored & is_run[name][:, None], table, np.nan)[folds])
        for name, table in tables.items()
    }
    known = {
        name: column
        for name, column in means.items()
        if differences_of(means, name, baseline).size >= 2
    }
    if len(known) < 2:
        return {}
    return gains_on_folds(known, baseline, n_splits=n_splits, margin=margin, alpha=alpha)


def _mean_of_labels(table: Floats) -> Floats:
    """Return the mean of each row over its known values; NaN if there are none."""
    known = ~np.isnan(table)
    count = known.sum(axis=1)
    total = np.where(known, table, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _gains_of_labels(
    differences: Floats, is_tested: npt.NDArray[np.bool_], n_splits: int, alpha: float
) -> LabelGains:
    mean, error, df = fold_means(differences, n_splits)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(mean) / np.maximum(error, SMALLEST_ERROR)
    is_tested = is_tested & np.isfinite(error)
    pvalue = np.where(is_tested, 2 * stats.t.sf(np.where(is_tested, t, 0.0), df), np.nan)
    pvalue[is_tested & (np.abs(mean) < SMALLEST_ERROR)] = 1.0
    adjusted = np.full(mean.size, np.nan)
    if is_tested.any():
        adjusted[is_tested] = holm(pvalue[is_tested])
    # If Holm's procedure multiplies a p-value by f, the interval has the level 1 − alpha / f.
    level = np.where(adjusted > 0, alpha * pvalue / np.where(adjusted > 0, adjusted, 1.0), alpha)
    reach = np.where(is_tested, stats.t.isf(np.nan_to_num(level, nan=alpha) / 2, df), np.nan)
    is_clear = is_tested & (np.nan_to_num(adjusted, nan=1.0) <= alpha)
    kinds = np.where(is_clear, np.where(mean > 0, HIGHER, LOWER), NOT_CLEAR)
    verdicts = np.where(is_tested, kinds, TOO_FEW)
    reach = reach * error
    return LabelGains(mean, mean - reach, mean + reach, pvalue, adjusted, tuple(verdicts.tolist()))


def fold_means(values: Floats, n_splits: int) -> tuple[Floats, Floats, Floats]:
    """Return means over folds, their corrected standard errors and degrees of freedom, by column.

    NaN marks a fold without a value. The standard error is NaN with fewer than two folds.
    """
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    mean = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    squares = np.where(known, (values - mean) ** 2, 0.0).sum(axis=0)
    variance = squares / np.maximum(count - 1, 1)
    factors = np.array([overlap_factor(max(int(n), 1), n_splits) for n in count])
    error = np.where(count > 1, np.sqrt(variance * factors), np.nan)
    return mean, error, np.maximum(count - 1, 1).astype(float)
