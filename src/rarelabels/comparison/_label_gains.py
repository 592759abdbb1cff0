"""Which labels gain: a test for each label, corrected for their number, and one for the rare ones.

By chance alone the best of many labels gains a lot, so a label's gain counts only where it stays
clear after Holm's correction over the labels; a label with few positives is not judged alone.
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

# With fewer positives a fold tests a label on three or four of them.
FEWEST_POSITIVES = 20
HIGHER, LOWER, NOT_CLEAR, TOO_FEW = "higher", "lower", "not clear", "too few to judge"


@dataclass(frozen=True, eq=False)
class LabelGains:
    """What one method gains on each label, in the order of the labels.

    Attributes
    ----------
    mean : ndarray of shape (n_labels,)
        The mean difference over the folds in which both methods could be scored; NaN without any.
    low, high : ndarray of shape (n_labels,)
        An interval that excludes 0 exactly where the adjusted p-value is at most `alpha`; NaN for
        labels that are not judged.
    pvalue, adjusted_pvalue : ndarray of shape (n_labels,)
        Of the corrected resampled t-test, and corrected by Holm for the number of labels judged.
    verdict : tuple of {"higher", "lower", "not clear", "too few to judge"}
        One for each label.

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
        """How many labels have a higher mean, clear or not."""
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
            Their places.
        """
        found = [j for j, one in enumerate(self.verdict) if one == verdict]
        return sorted(found, key=lambda j: -abs(self.mean[j]) if np.isfinite(self.mean[j]) else 0.0)


def label_gains(
    scores: Mapping[str, Any],
    baseline: str,
    *,
    positives: Sequence[int],
    n_splits: int,
    alpha: float = 0.05,
    fewest: int = FEWEST_POSITIVES,
) -> dict[str, LabelGains]:
    """Test for each method on which labels it differs from the baseline.

    Parameters
    ----------
    scores : mapping of str to array of shape (n_folds, n_labels)
        For each method the score of each label on each fold; NaN where it is undefined.
    baseline : str
        The method that the others are compared with.
    positives : sequence of int of shape (n_labels,)
        Samples that carry each label.
    n_splits : int
        Folds of each repetition.
    alpha : float, default=0.05
        The level of significance over all labels of a method together.
    fewest : int, default=20
        A label with fewer positives is "too few to judge".

    Returns
    -------
    dict of LabelGains
        For each method but the baseline.

    See Also
    --------
    rare_label_gains : The labels that are too few to judge, as one score.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import label_gains
    >>> base = np.full((10, 3), 0.5)
    >>> spread = np.linspace(-0.01, 0.01, 10)[:, None]
    >>> scores = {"none": base, "MLSOL": base + [0.1, 0.0, 0.1] + spread}
    >>> found = label_gains(scores, "none", positives=[50, 50, 5], n_splits=5)["MLSOL"]
    >>> found.verdict, found.n_higher
    (('higher', 'not clear', 'too few to judge'), 2)
    """
    base = np.asarray(scores[baseline], dtype=float)
    is_judged = np.asarray(positives) >= fewest
    return {
        name: _judged(np.asarray(table, dtype=float) - base, is_judged, n_splits, alpha)
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
    """Judge the methods by the mean score over the labels with few positives.

    Parameters
    ----------
    scores : mapping of str to array of shape (n_folds, n_labels)
        For each method the score of each label on each fold; NaN where it is undefined.
    baseline : str
        The method that the others are compared with.
    positives : sequence of int of shape (n_labels,)
        Samples that carry each label.
    n_splits : int
        Folds of each repetition.
    margin : float, default=0.01
        The largest gain that does not matter.
    alpha : float, default=0.05
        The level of significance over all methods together.
    fewest : int, default=20
        Labels with fewer positives count.

    Returns
    -------
    dict of Gain
        For each method but the baseline; empty where no label has so few positives, or no fold
        can score any of them.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import rare_label_gains
    >>> spread = np.array([[0.01], [-0.01], [0.0], [0.02]])
    >>> scores = {"none": np.full((4, 2), 0.2), "MLSOL": np.full((4, 2), 0.4) + spread}
    >>> found = rare_label_gains(scores, "none", positives=[9, 12], n_splits=2)
    >>> print(found["MLSOL"])
    helps by a relevant amount: +0.205 [+0.159, +0.251], p = 0.00076
    """
    is_rare = np.asarray(positives) < fewest
    full = {name: np.asarray(table, dtype=float) for name, table in scores.items()}
    tables = {name: table[:, is_rare] for name, table in full.items()}
    # Labels that every method of a fold can score; methods may lack whole folds.
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
    """Return the mean of each row over its known values; NaN if there is none."""
    known = ~np.isnan(table)
    count = known.sum(axis=1)
    total = np.where(known, table, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _judged(
    differences: Floats, is_judged: npt.NDArray[np.bool_], n_splits: int, alpha: float
) -> LabelGains:
    mean, error, df = fold_means(differences, n_splits)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(mean) / np.maximum(error, SMALLEST_ERROR)
    is_judged = is_judged & np.isfinite(error)
    pvalue = np.where(is_judged, 2 * stats.t.sf(np.where(is_judged, t, 0.0), df), np.nan)
    pvalue[is_judged & (np.abs(mean) < SMALLEST_ERROR)] = 1.0
    adjusted = np.full(mean.size, np.nan)
    if is_judged.any():
        adjusted[is_judged] = holm(pvalue[is_judged])
    # Where Holm's procedure multiplies a p-value by f, the interval has the level 1 − alpha / f.
    level = np.where(adjusted > 0, alpha * pvalue / np.where(adjusted > 0, adjusted, 1.0), alpha)
    reach = np.where(is_judged, stats.t.isf(np.nan_to_num(level, nan=alpha) / 2, df), np.nan)
    is_clear = is_judged & (np.nan_to_num(adjusted, nan=1.0) <= alpha)
    kinds = np.where(is_clear, np.where(mean > 0, HIGHER, LOWER), NOT_CLEAR)
    verdicts = np.where(is_judged, kinds, TOO_FEW)
    reach = reach * error
    return LabelGains(mean, mean - reach, mean + reach, pvalue, adjusted, tuple(verdicts.tolist()))


def fold_means(values: Floats, n_splits: int) -> tuple[Floats, Floats, Floats]:
    """Return means over folds, their corrected standard errors and degrees of freedom, by column.

    NaN is a fold without a value; fewer than two folds give no standard error.
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
