"""Binary relevance: one classifier per label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import draw_seeds
from rarelabels._tasks import Tasks
from rarelabels.learners._base_estimator import check_estimator
from rarelabels.learners._batch_trainer import trainer_for
from rarelabels.learners._trainer import Models, Trainer
from rarelabels.learners.composed import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams

# Number of class entries, over all tasks of a block, that are in memory at a time.
ENTRIES_AT_ONCE = 2**24


@shared_parameters
class BinaryRelevance(MetaLearner):
    """One independent classifier for each label.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier that is cloned for each label. By default, a decision tree with entropy and
        ``min_samples_leaf=2``.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. Each label learns from the
        samples that know it.
    n_jobs : int, default=None
        Number of threads that fit labels. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the classifiers if their `random_state` is None.

    Attributes
    ----------
    estimators_ : sequence of classifiers
        The model of each label.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    LabelPowerset : One classifier for whole labelsets.

    Notes
    -----
    If a label has a single class in the training data, this class is always predicted. A label is
    predicted if its probability is at least one half. A tie therefore predicts the label, as in the
    reference implementation (Mulan); scikit-learn's trees do not predict it. If a classifier has no
    `predict_proba`, the logistic function of its `decision_function` is used, or else its
    predictions.

    References
    ----------
    M. R. Boutell, J. Luo, X. Shen, C. M. Brown. Learning multi-label scene classification. Pattern
    Recognition 37(9), 2004, 1757-1771.

    Examples
    --------
    >>> from rarelabels.learners import BinaryRelevance
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 1]]
    >>> BinaryRelevance(random_state=0).fit(X, y).predict([[0.5], [2.5]])
    array([[0, 1],
           [1, 1]])
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

    def _scores(self, X: Matrix) -> Array:
        return self.estimators_.probability(self.estimators_.prepare(X), 1, self.n_jobs)


def fit_labels(
    trainer: Trainer, labels: Labels, rng: np.random.Generator, weights: Array | None = None
) -> Models:
    """Fit one model for each label; `weights` are weights of samples and labels, or None."""
    seeds = draw_seeds(rng, labels.matrix.shape[1])
    blocks = label_tasks(labels.values, weights)
    return trainer.fit(blocks, seeds, lambda j: f"label {labels.names[j]!r}")


def label_tasks(values: LabelMatrix, weights: Array | None = None) -> Iterator[Tasks]:
    """Yield the tasks of all labels; each contains the samples for which the label is known."""
    n_samples, n_labels = values.shape
    columns = values.positives.tocsc()
    unknown = None if values.unknown is None else values.unknown.tocsc()
    step = max(1, ENTRIES_AT_ONCE // n_samples)
    for start in range(0, n_labels, step):
        part = slice(start, start + step)
        classes = columns[:, part].toarray()
        if unknown is None:
            tasks = Tasks.same_samples(n_samples, classes, 2)
        else:
            tasks = Tasks.known_classes((classes - unknown[:, part].toarray()).T, 2)
        yield tasks if weights is None else tasks.with_weights(weights[:, part].T)
