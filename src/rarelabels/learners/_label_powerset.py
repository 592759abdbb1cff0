"""Label powerset: every labelset is a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._labels import Labels
from rarelabels._random import draw_seeds
from rarelabels.learners._models import base_estimator, check_estimator, fit_model, in_parallel
from rarelabels.learners._trees import ready_to_fit, ready_to_predict
from rarelabels.learners.base import MetaLearner
from rarelabels.learners.scores import class_probabilities, predicted_classes


@dataclass(frozen=True)
class Powerset:
    """A fitted single-label model, and the labelset that each of its classes stands for."""

    model: Any
    labelsets: Array

    def scores(self, X: Matrix) -> Array:
        """Give the probability of each label: that of the labelsets that hold it."""
        found = class_probabilities(self.model, X) @ self.labelsets[self.model.classes_]
        return np.clip(found, 0.0, 1.0)

    def decisions(self, X: Matrix) -> Array:
        """Give the labels of the predicted labelset."""
        return self.labelsets[predicted_classes(self.model, X)] == 1


class LabelPowerset(MetaLearner):
    """One classifier whose classes are the labelsets of the training data.

    Parameters
    ----------
    estimator : classifier, default=None
        By default a decision tree with entropy and ``min_samples_leaf=2``.
    n_jobs : int, default=None
        Handed to nothing here: there is one model. It is there so that learners can be exchanged.
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
        self, estimator: Any = None, *, n_jobs: int | None = None, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Matrix, labels: Labels, rng: np.random.Generator) -> None:
        estimator, (seed,) = check_estimator(self.estimator), draw_seeds(rng, 1)
        task = (estimator, ready_to_fit(estimator, X), labels.matrix.toarray(), seed, "labelsets")
        (self._powerset,) = in_parallel(fit_powerset, [task], n_jobs=1)
        self.estimator_, self.labelsets_ = self._powerset.model, self._powerset.labelsets

    def _scores(self, X: Matrix) -> Array:
        return self._powerset.scores(ready_to_predict(base_estimator(self.estimator), X))

    def _decisions(self, X: Matrix) -> Array:
        return self._powerset.decisions(ready_to_predict(base_estimator(self.estimator), X))

    def _scores_and_decisions(self, X: Matrix) -> tuple[Array, Array]:
        # A classifier's prediction need not be its most probable class, so it is asked for both.
        ready = ready_to_predict(base_estimator(self.estimator), X)
        return self._powerset.scores(ready), self._powerset.decisions(ready)


def fit_powerset(estimator: Any, X: Matrix, Y: Array, seed: int, what: str) -> Powerset:
    """Number the labelsets of a dense Y and fit a model to the numbers."""
    labelsets, numbers = np.unique(Y, axis=0, return_inverse=True)
    model = fit_model(estimator, X, numbers.reshape(-1).astype(np.int64), seed, what)
    return Powerset(model, labelsets.astype(np.int64))
