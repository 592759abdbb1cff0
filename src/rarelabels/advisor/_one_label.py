"""Support a single label: one-dimensional y, and samplers of imbalanced-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from rarelabels._containers import Array, is_missing, without_mask
from rarelabels.advisor.methods import titled_samplers
from rarelabels.base import SamplerMemory


def binary_column(y: Any) -> Any:
    """Return a one-dimensional y of two classes as a column of 0 and 1; any other y unchanged.

    The rarer class is 1. Missing values stay missing.

    >>> binary_column(["no", "yes", "no"]).tolist(), binary_column([[0, 1]])
    ([[0], [1], [0]], [[0, 1]])
    """
    values = _flat_values(y)
    if values is None:
        return y
    is_unknown = np.array([is_missing(value) for value in values.tolist()])
    classes, counts = np.unique(values[~is_unknown], return_counts=True)
    if classes.size != 2:
        raise ValueError(
            f"a one-dimensional y must have two classes, got {classes.size}: "
            f"{', '.join(map(repr, classes[:5].tolist()))}. For several labels, pass one column of "
            "0 and 1 for each; sklearn.preprocessing.label_binarize creates them from classes."
        )
    positive = classes[0] if counts[0] < counts[1] else classes[1]
    column = (values == positive).astype(np.int64)
    return np.where(is_unknown, np.nan, column)[:, None] if is_unknown.any() else column[:, None]


def _flat_values(y: Any) -> Array | None:
    """Return a y of one dimension as an array of values; None for a table or label sets."""
    is_list = isinstance(y, (list, tuple))
    if not is_list and len(getattr(y, "shape", ())) != 1:
        return None
    values = list(y)
    if not values or any(np.iterable(value) and not isinstance(value, str) for value in values):
        return None
    return without_mask(y)


class OneLabelSampler(BaseEstimator):
    """A sampler of imbalanced-learn for a y with a single column.

    Parameters
    ----------
    sampler : sampler
        Anything whose `fit_resample` takes a y of one dimension.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the sampler if it has such a parameter.
    """

    def __init__(self, sampler: Any, random_state: Any = None) -> None:
        self.sampler = sampler
        self.random_state = random_state

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Resample X and the only column of y.

        Parameters
        ----------
        X, y
            Features, and labels of shape (n_samples, 1).

        Returns
        -------
        X_resampled, y_resampled
            The same for the samples that come out.
        """
        if "random_state" in self.sampler.get_params():
            self.sampler.set_params(random_state=self.random_state)
        table = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        X_new, y_new = self.sampler.fit_resample(X, table[:, 0])
        return X_new, np.asarray(y_new)[:, None]


def for_one_label(samplers: Any) -> Any:
    """Return samplers, those of other packages so that they get a y of one dimension."""
    return {title: _adapted(sampler) for title, sampler in titled_samplers(samplers).items()}


def _adapted(sampler: Any) -> Any:
    is_known = isinstance(sampler, (str, SamplerMemory, OneLabelSampler))
    is_of_others = not is_known and hasattr(sampler, "fit_resample")
    return OneLabelSampler(sampler) if is_of_others else sampler
