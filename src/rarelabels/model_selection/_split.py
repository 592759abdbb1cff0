"""Cross-validation splitters that keep every label's share in every fold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import indexable

from rarelabels._labels import LabelMatrix
from rarelabels._random import RandomState, as_generator
from rarelabels._validation import check_count, check_labels
from rarelabels.model_selection._iterative import Integers, iterative_folds
from rarelabels.model_selection._units import units_of

Split = tuple[Integers, Integers]


class IterativeStratifiedKFold(BaseCrossValidator):
    """K folds in which every label has its share of positive samples, as far as it can.

    Samples are assigned label by label, the label with the fewest positive samples left first; each
    sample goes to the fold that still wants most of that label. So the rarest labels, which a
    random split would leave out of some folds altogether, are spread before anything else is
    settled. Samples without labels fill up the smaller folds at the end.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Whether ties between folds and between labels are broken by chance and samples taken in
        random order. Without it the folds are always the same: the first label, sample and fold
        comes first.
    random_state : int, RandomState, Generator or None, default=None
        The chance of `shuffle`. Without `shuffle` it must be None.
    allow_missing_labels : bool, default=False
        Whether `y` may hold NaN for labels that are not known. The known positives and the known
        negatives of each label are spread, and unknown entries do not matter.

    See Also
    --------
    RepeatedIterativeStratifiedKFold : The same several times over, with different ties.
    iterative_train_test_split : One split in two.

    Notes
    -----
    This is the iterative stratification of Sechidis, Tsoumakas and Vlahavas [1]_ with two
    additions. *Ties*: among the folds that want a label equally, the paper takes the one that wants
    most samples; here the one that wants most of *all* the sample's labels comes first, and samples
    decide after that. On data with many labels per sample, this brings the shares close to the most
    even there can be. *Groups*: with `groups` given to `split`, all samples of a group go to the
    same fold; a group is assigned as one unit with the sum of its samples' labels, large groups
    first.

    The labels come before the folds' sizes, which may differ by a few samples. A fold is never
    empty.

    References
    ----------
    .. [1] K. Sechidis, G. Tsoumakas, I. Vlahavas. On the Stratification of Multi-label Data.
       ECML PKDD 2011, 145-158.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.model_selection import IterativeStratifiedKFold
    >>> X = np.zeros((8, 1))
    >>> Y = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [1, 0], [1, 0], [0, 0], [0, 0]])
    >>> for train, test in IterativeStratifiedKFold(n_splits=2).split(X, Y):
    ...     print(test, Y[test].sum(axis=0))
    [0 2 4 6] [3 1]
    [1 3 5 7] [3 1]
    """

    # Groups are used whenever they are given, so a router may always pass them.
    __metadata_request__split: ClassVar[dict[str, Any]] = {"groups": True}

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = False,
        random_state: RandomState = None,
        allow_missing_labels: bool = False,
    ) -> None:
        # A splitter is never cloned or re-configured, so it may check at once, as scikit-learn's.
        check_count("n_splits", n_splits, 2)
        if not isinstance(shuffle, (bool, np.bool_)):
            raise TypeError(f"shuffle must be True or False, got {shuffle!r}.")
        if not shuffle and random_state is not None:
            raise ValueError(
                f"random_state={random_state!r} has no effect without shuffle; "
                "pass shuffle=True, or leave random_state at None."
            )
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : object
            Not used; here for scikit-learn's interface.

        Returns
        -------
        int
            `n_splits`.
        """
        return int(self.n_splits)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the indices of the training and of the test samples, fold by fold.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features; only their number of samples matters.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            The labels, 0 or 1.
        groups : array-like of shape (n_samples,), optional
            Samples of one group are never separated.

        Yields
        ------
        train, test : ndarray of int
            Sample indices, in ascending order.
        """
        rng = as_generator(self.random_state) if self.shuffle else None
        labels = _checked(X, y, self.allow_missing_labels)
        yield from _splits(_fold_of_samples(labels, groups, self.n_splits, rng), self.n_splits)


class RepeatedIterativeStratifiedKFold(BaseCrossValidator):
    """Iterative stratification repeated, each time with other ties and another order of samples.

    The defaults are the 5×2 folds common in studies of imbalanced multi-label data.

    Parameters
    ----------
    n_splits : int, default=2
        Number of folds in each repetition, at least 2.
    n_repeats : int, default=5
        Number of repetitions, at least 1.
    random_state : int, RandomState, Generator or None, default=None
        An int gives the same splits on each call.
    allow_missing_labels : bool, default=False
        As in :class:`IterativeStratifiedKFold`.

    See Also
    --------
    IterativeStratifiedKFold : One repetition, with the method and its reference.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.model_selection import RepeatedIterativeStratifiedKFold
    >>> Y = np.tile(np.eye(3, dtype=int), (6, 1))
    >>> cv = RepeatedIterativeStratifiedKFold(random_state=0)
    >>> cv.get_n_splits()
    10
    >>> {tuple(Y[test].sum(axis=0).tolist()) for train, test in cv.split(np.zeros((18, 1)), Y)}
    {(3, 3, 3)}
    """

    __metadata_request__split: ClassVar[dict[str, Any]] = {"groups": True}

    def __init__(
        self,
        *,
        n_splits: int = 2,
        n_repeats: int = 5,
        random_state: RandomState = None,
        allow_missing_labels: bool = False,
    ) -> None:
        check_count("n_splits", n_splits, 2)
        check_count("n_repeats", n_repeats, 1)
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits in all.

        Parameters
        ----------
        X, y, groups : object
            Not used; here for scikit-learn's interface.

        Returns
        -------
        int
            `n_splits` × `n_repeats`.
        """
        return int(self.n_splits * self.n_repeats)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the indices of the training and of the test samples, repetition by repetition.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features; only their number of samples matters.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            The labels, 0 or 1.
        groups : array-like of shape (n_samples,), optional
            Samples of one group are never separated.

        Yields
        ------
        train, test : ndarray of int
            Sample indices, in ascending order.
        """
        labels = _checked(X, y, self.allow_missing_labels)
        for rng in as_generator(self.random_state).spawn(self.n_repeats):
            yield from _splits(_fold_of_samples(labels, groups, self.n_splits, rng), self.n_splits)


def _checked(X: Any, y: Any, allow_missing_labels: bool) -> LabelMatrix:
    if y is None:
        raise ValueError(
            "y is needed: the folds keep the labels' shares. Pass the (n_samples, n_labels) "
            "indicator, or use sklearn.model_selection.KFold for folds without regard to labels."
        )
    labels = check_labels(y, allow_missing_labels).values
    indexable(X, labels.positives)
    return labels


def _fold_of_samples(
    labels: LabelMatrix, groups: Any, n_splits: int, rng: np.random.Generator | None
) -> Integers:
    units = units_of(labels, groups, at_least=n_splits, why=f"n_splits={n_splits}")
    folds = iterative_folds(units.counts, units.sizes, [1] * n_splits, rng=rng)
    return folds[units.unit_of_sample]


def _splits(fold_of_sample: Integers, n_splits: int) -> Iterator[Split]:
    for fold in range(n_splits):
        yield np.flatnonzero(fold_of_sample != fold), np.flatnonzero(fold_of_sample == fold)
