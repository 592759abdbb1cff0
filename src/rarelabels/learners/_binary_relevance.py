"""Binary relevance: one classifier per label."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._labels import Labels
from rarelabels._random import draw_seeds
from rarelabels.learners._models import base_estimator, check_estimator, fit_model, in_parallel
from rarelabels.learners._trees import ready_to_fit, ready_to_predict
from rarelabels.learners.base import MetaLearner
from rarelabels.learners.scores import class_probability


class BinaryRelevance(MetaLearner):
    """One independent classifier for each label.

    Parameters
    ----------
    estimator : classifier, default=None
        Cloned for each label; by default a decision tree with entropy and ``min_samples_leaf=2``.
    n_jobs : int, default=None
        Threads over the labels. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the classifiers that have no seed of their own.

    Attributes
    ----------
    estimators_ : list of classifiers
        The model of each label.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    See Also
    --------
    LabelPowerset : One classifier for whole labelsets.

    Notes
    -----
    A label with one class in the training data is predicted as that class. A label is predicted
    where its probability is above one half, so a tie is a no, as in scikit-learn's trees. A
    classifier without `predict_proba` gives its `decision_function` squashed by the logistic
    function, or else its votes.

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
        self, estimator: Any = None, *, n_jobs: int | None = None, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Matrix, labels: Labels, rng: np.random.Generator) -> None:
        estimator = check_estimator(self.estimator)
        self.estimators_ = fit_labels(estimator, X, labels, rng, self.n_jobs)

    def _scores(self, X: Matrix) -> Array:
        ready = ready_to_predict(base_estimator(self.estimator), X)
        return label_probabilities(self.estimators_, ready, self.n_jobs)


def fit_labels(
    estimator: Any, X: Matrix, labels: Labels, rng: np.random.Generator, n_jobs: int | None
) -> list[Any]:
    """Fit one model per label."""
    ready, columns = ready_to_fit(estimator, X), labels.matrix.tocsc()
    seeds = draw_seeds(rng, columns.shape[1])
    tasks = (
        (estimator, ready, dense_column(columns, j), seeds[j], f"label {labels.names[j]!r}")
        for j in range(columns.shape[1])
    )
    return in_parallel(fit_model, tasks, n_jobs)


def label_probabilities(models: list[Any], X: Matrix, n_jobs: int | None) -> Array:
    """Ask each label's model for its probability, as columns."""
    columns = in_parallel(class_probability, ((model, X) for model in models), n_jobs)
    return np.column_stack(columns)


def dense_column(columns: sparse.csc_array, j: int) -> Array:
    """Give a label's column as an array of ints."""
    column = np.zeros(columns.shape[0], dtype=np.int64)
    column[columns.indices[columns.indptr[j] : columns.indptr[j + 1]]] = 1
    return column
