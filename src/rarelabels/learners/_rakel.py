"""RAkEL: random k-labelsets."""

from __future__ import annotations

from itertools import combinations
from math import comb
from numbers import Integral
from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._labels import Labels
from rarelabels._random import draw_seeds
from rarelabels._validation import check_count
from rarelabels.learners._label_powerset import Powerset, fit_powerset
from rarelabels.learners._models import base_estimator, check_estimator, in_parallel
from rarelabels.learners._trees import ready_to_fit, ready_to_predict
from rarelabels.learners.base import MetaLearner


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
    n_jobs : int, default=None
        Threads over the models. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Draws the labelsets, and seeds the classifiers that have no seed of their own.

    Attributes
    ----------
    labelsets_ : ndarray of shape (n_labelsets, labelset_size)
        The labels of each model; no two models have the same.
    estimators_ : list
        The label powerset of each.
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
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.labelset_size = labelset_size
        self.n_labelsets = n_labelsets
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Matrix, labels: Labels, rng: np.random.Generator) -> None:
        n_labels = labels.matrix.shape[1]
        size, number = check_labelsets(self.labelset_size, self.n_labelsets, n_labels)
        self.labelsets_ = random_labelsets(n_labels, size, number, rng)
        estimator, seeds = check_estimator(self.estimator), draw_seeds(rng, number)
        ready, columns = ready_to_fit(estimator, X), labels.matrix.tocsc()
        tasks = (
            (estimator, ready, columns[:, held].toarray(), seed, _named(held, labels.names))
            for held, seed in zip(self.labelsets_, seeds, strict=True)
        )
        self.estimators_ = in_parallel(fit_powerset, tasks, self.n_jobs)

    def _scores(self, X: Matrix) -> Array:
        ready = ready_to_predict(base_estimator(self.estimator), X)
        tasks = ((model, ready) for model in self.estimators_)
        decisions = in_parallel(Powerset.decisions, tasks, self.n_jobs)
        return share_of_votes(decisions, self.labelsets_, self.n_labels_in_)

    def _decide(self, scores: Array) -> Array:
        return scores >= 0.5


def check_labelsets(size: Any, number: Any, n_labels: int) -> tuple[int, int]:
    """Check the size and number of labelsets, and fill in what is left open."""
    size = min(check_count("labelset_size", size, 1), n_labels)
    n_different = comb(n_labels, size)
    if number is None:
        return size, min(2 * n_labels, n_different)
    if not isinstance(number, Integral) or not 1 <= int(number) <= n_different:
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


def share_of_votes(decisions: list[Array], labelsets: Array, n_labels: int) -> Array:
    """Give each label's share of yes among the models that hold it."""
    votes = np.zeros((decisions[0].shape[0], n_labels))
    for held, decided in zip(labelsets, decisions, strict=True):
        votes[:, held] += decided
    return votes / np.maximum(np.bincount(labelsets.ravel(), minlength=n_labels), 1)


def _named(held: Array, names: tuple[str, ...]) -> str:
    return f"labels {[names[j] for j in held]}"
