"""Cross-validation splitters that give every fold its share of each label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import indexable

from rarelabels._labels import LabelMatrix
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import RandomState, as_generator
from rarelabels._validation import check_count, check_labels
from rarelabels.model_selection._iterative import Integers, iterative_folds
from rarelabels.model_selection._units import units_of

Split = tuple[Integers, Integers]


class StratifiedSplitter(BaseCrossValidator):
    """Base of splitters that stratify folds by labels, once or several times."""

    # Groups are used whenever they are passed, so metadata routing may always pass them.
    __metadata_request__split: ClassVar[dict[str, Any]] = {"groups": True}

    n_splits: int
    allow_missing_labels: bool

    @abstractmethod
    def _generators(self) -> Iterable[np.random.Generator | None]:
        """Return the generator of each repetition, or None for folds that are not random."""

    @shared_parameters
    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the indices of the training and test samples of each fold.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. Only the number of samples is used.
        {y}
        groups : array-like of shape (n_samples,), optional
            Group of each sample. Samples of one group are never separated.

        Yields
        ------
        train, test : ndarray of int
            Sample indices, in ascending order.
        """
        labels = _checked(X, y, self.allow_missing_labels)
        for rng in self._generators():
            yield from _splits(_fold_of_samples(labels, groups, self.n_splits, rng), self.n_splits)


@shared_parameters
class IterativeStratifiedKFold(StratifiedSplitter):
    """K-fold splitter that gives every fold its share of the positive samples of each label.

    Samples are assigned label by label, starting with the label that has the fewest remaining
    positive samples. Each sample goes to the fold that still needs the most samples of that label.
    The rarest labels, which a random split may leave out of some folds entirely, are therefore
    distributed first. Samples without labels fill up the smaller folds at the end.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Whether to break ties between folds and between labels at random and to process the samples
        in random order. If False, the folds are always the same, and ties go to the first label,
        sample and fold.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the shuffling. It must be None if `shuffle` is False.
    {allow_missing_labels, in folds}

    See Also
    --------
    RepeatedIterativeStratifiedKFold : Repeat the split with different random choices.
    iterative_train_test_split : A single split into two parts.

    Notes
    -----
    This is the iterative stratification of Sechidis, Tsoumakas and Vlahavas [1]_ with two
    additions. *Ties*: among the folds that need a label equally, the paper takes the one that needs
    the most samples. Here, the fold that needs the most of *all* labels of the sample comes first,
    and the number of samples decides after that. On data with many labels per sample, this brings
    the shares close to the optimum. *Groups*: if `groups` is passed to `split`, all samples of a
    group go to the same fold. A group is assigned as one unit with the sum of the labels of its
    samples, large groups first.

    Labels have priority over the sizes of the folds, which may differ by a few samples. A fold is
    never empty.

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

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = False,
        random_state: RandomState = None,
        allow_missing_labels: bool = False,
    ) -> None:
        # Splitters are never cloned, so they check their parameters at once, as in scikit-learn.
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
            Ignored; present for API consistency with scikit-learn.

        Returns
        -------
        int
            `n_splits`.
        """
        return int(self.n_splits)

    def _generators(self) -> Iterable[np.random.Generator | None]:
        return [as_generator(self.random_state) if self.shuffle else None]


@shared_parameters
class RepeatedIterativeStratifiedKFold(StratifiedSplitter):
    """Repeat iterative stratification, each time with different ties and another sample order.

    The defaults give 5×2 folds, which are common in studies of imbalanced multi-label data.

    Parameters
    ----------
    n_splits : int, default=2
        Number of folds in each repetition, at least 2.
    n_repeats : int, default=5
        Number of repetitions, at least 1.
    random_state : int, RandomState, Generator or None, default=None
        Random seed. An int gives the same splits for each call.
    allow_missing_labels : bool, default=False
        See :class:`IterativeStratifiedKFold`.

    See Also
    --------
    IterativeStratifiedKFold : A single repetition, with a description of the method.

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
        """Return the total number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored; present for API consistency with scikit-learn.

        Returns
        -------
        int
            `n_splits` × `n_repeats`.
        """
        return int(self.n_splits * self.n_repeats)

    def _generators(self) -> Iterable[np.random.Generator | None]:
        return as_generator(self.random_state).spawn(self.n_repeats)


def _checked(X: Any, y: Any, allow_missing_labels: bool) -> LabelMatrix:
    if y is None:
        raise ValueError(
            "y is required, because the folds are stratified by labels. Pass an indicator matrix "
            "of shape (n_samples, n_labels), or use sklearn.model_selection.KFold to ignore labels."
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
