"""Precision and recall targets that hold with a stated confidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import bdtr, bdtrc

from rarelabels._containers import Array
from rarelabels.decisions._rule_base import DecisionRule, one_per_label
from rarelabels.decisions.cuts import Cuts, cuts_of_blocks

# Cuts that are tested while the number of predicted samples doubles.
STEPS = 8
MOST_SHOWN = 10
UNREACHABLE = ("raise", "conservative")


class UnreachableTarget(ValueError):
    """Raised if a precision or recall target cannot be guaranteed for some labels.

    Parameters
    ----------
    target : str
        "precision" or "recall".
    reasons : dict of int to str
        For the column of each such label, why not.
    names : sequence of str, default=None
        The labels' names.
    """

    def __init__(self, target: str, reasons: dict[int, str], names: Any = None) -> None:
        self.target, self.reasons = target, reasons
        shown = [
            f"label {column if names is None else repr(names[column])}: {reason}"
            for column, reason in list(reasons.items())[:MOST_SHOWN]
        ]
        n_more = len(reasons) - len(shown)
        more = f"; and {n_more} more labels" if n_more else ""
        super().__init__(
            f"the {target} target cannot be guaranteed for {'; '.join(shown)}{more}. Use more "
            'samples, a lower target or confidence, or unreachable="conservative".'
        )


def positives_needed(target: float, confidence: float = 0.95) -> int:
    """Return the smallest number of positive samples for which a target can be guaranteed.

    Parameters
    ----------
    target : float
        The precision or recall, between 0 and 1.
    confidence : float, default=0.95
        The probability with which it must hold.

    Returns
    -------
    int
        The number. With fewer positive samples, even predictions without any mistake do not rule
        out that the precision or recall is below the target.

    Examples
    --------
    >>> from rarelabels.decisions import positives_needed
    >>> positives_needed(0.9), positives_needed(0.5)
    (29, 5)
    """
    return math.ceil(math.log(1 - confidence) / math.log(target))


@dataclass(frozen=True)
class PrecisionTarget(DecisionRule):
    """Predict each label as often as possible with a guaranteed precision.

    Parameters
    ----------
    precision : float or sequence of floats
        The lowest precision of each label, between 0 and 1.
    confidence : float, default=0.95
        For each label, the probability that its precision on new samples is at least that.
    unreachable : {"raise", "conservative"}, default="raise"
        What to do about labels for which the precision cannot be guaranteed: raise
        :class:`UnreachableTarget`, or never predict them.

    See Also
    --------
    positives_needed : The fewest positive samples that a target needs.

    Notes
    -----
    Cuts are tested in order, beginning with the smallest number of predicted samples for which the
    target can be guaranteed. There are eight cuts while this number doubles. The error
    probabilities of the exact binomial tests add up to 1 − confidence (Learn then Test; A.
    Angelopoulos, S. Bates, E. Candès, M. Jordan and L. Lei, 2021). Each doubling gets an equal
    share of this probability, and a test that passes gives its share to the next one (the fallback
    procedure of B. Wiens and A. Dmitrienko, 2005). The lowest cut that passes is used. The
    guarantee is valid for samples from the same distribution as those of the tests, with scores of
    the same model, which must not have learned from these samples. Out-of-fold scores come from
    copies of the final model, so with them it is only approximate. Weights other than 0 and 1 raise
    an error.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.decisions import PrecisionTarget, choose_thresholds
    >>> Y, scores = (np.arange(1000) < 200)[:, None].astype(int), np.linspace(1, 0, 1000)[:, None]
    >>> choose_thresholds(Y, scores, PrecisionTarget(0.9)).round(3)
    array([0.804])
    """

    precision: Any
    confidence: float = 0.95
    unreachable: str = "raise"
    falls_back: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check_target("precision", self.precision, self.confidence, self.unreachable)

    def thresholds(self, Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
        """Return the lowest thresholds with which the precision is guaranteed."""
        targets = one_per_label("precision", self.precision, scores.shape[1])
        mask, risk = _counted(weights, known, scores.shape), 1 - self.confidence
        chosen = np.array(
            [
                precise_threshold(known_scores(cuts), cuts.hits[0], target, risk)
                for cuts, target in zip(cuts_by_label(Y, scores, mask), targets, strict=True)
            ]
        )
        if self.unreachable == "raise":
            _refuse("precision", targets, self.confidence, Y, mask, chosen == np.inf)
        return chosen


@dataclass(frozen=True)
class RecallTarget(DecisionRule):
    """Predict each label as seldom as possible with a guaranteed recall.

    Parameters
    ----------
    recall : float or sequence of floats
        The lowest recall of each label, between 0 and 1.
    confidence : float, default=0.95
        For each label, the probability that its recall on new samples is at least that.
    unreachable : {"raise", "conservative"}, default="raise"
        What to do about labels with too few positive samples: raise
        :class:`UnreachableTarget`, or always predict them.

    See Also
    --------
    positives_needed : The fewest positive samples that a target needs.

    Notes
    -----
    The threshold is the score of a positive sample. It is chosen so that, by the binomial
    distribution, the probability is at most 1 − confidence that too many positives have a lower
    score. The guarantee has the same conditions as that of :class:`PrecisionTarget`.

    Examples
    --------
    With 100 positives, a recall of 90 % is guaranteed by the fifth lowest of their scores:

    >>> import numpy as np
    >>> from rarelabels.decisions import RecallTarget, choose_thresholds
    >>> Y, scores = (np.arange(1000) < 100)[:, None].astype(int), np.arange(1000, 0, -1.0)[:, None]
    >>> choose_thresholds(Y, scores, RecallTarget(0.9))
    array([905.])
    """

    recall: Any
    confidence: float = 0.95
    unreachable: str = "raise"
    falls_back: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check_target("recall", self.recall, self.confidence, self.unreachable)

    def thresholds(self, Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
        """Return the highest thresholds with which the recall is guaranteed."""
        targets = one_per_label("recall", self.recall, scores.shape[1])
        mask, risk = _counted(weights, known, scores.shape), 1 - self.confidence
        chosen = np.array(
            [
                recalling_threshold(positive_scores(cuts), target, risk)
                for cuts, target in zip(cuts_by_label(Y, scores, mask), targets, strict=True)
            ]
        )
        if self.unreachable == "raise":
            _refuse("recall", targets, self.confidence, Y, mask, np.isinf(chosen))
        return chosen


def cuts_by_label(Y: Array, scores: Array, known: Array | None) -> Iterator[Cuts]:
    """Return the cuts of one label after the other."""
    for block in cuts_of_blocks(Y, scores, None, known):
        for label in range(len(block.scores)):
            yield block.take(slice(label, label + 1))


def known_scores(cuts: Cuts) -> Array:
    """Return the scores of a label's samples from high to low."""
    return cuts.scores[0, : int(cuts.n_samples[0])]


def positive_scores(cuts: Cuts) -> Array:
    """Return the scores of a label's positive samples from low to high."""
    return cuts.scores[0, np.diff(cuts.hits[0], prepend=0) > 0][::-1]


def precise_threshold(above: Array, hits: Array, target: float, risk: float) -> float:
    """Return the lowest threshold at which the precision is at least the target.

    Parameters
    ----------
    above : (n_samples,) ndarray
        Scores of a label from high to low.
    hits : (n_samples,) ndarray
        Positive samples down to each.
    target, risk : float
        The precision, and the probability with which it may be missed.
    """
    places, level, threshold = tested_places(above.size, target, risk), 0.0, np.inf
    n_starts = len(places[::STEPS])
    for step, place in enumerate(places):
        # Each doubling has its share of the risk. A test that passes gives its share to the next.
        level += risk / n_starts if step % STEPS == 0 else 0
        # Given the score below the cut, the samples above it are like any that score higher.
        following = above[place + 1] if place + 1 < above.size else -np.inf
        n_predicted = int(np.searchsorted(-above, -following, side="left"))
        n_hits = int(hits[n_predicted - 1]) if n_predicted else 0
        if chance_of_hits(n_hits, n_predicted, target) <= level:
            threshold = np.nextafter(following, np.inf) if following > -np.inf else -np.inf
        else:
            level = 0.0
    return float(threshold)


def tested_places(n_samples: int, target: float, risk: float) -> list[int]:
    """Return the places of the cuts that are tested, which depend only on the numbers given."""
    places: list[int] = []
    first = positives_needed(target, 1 - risk)
    while (size := math.ceil(first * 2 ** (len(places) / STEPS))) <= n_samples:
        places.append(size - 1)
    return places


def chance_of_hits(hits: int, n_predicted: int, precision: float) -> float:
    """Return the probability of at least this many hits if the precision is just missed."""
    return 1.0 if hits == 0 else float(bdtrc(hits - 1, n_predicted, precision))


def recalling_threshold(positives: Array, target: float, risk: float) -> float:
    """Return the highest threshold at which the recall is at least the target.

    The scores of positive samples come from low to high.
    """
    n_positive = positives.size
    missed = np.arange(n_positive)
    # With the score of this place among the lowest as threshold, the recall is too low only if
    # at most so many positives fell into the lowest share of 1 − target.
    is_safe = bdtr(missed, n_positive, 1 - target) <= risk if n_positive else missed > 0
    return float(positives[is_safe.sum() - 1]) if is_safe.any() else -np.inf


def _check_target(name: str, target: Any, confidence: float, unreachable: str) -> None:
    numbers = np.asarray(target, dtype=float)
    if not ((numbers > 0) & (numbers < 1)).all():
        raise ValueError(f"{name} must lie between 0 and 1, both excluded; got {target!r}.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, both excluded; got {confidence!r}.")
    if unreachable not in UNREACHABLE:
        raise ValueError(f"unreachable must be one of {UNREACHABLE}, got {unreachable!r}.")


def _counted(weights: Array | None, known: Array | None, shape: tuple[int, int]) -> Array | None:
    """Return the mask of the entries that count; a guarantee counts samples without weights."""
    if weights is None:
        return known
    if not np.isin(weights, (0, 1)).all():
        raise ValueError(
            "a precision or recall target counts samples, so weights must be 0 or 1; leave the "
            "weights out, or choose a rule without a guarantee."
        )
    mask = np.broadcast_to((weights.T > 0), shape[::-1]).T
    return mask if known is None else mask & known


def _refuse(
    name: str, targets: Array, confidence: float, Y: Array, known: Any, failed: Array
) -> None:
    """Raise an error that names the labels for which the target cannot be guaranteed."""
    if not failed.any():
        return
    n_positive = (np.asarray(Y) if known is None else np.asarray(Y) * known).sum(axis=0)
    reasons = {}
    for j in np.flatnonzero(failed).tolist():
        n_needed = positives_needed(targets[j], confidence)
        reasons[j] = (
            f"{int(n_positive[j])} positive samples, at least {n_needed} are needed"
            if n_positive[j] < n_needed
            else f"no cut reaches {targets[j]:g} ({int(n_positive[j])} positive samples)"
        )
    raise UnreachableTarget(name, reasons)
