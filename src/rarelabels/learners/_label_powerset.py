"""Label powerset: every labelset is a class."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._random import draw_seeds
from rarelabels._tasks import Tasks
from rarelabels.learners._batches import trainer_for
from rarelabels.learners._models import check_estimator
from rarelabels.learners.base import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams

# Labels that are made dense at once.
ENTRIES_AT_ONCE = 2**22


class LabelPowerset(MetaLearner):
    """One classifier whose classes are the labelsets of the training data.

    Parameters
    ----------
    estimator : classifier, default=None
        By default a decision tree with entropy and ``min_samples_leaf=2``.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. The classifier learns from
        the samples that know all labels.
    n_jobs : int, default=None
        Without effect, since there is one model; it is there so that learners can be exchanged.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the classifier where it has no seed of its own.

    Attributes
    ----------
    estimator_ : classifier
        The fitted model.
    labelsets_ : ndarray of shape (n_labelsets, n_labels)
        The labelset that each class of the model stands for.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    See Also
    --------
    RAkEL : Many such classifiers on random parts of the labels.

    Notes
    -----
    The prediction is the most likely labelset; a label's score is the sum of the probabilities of
    the labelsets that hold it. The two may differ on which side of one half a label lies.

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
        # With several labels a tie of two labelsets is no tie of yes and no.
        n_classes = max(len(self.labelsets_), min(self.n_labels_in_ + 1, 3))
        tasks = Tasks(np.array([0, classes.size]), complete, classes, n_classes)
        if params.weight_table is not None:
            tasks = tasks.with_weights(params.weight_table.min(axis=1)[None, :])
        self._models = trainer.fit([tasks], seeds, lambda _: "labelsets")
        self.estimator_ = self._models[0]

    def _scores(self, X: Matrix) -> Array:
        return self._scores_of(self._models.prepare(X))

    def _scores_and_decisions(self, X: Matrix) -> tuple[Array, Array]:
        # A classifier's prediction need not be its most probable class, so it is asked for both.
        data = self._models.prepare(X)
        chosen = self._models.decide(data, 1)[:, 0]
        return self._scores_of(data), self.labelsets_[chosen] == 1

    def _scores_of(self, data: Any) -> Array:
        found = self._models.class_probabilities(data, len(self.labelsets_)) @ self.labelsets_
        return np.clip(found, 0.0, 1.0)


def complete_samples(values: LabelMatrix) -> Array:
    """Return the samples that know all labels."""
    if values.unknown is None:
        return np.arange(values.n_samples)
    complete = np.flatnonzero(np.diff(values.unknown.indptr) == 0)
    if not complete.size:
        raise ValueError(
            f"none of the {values.n_samples} samples knows all {values.shape[1]} labels, so no "
            "labelset can be learned; use RAkEL with small labelsets, or BinaryRelevance."
        )
    return complete


def numbered_labelsets(Y: sparse.csr_array) -> tuple[Array, Array]:
    """Return the different rows of Y, sorted and dense, and the number of each sample's row."""
    firsts, numbers = _different_rows(Y.sorted_indices())
    packed = _packed_rows(Y[firsts])
    # As bytes they are in the order of the rows, the first label being the highest bit.
    order = np.argsort(packed.view(np.dtype((np.void, packed.shape[1]))).ravel())
    places = np.empty(order.size, dtype=np.intp)
    places[order] = np.arange(order.size)
    return Y[firsts[order]].toarray().astype(np.int64), places[numbers]


def _different_rows(Y: sparse.csr_array) -> tuple[Array, Array]:
    """Return the first sample of each different row, and the number of each sample's row."""
    known: dict[bytes, int] = {}
    ends = pairwise(Y.indptr.tolist())
    rows = (Y.indices[start:stop].tobytes() for start, stop in ends)
    numbers = np.array([known.setdefault(row, len(known)) for row in rows], dtype=np.intp)
    return np.unique(numbers, return_index=True)[1], numbers


def _packed_rows(Y: sparse.csr_array) -> Array:
    """Return the rows of Y as bits, made part by part: an eighth of a dense Y in memory."""
    n_samples, n_labels = Y.shape
    packed = np.empty((n_samples, -(-n_labels // 8)), dtype=np.uint8)
    step = max(1, ENTRIES_AT_ONCE // n_labels)
    for start in range(0, n_samples, step):
        part = slice(start, start + step)
        packed[part] = np.packbits(Y[part].toarray() != 0, axis=1)
    return packed
