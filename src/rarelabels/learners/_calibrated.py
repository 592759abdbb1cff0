"""Calibrated probabilities for any multi-label classifier, with what to expect of its decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize
from scipy.special import expit, logit

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._random import draw_seeds, seeded
from rarelabels._tables import structured_table
from rarelabels._validation import check_count
from rarelabels.decisions.intervals import wilson_interval
from rarelabels.learners.base import WrappingClassifier
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.out_of_fold import Folds, fold_models
from rarelabels.learners.scores import fit_multilabel, scores_and_decisions

# Scores of 0 and 1 have no logit.
SMALLEST_SCORE = 1e-6


class CalibratedClassifier(WrappingClassifier):
    """A multi-label classifier whose scores are turned into calibrated probabilities.

    Resampling and class weights shift scores away from the frequencies of the labels. The
    classifier is fitted to all samples; copies fitted to parts of them score the samples that they
    have not seen, and one logistic curve for each label maps such scores to probabilities.
    Decisions stay those of the classifier.

    Parameters
    ----------
    estimator : multi-label classifier
        This package's, or any that follows scikit-learn's conventions.
    cv : int, default=5
        Stratified folds of the scores that the curves are fitted to.
    random_state : int, RandomState, Generator or None, default=None
        Draws the folds, and seeds the classifier where it has no seed of its own.

    Attributes
    ----------
    estimator_ : multi-label classifier
        Fitted to all samples.
    slopes_, intercepts_ : ndarray of shape (n_labels,)
        The curve of each label, on the logits of the scores; a slope is never negative, so that the
        order of samples stays.
    expected_ : structured ndarray of shape (n_labels,)
        What to expect of the decisions, from those on samples not seen: ``positives``,
        ``predicted``, ``precision`` and ``recall``, each with a 95 % interval (``precision_low``,
        ``precision_high``, …; Wilson's score interval); NaN where there is nothing to divide by.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    See Also
    --------
    ThresholdedClassifier : Thresholds instead of probabilities.

    Notes
    -----
    The curves are Platt's, with his targets in place of 0 and 1, which keep a label of few
    positives from certainty.

    References
    ----------
    J. Platt. Probabilistic Outputs for Support Vector Machines and Comparisons to Regularized
    Likelihood Methods. Advances in Large Margin Classifiers, 1999, 61-74.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from rarelabels.learners import BinaryRelevance, CalibratedClassifier
    >>> X, y = make_multilabel_classification(n_samples=200, n_classes=3, random_state=0)
    >>> model = CalibratedClassifier(BinaryRelevance(), random_state=0).fit(X, y)
    >>> model.predict_proba(X[:2]).shape, model.expected_["positives"].tolist()
    ((2, 3), [101, 124, 113])
    """

    def __init__(self, estimator: Any, *, cv: int = 5, random_state: Any = None) -> None:
        self.estimator = estimator
        self.cv = cv
        self.random_state = random_state

    def _fit(
        self, X: Any, labels: Labels, rng: np.random.Generator, params: FitParams = NO_PARAMS
    ) -> None:
        n_folds = check_count("cv", self.cv, 2)
        seed, fold_seed = draw_seeds(rng, 2)
        estimator = seeded(self.estimator, seed)
        self.estimator_ = fit_multilabel(estimator, X, labels.given, **params.of())
        seeds = seed, fold_seed
        scores, decisions = unseen_predictions(self.estimator, X, labels, n_folds, seeds, params)
        truth = labels.matrix.toarray() == 1
        curves = [logistic_curve(truth[:, j], scores[:, j]) for j in range(truth.shape[1])]
        self.slopes_, self.intercepts_ = np.array(curves).T
        self.expected_ = expected_decisions(truth, decisions)

    def _scores(self, X: Any) -> Array:
        return self._scores_and_decisions(X)[0]

    def _scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        scores, decisions = scores_and_decisions(self.estimator_, X, self.n_labels_in_)
        return expit(self.slopes_ * bounded_logit(scores) + self.intercepts_), decisions


def unseen_predictions(
    estimator: Any,
    X: Any,
    labels: Labels,
    n_folds: int,
    seeds: tuple[int, int],
    params: FitParams = NO_PARAMS,
) -> tuple[Array, Array]:
    """Return scores and decisions of each sample by a clone that was not fitted to it."""
    seed, fold_seed = seeds
    shape = labels.matrix.shape
    scores, decisions = np.empty(shape), np.empty(shape, dtype=bool)
    for fold in fold_models(estimator, X, labels, Folds(n_folds, fold_seed, seed), params):
        found = scores_and_decisions(fold.model, fold.X_test, shape[1])
        scores[fold.test], decisions[fold.test] = found
    return scores, decisions


def bounded_logit(scores: Array) -> Array:
    """Return the logits of scores, those of 0 and 1 as of numbers near them."""
    return logit(np.clip(scores, SMALLEST_SCORE, 1 - SMALLEST_SCORE))


def logistic_curve(truth: Array, scores: Array) -> tuple[float, float]:
    """Fit slope and intercept of Platt's curve; a label of one class gets its smoothed share."""
    n_positive, n_negative = int(truth.sum()), int((~truth).sum())
    if not n_positive or not n_negative:
        return 0.0, float(logit((n_positive + 1) / (truth.size + 2)))
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    targets, at = np.where(truth, high, low), bounded_logit(scores)

    def loss(curve: Array) -> tuple[float, Array]:
        z = curve[0] * at + curve[1]
        wrong = expit(z) - targets
        return float((np.logaddexp(0, z) - targets * z).sum()), np.array([wrong @ at, wrong.sum()])

    start = np.array([1.0, 0.0])
    bounds = [(0.0, None), (None, None)]
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return float(found[0]), float(found[1])


def expected_decisions(truth: Array, decisions: Array) -> Array:
    """Return precision and recall of each label with their intervals, as a structured array."""
    hits = (truth & decisions).sum(axis=0)
    positives, predicted = truth.sum(axis=0), decisions.sum(axis=0)
    columns = {"positives": positives, "predicted": predicted}
    for name, trials in (("precision", predicted), ("recall", positives)):
        value, low, high = wilson_interval(hits, trials)
        columns |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return structured_table(columns)
