"""Fit members: a sampler resamples the training data, and a classifier is fitted to the result.

:class:`ResampledClassifier`, :class:`SamplingEnsemble` and experiments all compute the predictions
of a method here. Experiments store the members that several methods share by their `key`.
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

from rarelabels._callbacks import fit_task
from rarelabels._containers import Array
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import as_generator, draw_seeds, seeded
from rarelabels._texts import is_texts
from rarelabels._validation import check_count, check_labels, group_numbers
from rarelabels.decisions import check_rule
from rarelabels.ensemble.training_data import TrainingData
from rarelabels.learners import ThresholdedClassifier
from rarelabels.learners.composed import WrappingClassifier
from rarelabels.learners.fit_params import NO_PARAMS, FitParams, passed_on, routing_to
from rarelabels.learners.known_labels import allowing_unknown, known_mask
from rarelabels.learners.out_of_fold import Folds
from rarelabels.learners.preprocessing import fitted_preprocessing, require_preprocessing
from rarelabels.learners.scores import fit_multilabel
from rarelabels.learners.thresholds import training_thresholds

T = TypeVar("T")

# The parameters of a sampler that determine its neighbors, except for their number.
DISTANCE_PARAMETERS = {"scale_features", "categorical_features", "metric", "neighbors"}


@dataclass(frozen=True, eq=False)
class Member:
    """A fitted classifier, the sampler of its training data, and the seconds that each took.

    The sampler is None if the classifier was fitted to the data without resampling.
    """

    sampler: Any
    estimator: Any
    sampling_seconds: float
    training_seconds: float


@dataclass(frozen=True, eq=False)
class UnfittedMember:
    """A sampler (or None) and a classifier, with their seeds and parameters."""

    sampler: Any
    estimator: Any

    @cached_property
    def key(self) -> str:
        """Hash of classes, parameters and seeds; equal keys give equal members on equal data.

        It is computed before `fit`.
        """
        return content_hash((self.sampler, self.estimator))

    def fit(
        self,
        data: TrainingData,
        params: FitParams = NO_PARAMS,
        owner: Any = None,
        place: int = 0,
    ) -> Member:
        """Resample the data with the sampler and fit the classifier to the result, once.

        Parameters
        ----------
        data : TrainingData
            The training data.
        params : FitParams, optional
            Parameters of the classifier's `fit`, each with one value, or with one for each sample
            of X.
        owner : estimator, optional
            The estimator whose callbacks follow the fit.
        place : int
            The index of the member in `owner`.
        """
        (new_X, new_y), sampling_seconds = (data.X, data.y), 0.0
        if self.sampler is not None:
            (new_X, new_y), sampling_seconds = timed(lambda: data.resampled_by(self.sampler))
        fit_params = params.of(_origins(self.sampler) if params else None)
        with fit_task(owner, place, "member", self.estimator):
            fitted, training_seconds = timed(
                lambda: fit_multilabel(self.estimator, new_X, new_y, **fit_params)
            )
        return Member(self.sampler, fitted, sampling_seconds, training_seconds)


def content_hash(value: Any) -> str:
    """Return a hash of an object's content, which may include lambdas and classes of a notebook.

    >>> content_hash({"a": 1}) == content_hash({"a": 1}) != content_hash({"a": 2})
    True
    >>> len(content_hash(lambda x: x))
    32
    """
    try:
        return str(joblib.hash(value))
    except (pickle.PicklingError, AttributeError):
        # Objects that cannot be imported by name are hashed by their code.
        return str(joblib.hash(cloudpickle().dumps(value)))


def cloudpickle() -> Any:
    """Return the cloudpickle module that joblib uses: the one it includes, or the installed one."""
    try:
        return import_module("joblib.externals.cloudpickle")
    except ImportError:
        return import_module("cloudpickle")


def unfitted_members(
    estimator: Any, sampler: Any, settings: Sequence[dict[str, Any]], rng: np.random.Generator
) -> list[UnfittedMember]:
    """Return a member for each of the settings, each with different seeds.

    Seeds are drawn member by member, so the first members do not depend on the number of members.
    The first member is equal to the single resampled classifier with the same seed.

    Parameters
    ----------
    estimator : multi-label classifier
        The classifier to clone. It is seeded if its `random_state` is None.
    sampler : sampler or None
        The sampler to clone. Its `random_state` is replaced, because all members would be equal
        otherwise.
    settings : sequence of dict
        Parameters of each member's sampler.
    rng : Generator
        Random generator that draws the seeds.
    """
    members = []
    for sampler_params in settings:
        sampler_seed, estimator_seed = draw_seeds(rng, 2)
        member_sampler = None
        if sampler is not None:
            member_sampler = seeded(sampler, sampler_seed, override=True)
            member_sampler.set_params(**sampler_params)
        members.append(UnfittedMember(member_sampler, seeded(estimator, estimator_seed)))
    return members


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a method computes predictions: its members, the mean of their scores, and thresholds.

    Parameters
    ----------
    estimator : multi-label classifier
        The classifier that each member fits.
    sampler : sampler or None
        The sampler that resamples the data of each member.
    settings : list of dict
        The parameters in which the members' samplers differ.
    threshold : str, rule or None
        The rule that chooses thresholds on the training data. If None, the thresholds of an
        ensemble are 0.5, and a single model makes its own decisions.
    is_ensemble : bool
        Whether decisions are based on the mean of the members' scores.
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
        """Return the arguments of the neighbor search that all members share, None without one."""
        return search_arguments(self.sampler, self.settings)

    def scores(self, member_scores: Sequence[Array]) -> Array:
        """Return the scores of samples, given those of each member."""
        return np.mean(member_scores, axis=0)

    def thresholds(
        self, Y: Any, training_scores: Callable[[], Array], weights: Any = None
    ) -> Array | None:
        """Return the threshold of each label; None if the model makes its own decisions."""
        if self.threshold is not None:
            values, scores = LabelMatrix.of(Y), training_scores()
            return training_thresholds(
                self.threshold, values.positives, scores, weights, known_mask(values)
            )
        return np.full(Y.shape[1], 0.5) if self.is_ensemble else None

    def decisions(self, scores: Array, thresholds: Array | None, first_decisions: Array) -> Array:
        """Return which labels are predicted; `first_decisions` are those of the first member."""
        rule = self.threshold if self.tuner is None else self.tuner.rule
        if thresholds is None:
            return first_decisions
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
    """Base class of the classifiers that resample; texts are turned into numbers first.

    If X contains texts and there is a sampler, the transformers of the estimator's pipeline are
    fitted to all training samples. The sampler resamples the numbers that they return, and the rest
    of the pipeline is fitted to the result.
    """

    sampler: Any

    @shared_parameters
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Resample the data and fit the estimator to the result.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. A dataframe is passed to the sampler and the estimator unchanged.
        {y, or label sets, perhaps unknown}
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Weights of the samples, or of samples and labels, for the estimator and for thresholds.
            An entry of weight 0 is treated as an unknown label. A resampled sample has the weight
            of the original sample that it copies or was generated from.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, for instance a patient, for an estimator whose `fit` has the
            parameter `groups`. A resampled sample has the group of the original sample that it
            copies or was generated from. The sampler does not use the groups.
        **fit_params : values
            Other parameters of the estimator's `fit`, as in
            :meth:`rarelabels.learners.BinaryRelevance.fit`.

        Returns
        -------
        self
        """
        params = passed_on(
            self, self.estimator, sample_weight, fit_params, n_samples=_num_samples(X)
        )
        if groups is not None:
            group_numbers(groups, _num_samples(X))
        options: dict[str, Any] = {} if groups is None else {"groups": groups}
        if params:
            options["params"] = params
        return self._fit_data(X, y, params.weights, **options)

    def get_metadata_routing(self) -> Any:
        """Return the metadata that `fit` uses and passes to the estimator.

        Returns
        -------
        MetadataRouter
            The routing information, as described in scikit-learn's user guide.
        """
        return routing_to(self, self.estimator, with_groups=True)

    def _recipe(self) -> Recipe:
        raise NotImplementedError

    def _prepared(self, X: Any, labels: Labels, rng: np.random.Generator) -> tuple[Any, Recipe]:
        """Return the features to resample, and the recipe for them."""
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
        """Return the features that the fitted members accept; texts are turned into numbers."""
        return self.preprocessing_.transform(X) if hasattr(self, "preprocessing_") else X


def recipe_of(model: Any) -> Recipe:
    """Return how a `ResampledClassifier` or `SamplingEnsemble` computes its predictions.

    The model may be wrapped in a `ThresholdedClassifier`, which chooses thresholds out of fold, or
    be the last step of a pipeline.
    """
    if isinstance(model, Pipeline):
        return recipe_of(model[-1])
    if isinstance(model, ThresholdedClassifier):
        return replace(recipe_of(model.estimator), tuner=model)
    recipe: Recipe = model._recipe()
    return recipe


def member_settings(vary: Any, n_estimators: Any, sampler: Any) -> list[dict[str, Any]]:
    """Return the sampler parameters that are specific to each member."""
    n_estimators = check_count("n_estimators", n_estimators, 1)
    values_by_name = dict(vary or {})
    sampler_params = sampler.get_params() if values_by_name else {}
    for name, values in values_by_name.items():
        if name not in sampler_params:
            raise ValueError(
                f"vary contains {name!r}, which is not a parameter of {type(sampler).__name__}; "
                f"use one of {sorted(sampler_params)}."
            )
        if len(values) != n_estimators:
            raise ValueError(
                f"vary contains {len(values)} values of {name!r} for {n_estimators} members; pass "
                f"one value for each member, or set n_estimators={len(values)}."
            )
    return [
        {name: values[m] for name, values in values_by_name.items()} for m in range(n_estimators)
    ]


def search_arguments(sampler: Any, settings: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the arguments of the call of `find_neighbors` that all members share.

    Return None if the sampler does not accept precomputed neighbors, or if the distance differs
    between members.
    """
    shares = getattr(sampler, "_shares_neighbors", False)
    if not shares or DISTANCE_PARAMETERS & set(settings[0]):
        return None
    return {
        "n_neighbors": max(params.get("n_neighbors", sampler.n_neighbors) for params in settings),
        "scale_features": sampler.scale_features,
        "categorical_features": sampler.categorical_features,
        "metric": getattr(sampler, "metric", "euclidean"),
        "neighbors": sampler.neighbors,
        "n_jobs": sampler.n_jobs,
    }


def require_sampler(sampler: Any) -> None:
    """Check that an object has the method `fit_resample`."""
    if not hasattr(sampler, "fit_resample"):
        raise TypeError(
            "sampler must have the method fit_resample, like rarelabels.sampling.MLSOL(), got "
            f"{sampler!r}."
        )


def without_missing(tags: Any, sampler: Any) -> Any:
    """Remove the tag for missing values if the sampler computes distances without them."""
    allows_nan = hasattr(sampler, "__sklearn_tags__") and get_tags(sampler).input_tags.allow_nan
    if hasattr(sampler, "n_neighbors") and not allows_nan:
        tags.input_tags.allow_nan = False
    return tags


def timed(call: Callable[[], T]) -> tuple[T, float]:
    """Return a call's result and the seconds it took."""
    started = time.perf_counter()
    result = call()
    return result, time.perf_counter() - started


def _origins(sampler: Any) -> Any:
    """Return the training sample that each resampled sample copies or was generated from."""
    if sampler is None or hasattr(sampler, "sample_indices_"):
        return getattr(sampler, "sample_indices_", None)
    raise ValueError(
        "sample_weight and other fit parameters require a sampler with the attribute "
        f"sample_indices_, which {type(sampler).__name__} does not have; use another sampler, or "
        "fit without these parameters."
    )
