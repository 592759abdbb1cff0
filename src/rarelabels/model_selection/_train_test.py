"""Split into training and test parts so that each gets its share of every label."""

from __future__ import annotations

from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing, indexable

from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import RandomState, as_generator
from rarelabels._validation import check_labels
from rarelabels.model_selection._iterative import Integers, iterative_folds
from rarelabels.model_selection._units import units_of

TRAIN, TEST = 0, 1


@shared_parameters
def iterative_train_test_split(
    X: Any,
    y: Any,
    *arrays: Any,
    test_size: float | int = 0.25,
    random_state: RandomState = None,
    groups: Any = None,
    allow_missing_labels: bool = False,
) -> list[Any]:
    """Split features, labels and other arrays into a training and a test part.

    Both parts get their share of the positive samples of each label, as far as possible. The
    samples are assigned by iterative stratification, as in `IterativeStratifiedKFold`, until a part
    has the requested number of samples. Without groups, the sizes are exactly those of
    scikit-learn's `train_test_split`. If a label has a single positive sample and `test_size` is
    below one half, that sample is in the training part.

    Parameters
    ----------
    {X}
    {y}
    *arrays : array-likes of length n_samples
        Other arrays to split the same way: weights, names, groups.
    test_size : float or int, default=0.25
        Size of the test part: a fraction of the samples, rounded up (float), or a number (int).
    random_state : int, RandomState, Generator or None, default=None
        Seed that breaks ties and orders the samples.
    groups : array-like of shape (n_samples,), optional
        Group of each sample. Samples of one group go to the same part, and `test_size` is then
        approximate.
    {allow_missing_labels, in folds}

    Returns
    -------
    list
        X_train, X_test, y_train, y_test and so on for `arrays`. Containers and the order of samples
        are preserved.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas. On the Stratification of Multi-label Data.
    ECML PKDD 2011, 145-158.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.model_selection import iterative_train_test_split
    >>> X = np.arange(12).reshape(12, 1)
    >>> Y = np.column_stack([np.arange(12) < 4, np.arange(12) % 3 == 0]).astype(int)
    >>> X_train, X_test, Y_train, Y_test = iterative_train_test_split(X, Y, random_state=0)
    >>> Y_train.sum(axis=0), Y_test.sum(axis=0)
    (array([3, 3]), array([1, 1]))
    """
    labels = check_labels(y, allow_missing_labels).values
    all_arrays = indexable(X, y, *arrays)
    n_samples = labels.n_samples
    n_test = _n_test_samples(test_size, n_samples)
    units = units_of(labels, groups, at_least=2, why="a split in two")
    parts = iterative_folds(
        units.counts,
        units.sizes,
        [n_samples - n_test, n_test],
        rng=as_generator(random_state),
        capped=True,
    )
    parts = _with_both_parts(parts, units.sizes, n_test)[units.unit_of_sample]
    return [part for array in all_arrays for part in _train_and_test(array, parts)]


@shared_parameters
def iterative_train_validation_test_split(
    X: Any,
    y: Any,
    *arrays: Any,
    validation_size: float | int = 0.2,
    test_size: float | int = 0.2,
    random_state: RandomState = None,
    groups: Any = None,
    allow_missing_labels: bool = False,
) -> list[Any]:
    """Split features, labels and other arrays into training, validation and test parts.

    Each part gets its share of the positive samples of each label, as in
    `iterative_train_test_split`. Without groups, the parts have exactly the requested sizes.

    Parameters
    ----------
    {X}
    {y}
    *arrays : array-likes of length n_samples
        Other arrays to split the same way: weights, names, groups.
    validation_size, test_size : float or int, default=0.2
        Size of each part: a fraction of the samples, rounded up (float), or a number (int).
    random_state : int, RandomState, Generator or None, default=None
        Seed that breaks ties and orders the samples.
    groups : array-like of shape (n_samples,), optional
        Group of each sample. Samples of one group go to the same part, and the sizes of the parts
        are then approximate.
    {allow_missing_labels, in folds}

    Returns
    -------
    list
        X_train, X_validation, X_test, y_train, y_validation, y_test and so on for `arrays`.
        Containers and the order of samples are preserved.

    See Also
    --------
    iterative_train_test_split : Split into two parts.
    time_ordered_split : Test on the last samples.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.model_selection import iterative_train_validation_test_split
    >>> X, Y = np.arange(20)[:, None], (np.arange(20)[:, None] < [5, 10]).astype(int)
    >>> parts = iterative_train_validation_test_split(X, Y, random_state=0)
    >>> [len(part) for part in parts[:3]], [part.sum(axis=0).tolist() for part in parts[3:]]
    ([12, 4, 4], [[3, 6], [1, 2], [1, 2]])
    """
    labels = check_labels(y, allow_missing_labels).values
    all_arrays = indexable(X, y, *arrays)
    n_samples = labels.n_samples
    n_test = _n_test_samples(test_size, n_samples)
    n_validation = _n_test_samples(validation_size, n_samples, "validation_size")
    if n_test + n_validation >= n_samples:
        raise ValueError(
            f"validation_size={validation_size!r} and test_size={test_size!r} leave none of the "
            f"{n_samples} samples to train on; choose smaller parts."
        )
    units = units_of(labels, groups, at_least=3, why="a split in three")
    sizes = [n_samples - n_test - n_validation, n_validation, n_test]
    rng = as_generator(random_state)
    parts = iterative_folds(units.counts, units.sizes, sizes, rng=rng, capped=True)
    for part, n_part in enumerate(sizes):
        if not (parts == part).any():
            # Large groups may all be in other parts; the group that fits best moves.
            movable = np.flatnonzero(np.bincount(parts, minlength=3)[parts] > 1)
            parts[movable[np.argmin(np.abs(units.sizes[movable] - n_part))]] = part
    of_samples = parts[units.unit_of_sample]
    samples_of_parts = [np.flatnonzero(of_samples == part) for part in range(3)]
    return [_safe_indexing(array, samples) for array in all_arrays for samples in samples_of_parts]


def _n_test_samples(test_size: Any, n_samples: int, name: str = "test_size") -> int:
    is_whole = isinstance(test_size, Integral) and not isinstance(test_size, bool)
    if is_whole and 0 < test_size < n_samples:
        return int(test_size)
    if isinstance(test_size, (float, np.floating)) and 0 < test_size < 1:
        return min(ceil(float(test_size) * n_samples), n_samples - 1)
    raise ValueError(
        f"{name} must be a float between 0 and 1 (a fraction of the samples) or an int from 1 to "
        f"{n_samples - 1} (a number of samples), got {test_size!r}."
    )


def _with_both_parts(parts: Integers, sizes: Integers, n_test: int) -> Integers:
    """Move the best fitting group to a part that is empty because of large groups."""
    n_wanted = {TRAIN: sizes.sum() - n_test, TEST: n_test}
    for part in (TRAIN, TEST):
        if not (parts == part).any():
            parts = parts.copy()
            parts[np.argmin(np.abs(sizes - n_wanted[part]))] = part
    return parts


def _train_and_test(array: Any, parts: npt.NDArray[Any]) -> tuple[Any, Any]:
    train, test = (np.flatnonzero(parts == part) for part in (TRAIN, TEST))
    return _safe_indexing(array, train), _safe_indexing(array, test)
