"""One number a label, with the labels that have none counted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from rarelabels.metrics._inputs import Truth

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LabelScores:
    """A measure's value for each label.

    A label whose value is undefined is left out of the mean, and counted: for F one that neither
    occurs nor is predicted, for the other measures one with a single class in the true labels.

    Attributes
    ----------
    values : ndarray of shape (n_labels,)
        The values, NaN for the labels that were left out.
    """

    values: Floats

    @property
    def left_out(self) -> npt.NDArray[np.intp]:
        """The numbers of the labels without a value."""
        return np.flatnonzero(np.isnan(self.values))

    @property
    def n_left_out(self) -> int:
        """How many labels have no value."""
        return int(self.left_out.size)

    @property
    def mean(self) -> float:
        """The mean over the labels that were not left out; NaN if all were."""
        kept = self.values[~np.isnan(self.values)]
        return float(kept.mean()) if kept.size else float("nan")

    def __repr__(self) -> str:
        n_kept = self.values.size - self.n_left_out
        return f"LabelScores(mean={self.mean:.4f} over {n_kept} labels, {self.n_left_out} left out)"


def macro(scores: LabelScores, name: str) -> float:
    """Return the mean, with a warning where no label has a value."""
    if scores.n_left_out == scores.values.size:
        warnings.warn(
            f"{name} is NaN: each of the {scores.values.size} labels has a single class in the "
            "true labels, so there is nothing to average; test on more samples.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return scores.mean


def mask_single_class(values: Any, truth: Truth) -> LabelScores:
    """Put NaN where a label has no positive or no negative sample."""
    return LabelScores(np.where(truth.has_one_class, np.nan, values))
