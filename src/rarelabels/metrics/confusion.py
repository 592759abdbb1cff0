"""F, G-mean and balanced accuracy, from counts of true and predicted labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array


@dataclass(frozen=True)
class Confusion:
    """How often labels occur, are predicted, and both: arrays of shapes that broadcast."""

    true_positive: Array
    n_predicted: Array
    n_positive: Array
    n_samples: Any

    @property
    def recall(self) -> Array:
        """The share of the positive samples that were predicted; 0 if there are none."""
        return self.true_positive / np.maximum(self.n_positive, 1)

    @property
    def specificity(self) -> Array:
        """The share of the negative samples that were not predicted; 0 if there are none."""
        n_negative = self.n_samples - self.n_positive
        false_positive = self.n_predicted - self.true_positive
        return (n_negative - false_positive) / np.maximum(n_negative, 1)

    @property
    def f1(self) -> Array:
        """Twice the true positives by the positive and the predicted samples; NaN for 0/0."""
        total = self.n_positive + self.n_predicted
        return np.where(total > 0, 2 * self.true_positive / np.maximum(total, 1), np.nan)

    @property
    def gmean(self) -> Array:
        """The geometric mean of recall and specificity."""
        return np.sqrt(self.recall * self.specificity)

    @property
    def balanced_accuracy(self) -> Array:
        """The mean of recall and specificity."""
        return (self.recall + self.specificity) / 2
