"""Fit the models of a learner separately, for any scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin

from rarelabels._containers import Array, Matrix
from rarelabels._registry import part_of_models
from rarelabels._tasks import Tasks
from rarelabels.learners._base_estimator import checking, in_parallel
from rarelabels.learners._chain_features import chain_features
from rarelabels.learners._dataframes import is_frame, take_rows
from rarelabels.learners._trainer import FitError, Links, Models, NameOf
from rarelabels.learners._tree_shortcuts import (
    fit_options,
    ready_to_fit,
    ready_to_predict,
    ready_to_slice,
    seeded_clone,
    take_samples,
)
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.scores import class_probabilities, class_probability, predicted_classes

EMPTY: Mapping[str, Any] = MappingProxyType({})

# Number of predictions that are in memory at a time, and the minimum number of their models.
PREDICTIONS_AT_ONCE = 2**19
LEAST_AT_ONCE = 16


@part_of_models
class ConstantModel(ClassifierMixin, BaseEstimator):
    """The model of a target with a single class, which it predicts for every sample."""

    def __init__(self, value: int = 0) -> None:
        self.value = value
        self.classes_ = np.array([value])

    def predict(self, X: Matrix) -> Array:
        """Return the class for each sample."""
        return np.full(X.shape[0], self.value)

    def predict_proba(self, X: Matrix) -> Array:
        """Return probability 1 for the only class."""
        return np.ones((X.shape[0], 1))


class SeparateTrainer:
    """Fits a seeded clone of the estimator to each task."""

    def __init__(
        self, estimator: Any, X: Matrix, n_jobs: int | None, params: FitParams = NO_PARAMS
    ) -> None:
        self.estimator, self.n_jobs, self.params = estimator, n_jobs, params
        self._X = X

    def fit(self, blocks: Iterable[Tasks], seeds: Sequence[int], name_of: NameOf) -> Models:
        """Fit a model to each task, in threads."""
        models: list[Any] = []
        n_classes = 2
        for tasks in blocks:
            models += self._fit_block(tasks, len(models), seeds, name_of)
            n_classes = max(n_classes, tasks.n_classes)
        return SeparateModels(self.estimator, models, n_classes)

    def fit_chain(
        self,
        samples: Array,
        tasks: Tasks,
        feed: Array | None,
        seeds: Sequence[int],
        name_of: NameOf,
    ) -> Links:
        """Fit the links of a chain one after another."""
        features, models = chain_features(self._rows(samples), len(tasks)), []
        for link, seed in enumerate(seeds):
            positions, classes = tasks.of(link)
            uses_all = tasks.has_same_samples
            X = features.current() if uses_all else _take(features.current(), positions)
            X = ready_to_fit(self.estimator, X)
            link_samples = samples if uses_all else samples[positions]
            params = self.params.of(link_samples, tasks.weights_of(link))
            model = fit_model(self.estimator, X, classes, seed, name_of(link), params)
            models.append(model)
            if link + 1 < len(tasks):
                labels = None if feed is None else feed[:, link]
                features.add(fed_labels(model, features.current(), labels))
        return SeparateLinks(self.estimator, models)

    def _fit_block(
        self, tasks: Tasks, done: int, seeds: Sequence[int], name_of: NameOf
    ) -> list[Any]:
        shared = self._features_of(tasks.samples) if tasks.has_same_samples else None
        calls = (
            (self, tasks, part, shared, [seeds[done + t] for t in part], done, name_of)
            for part in in_chunks(range(len(tasks)), self.n_jobs)
        )
        parts = in_parallel(SeparateTrainer._fit_part, calls, self.n_jobs)
        return [model for models in parts for model in models]

    def _fit_part(
        self,
        tasks: Tasks,
        part: Sequence[int],
        shared: Matrix | None,
        seeds: list[int],
        done: int,
        name_of: NameOf,
    ) -> list[Any]:
        models = []
        for t, seed in zip(part, seeds, strict=True):
            samples, classes = tasks.of(t)
            X = self._features_of(samples) if shared is None else shared
            name, params = name_of(done + t), self.params.of(samples, tasks.weights_of(t))
            models.append(fit_model(self.estimator, X, classes, seed, name, params))
        return models

    def _features_of(self, samples: Array) -> Matrix:
        n_samples = self._X.shape[0]
        if samples.size == n_samples and (samples == np.arange(n_samples)).all():
            return self._whole
        return take_samples(self.estimator, self._sliceable, samples)

    def _rows(self, samples: Array) -> Matrix:
        return _take(self._sliceable, samples)

    @cached_property
    def _whole(self) -> Matrix:
        return ready_to_fit(self.estimator, self._X)

    @cached_property
    def _sliceable(self) -> Matrix:
        return ready_to_slice(self.estimator, self._X)


@part_of_models
class SeparateModels(Models):
    """Models that were fitted separately."""

    def __init__(self, estimator: Any, models: list[Any], n_classes: int) -> None:
        self.estimator, self.models, self.n_classes = estimator, models, n_classes

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, t: Any) -> Any:
        return self.models[t]

    def prepare(self, X: Matrix) -> Matrix:
        return ready_to_predict(self.estimator, X)

    def probability(self, data: Matrix, k: int, n_jobs: int | None) -> Array:
        probabilities = np.empty((data.shape[0], len(self)))
        for part in self._parts(data):
            calls = ((model, data, k) for model in self.models[part])
            probabilities[:, part] = np.column_stack(in_parallel(class_probability, calls, n_jobs))
        return probabilities

    def class_probabilities(self, data: Matrix, n_classes: int) -> Array:
        probabilities = np.zeros((data.shape[0], n_classes))
        probabilities[:, self.models[0].classes_] = class_probabilities(self.models[0], data)
        return probabilities

    def mean_probability(
        self, data: Matrix, k: int, groups: Array, n_groups: int, n_jobs: int | None
    ) -> Array:
        ends = np.searchsorted(groups, np.arange(n_groups + 1))
        calls = ((self.models[start:end], data, k) for start, end in pairwise(ends.tolist()))
        return np.column_stack(in_parallel(_mean_probability, calls, n_jobs))

    def decide(self, data: Matrix, n_jobs: int | None) -> Array:
        return self._decide(self.models, data, n_jobs)

    def decide_in_parts(self, data: Matrix, n_jobs: int | None) -> Iterator[tuple[slice, Array]]:
        for part in self._parts(data):
            yield part, self._decide(self.models[part], data, n_jobs)

    def _parts(self, data: Matrix) -> Iterator[slice]:
        """Yield slices of the models whose predictions are in memory at the same time."""
        step = max(LEAST_AT_ONCE, PREDICTIONS_AT_ONCE // max(1, data.shape[0]))
        for start in range(0, len(self), step):
            yield slice(start, min(start + step, len(self)))

    def _decide(self, models: list[Any], data: Matrix, n_jobs: int | None) -> Array:
        predict = is_predicted if self.n_classes == 2 else predicted_classes
        calls = ((model, data) for model in models)
        return np.column_stack(in_parallel(predict, calls, n_jobs)).astype(np.intp, copy=False)

    def count_wins(
        self, data: Matrix, first: Array, second: Array, n_labels: int, n_jobs: int | None
    ) -> Array:
        wins = np.zeros((data.shape[0], n_labels), dtype=np.int32, order="F")
        for part in self._parts(data):
            calls = ((model, data) for model in self.models[part])
            decisions = in_parallel(is_predicted, calls, n_jobs)
            for winner, loser, is_first in zip(first[part], second[part], decisions, strict=True):
                wins[:, winner] += is_first
                wins[:, loser] += ~is_first
        return np.ascontiguousarray(wins)


@part_of_models
class SeparateLinks(Links):
    """The links of a chain that were fitted separately."""

    def __init__(self, estimator: Any, models: list[Any]) -> None:
        self.estimator, self.models = estimator, models

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, link: Any) -> Any:
        return self.models[link]

    def prepare(self, X: Matrix) -> Matrix:
        return ready_to_predict(self.estimator, X)

    def probability(self, data: Matrix) -> Array:
        features, probabilities = chain_features(data, len(self.models)), []
        for model in self.models:
            probabilities.append(class_probability(model, features.current()))
            features.add(probabilities[-1] >= 0.5)
        return np.column_stack(probabilities)


def fit_model(
    estimator: Any,
    X: Matrix,
    target: Array,
    seed: int,
    target_name: str,
    params: Mapping[str, Any] = EMPTY,
) -> Any:
    """Fit a seeded clone, or a constant model if the target has a single class.

    Parameters
    ----------
    estimator : classifier
        The classifier to clone.
    X : (n, d) ndarray, sparse matrix or dataframe
        The features.
    target : (n,) ndarray of ints
        The classes.
    seed : int
        The seed of the model.
    target_name : str
        The name of the target, for the error message if the model cannot be fitted.
    params : mapping of str to value
        Parameters of the estimator's `fit`, for these samples.
    """
    if target.min() == target.max():
        return ConstantModel(int(target[0]))
    try:
        with checking(estimator, X):
            return seeded_clone(estimator, seed).fit(
                X, target, **fit_options(estimator, X), **params
            )
    except Exception as error:
        name = type(estimator).__name__
        raise FitError(f"{name} could not be fitted to {target_name}: {error}") from error


def _take(X: Matrix, samples: Array) -> Matrix:
    return take_rows(X, samples) if is_frame(X) else X[samples]


def fed_labels(model: Any, X: Matrix, labels: Array | None) -> Array:
    """Return the labels of a link that later links use; predictions replace None and -1."""
    if labels is None:
        return is_predicted(model, X)
    return np.where(labels < 0, is_predicted(model, X), labels) if (labels < 0).any() else labels


def is_predicted(model: Any, X: Matrix) -> Array:
    """Return whether a two-class model predicts class 1, which it does for ties."""
    return class_probability(model, X) >= 0.5


def in_chunks(
    items: Sequence[Any], n_jobs: int | None, chunks_per_job: int = 8
) -> list[Sequence[Any]]:
    """Split a sequence into a few parts of equal size for each job."""
    n_chunks = min(len(items), chunks_per_job * effective_n_jobs(n_jobs))
    ends = np.linspace(0, len(items), n_chunks + 1).astype(int)
    return [items[start:end] for start, end in pairwise(ends)]


def _mean_probability(models: list[Any], X: Matrix, k: int) -> Array:
    total = class_probability(models[0], X, k)
    for model in models[1:]:
        total = total + class_probability(model, X, k)
    return total / len(models)
