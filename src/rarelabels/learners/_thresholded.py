"""A threshold for each label of any multi-label classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from rarelabels._callbacks import fit_task
from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import draw_seeds, seeded
from rarelabels.decisions import check_rule
from rarelabels.decisions.out_of_fold import named_labels, out_of_fold_thresholds
from rarelabels.learners.composed import FoldingClassifier
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.known_labels import known_mask
from rarelabels.learners.out_of_fold import Folds, check_folds, out_of_fold_scores
from rarelabels.learners.scores import fit_multilabel, inner_model, label_scores
from rarelabels.learners.thresholds import training_thresholds


@shared_parameters
class ThresholdedClassifier(FoldingClassifier):
    """Choose a threshold for each label of a multi-label classifier on the training data.

    Copies of the classifier are fitted to parts of the samples and score the others. A decision
    rule chooses the thresholds from these out-of-fold scores, and the classifier is then fitted to
    all samples.

    Parameters
    ----------
    estimator : multi-label classifier
        A learner of this package, or any other classifier that follows scikit-learn's conventions.
        Its scores are taken from `predict_proba`, which may return any of scikit-learn's shapes. If
        this method is missing, the logistic function of its `decision_function` is used, or else
        its predictions.
    rule : str or rule, default="pooled_f1"
        The decision rule that chooses the thresholds: the name of one of
        :data:`rarelabels.decisions.RULES`, or a rule object.
    cv : int, splitter, iterable of splits or None, default=5
        The number of stratified folds, a splitter of scikit-learn, or pairs of training and test
        samples. Thresholds are chosen on the scores of the test samples. If None, they are chosen
        on the scores of the samples that the classifier was fitted to, as in the papers on COCOA
        and on sampling ensembles; trees and boosting overfit these scores.
    fold_params : mapping of str to value, default=None
        Parameters of the copies that are fitted to the folds, if they differ from those of the
        classifier. For example, ``{"n_estimators": 2}`` chooses the thresholds of an ensemble with
        copies that have two members.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. The estimator then allows
        them as well. Unknown labels do not influence the thresholds.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the folds, and for the classifier if its `random_state` is None.

    Attributes
    ----------
    estimator_ : multi-label classifier
        The classifier fitted to all samples.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted if its score is at least this.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    rarelabels.decisions.choose_thresholds : Choose thresholds on given scores.
    best_f_thresholds : The thresholds with the highest F-measure on given scores.

    Notes
    -----
    A label without positives is never predicted (its threshold is infinite), and a label without
    negatives is always predicted. A copy that was fitted to no positive sample of a label cannot
    score it, and its scores are not used for this label. If no copy can score the positive samples
    of a label, for instance because there is only one, the label is predicted as often as it
    occurs. With ``cv=None``, the rules ``"f1"``, ``"gmean"`` and ``"balanced_accuracy"`` are
    maximized exactly.

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
        cv: Any = 5,
        fold_params: Mapping[str, Any] | None = None,
        allow_missing_labels: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.cv = cv
        self.fold_params = fold_params
        self.allow_missing_labels = allow_missing_labels
        self.random_state = random_state

    def _fit(
        self,
        X: Any,
        labels: Labels,
        rng: np.random.Generator,
        params: FitParams = NO_PARAMS,
        groups: Any = None,
    ) -> None:
        check_rule(self.rule)
        cv = None if self.cv is None else check_folds(self.cv, labels.matrix.shape[0])
        seed, fold_seed = draw_seeds(rng, 2)
        estimator = inner_model(seeded(self.estimator, seed), labels)
        with fit_task(self, 0, "all samples", estimator):
            self.estimator_ = fit_multilabel(estimator, X, labels.given, **params.of())
        if cv is None:
            self.thresholds_ = training_thresholds(
                self.rule,
                labels.matrix,
                self._scores(X),
                params.weights,
                known_mask(labels.values),
            )
            return
        folds = Folds(cv, fold_seed, fold_seed, groups)
        self.thresholds_ = self._out_of_fold(estimator, X, labels, folds, params)

    def _out_of_fold(
        self,
        estimator: Any,
        X: Any,
        labels: Labels,
        folds: Folds,
        params: FitParams = NO_PARAMS,
    ) -> Array:
        """Return the thresholds; experiments, which fit the estimator elsewhere, also call this."""
        fold_estimator = clone(estimator).set_params(**(self.fold_params or {}))
        scores, learned = out_of_fold_scores(fold_estimator, X, labels, folds, params, owner=self)
        rule, truth = check_rule(self.rule), labels.matrix.toarray() == 1
        known = known_mask(labels.values)
        with named_labels(labels.names):
            return out_of_fold_thresholds(rule, truth, scores, learned, params.weights, known)

    def _scores(self, X: Any) -> Array:
        return label_scores(self.estimator_, X, self.n_labels_in_)

    def _decide(self, scores: Array) -> Array:
        return check_rule(self.rule).decide(scores, self.thresholds_)
