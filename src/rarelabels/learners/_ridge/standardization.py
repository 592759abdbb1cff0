"""Standardization of the scores of different models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rarelabels._containers import Array
from rarelabels._registry import part_of_models

# Deviations below this are rounding errors of constant scores.
LEAST_DEVIATION = 1e-9


@part_of_models
@dataclass(frozen=True)
class Standardization:
    """Mean 0 and standard deviation 1 for the scores of each label.

    Attributes
    ----------
    means, deviations : (n_labels,) ndarray
        The means and standard deviations of scores of samples that the model was not fitted to.
    """

    means: Array
    deviations: Array

    @classmethod
    def fit(cls, scores: Array) -> Standardization:
        """Learn the means and deviations of scores of shape (n_samples, n_labels)."""
        deviations = scores.std(axis=0, dtype=np.float64)
        return cls(
            scores.mean(axis=0, dtype=np.float64),
            np.where(deviations > LEAST_DEVIATION, deviations, 1.0),
        )

    def of(self, scores: Array) -> Array:
        """Return standardized scores of the same dtype."""
        standard = scores - self.means.astype(scores.dtype)
        standard /= self.deviations
        return standard


def blended(
    tables: Sequence[Array], shares: Sequence[float], standardizations: Sequence[Standardization]
) -> Array:
    """Return the weighted sum of standardized scores of several models."""
    total = np.zeros_like(tables[0])
    for table, share, standardization in zip(tables, shares, standardizations, strict=True):
        part = standardization.of(table)
        part *= share
        total += part
    return total
