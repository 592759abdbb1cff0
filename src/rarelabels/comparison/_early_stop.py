"""Stop methods in a repeated cross-validation once more folds are unlikely to change the verdict.

After each repetition, the gains are tested in the same way as at the end. A method that helps or
hurts under Bonferroni's correction has its verdict. The others stop when more folds would hardly
change their verdict. On one data set, the mean over all folds of the budget differs from the
current mean by a Student distribution with scale s · √(1 / n − 1 / N), where s is the standard
deviation over the *n* folds so far and *N* is the number of folds of the budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from rarelabels._containers import Array
from rarelabels.comparison._corrected_t import (
    SMALLEST_ERROR,
    FoldMean,
    corrected_t_test,
    overlap_factor,
)
from rarelabels.comparison._gains import (
    EQUIVALENCE_LEVEL,
    HELPS,
    HURTS,
    NO_RELEVANT_DIFFERENCE,
    Gain,
    differences_of,
    gains_on_folds,
)
from rarelabels.comparison._recommendation import clear_differences, recommended_method

# No more folds are needed for a verdict that they would confirm with this probability.
KEPT = 0.95
# Fraction of the level of significance used to settle a difference before the last fold.
EARLY = 0.2
# With fewer folds, the standard deviation over folds is too uncertain.
FEWEST_FOLDS = 4

Scores = Mapping[str, Mapping[int, float | None]]


@dataclass(frozen=True)
class InterimResult:
    """Interim result: gains, the recommended method and the levels of further tests.

    The levels are those of Holm's correction for the comparisons that are not clear yet.
    """

    table: dict[str, Array]
    gains: Mapping[str, Gain]
    best: str
    alpha: float
    level: float
    level_of_pairs: float

    def is_sure(self, name: str) -> bool:
        """Return whether a method differs from the baseline whatever the other p-values become."""
        return self.gains[name].pvalue * len(self.gains) <= EARLY * self.alpha


@dataclass(frozen=True)
class StoppingRule:
    """Rule that decides after each repetition which methods of a comparison need more folds.

    Parameters
    ----------
    baseline : str
        The method that the others are compared with.
    n_splits, n_repeats : int
        Number of folds in each repetition, and maximum number of repetitions (the budget).
    simplest_first : sequence of str
        The methods from the simplest to the most complex, for the recommendation.
    margin : float, default=0.01
        Gains up to this size are considered irrelevant.
    alpha : float, default=0.05
        The level of significance over all methods together.

    Notes
    -----
    A method whose verdict is settled continues only if it helps and may still be recommended: it is
    the recommended method, or more folds could show with a probability above 5 % that it is better
    than the recommended method. The baseline continues as long as another method does.

    The guide to comparing methods reports measured error rates.

    Examples
    --------
    >>> from rarelabels.comparison import StoppingRule
    >>> rule = StoppingRule("none", n_splits=5, n_repeats=5, simplest_first=["none", "a", "b"])
    >>> noise = [0.011, -0.013, 0.007, -0.009, 0.004]
    >>> scores = {
    ...     "none": {fold: 0.5 for fold in range(5)},
    ...     "a": {fold: 0.5 + noise[fold] for fold in range(5)},
    ...     "b": {fold: 0.3 + noise[fold] for fold in range(5)},
    ... }
    >>> rule.folds_needed(scores)
    {'none': 10, 'a': 10, 'b': 5}
    """

    baseline: str
    n_splits: int
    n_repeats: int
    simplest_first: Sequence[str]
    margin: float = 0.01
    alpha: float = 0.05

    def folds_needed(self, scores: Scores) -> dict[str, int]:
        """Return how many folds each method needs, by the scores so far.

        The rule is applied after each repetition to the folds up to that point; scores on later
        folds are ignored. The result therefore does not depend on the order in which folds are run,
        or on interruptions.

        Parameters
        ----------
        scores : mapping of str to mapping of int to float or None
            Score of each method on each fold that was run, higher is better; None for a missing
            score.

        Returns
        -------
        dict of str to int
            The number of folds, counted from the first. Missing ones have to be run next.
        """
        ended: dict[str, int] = {}
        for repetition in range(1, self.n_repeats + 1):
            n_folds = repetition * self.n_splits
            needed = {name: ended.get(name, n_folds) for name in scores}
            is_run = all(
                fold in scores[name] for name in scores if name not in ended
                for fold in range(n_folds)
            )  # fmt: skip
            if not is_run or repetition == self.n_repeats:
                return needed
            table = _columns(scores, needed, n_folds)
            active = [name for name in scores if name not in ended and name != self.baseline]
            for name in self._settled(table, active):
                ended[name] = n_folds
            if all(name in ended for name in scores if name != self.baseline):
                return {**needed, **ended}
        return needed

    def _settled(self, table: dict[str, Array], active: list[str]) -> list[str]:
        """Return the methods among the active ones that need no more folds."""
        known = {
            name: column
            for name, column in table.items()
            if differences_of(table, name, self.baseline).size >= FEWEST_FOLDS
        }
        if len(known) < 2:
            return []
        interim = self._look(known)
        # A method without scores has failed on all folds and will fail again.
        settled = [name for name in active if name not in known or self._is_settled(interim, name)]
        others = [name for name in active if name not in settled]
        # No other method can replace the recommended one.
        return active if others == [interim.best] and interim.is_sure(interim.best) else settled

    def _look(self, table: dict[str, Array]) -> InterimResult:
        settings: dict[str, Any] = {"n_splits": self.n_splits, "alpha": self.alpha}
        gains = gains_on_folds(table, self.baseline, margin=self.margin, **settings)
        differs = clear_differences(table, gains, self.baseline, **settings)
        best = recommended_method(table, differs, self.baseline, self.simplest_first)
        others = [place for place, name in enumerate(table) if name != self.baseline]
        n_pairs = len(others) * (len(others) - 1) // 2
        n_clear = int(np.triu(differs[np.ix_(others, others)]).sum())
        n_open = sum(gain.verdict not in (HELPS, HURTS) for gain in gains.values())
        return InterimResult(
            table,
            gains,
            best,
            self.alpha,
            level=self.alpha / max(n_open, 1),
            level_of_pairs=self.alpha / max(n_pairs - n_clear, 1),
        )

    def _is_settled(self, interim: InterimResult, name: str) -> bool:
        verdict = interim.gains[name].verdict
        if verdict not in (HELPS, HURTS):
            test = self._test(interim.table, name, self.baseline)
            return self._stays(test, verdict, interim.level) >= KEPT
        if not interim.is_sure(name) or name == interim.best:
            return False
        rival = self._test(interim.table, name, interim.best)
        return verdict == HURTS or self._becomes_clear(rival, interim.level_of_pairs) <= 1 - KEPT

    def _test(self, table: Mapping[str, Array], name: str, other: str) -> FoldMean:
        return corrected_t_test(differences_of(table, name, other), n_splits=self.n_splits)

    def _stays(self, test: FoldMean, verdict: str, level: float) -> float:
        """Return the probability that all folds confirm a verdict without a clear difference."""
        if _spread(test) < SMALLEST_ERROR:
            return 1.0
        low, high = self._bounds(test, level)
        inside = self._margin_left(test)
        equal = _probability(self._final(test), -min(inside, high), min(inside, high))
        neither = _probability(self._final(test), low, high)
        return equal if verdict == NO_RELEVANT_DIFFERENCE else neither - equal

    def _becomes_clear(self, test: FoldMean, level: float) -> float:
        """Return the probability that all folds show a clearly higher mean."""
        return _probability(self._final(test), self._bounds(test, level)[1], math.inf)

    def _bounds(self, test: FoldMean, level: float) -> tuple[float, float]:
        """Return the means over all folds between which the difference is not significant."""
        reach = float(stats.t.isf(level / 2, self._n_folds - 1)) * self._final_error(test)
        return -reach, reach

    def _margin_left(self, test: FoldMean) -> float:
        """Return how far from 0 the mean over all folds may be for no relevant difference."""
        quantile = float(stats.t.isf((1 - EQUIVALENCE_LEVEL) / 2, self._n_folds - 1))
        return max(self.margin - quantile * self._final_error(test), 0.0)

    def _final(self, test: FoldMean) -> Any:
        """Return the distribution of the mean over all folds, given the folds so far."""
        scale = _spread(test) * math.sqrt(max(1 / test.n_folds - 1 / self._n_folds, 0.0))
        return stats.t(test.n_folds - 1, loc=test.mean, scale=max(scale, SMALLEST_ERROR))

    def _final_error(self, test: FoldMean) -> float:
        return _spread(test) * math.sqrt(overlap_factor(self._n_folds, self.n_splits))

    @property
    def _n_folds(self) -> int:
        return self.n_splits * self.n_repeats


def _columns(scores: Scores, needed: Mapping[str, int], n_folds: int) -> dict[str, Array]:
    """Return a column for each method over the first folds; NaN for missing scores."""
    table = {}
    for name, by_fold in scores.items():
        values = [by_fold.get(fold) if fold < needed[name] else None for fold in range(n_folds)]
        table[name] = np.array([np.nan if value is None else value for value in values])
    return table


def _spread(test: FoldMean) -> float:
    """Return the standard deviation over folds."""
    return test.standard_error / math.sqrt(overlap_factor(test.n_folds, test.n_splits))


def _probability(distribution: Any, low: float, high: float) -> float:
    return max(float(distribution.cdf(high) - distribution.cdf(low)), 0.0)
