"""ResampledClassifier: a classifier fitted to resampled data."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels.decisions import check_rule
from rarelabels.ensemble.members import Recipe, SampledClassifier, without_missing
from rarelabels.ensemble.training_data import TrainingData
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.scores import label_scores, label_votes, scores_and_decisions


@shared_parameters
class ResampledClassifier(SampledClassifier):
    """Fit a multi-label classifier to resampled data.

    The sampler resamples the training data, and the estimator is fitted to the result. New samples
    are never resampled.

    Parameters
    ----------
    estimator : multi-label classifier
        A learner of this package, or any other classifier that follows scikit-learn's conventions.
    sampler : sampler or None
        Any object with the method `fit_resample`. If None, the estimator is fitted to the data
        without resampling, and only `threshold` has an effect.
    threshold : str, rule or None, default=None
        If None, the estimator's predictions are returned. Otherwise, this is the decision rule that
        chooses thresholds from the scores of the training samples, as in :class:`SamplingEnsemble`.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. The estimator and the
        sampler then allow them as well, and unknown labels do not influence the thresholds.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the sampler, and for the estimator if its `random_state` is None.

    Attributes
    ----------
    estimator_, sampler_
        The fitted clones.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted if its score is at least this. Only available if `threshold` is not
        None.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    SamplingEnsemble : An ensemble of such classifiers.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from rarelabels.ensemble import ResampledClassifier
    >>> from rarelabels.learners import BinaryRelevance
    >>> from rarelabels.sampling import MLSOL
    >>> X, y = make_multilabel_classification(n_classes=3, random_state=0)
    >>> model = ResampledClassifier(BinaryRelevance(), MLSOL(), random_state=0).fit(X, y)
    >>> int(model.sampler_.is_synthetic_.sum()), model.predict(X).shape
    (30, (100, 3))
    """

    def __init__(
        self,
        estimator: Any,
        sampler: Any,
        *,
        threshold: Any = None,
        allow_missing_labels: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sampler = sampler
        self.threshold = threshold
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
        numbers, recipe = self._prepared(X, labels, rng)
        params = params.with_groups(groups, recipe.estimator)
        (member,) = recipe.members(rng)
        fitted = member.fit(TrainingData(numbers, labels.given), params, self)
        self.sampler_, self.estimator_ = fitted.sampler, fitted.estimator
        thresholds = recipe.thresholds(labels.values, lambda: self._scores(X), params.weights)
        if thresholds is not None:
            self.thresholds_ = thresholds

    def _n_fit_tasks(self) -> int:
        return 1

    def _recipe(self) -> Recipe:
        return Recipe(self.estimator, self.sampler, [{}], self.threshold, is_ensemble=False)

    def _scores(self, X: Any) -> Array:
        return label_scores(self.estimator_, self._numbers(X), self.n_labels_in_)

    def _scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        scores, decisions = scores_and_decisions(
            self.estimator_, self._numbers(X), self.n_labels_in_
        )
        return scores, decisions if self.threshold is None else self._decide(scores)

    def _decisions(self, X: Any) -> Array:
        if self.threshold is None:
            return label_votes(self.estimator_, self._numbers(X), self.n_labels_in_) == 1
        return self._decide(self._scores(X))

    def _decide(self, scores: Array) -> Array:
        return check_rule(self.threshold).decide(scores, self.thresholds_)

    def __sklearn_tags__(self) -> Any:
        return without_missing(super().__sklearn_tags__(), self.sampler)
