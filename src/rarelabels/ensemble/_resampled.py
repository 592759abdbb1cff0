"""ResampledClassifier: one sampler, one classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels.ensemble.members import require_sampler, unfitted_members, without_missing
from rarelabels.learners.base import WrappingClassifier
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.scores import label_scores, label_votes, scores_and_decisions
from rarelabels.learners.thresholds import best_thresholds, check_criterion


class ResampledClassifier(WrappingClassifier):
    """Fit a multi-label classifier to resampled data.

    At fit the sampler resamples the training data and the estimator is fitted to the result; the
    data to predict are never resampled.

    Parameters
    ----------
    estimator : multi-label classifier
        This package's, or any that follows scikit-learn's conventions.
    sampler : sampler or None
        Anything with `fit_resample`; None fits the estimator to the data as they are, with
        `threshold` for thresholds alone.
    threshold : {None, "f1", "gmean", "balanced_accuracy"}, default=None
        None: the estimator's own predictions. Otherwise what the threshold of each label maximises
        on the training data as it was before the resampling.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the sampler, and the estimator where it has no seed of its own.

    Attributes
    ----------
    estimator_, sampler_
        The clones that were fitted.
    thresholds_ : ndarray of shape (n_labels,)
        Where `threshold` is not None: a label is predicted where its score is at least this.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    See Also
    --------
    SamplingEnsemble : Several of these.

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
        threshold: str | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sampler = sampler
        self.threshold = threshold
        self.random_state = random_state

    def _fit(
        self, X: Any, labels: Labels, rng: np.random.Generator, params: FitParams = NO_PARAMS
    ) -> None:
        if self.sampler is not None:
            require_sampler(self.sampler)
        criterion = None if self.threshold is None else check_criterion(self.threshold)
        (member,) = unfitted_members(self.estimator, self.sampler, [{}], rng)
        fitted = member.fit(X, labels.given, params=params)
        self.sampler_, self.estimator_ = fitted.sampler, fitted.estimator
        if criterion is not None:
            scores = self._scores(X)
            self.thresholds_ = best_thresholds(labels.matrix, scores, criterion, params.weights)

    def _scores(self, X: Any) -> Array:
        return label_scores(self.estimator_, X, self.n_labels_in_)

    def _scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        scores, decisions = scores_and_decisions(self.estimator_, X, self.n_labels_in_)
        return scores, decisions if self.threshold is None else scores >= self.thresholds_

    def _decisions(self, X: Any) -> Array:
        if self.threshold is None:
            return label_votes(self.estimator_, X, self.n_labels_in_) == 1
        return self._scores(X) >= self.thresholds_

    def __sklearn_tags__(self) -> Any:
        return without_missing(super().__sklearn_tags__(), self.sampler)
