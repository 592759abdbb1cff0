"""Per-label thresholds for any multi-label classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array, contain
from rarelabels._labels import Labels
from rarelabels._random import draw_seeds, seeded
from rarelabels._validation import check_count
from rarelabels.learners.base import WrappingClassifier
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.scores import fit_multilabel, label_scores
from rarelabels.learners.thresholds import best_thresholds, check_criterion
from rarelabels.model_selection import IterativeStratifiedKFold


class ThresholdedClassifier(WrappingClassifier):
    """A multi-label classifier with one threshold per label, tuned on the training data.

    Parameters
    ----------
    estimator : multi-label classifier
        This package's, or any that follows scikit-learn's conventions, whatever the shape of its
        `predict_proba`; without one, its `decision_function` squashed by the logistic function,
        or else its votes, are the scores.
    criterion : {"f1", "gmean", "balanced_accuracy"}, default="f1"
        What a label's threshold maximises.
    cv : int, default=None
        None: tuned on the scores of the samples that the classifier has learned from, as the papers
        on COCOA and on sampling ensembles do. An int: on out-of-fold scores of that many
        stratified folds, which does not mistake overfitting for certainty.
    random_state : int, RandomState, Generator or None, default=None
        Draws the folds, and seeds the classifier where it has no seed of its own.

    Attributes
    ----------
    estimator_ : multi-label classifier
        Fitted on all samples.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted where its score is at least this.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    See Also
    --------
    best_f_thresholds : The thresholds with the highest F-measure on given scores.

    Notes
    -----
    A label without positives is never predicted (its threshold is infinite), and one without
    negatives always.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from rarelabels.learners import ThresholdedClassifier
    >>> X, y = make_multilabel_classification(n_classes=3, random_state=0)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0)
    >>> model = ThresholdedClassifier(forest, cv=3, random_state=0).fit(X, y)
    >>> model.thresholds_.round(3)
    array([0.375, 0.525, 0.475])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        criterion: str = "f1",
        cv: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.criterion = criterion
        self.cv = cv
        self.random_state = random_state

    def _fit(
        self, X: Any, labels: Labels, rng: np.random.Generator, params: FitParams = NO_PARAMS
    ) -> None:
        criterion = check_criterion(self.criterion)
        n_folds = None if self.cv is None else check_count("cv", self.cv, 2)
        seed, fold_seed = draw_seeds(rng, 2)
        estimator = seeded(self.estimator, seed)
        self.estimator_ = fit_multilabel(estimator, X, labels.given, **params.of())
        if n_folds is None:
            scores = self._scores(X)
        else:
            scores = out_of_fold_scores(estimator, X, labels, n_folds, fold_seed, params)
        self.thresholds_ = best_thresholds(labels.matrix, scores, criterion, params.weights)

    def _scores(self, X: Any) -> Array:
        return label_scores(self.estimator_, X, self.n_labels_in_)

    def _decide(self, scores: Array) -> Array:
        return scores >= self.thresholds_


def out_of_fold_scores(
    estimator: Any, X: Any, labels: Labels, n_folds: int, seed: int, params: FitParams = NO_PARAMS
) -> Array:
    """Score each sample by a clone that has not learned from it."""
    Y, table = labels.matrix, contain(X)
    scores = np.empty(Y.shape)
    folds = IterativeStratifiedKFold(n_splits=n_folds, shuffle=True, random_state=seed)
    for train, test in folds.split(np.empty((Y.shape[0], 1)), Y):
        model = seeded(estimator, seed)
        y_train = contain(labels.given).stack(train)
        fit_multilabel(model, table.stack(train), y_train, **params.of(train))
        scores[test] = label_scores(model, table.stack(test), Y.shape[1])
    return scores
