"""Calibrated label ranking: all pairs of labels, and a virtual label between yes and no."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._labels import Labels
from rarelabels._random import draw_seeds
from rarelabels.learners._binary_relevance import fit_labels, label_probabilities
from rarelabels.learners._models import (
    base_estimator,
    check_estimator,
    fit_model,
    in_chunks,
    in_parallel,
)
from rarelabels.learners._trees import ready_to_predict, ready_to_slice, take_rows
from rarelabels.learners.base import MetaLearner
from rarelabels.learners.scores import predicted_classes

Pair = tuple[int, int]


class CalibratedLabelRanking(MetaLearner):
    """One classifier for each pair of labels, and one for each label against the virtual label.

    A pair's model learns on the rows that have exactly one of the two labels, and votes for one of
    them. A label also wins against the virtual label where binary relevance predicts it; where it
    does not, the virtual label has the vote.

    Parameters
    ----------
    estimator : classifier, default=None
        By default a decision tree with entropy and ``min_samples_leaf=2``.
    n_jobs : int, default=None
        Threads over labels and pairs. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the classifiers that have no seed of their own.

    Attributes
    ----------
    estimators_ : list of classifiers
        The model of each label against the virtual one.
    pairs_ : list of (int, int)
        The pairs of labels.
    pair_estimators_ : list of classifiers
        The model of each pair, predicting 1 for its first label; None where no row has exactly
        one of the two.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    Notes
    -----
    A label is predicted where it has at least as many votes as the virtual label; its score is its
    votes by the number of labels. A pair without a model gives no vote.

    References
    ----------
    J. Fürnkranz, E. Hüllermeier, E. Loza Mencía, K. Brinker. Multilabel classification via
    calibrated label ranking. Machine Learning 73, 2008, 133-153.

    Examples
    --------
    >>> from rarelabels.learners import CalibratedLabelRanking
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> learner = CalibratedLabelRanking(random_state=0).fit(X, y)
    >>> learner.predict_proba([[0.5]]), learner.predict([[0.5]])
    (array([[0., 1.]]), array([[0, 1]]))
    """

    def __init__(
        self, estimator: Any = None, *, n_jobs: int | None = None, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Matrix, labels: Labels, rng: np.random.Generator) -> None:
        estimator = check_estimator(self.estimator)
        self.estimators_ = fit_labels(estimator, X, labels, rng, self.n_jobs)
        self.pairs_ = list(combinations(range(labels.matrix.shape[1]), 2))
        self.pair_estimators_ = fit_pairs(estimator, X, labels, self.pairs_, rng, self.n_jobs)

    def _scores(self, X: Matrix) -> Array:
        return self._votes(X)[0] / self.n_labels_in_

    def _scores_and_decisions(self, X: Matrix) -> tuple[Array, Array]:
        votes, virtual = self._votes(X)
        return votes / self.n_labels_in_, votes >= virtual[:, None]

    def _votes(self, X: Matrix) -> tuple[Array, Array]:
        """Count the votes of each label, and of the virtual label."""
        ready = ready_to_predict(base_estimator(self.estimator), X)
        said = label_probabilities(self.estimators_, ready, self.n_jobs) > 0.5
        won = count_wins(self.pairs_, self.pair_estimators_, ready, self.n_labels_in_, self.n_jobs)
        return won + said, (~said).sum(axis=1)


def fit_pairs(
    estimator: Any,
    X: Matrix,
    labels: Labels,
    pairs: list[Pair],
    rng: np.random.Generator,
    n_jobs: int | None,
) -> list[Any]:
    """Fit the model of each pair."""
    ready, columns = ready_to_slice(estimator, X), labels.matrix.tocsc()
    work = list(zip(pairs, draw_seeds(rng, len(pairs)), strict=True))
    tasks = ((estimator, ready, columns, part, labels.names) for part in in_chunks(work, n_jobs))
    return [model for part in in_parallel(_fit_chunk, tasks, n_jobs) for model in part]


def pair_data(columns: sparse.csc_array, pair: Pair) -> tuple[Array, Array]:
    """Give the rows with exactly one of two labels, and whether it is the first."""
    first, second = (columns.indices[columns.indptr[j] : columns.indptr[j + 1]] for j in pair)
    rows = np.setxor1d(first, second, assume_unique=True)
    return rows, np.isin(rows, first, assume_unique=True).astype(np.int64)


def count_wins(
    pairs: list[Pair], models: list[Any], X: Matrix, n_labels: int, n_jobs: int | None
) -> Array:
    """Count the pairs that each label wins."""
    paired = zip(pairs, models, strict=True)
    contests = [(pair, model) for pair, model in paired if model is not None]
    tasks = ((part, X, n_labels) for part in in_chunks(contests, n_jobs))
    return sum(in_parallel(_wins_of_chunk, tasks, n_jobs), np.zeros((X.shape[0], n_labels), int))


def _fit_chunk(
    estimator: Any,
    X: Matrix,
    columns: sparse.csc_array,
    work: list[tuple[Pair, int]],
    names: tuple[str, ...],
) -> list[Any]:
    models = []
    for pair, seed in work:
        rows, is_first = pair_data(columns, pair)
        what = f"labels {names[pair[0]]!r} and {names[pair[1]]!r}"
        model = (
            fit_model(estimator, take_rows(estimator, X, rows), is_first, seed, what)
            if rows.size
            else None
        )
        models.append(model)
    return models


def _wins_of_chunk(contests: list[tuple[Pair, Any]], X: Matrix, n_labels: int) -> Array:
    wins = np.zeros((X.shape[0], n_labels), dtype=np.int32, order="F")
    for (first, second), model in contests:
        is_first = predicted_classes(model, X) == 1
        wins[:, first] += is_first
        wins[:, second] += ~is_first
    return wins
