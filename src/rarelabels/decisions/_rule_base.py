"""The base of decision rules that have parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from rarelabels._containers import Array


class DecisionRule(ABC):
    """Base class of decision rules.

    A rule chooses thresholds from true labels and scores, and decides which labels are predicted. A
    subclass defines `thresholds`. It also defines `decide` if a decision is not just a comparison
    of a score with its threshold.

    Examples
    --------
    A rule that predicts each label above the mean of its scores:

    >>> from rarelabels.decisions import DecisionRule, choose_thresholds
    >>> class AboveMean(DecisionRule):
    ...     def thresholds(self, Y, scores, weights=None, known=None):
    ...         return scores.mean(axis=0)
    >>> choose_thresholds([[0], [1]], [[0.25], [0.75]], AboveMean())
    array([0.5])
    """

    # Whether the decision on a sample depends only on the scores of this sample.
    by_sample: ClassVar[bool] = True
    # Whether labels without a score to choose from are predicted as often as they occur.
    falls_back: ClassVar[bool] = True

    @abstractmethod
    def thresholds(self, Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
        """Return the threshold of each label.

        Parameters
        ----------
        Y : ndarray of shape (n_samples, n_labels)
            The true labels, 0 or 1.
        scores : ndarray of shape (n_samples, n_labels)
            Scores, which are finite for known entries.
        weights : ndarray of shape (n_samples,) or (n_samples, n_labels), default=None
            A sample of weight 2 counts as two samples.
        known : ndarray of bools of shape (n_samples, n_labels), default=None
            Entries that are not known influence nothing.

        Returns
        -------
        ndarray of shape (n_labels,)
            The thresholds. Infinity for a label that is never predicted.
        """

    def decide(self, scores: Array, thresholds: Array) -> Array:
        """Return which labels are predicted for samples with given scores.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_labels)
            The scores of new samples.
        thresholds : ndarray of shape (n_labels,)
            As `thresholds` returns them.

        Returns
        -------
        ndarray of bools of shape (n_samples, n_labels)
            Whether each label is predicted.
        """
        return scores >= thresholds


def one_per_label(name: str, value: Any, n_labels: int) -> Array:
    """Return a number, or one for each label, as an array with one for each label."""
    numbers = np.asarray(value, dtype=float)
    if numbers.ndim > 1 or (numbers.ndim == 1 and numbers.size != n_labels):
        raise ValueError(
            f"{name} must be a number, or one for each of the {n_labels} labels; got shape "
            f"{numbers.shape}."
        )
    return np.broadcast_to(numbers, n_labels)
