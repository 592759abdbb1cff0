"""Calibrated label ranking: a classifier for each pair of labels, and a virtual label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import draw_seeds
from rarelabels._tasks import Tasks
from rarelabels.learners._base_estimator import check_estimator
from rarelabels.learners._batch_trainer import trainer_for
from rarelabels.learners._binary_relevance import fit_labels
from rarelabels.learners._trainer import PickedModels
from rarelabels.learners.composed import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams

# Number of samples, over all pairs of a block, that are in memory at a time.
ENTRIES_AT_ONCE = 2**22


@shared_parameters
class CalibratedLabelRanking(MetaLearner):
    """One classifier for each pair of labels, and one for each label against the virtual label.

    The model of a pair is fitted to the samples that have exactly one of the two labels, and it
    votes for one of them. Binary relevance adds a vote for each label: for the label itself if it
    is predicted, and otherwise for the virtual label.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier that is cloned for each model. By default, a decision tree with entropy and
        ``min_samples_leaf=2``.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. The model of a label
        learns from the samples for which it is known, and the model of a pair from the samples for
        which both labels are known.
    n_jobs : int, default=None
        Number of threads that fit labels and pairs. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the classifiers if their `random_state` is None.

    Attributes
    ----------
    estimators_ : sequence of classifiers
        The model of each label against the virtual label.
    pairs_ : ndarray of ints of shape (n_pairs, 2)
        The pairs of labels.
    pair_estimators_ : sequence of classifiers
        The model of each pair, which predicts 1 for its first label. None if no sample has exactly
        one of the two labels.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    Notes
    -----
    A label is predicted if it has at least as many votes as the virtual label. Its score is the
    number of its votes divided by the number of labels. A tie in a pair is a vote for its first
    label, and a tie in binary relevance is a vote for the label, as in the reference implementation
    (Mulan). A pair without a model does not vote.

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
        self,
        estimator: Any = None,
        *,
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(
        self, X: Matrix, labels: Labels, rng: np.random.Generator, params: FitParams = NO_PARAMS
    ) -> None:
        trainer = trainer_for(check_estimator(self.estimator), X, self.n_jobs, params)
        self.estimators_ = fit_labels(trainer, labels, rng, params.weight_table)
        values = labels.values
        self.pairs_ = np.column_stack(np.triu_indices(values.shape[1], 1))
        sizes, seeds = contest_sizes(values, self.pairs_), draw_seeds(rng, len(self.pairs_))
        fitted = np.flatnonzero(sizes)
        self._contests = self.pairs_[fitted]
        models = trainer.fit(
            pair_tasks(values, self._contests, sizes[fitted], params.weight_table),
            [seeds[p] for p in fitted.tolist()],
            lambda t: "labels {!r} and {!r}".format(*(labels.names[j] for j in self._contests[t])),
        )
        self.pair_estimators_ = PickedModels(models, fitted, len(self.pairs_))

    def _scores(self, X: Matrix) -> Array:
        return self._votes(X)[0] / self.n_labels_in_

    def _scores_and_decisions(self, X: Matrix) -> tuple[Array, Array]:
        votes, virtual = self._votes(X)
        return votes / self.n_labels_in_, votes >= virtual[:, None]

    def _votes(self, X: Matrix) -> tuple[Array, Array]:
        """Count the votes of each label, and of the virtual label."""
        data, n_labels = self.estimators_.prepare(X), self.n_labels_in_
        is_predicted = self.estimators_.probability(data, 1, self.n_jobs) >= 0.5
        if not len(self._contests):
            return is_predicted.astype(int), (~is_predicted).sum(axis=1)
        first, second = self._contests.T
        models = self.pair_estimators_.models
        votes = models.count_wins(data, first, second, n_labels, self.n_jobs)
        votes += is_predicted
        return votes, (~is_predicted).sum(axis=1)


def contest_sizes(values: LabelMatrix, pairs: Array) -> Array:
    """Count the samples known to have exactly one of the two labels of each pair."""
    columns = values.positives.tocsc().astype(np.int64)
    together = (columns.T @ columns).toarray()
    single, (first, second) = together.diagonal(), pairs.T
    sizes = single[first] + single[second] - 2 * together[first, second]
    if values.unknown is None:
        return sizes
    # Samples with one label for which the other is unknown.
    undecided = (columns.T @ values.unknown.tocsc().astype(np.int64)).toarray()
    return sizes - undecided[first, second] - undecided[second, first]


def pair_tasks(
    values: LabelMatrix, pairs: Array, sizes: Array, weights: Array | None = None
) -> Iterator[Tasks]:
    """Yield the tasks of all pairs: samples with exactly one of the labels, class 1 for the first.

    Parameters
    ----------
    values : LabelMatrix of shape (n_samples, n_labels)
        The labels.
    pairs : (n_pairs, 2) ndarray of ints
        The labels of each pair.
    sizes : (n_pairs,) ndarray of ints
        Number of samples that have exactly one of the labels.
    weights : (n_samples, n_labels) ndarray or None
        Weights of samples and labels. A sample has the smaller weight of the two labels.
    """
    ends = np.append(0, np.cumsum(sizes))
    start = 0
    while start < len(pairs):
        stop = int(np.searchsorted(ends, ends[start] + ENTRIES_AT_ONCE, side="right")) - 1
        stop = max(stop, start + 1)
        block = pairs[start:stop]
        samples, is_first = pair_samples(values, block)
        task_weights = None
        if weights is not None:
            labels = np.repeat(block, sizes[start:stop], axis=0)
            task_weights = weights[samples[:, None], labels].min(axis=1)
        yield Tasks(ends[start : stop + 1] - ends[start], samples, is_first, 2, task_weights)
        start = stop


def pair_samples(values: LabelMatrix, pairs: Array) -> tuple[Array, Array]:
    """Return the samples of all pairs with exactly one of the labels, and whether it is the first.

    Pairs follow one another, and the samples of each pair are in ascending order.
    """
    by_label = values.positives.tocsc().T.tocsr().astype(np.int8)
    first, second = (by_label[labels] for labels in pairs.T)
    # If a sample has both labels, the difference is zero, which is not stored.
    either = first - second
    if values.unknown is not None:
        unknown = values.unknown.tocsc().T.tocsr()
        undecided = unknown[pairs[:, 0]] + unknown[pairs[:, 1]]
        either = sparse.csr_array(either - either.multiply(undecided > 0))
        either.eliminate_zeros()
        either.sort_indices()
    return either.indices, either.data > 0
