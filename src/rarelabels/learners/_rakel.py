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
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import draw_seeds
from rarelabels._tasks import Tasks
from rarelabels._validation import check_count
from rarelabels.learners._base_estimator import check_estimator
from rarelabels.learners._batch_trainer import trainer_for
from rarelabels.learners._label_powerset import numbered_labelsets
from rarelabels.learners._trainer import PickedModels
from rarelabels.learners.composed import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams

# Number of class entries, over all tasks of a block, that are in memory at a time.
ENTRIES_AT_ONCE = 2**24


@shared_parameters
class RAkEL(MetaLearner):
    """An ensemble of label powersets, each of which predicts a few random labels.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier that is cloned for each labelset. By default, a decision tree with entropy
        and ``min_samples_leaf=2``.
    labelset_size : int, default=3
        Number of labels of each model, or all labels if there are fewer.
    n_labelsets : int, default=None
        Number of models, at most the number of distinct labelsets of that size. By default, twice
        the number of labels, or all labelsets if there are fewer.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. A model learns from the
        samples for which all of its labels are known. If there are none, the labelset has no model.
    n_jobs : int, default=None
        Number of threads that fit models. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the labelsets, and for the classifiers if their `random_state` is None.

    Attributes
    ----------
    labelsets_ : ndarray of shape (n_labelsets, labelset_size)
        The labels of each model, which are different for all models.
    estimators_ : sequence of classifiers
        The model of each labelset. Its classes are the combinations of these labels that occur in
        the training data. None if no sample has known values for all labels of the labelset.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    Notes
    -----
    The score of a label is its share of the votes of the models that contain it. A label is
    predicted if its score is at least one half, as in the authors' implementation (the paper
    requires more than one half). The score of a label that is in no labelset is 0.

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
            lambda t: _labelset_name(self._fitted_labelsets[t], labels.names),
        )
        all_fitted = fitted.size == number
        self.estimators_ = models if all_fitted else PickedModels(models, fitted, number)
        self._models = models

    def _scores(self, X: Matrix) -> Array:
        votes = np.zeros((X.shape[0], self.n_labels_in_))
        if not len(self._models):
            return votes
        data = self._models.prepare(X)
        for models, classes in self._models.decide_in_parts(data, self.n_jobs):
            labelsets, parts = self._fitted_labelsets[models], self._parts[models]
            for labelset, indicators, numbers in zip(labelsets, parts, classes.T, strict=True):
                votes[:, labelset] += indicators[numbers]
        n_models = np.bincount(self._fitted_labelsets.ravel(), minlength=self.n_labels_in_)
        votes /= np.maximum(n_models, 1)
        return votes


def check_labelsets(size: Any, number: Any, n_labels: int) -> tuple[int, int]:
    """Check the size and number of labelsets, and replace None by the default number."""
    size = min(check_count("labelset_size", size, 1), n_labels)
    n_distinct = comb(n_labels, size)
    if number is None:
        return size, min(2 * n_labels, n_distinct)
    if check_count("n_labelsets", number, 1) > n_distinct:
        raise ValueError(
            f"n_labelsets must be None or an int from 1 to {n_distinct}, the number of different "
            f"labelsets of {size} of {n_labels} labels; got {number!r}."
        )
    return size, int(number)


def random_labelsets(n_labels: int, size: int, number: int, rng: np.random.Generator) -> Array:
    """Draw distinct labelsets, each of which is sorted."""
    if number == comb(n_labels, size):
        return np.array(list(combinations(range(n_labels), size)))
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < number:
        labelset = np.sort(rng.choice(n_labels, size=size, replace=False))
        drawn.setdefault(tuple(labelset.tolist()))
    return np.array(list(drawn))


def known_labelsets(values: LabelMatrix, labelsets: Array) -> Array:
    """Return the indices of the labelsets whose labels are all known for at least one sample."""
    if values.unknown is None:
        return np.arange(len(labelsets))
    unknown = values.unknown.tocsc()
    is_known = [is_complete(unknown, labelset).any() for labelset in labelsets]
    return np.flatnonzero(is_known)


def is_complete(unknown: sparse.csc_array, labelset: Array) -> Array:
    """Return for which samples all labels of a labelset are known."""
    complete = np.ones(unknown.shape[0], dtype=bool)
    for label in labelset:
        complete[unknown.indices[unknown.indptr[label] : unknown.indptr[label + 1]]] = False
    return complete


def labelset_tasks(
    values: LabelMatrix, labelsets: Array, parts: list[Array], weights: Array | None = None
) -> Iterator[Tasks]:
    """Yield the tasks of all labelsets, whose classes are the combinations of labels that occur.

    Parameters
    ----------
    values : LabelMatrix of shape (n_samples, n_labels)
        The labels.
    labelsets : (n_labelsets, size) ndarray of ints
        The labels of each labelset.
    parts : list
        The indicator of each labelset, (n_classes, size), is appended when its task is created.
    weights : (n_samples, n_labels) ndarray or None
        Weights of samples and labels. A sample has the smallest weight of the labelset's labels.
    """
    columns = values.positives.tocsc()
    unknown = None if values.unknown is None else values.unknown.tocsc()
    n_samples, least = columns.shape[0], 2 if labelsets.shape[1] == 1 else 3
    step = max(1, ENTRIES_AT_ONCE // n_samples)
    for start in range(0, len(labelsets), step):
        block = labelsets[start : start + step]
        combinations_of = [known_combinations(columns, unknown, labelset) for labelset in block]
        parts += [indicators for indicators, _ in combinations_of]
        classes = np.column_stack([numbers for _, numbers in combinations_of])
        # A tie between two combinations predicts the first, as with three, unlike a tie between the
        # classes 0 and 1 of a label.
        n_classes = max(least, int(classes.max()) + 1)
        if unknown is None:
            tasks = Tasks.same_samples(n_samples, classes, n_classes)
        else:
            tasks = Tasks.known_classes(classes.T, n_classes)
        if weights is not None:
            smallest = [weights[:, labelset].min(axis=1) for labelset in block]
            tasks = tasks.with_weights(np.stack(smallest))
        yield tasks


def known_combinations(
    columns: sparse.csc_array, unknown: sparse.csc_array | None, labelset: Array
) -> tuple[Array, Array]:
    """Return what `label_combinations` returns, with index -1 for samples with unknown labels."""
    if unknown is None:
        return label_combinations(columns, labelset)
    complete = np.flatnonzero(is_complete(unknown, labelset))
    indicators, numbers = label_combinations(columns[complete], labelset)
    all_numbers = np.full(columns.shape[0], -1)
    all_numbers[complete] = numbers
    return indicators, all_numbers


def label_combinations(columns: sparse.csc_array, labelset: Array) -> tuple[Array, Array]:
    """Return the distinct combinations of a labelset's labels, and the index of each sample's."""
    if labelset.size > 62:
        return numbered_labelsets(columns[:, labelset].tocsr())
    codes = np.zeros(columns.shape[0], dtype=np.min_scalar_type(2**labelset.size - 1))
    bits = np.arange(labelset.size)[::-1]
    for label, bit in zip(labelset, bits, strict=True):
        codes[columns.indices[columns.indptr[label] : columns.indptr[label + 1]]] |= 1 << int(bit)
    distinct, numbers = np.unique(codes, return_inverse=True)
    return (distinct[:, None].astype(np.int64) >> bits) & 1, numbers.reshape(-1)


def _labelset_name(labelset: Array, names: tuple[str, ...]) -> str:
    return f"labels {[names[j] for j in labelset]}"
