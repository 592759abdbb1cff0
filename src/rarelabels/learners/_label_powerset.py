"""Label powerset: a multi-class problem in which each labelset is a class."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._equal_rows import equal_row_groups
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import draw_seeds
from rarelabels._tasks import Tasks
from rarelabels.learners._base_estimator import check_estimator
from rarelabels.learners._batch_trainer import trainer_for
from rarelabels.learners.composed import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams

# Number of label entries that are dense at a time.
ENTRIES_AT_ONCE = 2**22


@shared_parameters
class LabelPowerset(MetaLearner):
    """One classifier whose classes are the labelsets of the training data.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier. By default, a decision tree with entropy and ``min_samples_leaf=2``.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. The classifier learns from
        the samples for which all labels are known.
    n_jobs : int, default=None
        Ignored, because there is only one model. It exists for compatibility with other learners.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the classifier if its `random_state` is None.

    Attributes
    ----------
    estimator_ : classifier
        The fitted model.
    labelsets_ : ndarray of shape (n_labelsets, n_labels)
        The labelset of each class of the model.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    RAkEL : An ensemble of such classifiers on random subsets of the labels.

    Notes
    -----
    The most likely labelset is predicted. The score of a label is the sum of the probabilities of
    the labelsets that contain it. Therefore, a predicted label can have a score below one half, and
    vice versa.

    References
    ----------
    M. R. Boutell, J. Luo, X. Shen, C. M. Brown. Learning multi-label scene classification. Pattern
    Recognition 37(9), 2004, 1757-1771.

    Examples
    --------
    >>> from rarelabels.learners import LabelPowerset
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 1]]
    >>> learner = LabelPowerset(random_state=0).fit(X, y)
    >>> learner.labelsets_
    array([[0, 1],
           [1, 1]])
    >>> learner.predict([[2.5]])
    array([[1, 1]])
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
        trainer = trainer_for(check_estimator(self.estimator), X, 1, params)
        seeds = draw_seeds(rng, 1)
        complete = complete_samples(labels.values)
        self.labelsets_, classes = numbered_labelsets(labels.matrix[complete])
        # With several labels, two labelsets are not the classes 0 and 1 of a label, for which ties
        # are decided differently.
        n_classes = max(len(self.labelsets_), min(self.n_labels_in_ + 1, 3))
        tasks = Tasks(np.array([0, classes.size]), complete, classes, n_classes)
        if params.weight_table is not None:
            tasks = tasks.with_weights(params.weight_table.min(axis=1)[None, :])
        self._models = trainer.fit([tasks], seeds, lambda _: "labelsets")
        self.estimator_ = self._models[0]

    def _scores(self, X: Matrix) -> Array:
        return self._scores_of(self._models.prepare(X))

    def _scores_and_decisions(self, X: Matrix) -> tuple[Array, Array]:
        # The class that a classifier predicts is not always its most probable class.
        data = self._models.prepare(X)
        classes = self._models.decide(data, 1)[:, 0]
        return self._scores_of(data), self.labelsets_[classes] == 1

    def _scores_of(self, data: Any) -> Array:
        probabilities = self._models.class_probabilities(data, len(self.labelsets_))
        return np.clip(probabilities @ self.labelsets_, 0.0, 1.0)


def complete_samples(values: LabelMatrix) -> Array:
    """Return the samples for which all labels are known."""
    if values.unknown is None:
        return np.arange(values.n_samples)
    complete = np.flatnonzero(np.diff(values.unknown.indptr) == 0)
    if not complete.size:
        raise ValueError(
            f"all {values.n_samples} samples have unknown labels, but LabelPowerset needs samples "
            f"for which all {values.shape[1]} labels are known; use RAkEL with small labelsets, or "
            "BinaryRelevance."
        )
    return complete


def numbered_labelsets(Y: sparse.csr_array) -> tuple[Array, Array]:
    """Return the distinct rows of Y, sorted and dense, and the index of each sample's row."""
    numbers = equal_row_groups(Y.sorted_indices())
    firsts = np.unique(numbers, return_index=True)[1]
    packed = _packed_rows(Y[firsts])
    # Packed rows have the same order as the rows, because the first label is the highest bit.
    order = np.argsort(packed.view(np.dtype((np.void, packed.shape[1]))).ravel())
    ranks = np.empty(order.size, dtype=np.intp)
    ranks[order] = np.arange(order.size)
    return Y[firsts[order]].toarray().astype(np.int64), ranks[numbers]


def _packed_rows(Y: sparse.csr_array) -> Array:
    """Return the rows of Y as bits, which need an eighth of the memory of a dense Y."""
    n_samples, n_labels = Y.shape
    packed = np.empty((n_samples, -(-n_labels // 8)), dtype=np.uint8)
    step = max(1, ENTRIES_AT_ONCE // n_labels)
    for start in range(0, n_samples, step):
        part = slice(start, start + step)
        packed[part] = np.packbits(Y[part].toarray() != 0, axis=1)
    return packed
