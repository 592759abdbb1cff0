"""Fit members: a sampler resamples the training data, a classifier is fitted to the result.

This is the one place that gets from a method to its predictions: for :class:`ResampledClassifier`,
for :class:`SamplingEnsemble` and for experiments, which keep the members that several methods have
in common by their `key`.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Self, TypeVar

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples

from rarelabels._containers import Array
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._neighbors import Neighbors
from rarelabels._random import as_generator, draw_seeds, seeded
from rarelabels._texts import is_texts
from rarelabels._validation import check_count, check_labels, group_numbers
from rarelabels.decisions import check_rule
from rarelabels.learners import ThresholdedClassifier
from rarelabels.learners.base import WrappingClassifier
from rarelabels.learners.fit_params import NO_PARAMS, FitParams, passed_on, routing_to
from rarelabels.learners.known_labels import allowing_unknown, known_mask
from rarelabels.learners.out_of_fold import Folds
from rarelabels.learners.preprocessing import fitted_preprocessing, require_preprocessing
from rarelabels.learners.scores import fit_multilabel
from rarelabels.learners.thresholds import training_thresholds

T = TypeVar("T")

# Parameters of a sampler on which its neighbors depend, apart from their number.
OF_THE_DISTANCE = {"scale_features", "categorical_features", "metric", "neighbors"}


@dataclass(frozen=True, eq=False)
class Member:
    """A fitted classifier, the sampler of its training data, and the seconds that each took.

    The sampler is None where the classifier was fitted to the data as they are.
    """

    sampler: Any
    estimator: Any
    sampling_seconds: float
    training_seconds: float


@dataclass(frozen=True, eq=False)
class UnfittedMember:
    """A sampler (or None) and a classifier, both seeded and with their own settings."""

    sampler: Any
    estimator: Any

    @cached_property
    def key(self) -> str:
        """Hash of classes, parameters and seeds: equal keys give equal members on equal data."""
        return content_hash((self.sampler, self.estimator))

    def fit(
        self,
        X: Any,
        y: Any,
        neighbors: Neighbors | None = None,
        params: FitParams = NO_PARAMS,
    ) -> Member:
        """Resample the data and fit a classifier to the result.

        Parameters
        ----------
        X, y
            The training data, in the caller's containers.
        neighbors : Neighbors, optional
            Neighbors of the samples of X, for samplers that can share them.
        params : FitParams, optional
            Parameters of the classifier's fit, with a value for each sample of X or for all.
        """
        sampler, estimator = clone(self.sampler, safe=False), clone(self.estimator)
        (new_X, new_y), sampling_seconds = (X, y), 0.0
        if sampler is not None:
            (new_X, new_y), sampling_seconds = timed(lambda: _resample(sampler, X, y, neighbors))
        own = params.of(_origins(sampler) if params else None)
        fitted, training_seconds = timed(lambda: fit_multilabel(estimator, new_X, new_y, **own))
        return Member(sampler, fitted, sampling_seconds, training_seconds)


def content_hash(value: Any) -> str:
    """Return a hash of what an object holds, also where a lambda or a class of a notebook is in it.

    >>> content_hash({"a": 1}) == content_hash({"a": 1}) != content_hash({"a": 2})
    True
    >>> len(content_hash(lambda x: x))
    32
    """
    try:
        return str(joblib.hash(value))
    except (pickle.PicklingError, AttributeError):
        # What has no name to be imported by is taken by its code.
        return str(joblib.hash(cloudpickle().dumps(value)))


def cloudpickle() -> Any:
    """Return the module that joblib pickles functions with: its own, or the one that it needs."""
    try:
        return import_module("joblib.externals.cloudpickle")
    except ImportError:
        return import_module("cloudpickle")


def unfitted_members(
    estimator: Any, sampler: Any, settings: Sequence[dict[str, Any]], rng: np.random.Generator
) -> list[UnfittedMember]:
    """Return a member for each of the settings, with seeds of its own.

    Seeds are drawn member by member, so that the first members are the same whatever their
    number, and the first is the single resampled classifier with the same seed.

    Parameters
    ----------
    estimator : multi-label classifier
        Cloned, and seeded where it has no seed of its own.
    sampler : sampler or None
        Cloned, and seeded even where it has a seed, or all members would be alike.
    settings : sequence of dict
        Parameters of each member's sampler.
    rng : Generator
        Source of the seeds.
    """
    members = []
    for own in settings:
        sampler_seed, estimator_seed = draw_seeds(rng, 2)
        own_sampler = None
        if sampler is not None:
            own_sampler = seeded(sampler, sampler_seed, override=True).set_params(**own)
        members.append(UnfittedMember(own_sampler, seeded(estimator, estimator_seed)))
    return members


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a method gets from data to predictions: members, the mean of their scores, thresholds.

    Parameters
    ----------
    estimator : multi-label classifier
        What each member fits.
    sampler : sampler or None
        What each member resamples with.
    settings : list of dict
        The parameters in which the members' samplers differ.
    threshold : str, rule or None
        The rule that chooses thresholds on the training data. None: 0.5 for an ensemble, and the
        model's own decisions otherwise.
    is_ensemble : bool
        Whether decisions follow from the mean of the members' scores.
    tuner : ThresholdedClassifier, optional
        The model around the members, if it chooses thresholds out of fold.
    """

    estimator: Any
    sampler: Any
    settings: list[dict[str, Any]]
    threshold: Any
    is_ensemble: bool
    tuner: Any = None

    def __post_init__(self) -> None:
        if self.sampler is not None or self.is_ensemble:
            require_sampler(self.sampler)
        if self.threshold is not None:
            check_rule(self.threshold)

    def allowing_unknown(self) -> Recipe:
        """Return the recipe with an estimator and a sampler that allow unknown labels."""
        sampler = None if self.sampler is None else allowing_unknown(clone(self.sampler))
        return replace(self, estimator=allowing_unknown(clone(self.estimator)), sampler=sampler)

    def members(self, rng: np.random.Generator) -> list[UnfittedMember]:
        """Return the members, not fitted."""
        return unfitted_members(self.estimator, self.sampler, self.settings, rng)

    def search(self) -> dict[str, Any] | None:
        """Return the arguments of the one neighbor search that serves all members, if one does."""
        return search_arguments(self.sampler, self.settings)

    def scores(self, of_members: Sequence[Array]) -> Array:
        """Return the scores of samples from those of the members."""
        return np.mean(of_members, axis=0)

    def thresholds(
        self, Y: Any, training_scores: Callable[[], Array], weights: Any = None
    ) -> Array | None:
        """Return the threshold of each label; None if the model decides for itself."""
        if self.threshold is not None:
            values, scores = LabelMatrix.of(Y), training_scores()
            return training_thresholds(
                self.threshold, values.positives, scores, weights, known_mask(values)
            )
        return np.full(Y.shape[1], 0.5) if self.is_ensemble else None

    def decisions(self, scores: Array, thresholds: Array | None, own: Array) -> Array:
        """Return which labels are predicted; `own` are the first member's decisions."""
        rule = self.threshold if self.tuner is None else self.tuner.rule
        if thresholds is None:
            return own
        if rule is None:
            return scores >= thresholds
        decisions: Array = check_rule(rule).decide(scores, thresholds)
        return decisions

    def tuned_thresholds(self, X: Any, y: Any, groups: Any = None) -> Array:
        """Return the thresholds that the tuner chooses out of fold."""
        tuner, labels = self.tuner, check_labels(y, self.tuner.allow_missing_labels)
        seed, fold_seed = draw_seeds(as_generator(tuner.random_state), 2)
        folds = Folds(tuner.cv, fold_seed, fold_seed, groups)
        params = NO_PARAMS.with_groups(groups, tuner.estimator)
        estimator = seeded(tuner.estimator, seed)
        thresholds: Array = tuner._out_of_fold(estimator, X, labels, folds, params)
        return thresholds


class SampledClassifier(WrappingClassifier):
    """Base of the classifiers that resample; texts are turned into numbers first.

    If X holds texts and there is a sampler, the transformers of the estimator's pipeline are fitted
    to all training samples, the sampler resamples what they return, and the rest of the pipeline is
    fitted to the result.
    """

    sampler: Any

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Resample the data and learn from the result.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. A dataframe goes to the sampler and the estimator unchanged.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has; NaN, None or NA for
            unknown labels if `allow_missing_labels` is True.
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Weights of the samples, or of samples and labels, for the estimator and for thresholds.
            An entry of weight 0 is treated as an unknown label. A resampled sample has the weight
            of the sample that it is, or grew from.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, for instance a patient, for an estimator whose fit has the
            parameter `groups`. A resampled sample has the group of the sample that it is, or grew
            from. The sampler does not use them.
        **fit_params : values
            Other parameters of the estimator's fit, as in
            :meth:`rarelabels.learners.BinaryRelevance.fit`.

        Returns
        -------
        self
        """
        given = sample_weight, fit_params
        params = passed_on(self, self.estimator, *given, n_samples=_num_samples(X))
        if groups is not None:
            group_numbers(groups, _num_samples(X))
        more: dict[str, Any] = {} if groups is None else {"groups": groups}
        if params:
            more["params"] = params
        return self._fit_data(X, y, params.weights, **more)

    def get_metadata_routing(self) -> Any:
        """Return what `fit` uses and passes on, for scikit-learn's metadata routing.

        Returns
        -------
        MetadataRouter
            The routing.
        """
        return routing_to(self, self.estimator, with_groups=True)

    def _recipe(self) -> Recipe:
        raise NotImplementedError

    def _prepared(self, X: Any, labels: Labels, rng: np.random.Generator) -> tuple[Any, Recipe]:
        """Return the features that are resampled, and the recipe for them."""
        recipe = self._recipe()
        if labels.has_gaps:
            recipe = recipe.allowing_unknown()
        self.__dict__.pop("preprocessing_", None)
        if recipe.sampler is None or not is_texts(X):
            return X, recipe
        preprocessing, rest = require_preprocessing(recipe.estimator)
        self.preprocessing_, numbers = fitted_preprocessing(preprocessing, X, draw_seeds(rng, 1)[0])
        return numbers, replace(recipe, estimator=rest)

    def _numbers(self, X: Any) -> Any:
        """Return what the fitted members take."""
        return self.preprocessing_.transform(X) if hasattr(self, "preprocessing_") else X


def recipe_of(model: Any) -> Recipe:
    """Return how a `ResampledClassifier` or `SamplingEnsemble` gets to its predictions.

    Also if thresholds are chosen out of fold by a `ThresholdedClassifier` around it, or if a
    pipeline ends in it.
    """
    if isinstance(model, Pipeline):
        return recipe_of(model[-1])
    if isinstance(model, ThresholdedClassifier):
        return replace(recipe_of(model.estimator), tuner=model)
    recipe: Recipe = model._recipe()
    return recipe


def member_settings(vary: Any, n_estimators: Any, sampler: Any) -> list[dict[str, Any]]:
    """Return the parameters in which the sampler of each member differs."""
    n_estimators = check_count("n_estimators", n_estimators, 1)
    varied = dict(vary or {})
    known = sampler.get_params() if varied else {}
    for name, values in varied.items():
        if name not in known:
            raise ValueError(
                f"vary names {name!r}, which {type(sampler).__name__} does not have; it has "
                f"{sorted(known)}."
            )
        if len(values) != n_estimators:
            raise ValueError(
                f"vary gives {len(values)} values of {name!r} for {n_estimators} members; give one "
                f"for each, or set n_estimators={len(values)}."
            )
    return [{name: values[m] for name, values in varied.items()} for m in range(n_estimators)]


def search_arguments(sampler: Any, settings: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the arguments of the one `find_neighbors` that serves all members.

    None where the sampler cannot use neighbors found before, or the distance differs from member
    to member.
    """
    shares = getattr(sampler, "_shares_neighbors", False)
    if not shares or OF_THE_DISTANCE & set(settings[0]):
        return None
    return {
        "n_neighbors": max(own.get("n_neighbors", sampler.n_neighbors) for own in settings),
        "scale_features": sampler.scale_features,
        "categorical_features": sampler.categorical_features,
        "metric": getattr(sampler, "metric", "euclidean"),
        "neighbors": sampler.neighbors,
        "n_jobs": sampler.n_jobs,
    }


def require_sampler(sampler: Any) -> None:
    """Check that something can resample."""
    if not hasattr(sampler, "fit_resample"):
        raise TypeError(
            f"sampler must have fit_resample, like rarelabels.sampling.MLSOL(), got {sampler!r}."
        )


def without_missing(tags: Any, sampler: Any) -> Any:
    """Withdraw the tag for missing values where the sampler takes distances, but not of them."""
    takes_them = hasattr(sampler, "__sklearn_tags__") and get_tags(sampler).input_tags.allow_nan
    if hasattr(sampler, "n_neighbors") and not takes_them:
        tags.input_tags.allow_nan = False
    return tags


def timed(call: Callable[[], T]) -> tuple[T, float]:
    """Return a call's result and the seconds it took."""
    started = time.perf_counter()
    result = call()
    return result, time.perf_counter() - started


def _origins(sampler: Any) -> Any:
    """Return the sample of the training data that each resampled one is, or grew from."""
    if sampler is None or hasattr(sampler, "sample_indices_"):
        return getattr(sampler, "sample_indices_", None)
    raise ValueError(
        f"sample_weight and the like need a sampler with sample_indices_, from which resampled "
        f"samples take their weights; {type(sampler).__name__} has none."
    )


def _resample(sampler: Any, X: Any, y: Any, neighbors: Neighbors | None) -> tuple[Any, Any]:
    if neighbors is None:
        return sampler.fit_resample(X, y)
    own = sampler.neighbors
    # For the call alone, so that the fitted sampler does not keep them in memory.
    try:
        return sampler.set_params(neighbors=neighbors).fit_resample(X, y)
    finally:
        sampler.set_params(neighbors=own)
