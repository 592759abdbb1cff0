"""Limits on decisions: labels of each sample, or samples of each label."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from rarelabels._containers import Array
from rarelabels._validation import check_count
from rarelabels.decisions._records import check_rule
from rarelabels.decisions._rule_base import DecisionRule
from rarelabels.decisions.out_of_fold import as_frequent


@dataclass(frozen=True)
class AtMost(DecisionRule):
    """Predict at most `k` labels for each sample.

    Parameters
    ----------
    k : int
        The most labels of a sample.
    rule : str or rule, default="pooled_f1"
        Chooses the thresholds.

    Notes
    -----
    Among the labels that the rule predicts, those whose scores exceed their thresholds the most are
    kept. The scores of all labels must therefore be on the same scale, such as probabilities or
    logits of one model. In case of ties, the label with the higher score is kept, and then the
    first.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.decisions import AtMost
    >>> AtMost(1).decide(np.array([[0.9, 0.6], [0.2, 0.1]]), np.array([0.5, 0.5]))
    array([[ True, False],
           [False, False]])
    """

    k: int
    rule: Any = "pooled_f1"

    def __post_init__(self) -> None:
        check_count("k", self.k, 1)
        check_rule(self.rule)

    def thresholds(self, Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
        """Return the thresholds of the rule."""
        if self.k > scores.shape[1]:
            raise ValueError(
                f"k={self.k} is more than the number of labels, {scores.shape[1]}, so it would "
                "have no effect; use a smaller k."
            )
        return check_rule(self.rule).thresholds(Y, scores, weights, known)

    def decide(self, scores: Array, thresholds: Array) -> Array:
        """Return which labels are predicted at given scores."""
        chosen = check_rule(self.rule).decide(scores, thresholds)
        order = by_margin(scores, thresholds, chosen)
        limited = np.zeros_like(chosen)
        np.put_along_axis(limited, order[:, : self.k], True, axis=1)
        return limited & chosen


@dataclass(frozen=True)
class AtLeastOne(DecisionRule):
    """Predict at least one label for each sample.

    Parameters
    ----------
    rule : str or rule, default="pooled_f1"
        Chooses the thresholds.

    Notes
    -----
    If the rule predicts no label for a sample, the label whose score is nearest to its threshold is
    predicted. The scores of all labels must therefore be on the same scale, such as probabilities
    or logits of one model. A label with an infinite threshold is never predicted. If the thresholds
    of all labels are infinite, nothing is predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.decisions import AtLeastOne
    >>> AtLeastOne().decide(np.array([[0.9, 0.6], [0.2, 0.1]]), np.array([0.5, 0.5]))
    array([[ True,  True],
           [ True, False]])
    """

    rule: Any = "pooled_f1"

    def __post_init__(self) -> None:
        check_rule(self.rule)

    def thresholds(self, Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
        """Return the thresholds of the rule."""
        return check_rule(self.rule).thresholds(Y, scores, weights, known)

    def decide(self, scores: Array, thresholds: Array) -> Array:
        """Return which labels are predicted at given scores."""
        chosen = check_rule(self.rule).decide(scores, thresholds)
        possible = np.broadcast_to(thresholds < np.inf, scores.shape)
        nearest = by_margin(scores, thresholds, possible)[:, 0]
        empty = np.flatnonzero(~chosen.any(axis=1))
        completed = chosen.copy()
        completed[empty, nearest[empty]] = (thresholds < np.inf)[nearest[empty]]
        return completed


@dataclass(frozen=True)
class Budget(DecisionRule):
    """Predict each label for a fixed number or share of samples, those with the highest scores.

    Parameters
    ----------
    samples : int or float
        If an int, the number of samples that each label is predicted for, among those that are
        decided on together. If a float below 1, the share of the samples, by a threshold that is
        chosen once.

    Notes
    -----
    If `samples` is an int, the decision on a sample depends on the other samples that are passed to
    the same call. Among samples with equal scores, the first are chosen. The thresholds are those
    that predict the same number or share of the samples on which they are chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.decisions import Budget
    >>> Budget(1).decide(np.array([[0.2, 0.1], [0.3, 0.1]]), np.array([0.5, 0.5]))
    array([[False,  True],
           [ True, False]])
    """

    samples: float
    by_sample: ClassVar[bool] = False

    def __post_init__(self) -> None:
        is_count = isinstance(self.samples, Integral) and not isinstance(self.samples, bool)
        if is_count:
            check_count("samples", self.samples, 1)
        elif not (isinstance(self.samples, float) and 0 < self.samples < 1):
            raise ValueError(
                "samples must be an int of at least 1 (samples of each label) or a float between "
                f"0 and 1 (a share of the samples), got {self.samples!r}."
            )

    def thresholds(self, Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
        """Return the thresholds that predict this number or share; labels are not used."""
        mask = np.ones(scores.shape, dtype=bool) if known is None else known
        counted = None if weights is None else (weights > 0)
        n_samples = mask.sum(axis=0) if counted is None else (mask.T & counted.T).T.sum(axis=0)
        share = np.full(scores.shape[1], float(self.samples))
        if self.samples >= 1:
            share = np.minimum(share / np.maximum(n_samples, 1), 1.0)
        return as_frequent(share, scores, counted, mask)

    def decide(self, scores: Array, thresholds: Array) -> Array:
        """Return which labels are predicted at given scores."""
        if self.samples < 1:
            return scores >= thresholds
        order = np.argsort(-scores, axis=0, kind="stable")[: int(self.samples)]
        chosen = np.zeros(scores.shape, dtype=bool)
        np.put_along_axis(chosen, order, True, axis=0)
        return chosen


def by_margin(scores: Array, thresholds: Array, possible: Array) -> Array:
    """Return each sample's labels, those that are possible first, by how far they exceed."""
    # An infinite threshold would make NaN of a score that is infinite too.
    is_finite = np.isfinite(thresholds)
    infinite = np.where(thresholds > 0, -np.inf, np.inf)
    margin = np.where(is_finite, scores - np.where(is_finite, thresholds, 0), infinite)
    return np.lexsort((-scores, -margin, ~possible), axis=1)
