"""Split by time: the last samples are the test data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, indexable

from rarelabels._containers import Array, is_missing
from rarelabels._labels import LabelMatrix
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_labels, check_number, warn_constant
from rarelabels.model_selection._train_test import _n_test_samples


@shared_parameters
def time_ordered_split(
    X: Any,
    y: Any,
    *arrays: Any,
    times: Any,
    test_size: float | int = 0.25,
    slack: float = 0.5,
    allow_missing_labels: bool = False,
) -> list[Any]:
    """Split into training samples before a point in time and test samples from that point on.

    Among the points in time for which the test part is close to the requested size, the split uses
    the one at which most labels have positive samples in both parts. A warning names the other
    labels.

    Parameters
    ----------
    {X}
    {y}
    *arrays : array-likes of length n_samples
        Other arrays to split the same way: weights, names, times.
    times : array-like of shape (n_samples,)
        Time of each sample: numbers, dates or strings that sort by time. Samples with the same
        time go to the same part.
    test_size : float or int, default=0.25
        Size of the test part: a fraction of the samples (float) or a number (int).
    slack : float, default=0.5
        How much larger or smaller the test part may be, as a fraction of its size.
    allow_missing_labels : bool, default=False
        Whether `y` may have NaN for unknown labels. They count as neither class.

    Returns
    -------
    list
        X_train, X_test, y_train, y_test and so on for `arrays`. Containers and the order of samples
        are preserved.

    See Also
    --------
    iterative_train_test_split : Parts that do not differ in time.

    Examples
    --------
    The rare label has no positive sample among the last three, so the test part has four:

    >>> import numpy as np
    >>> from rarelabels.model_selection import time_ordered_split
    >>> X, y = np.arange(12)[:, None], np.array([[0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0]]).T
    >>> X_train, X_test, y_train, y_test = time_ordered_split(X, y, times=np.arange(12))
    >>> X_test.ravel(), int(y_test.sum())
    (array([ 8,  9, 10, 11]), 1)
    """
    labels = check_labels(y, allow_missing_labels)
    all_arrays = indexable(X, y, *arrays)
    n_samples = labels.values.n_samples
    n_test = _n_test_samples(test_size, n_samples)
    check_number("slack", slack, at_least=0)
    numbers = _time_numbers(times, n_samples)
    start = best_start(labels.values, numbers, n_test, slack)
    is_test = numbers >= start
    _warn(labels.values, labels.names, is_test)
    parts = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    return [_safe_indexing(array, samples) for array in all_arrays for samples in parts]


def best_start(values: LabelMatrix, times: Array, n_test: int, slack: float) -> int:
    """Return the time at which the test part begins; times are numbered from 0."""
    n_before = np.append(0, np.cumsum(np.bincount(times)))
    sizes = times.size - n_before[:-1]
    starts = np.arange(1, sizes.size)
    if not starts.size:
        raise ValueError(
            "all samples have the same time; a split by time needs at least two different times."
        )
    distance = np.abs(sizes[starts] - n_test)
    candidates = starts[(distance <= slack * n_test) | (distance == distance.min())]
    n_split = n_split_labels(values, times, sizes.size)[candidates]
    best = candidates[n_split == n_split.max()]
    return int(best[np.argmin(np.abs(sizes[best] - n_test))])


def n_split_labels(values: LabelMatrix, times: Array, n_times: int) -> Array:
    """Count the labels with positives on both sides of each possible start of the test samples."""
    entries = values.positives.tocoo()
    rows, columns = entries.coords
    first = np.full(values.shape[1], n_times)
    last = np.full(values.shape[1], -1)
    np.minimum.at(first, columns, times[rows])
    np.maximum.at(last, columns, times[rows])
    steps = np.zeros(n_times + 1, dtype=np.int64)
    has_range = first < last
    np.add.at(steps, first[has_range] + 1, 1)
    np.add.at(steps, last[has_range] + 1, -1)
    return np.cumsum(steps)[:n_times]


def _time_numbers(times: Any, n_samples: int) -> Array:
    values = np.asarray(times)
    if values.shape != (n_samples,):
        raise ValueError(
            f"times must have one time for each of the {n_samples} samples, got shape "
            f"{values.shape}."
        )
    n_missing = sum(is_missing(time) for time in values.tolist())
    if n_missing:
        raise ValueError(
            f"times has {n_missing} missing values, but every sample needs a time. Drop the "
            "samples without a time."
        )
    return np.unique(values, return_inverse=True)[1]


def _warn(values: LabelMatrix, names: tuple[str, ...], is_test: Array) -> None:
    """Warn of labels without positives in one of the parts."""
    for part, which in (("test", is_test), ("training", ~is_test)):
        counts = np.asarray(values.positives[np.flatnonzero(which)].sum(axis=0)).ravel()
        has_none = (counts == 0) & (np.asarray(values.positives.sum(axis=0)).ravel() > 0)
        lack = f"no positive sample in the {part} part"
        warn_constant(names, has_none, lack, "no split by time near this size has one")
