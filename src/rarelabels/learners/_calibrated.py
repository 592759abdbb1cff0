"""Calibrated probabilities and expected precision and recall for any multi-label classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import optimize
from scipy.special import expit, logit

from rarelabels._callbacks import fit_task
from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import draw_seeds, seeded
from rarelabels._tables import structured_table
from rarelabels.decisions.intervals import wilson_interval
from rarelabels.learners.composed import FoldingClassifier
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.known_labels import known_mask
from rarelabels.learners.out_of_fold import Folds, check_folds, fold_models
from rarelabels.learners.scores import fit_multilabel, inner_model, scores_and_decisions

# Scores are clipped, because the logits of 0 and 1 are infinite.
SMALLEST_SCORE = 1e-6


@shared_parameters
class CalibratedClassifier(FoldingClassifier):
    """Calibrate the probabilities of a multi-label classifier.

    Resampling and class weights shift scores away from the frequencies of the labels. The
    classifier is fitted to all samples. Copies of it are fitted to parts of the samples and score
    the others, and one logistic curve for each label maps these scores to probabilities. The
    decisions of the classifier do not change.

    Parameters
    ----------
    estimator : multi-label classifier
        A learner of this package, or any other classifier that follows scikit-learn's conventions.
    cv : int, splitter or iterable of splits, default=5
        The number of stratified folds, a splitter of scikit-learn, or pairs of training and test
        samples. The curves are fitted to the scores of the test samples.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. The estimator then allows
        them as well. Unknown labels do not influence the curves, and they are not counted in
        `expected_`.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the folds, and for the classifier if its `random_state` is None.

    Attributes
    ----------
    estimator_ : multi-label classifier
        The classifier fitted to all samples.
    slopes_, intercepts_ : ndarray of shape (n_labels,)
        The curve of each label as a function of the logits of the scores. Slopes are never
        negative, so the order of samples is preserved.
    expected_ : structured ndarray of shape (n_labels,)
        The expected quality of the decisions, computed from those on test samples: ``label``,
        ``positives``, ``predicted``, ``precision`` and ``recall``. The last two have 95 % intervals
        (``precision_low``, ``precision_high``, …; Wilson's score interval). A value is NaN if its
        denominator is 0.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    ThresholdedClassifier : Choose thresholds instead of calibrating probabilities.

    Notes
    -----
    The curves are fitted with Platt's smoothed targets instead of 0 and 1, which avoid extreme
    probabilities for rare labels.

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

    def __init__(
        self,
        estimator: Any,
        *,
        cv: Any = 5,
        allow_missing_labels: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
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
        cv = check_folds(self.cv, labels.matrix.shape[0])
        seed, fold_seed = draw_seeds(rng, 2)
        estimator = inner_model(seeded(self.estimator, seed), labels)
        with fit_task(self, 0, "all samples", estimator):
            self.estimator_ = fit_multilabel(estimator, X, labels.given, **params.of())
        folds = Folds(cv, fold_seed, seed, groups)
        predictions = unseen_predictions(self.estimator, X, labels, folds, params, owner=self)
        truth, scores, decisions = labels.matrix.toarray() == 1, *predictions[:2]
        counted = predictions[2][:, None] & np.ones(truth.shape[1], dtype=bool)
        known = known_mask(labels.values)
        counted = counted if known is None else counted & known
        curves = [
            logistic_curve(truth[counted[:, j], j], scores[counted[:, j], j], weights)
            for j, weights in enumerate(weights_of_labels(params.weights, counted))
        ]
        self.slopes_, self.intercepts_ = np.array(curves).T
        self.expected_ = expected_decisions(truth & counted, decisions & counted, labels.names)

    def _scores(self, X: Any) -> Array:
        return self._scores_and_decisions(X)[0]

    def _scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        scores, decisions = scores_and_decisions(self.estimator_, X, self.n_labels_in_)
        return expit(self.slopes_ * bounded_logit(scores) + self.intercepts_), decisions


def unseen_predictions(
    estimator: Any,
    X: Any,
    labels: Labels,
    folds: Folds,
    params: FitParams = NO_PARAMS,
    owner: Any = None,
) -> tuple[Array, Array, Array]:
    """Return scores and decisions for each sample from a clone that was not fitted to it.

    The third array says which samples are in a test fold.
    """
    shape = labels.matrix.shape
    scores, decisions = np.zeros(shape), np.zeros(shape, dtype=bool)
    is_tested = np.zeros(shape[0], dtype=bool)
    for fold in fold_models(estimator, X, labels, folds, params, owner):
        predictions = scores_and_decisions(fold.model, fold.X_test, shape[1])
        scores[fold.test], decisions[fold.test] = predictions
        is_tested[fold.test] = True
    return scores, decisions, is_tested


def weights_of_labels(weights: Array | None, counted: Array) -> Iterator[Array | None]:
    """Yield the weights of the counted samples of each label, or None without weights."""
    for j in range(counted.shape[1]):
        label_weights = weights[:, j] if weights is not None and weights.ndim == 2 else weights
        yield None if label_weights is None else label_weights[counted[:, j]]


def bounded_logit(scores: Array) -> Array:
    """Return the logits of scores, which are clipped so that the logits are finite."""
    return logit(np.clip(scores, SMALLEST_SCORE, 1 - SMALLEST_SCORE))


def logistic_curve(
    truth: Array, scores: Array, weights: Array | None = None
) -> tuple[float, float]:
    """Fit the slope and intercept of Platt's curve.

    The curve of a label with a single class is constant: the smoothed share of its positives.
    A sample of weight 2 counts as two samples.
    """
    if weights is None:
        n_positive: float = int(truth.sum())
        n_negative: float = int((~truth).sum())
    else:
        n_positive, n_negative = float(weights[truth].sum()), float(weights[~truth].sum())
    if not n_positive or not n_negative:
        return 0.0, float(logit((n_positive + 1) / (n_positive + n_negative + 2)))
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    targets, logits = np.where(truth, high, low), bounded_logit(scores)

    def loss(curve: Array) -> tuple[float, Array]:
        z = curve[0] * logits + curve[1]
        errors, losses = expit(z) - targets, np.logaddexp(0, z) - targets * z
        if weights is not None:
            errors, losses = weights * errors, weights * losses
        return float(losses.sum()), np.array([errors @ logits, errors.sum()])

    start = np.array([1.0, 0.0])
    bounds = [(0.0, None), (None, None)]
    solution = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return float(solution[0]), float(solution[1])


def expected_decisions(truth: Array, decisions: Array, names: Sequence[str]) -> Array:
    """Return the precision and recall of each label with intervals, as a structured array."""
    hits = (truth & decisions).sum(axis=0)
    positives, predicted = truth.sum(axis=0), decisions.sum(axis=0)
    columns = {
        "label": np.array([str(name) for name in names], dtype=np.str_),
        "positives": positives,
        "predicted": predicted,
    }
    for name, trials in (("precision", predicted), ("recall", positives)):
        value, low, high = wilson_interval(hits, trials)
        columns |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return structured_table(columns)
