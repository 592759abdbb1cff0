"""RAkEL: random k-labelsets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._random import draw_seeds
from rarelabels._tasks import Tasks
from rarelabels._validation import check_count
from rarelabels.learners._batches import trainer_for
from rarelabels.learners._label_powerset import numbered_labelsets
from rarelabels.learners._models import PickedModels, check_estimator
from rarelabels.learners.base import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams

# Entries of the classes of all tasks that are held at a time.
ENTRIES_AT_ONCE = 2**24


class RAkEL(MetaLearner):
    """An ensemble of label powersets, each on a few random labels.

    Parameters
    ----------
    estimator : classifier, default=None
        By default a decision tree with entropy and ``min_samples_leaf=2``.
    labelset_size : int, default=3
        Labels of each model, all of them where there are fewer.
    n_labelsets : int, default=None
        Models, at most as many as there are different labelsets of that size; None: twice the
        number of labels, or all labelsets where there are fewer.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. A model learns from the
        samples that know all of its labels. A labelset that no sample knows has no model.
    n_jobs : int, default=None
        Threads over the models. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Draws the labelsets, and seeds the classifiers that have no seed of their own.

    Attributes
    ----------
    labelsets_ : ndarray of shape (n_labelsets, labelset_size)
        The labels of each model; no two models have the same.
    estimators_ : sequence of classifiers
        The model of each, whose classes are the parts of its labels that samples have. None if no
        sample knows all labels of the labelset.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    Notes
    -----
    A label's score is the share of votes it gets from the models that hold it, and it is predicted
    from one half on, as in the authors' implementation (the paper asks for more than one half). A
    label that no labelset happens to hold gets score 0.

    References
    ----------
    G. Tsoumakas, I. Katakis, I. Vlahavas. Random k-Labelsets for Multilabel Classification. IEEE
    Transactions on Knowledge and Data Engineering 23(7), 2011, 1079-1089.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from rarelabels.learners import RAkEL
    >>> X, y = make_multilabel_classification(n_classes=4, random_state=0)
    >>> learner = RAkEL(random_state=0).fit(X, y)
    >>> learner.labelsets_
    array([[0, 1, 2],
           [0, 1, 3],
           [0, 2, 3],
           [1, 2, 3]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        labelset_size: int = 3,
        n_labelsets: int | None = None,
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.labelset_size = labelset_size
        self.n_labelsets = n_labelsets
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(
        self, X: Matrix, labels: Labels, rng: np.random.Generator, params: FitParams = NO_PARAMS
    ) -> None:
        n_labels = labels.matrix.shape[1]
        size, number = check_labelsets(self.labelset_size, self.n_labelsets, n_labels)
        self.labelsets_ = random_labelsets(n_labels, size, number, rng)
        trainer = trainer_for(check_estimator(self.estimator), X, self.n_jobs, params)
        self._parts: list[Array] = []
        seeds, values = draw_seeds(rng, number), labels.values
        fitted = known_labelsets(values, self.labelsets_)
        self._fitted_labelsets = self.labelsets_[fitted]
        models = trainer.fit(
            labelset_tasks(values, self._fitted_labelsets, self._parts, params.weight_table),
            [seeds[t] for t in fitted.tolist()],
            lambda t: _named(self._fitted_labelsets[t], labels.names),
        )
        all_fitted = fitted.size == number
        self.estimators_ = models if all_fitted else PickedModels(models, fitted, number)
        self._models = models

    def _scores(self, X: Matrix) -> Array:
        votes = np.zeros((X.shape[0], self.n_labels_in_))
        if not len(self._models):
            return votes
        data = self._models.prepare(X)
        for some, chosen in self._models.decide_in_parts(data, self.n_jobs):
            labelsets, parts = self._fitted_labelsets[some], self._parts[some]
            for held, own, classes in zip(labelsets, parts, chosen.T, strict=True):
                votes[:, held] += own[classes]
        n_models = np.bincount(self._fitted_labelsets.ravel(), minlength=self.n_labels_in_)
        votes /= np.maximum(n_models, 1)
        return votes


def check_labelsets(size: Any, number: Any, n_labels: int) -> tuple[int, int]:
    """Check the size and number of labelsets, and fill in what is left open."""
    size = min(check_count("labelset_size", size, 1), n_labels)
    n_different = comb(n_labels, size)
    if number is None:
        return size, min(2 * n_labels, n_different)
    if check_count("n_labelsets", number, 1) > n_different:
        raise ValueError(
            f"n_labelsets must be None or an int from 1 to {n_different}, the number of different "
            f"labelsets of {size} of {n_labels} labels; got {number!r}."
        )
    return size, int(number)


def random_labelsets(n_labels: int, size: int, number: int, rng: np.random.Generator) -> Array:
    """Draw different labelsets, each of them sorted."""
    if number == comb(n_labels, size):
        return np.array(list(combinations(range(n_labels), size)))
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < number:
        labelset = np.sort(rng.choice(n_labels, size=size, replace=False))
        drawn.setdefault(tuple(labelset.tolist()))
    return np.array(list(drawn))


def known_labelsets(values: LabelMatrix, labelsets: Array) -> Array:
    """Return the numbers of the labelsets all labels of which are known for some sample."""
    if values.unknown is None:
        return np.arange(len(labelsets))
    unknown = values.unknown.tocsc()
    is_known = [is_complete(unknown, held).any() for held in labelsets]
    return np.flatnonzero(is_known)


def is_complete(unknown: sparse.csc_array, held: Array) -> Array:
    """Return which samples know all labels of a labelset."""
    complete = np.ones(unknown.shape[0], dtype=bool)
    for label in held:
        complete[unknown.indices[unknown.indptr[label] : unknown.indptr[label + 1]]] = False
    return complete


def labelset_tasks(
    values: LabelMatrix, labelsets: Array, parts: list[Array], weights: Array | None = None
) -> Iterator[Tasks]:
    """Make a task of each labelset, whose classes are the parts of it that samples have.

    Parameters
    ----------
    values : LabelMatrix of shape (n_samples, n_labels)
        The labels.
    labelsets : (n_labelsets, size) ndarray of ints
        The labels of each labelset.
    parts : list
        Each labelset's (n_classes, size) indicator is added to it when its task is made.
    weights : (n_samples, n_labels) ndarray or None
        Weights of samples and labels; a sample has the smallest of those of the labelset.
    """
    columns = values.positives.tocsc()
    unknown = None if values.unknown is None else values.unknown.tocsc()
    n_samples, least = columns.shape[0], 2 if labelsets.shape[1] == 1 else 3
    step = max(1, ENTRIES_AT_ONCE // n_samples)
    for start in range(0, len(labelsets), step):
        some = labelsets[start : start + step]
        found = [known_parts_of(columns, unknown, held) for held in some]
        parts += [own for own, _ in found]
        classes = np.column_stack([numbers for _, numbers in found])
        # A tie of two parts is no tie of yes and no: it goes to the first, as among three.
        n_classes = max(least, int(classes.max()) + 1)
        if unknown is None:
            tasks = Tasks.same_samples(n_samples, classes, n_classes)
        else:
            tasks = Tasks.known_classes(classes.T, n_classes)
        if weights is not None:
            tasks = tasks.with_weights(np.stack([weights[:, held].min(axis=1) for held in some]))
        yield tasks


def known_parts_of(
    columns: sparse.csc_array, unknown: sparse.csc_array | None, held: Array
) -> tuple[Array, Array]:
    """Return the parts of a labelset and each sample's number, -1 if it does not know a label."""
    if unknown is None:
        return parts_of(columns, held)
    complete = np.flatnonzero(is_complete(unknown, held))
    parts, numbers = parts_of(columns[complete], held)
    of_samples = np.full(columns.shape[0], -1)
    of_samples[complete] = numbers
    return parts, of_samples


def parts_of(columns: sparse.csc_array, held: Array) -> tuple[Array, Array]:
    """Return the different parts of a labelset, and the number of each sample's."""
    if held.size > 62:
        return numbered_labelsets(columns[:, held].tocsr())
    codes = np.zeros(columns.shape[0], dtype=np.min_scalar_type(2**held.size - 1))
    bits = np.arange(held.size)[::-1]
    for label, bit in zip(held, bits, strict=True):
        codes[columns.indices[columns.indptr[label] : columns.indptr[label + 1]]] |= 1 << int(bit)
    different, numbers = np.unique(codes, return_inverse=True)
    return (different[:, None].astype(np.int64) >> bits) & 1, numbers.reshape(-1)


def _named(held: Array, names: tuple[str, ...]) -> str:
    return f"labels {[names[j] for j in held]}"
