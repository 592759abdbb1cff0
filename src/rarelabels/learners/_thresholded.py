"""Per-label thresholds for any multi-label classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._random import draw_seeds, seeded
from rarelabels._validation import check_count
from rarelabels.decisions import check_rule
from rarelabels.decisions.out_of_fold import named_labels, out_of_fold_thresholds
from rarelabels.learners.base import WrappingClassifier
from rarelabels.learners.fit_params import NO_PARAMS, FitParams, passed_on
from rarelabels.learners.out_of_fold import Folds, out_of_fold_scores
from rarelabels.learners.scores import fit_multilabel, label_scores
from rarelabels.learners.thresholds import training_thresholds


class ThresholdedClassifier(WrappingClassifier):
    """A multi-label classifier with a threshold for each label, chosen on the training data.

    Copies of the classifier are fitted to parts of the samples and score the others. A decision
    rule chooses the thresholds from these out-of-fold scores, and the classifier is then fitted to
    all samples.

    Parameters
    ----------
    estimator : multi-label classifier
        This package's, or any that follows scikit-learn's conventions, whatever the shape of its
        `predict_proba`; without one, its `decision_function` squashed by the logistic function,
        or else its votes, are the scores.
    rule : str or rule, default="pooled_f1"
        The decision rule that chooses the thresholds: the name of one of
        :data:`rarelabels.decisions.RULES`, or a rule object.
    cv : int or None, default=5
        The number of stratified folds of the out-of-fold scores. None: the scores of the samples
        that the classifier learned from, as in the papers on COCOA and on sampling ensembles;
        trees and boosting overfit these scores.
    fold_params : mapping of str to value, default=None
        Parameters of the copies that are fitted to the folds, if they differ from those of the
        classifier: ``{"n_estimators": 2}`` chooses the thresholds of an ensemble with copies of two
        members.
    random_state : int, RandomState, Generator or None, default=None
        Draws the folds, and seeds the classifier where it has no seed of its own.

    Attributes
    ----------
    estimator_ : multi-label classifier
        Fitted to all samples.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted where its score is at least this.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    See Also
    --------
    rarelabels.decisions.choose_thresholds : Thresholds from scores that you have.
    best_f_thresholds : The thresholds with the highest F-measure on given scores.

    Notes
    -----
    A label without positives is never predicted (its threshold is infinite), and one without
    negatives always. A copy that learned from no positive sample of a label cannot score it; its
    scores are left out for this label. A label that no copy can score where it is positive, for
    instance one with a single positive sample, is predicted as often as it occurs. With ``cv=None``
    the rules ``"f1"``, ``"gmean"`` and ``"balanced_accuracy"`` are maximized exactly.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from rarelabels.learners import ThresholdedClassifier
    >>> X, y = make_multilabel_classification(n_classes=3, random_state=0)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0)
    >>> model = ThresholdedClassifier(forest, random_state=0).fit(X, y)
    >>> model.thresholds_.round(3)
    array([0.475, 0.625, 0.475])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        rule: Any = "pooled_f1",
        cv: int | None = 5,
        fold_params: Mapping[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.cv = cv
        self.fold_params = fold_params
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Learn from the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. A dataframe goes to the estimator unchanged.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for the estimator and for the thresholds.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample. No group is in two folds.
        **fit_params : values
            Other parameters of the estimator's fit, as in
            :meth:`rarelabels.learners.BinaryRelevance.fit`.

        Returns
        -------
        self
        """
        given = sample_weight, fit_params
        params = passed_on(self, self.estimator, *given, n_samples=_num_samples(X))
        return self._fit_data(X, y, params=params, groups=groups)

    def _fit(
        self,
        X: Any,
        labels: Labels,
        rng: np.random.Generator,
        params: FitParams = NO_PARAMS,
        groups: Any = None,
    ) -> None:
        check_rule(self.rule)
        n_folds = self._n_folds(labels)
        seed, fold_seed = draw_seeds(rng, 2)
        estimator = seeded(self.estimator, seed)
        self.estimator_ = fit_multilabel(estimator, X, labels.given, **params.of())
        if n_folds is None:
            scores = self._scores(X)
            self.thresholds_ = training_thresholds(self.rule, labels.matrix, scores, params.weights)
            return
        folds = Folds(n_folds, fold_seed, fold_seed, groups)
        self.thresholds_ = self._out_of_fold(estimator, X, labels, folds, params)

    def _n_folds(self, labels: Labels) -> int | None:
        n_folds = None if self.cv is None else check_count("cv", self.cv, 2)
        if n_folds is not None and labels.matrix.shape[0] < n_folds:
            raise ValueError(
                f"cv={n_folds} needs at least {n_folds} samples, got n_samples="
                f"{labels.matrix.shape[0]}; use fewer folds, or cv=None."
            )
        return n_folds

    def _out_of_fold(
        self,
        estimator: Any,
        X: Any,
        labels: Labels,
        folds: Folds,
        params: FitParams = NO_PARAMS,
    ) -> Array:
        """Return the thresholds; also for experiments, which fit the estimator elsewhere."""
        copied = clone(estimator).set_params(**(self.fold_params or {}))
        scores, learned = out_of_fold_scores(copied, X, labels, folds, params)
        rule, truth = check_rule(self.rule), labels.matrix.toarray() == 1
        with named_labels(labels.names):
            return out_of_fold_thresholds(rule, truth, scores, learned, params.weights)

    def _scores(self, X: Any) -> Array:
        return label_scores(self.estimator_, X, self.n_labels_in_)

    def _decide(self, scores: Array) -> Array:
        return check_rule(self.rule).decide(scores, self.thresholds_)
