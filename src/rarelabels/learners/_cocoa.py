"""COCOA: cross-coupling of labels, with undersampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._labels import Labels
from rarelabels._random import as_generator, draw_seeds
from rarelabels._validation import check_count
from rarelabels.learners._binary_relevance import dense_column
from rarelabels.learners._models import base_estimator, check_estimator, fit_model, in_parallel
from rarelabels.learners._trees import ready_to_predict, ready_to_slice, take_rows
from rarelabels.learners._undersampling import balanced_rows
from rarelabels.learners.base import MetaLearner
from rarelabels.learners.scores import class_probability
from rarelabels.learners.thresholds import best_f_thresholds

# A row's class for a label and its partner: neither, the partner alone, the label.
NEITHER, PARTNER, LABEL = 0, 1, 2


@dataclass(frozen=True)
class Couplings:
    """The models of one label.

    Attributes
    ----------
    binary : classifier
        The label against the rest.
    partners : list of ints
        The labels it was coupled with.
    couples : list of classifiers
        The three-class model of each couple.
    """

    binary: Any
    partners: list[int]
    couples: list[Any]

    def scores(self, X: Matrix) -> Array:
        """Average the models' probabilities of the label."""
        total = class_probability(self.binary, X)
        for model in self.couples:
            total = total + class_probability(model, X, LABEL)
        return total / (1 + len(self.couples))


class COCOA(MetaLearner):
    """Each label's balanced model, averaged with those that couple it with another label.

    For each label a binary model learns on data undersampled to balance. For each of a few random
    partners a model learns three classes (neither label, the partner alone, the label),
    undersampled to the smallest of them.

    Parameters
    ----------
    estimator : classifier, default=None
        By default a decision tree with entropy and ``min_samples_leaf=2``.
    n_couples : int, default=10
        Partners of each label; all other labels where there are fewer.
    n_jobs : int, default=None
        Threads over the labels. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Draws partners and rows, and seeds the classifiers that have no seed of their own.

    Attributes
    ----------
    couplings_ : list
        For each label its ``binary`` model, its ``partners`` and their ``couples``. A partner with
        which one of the three classes has no row is left out.
    thresholds_ : ndarray of shape (n_labels,)
        The thresholds with the highest F-measure on the training data.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    References
    ----------
    M.-L. Zhang, Y.-K. Li, X.-Y. Liu. Towards Class-Imbalance Aware Multi-Label Learning.
    International Joint Conference on Artificial Intelligence, 2015, 4041-4047.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from rarelabels.learners import COCOA
    >>> X, y = make_multilabel_classification(n_classes=4, random_state=0)
    >>> learner = COCOA(n_couples=2, random_state=0).fit(X, y)
    >>> [couplings.partners for couplings in learner.couplings_]
    [[3, 1], [3, 0], [3, 0], [1, 0]]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_couples: int = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_couples = n_couples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Matrix, labels: Labels, rng: np.random.Generator) -> None:
        estimator, columns = check_estimator(self.estimator), labels.matrix.tocsc()
        n_couples = check_count("n_couples", self.n_couples, 0)
        seeds, ready = draw_seeds(rng, columns.shape[1]), ready_to_slice(estimator, X)
        tasks = (
            (estimator, ready, columns, label, n_couples, seed, labels.names)
            for label, seed in enumerate(seeds)
        )
        self.couplings_ = in_parallel(fit_couplings, tasks, self.n_jobs)
        self.thresholds_ = best_f_thresholds(labels.matrix, self._scores(X))

    def _scores(self, X: Matrix) -> Array:
        ready = ready_to_predict(base_estimator(self.estimator), X)
        tasks = ((couplings, ready) for couplings in self.couplings_)
        return np.column_stack(in_parallel(Couplings.scores, tasks, self.n_jobs))

    def _decide(self, scores: Array) -> Array:
        return scores >= self.thresholds_


def fit_couplings(
    estimator: Any,
    X: Matrix,
    columns: sparse.csc_array,
    label: int,
    n_couples: int,
    seed: int,
    names: tuple[str, ...],
) -> Couplings:
    """Fit the models of one label."""
    rng, target = as_generator(seed), dense_column(columns, label)
    partners = random_partners(label, columns.shape[1], n_couples, rng)
    coupled = {c: couple_classes(target, dense_column(columns, c)) for c in partners}
    kept = [c for c in partners if np.unique(coupled[c]).size == 3]
    models, what = [], f"label {names[label]!r}"
    for classes in (target, *(coupled[c] for c in kept)):
        rows, (own_seed,) = balanced_rows(classes, rng), draw_seeds(rng, 1)
        models.append(
            fit_model(estimator, take_rows(estimator, X, rows), classes[rows], own_seed, what)
        )
    return Couplings(models[0], kept, models[1:])


def random_partners(
    label: int, n_labels: int, n_couples: int, rng: np.random.Generator
) -> list[int]:
    """Draw other labels, all of them where there are not enough."""
    others = np.delete(np.arange(n_labels), label)
    return rng.permutation(others)[:n_couples].tolist()


def couple_classes(target: Array, partner: Array) -> Array:
    """Give each row's class for a label and its partner."""
    return np.where(target == 1, LABEL, np.where(partner == 1, PARTNER, NEITHER))
