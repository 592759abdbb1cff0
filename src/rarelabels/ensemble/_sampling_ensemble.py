"""SamplingEnsemble (EMLS): an ensemble of classifiers, each fitted to its own resampled data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels.decisions import check_rule
from rarelabels.ensemble.members import (
    Member,
    Recipe,
    SampledClassifier,
    member_settings,
    require_sampler,
    without_missing,
)
from rarelabels.ensemble.training_data import TrainingData
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.scores import label_votes, scores_of_clones
from rarelabels.metrics import disagreement


@shared_parameters
class SamplingEnsemble(SampledClassifier):
    """An ensemble of classifiers fitted to data resampled by one sampler with different seeds.

    Parameters
    ----------
    estimator : multi-label classifier
        A learner of this package, or any other classifier that follows scikit-learn's conventions.
        Its scores are taken from `predict_proba`, which may return any of scikit-learn's shapes. If
        this method is missing, the logistic function of its `decision_function` is used, or else
        its predictions.
    sampler : sampler
        Any object with the method `fit_resample`, for instance :class:`rarelabels.sampling.MLSOL`.
    n_estimators : int, default=5
        Number of members.
    vary : mapping of parameter to list, default=None
        Parameters of the sampler that differ between the members, with one value for each member:
        ``{"n_neighbors": [5, 6, 7, 8, 9]}`` is E_k in the paper, and ``{"sampling_ratio": [...]}``
        is E_p.
    threshold : str, rule or None, default="f1"
        The decision rule that chooses the thresholds from the scores of the original training
        samples: the name of one of :data:`rarelabels.decisions.RULES`, or a rule object. ``"f1"``,
        ``"gmean"`` and ``"balanced_accuracy"`` are maximized exactly, as in the paper. If None, the
        threshold is 0.5 for all labels. To choose thresholds out of fold, pass None and wrap the
        ensemble in :class:`rarelabels.learners.ThresholdedClassifier`.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. The estimator and the
        sampler then allow them as well, and unknown labels do not influence the thresholds.
    n_jobs : int, default=None
        Number of threads that fit members. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the samplers, and for the estimators if their `random_state` is None.
    verbose : int, default=0
        If 1, a progress bar is shown, which requires tqdm.

    Attributes
    ----------
    estimators_ : list of multi-label classifiers
        The fitted members. The first one is equal to the model that :class:`ResampledClassifier`
        fits with the same `random_state`.
    samplers_ : list of samplers
        The sampler of each member.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted if its score is at least this.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    Notes
    -----
    The score of a label is the mean of the members' scores. Samplers that use the neighbors among
    all samples (MLSOL, MLUL and others) share one neighbor search.

    References
    ----------
    Liu, Blekas and Tsoumakas, "Multi-Label Sampling based on Local Label Imbalance", Pattern
    Recognition 122, 2022.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from rarelabels.ensemble import SamplingEnsemble
    >>> from rarelabels.learners import BinaryRelevance
    >>> from rarelabels.sampling import MLSOL
    >>> X, y = make_multilabel_classification(n_samples=200, n_classes=3, random_state=0)
    >>> ensemble = SamplingEnsemble(
    ...     BinaryRelevance(), MLSOL(), vary={"n_neighbors": [5, 6, 7, 8, 9]}, random_state=0
    ... )
    >>> ensemble.fit(X[:100], y[:100]).predict(X[100:]).shape
    (100, 3)
    >>> [sampler.n_neighbors for sampler in ensemble.samplers_]
    [5, 6, 7, 8, 9]
    """

    def __init__(
        self,
        estimator: Any,
        sampler: Any,
        *,
        n_estimators: int = 5,
        vary: Mapping[str, Any] | None = None,
        threshold: Any = "f1",
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.sampler = sampler
        self.n_estimators = n_estimators
        self.vary = vary
        self.threshold = threshold
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

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
        members = self._fit_members(numbers, labels, recipe, rng, params)
        self.estimators_ = [member.estimator for member in members]
        self.samplers_ = [member.sampler for member in members]
        self.thresholds_ = recipe.thresholds(labels.values, lambda: self._scores(X), params.weights)

    def _n_fit_tasks(self) -> int:
        return int(self.n_estimators)

    def _recipe(self) -> Recipe:
        require_sampler(self.sampler)
        settings = member_settings(self.vary, self.n_estimators, self.sampler)
        return Recipe(self.estimator, self.sampler, settings, self.threshold, is_ensemble=True)

    def _fit_members(
        self,
        X: Any,
        labels: Labels,
        recipe: Recipe,
        rng: np.random.Generator,
        params: FitParams,
    ) -> list[Member]:
        data = TrainingData(X, labels.given)
        data.search(recipe.sampler, recipe.search())
        members = recipe.members(rng)
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        fitted = run(
            delayed(member.fit)(data, params, self, place) for place, member in enumerate(members)
        )
        return list(with_progress(fitted, len(members), self.verbose))

    def _scores(self, X: Any) -> Array:
        run = Parallel(n_jobs=self.n_jobs, prefer="threads")
        return np.mean(
            scores_of_clones(self.estimators_, self._numbers(X), self.n_labels_in_, run), axis=0
        )

    def _decide(self, scores: Array) -> Array:
        if self.threshold is None:
            return scores >= self.thresholds_
        return check_rule(self.threshold).decide(scores, self.thresholds_)

    def disagreement(self, X: Any) -> float:
        """Return the share of predictions on which two members differ, averaged over all pairs.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features of the samples to predict.

        Returns
        -------
        float
            From 0 to 1; 0 for a single member.
        """
        check_is_fitted(self)
        numbers = self._numbers(self._read(X, reset=False))
        run = Parallel(n_jobs=self.n_jobs, prefer="threads")
        return disagreement(
            run(
                delayed(label_votes)(model, numbers, self.n_labels_in_)
                for model in self.estimators_
            )
        )

    def __sklearn_tags__(self) -> Any:
        return without_missing(super().__sklearn_tags__(), self.sampler)


def with_progress(members: Iterable[Any], n_members: int, verbose: int) -> Iterable[Any]:
    """Show a progress bar for the members if `verbose` is not 0."""
    if not verbose:
        return members
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError(
            "verbose=1 shows a progress bar, which requires tqdm; install it with pip install "
            '"rarelabels[progress]", or set verbose=0.'
        ) from error
    return tqdm(members, total=n_members, desc="members")
