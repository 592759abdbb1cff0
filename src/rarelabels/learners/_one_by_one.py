"""The models of a learner, fitted one after the other: for any scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from rarelabels._containers import Array, Matrix, contain
from rarelabels._tasks import Tasks
from rarelabels.learners._frames import is_frame, names_of_links, take_rows, with_column
from rarelabels.learners._models import (
    FitError,
    Links,
    Models,
    NameOf,
    checking,
    in_parallel,
)
from rarelabels.learners._trees import (
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

# Answers of models that are held at a time, of at least so many models.
ANSWERS_AT_ONCE = 2**19
LEAST_AT_ONCE = 16


class ConstantModel(ClassifierMixin, BaseEstimator):
    """The model of a target with one class: that class for every sample."""

    def __init__(self, value: int = 0) -> None:
        self.value = value
        self.classes_ = np.array([value])

    def predict(self, X: Matrix) -> Array:
        """Return the class for each sample."""
        return np.full(X.shape[0], self.value)

    def predict_proba(self, X: Matrix) -> Array:
        """Return probability 1 of the only class."""
        return np.ones((X.shape[0], 1))


class OneByOne:
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
        """Fit the links of a chain, one after the other."""
        seen, models = chain_features(self._rows(samples), len(tasks)), []
        for link, seed in enumerate(seeds):
            positions, classes = tasks.of(link)
            sees_all = tasks.has_same_samples
            X = seen.current() if sees_all else _taken(seen.current(), positions)
            X = ready_to_fit(self.estimator, X)
            learned = samples if sees_all else samples[positions]
            params = self.params.of(learned, tasks.weights_of(link))
            model = fit_model(self.estimator, X, classes, seed, name_of(link), params)
            models.append(model)
            if link + 1 < len(tasks):
                seen.add(fed_labels(model, seen.current(), None if feed is None else feed[:, link]))
        return SeparateLinks(self.estimator, models)

    def _fit_block(
        self, tasks: Tasks, done: int, seeds: Sequence[int], name_of: NameOf
    ) -> list[Any]:
        shared = self._features_of(tasks.samples) if tasks.has_same_samples else None
        calls = (
            (self, tasks, part, shared, [seeds[done + t] for t in part], done, name_of)
            for part in in_chunks(range(len(tasks)), self.n_jobs)
        )
        found = in_parallel(OneByOne._fit_part, calls, self.n_jobs)
        return [model for part in found for model in part]

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
        return _taken(self._sliceable, samples)

    @cached_property
    def _whole(self) -> Matrix:
        return ready_to_fit(self.estimator, self._X)

    @cached_property
    def _sliceable(self) -> Matrix:
        return ready_to_slice(self.estimator, self._X)


class SeparateModels(Models):
    """Models that were fitted one by one."""

    def __init__(self, estimator: Any, models: list[Any], n_classes: int) -> None:
        self.estimator, self.models, self.n_classes = estimator, models, n_classes

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, t: Any) -> Any:
        return self.models[t]

    def prepare(self, X: Matrix) -> Matrix:
        return ready_to_predict(self.estimator, X)

    def probability(self, data: Matrix, k: int, n_jobs: int | None) -> Array:
        found = np.empty((data.shape[0], len(self)))
        for part in self._parts(data):
            calls = ((model, data, k) for model in self.models[part])
            found[:, part] = np.column_stack(in_parallel(class_probability, calls, n_jobs))
        return found

    def class_probabilities(self, data: Matrix, n_classes: int) -> Array:
        found = np.zeros((data.shape[0], n_classes))
        found[:, self.models[0].classes_] = class_probabilities(self.models[0], data)
        return found

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
        """Yield the models whose answers are held at a time."""
        step = max(LEAST_AT_ONCE, ANSWERS_AT_ONCE // max(1, data.shape[0]))
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


class SeparateLinks(Links):
    """The links of a chain that were fitted one by one."""

    def __init__(self, estimator: Any, models: list[Any]) -> None:
        self.estimator, self.models = estimator, models

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, link: Any) -> Any:
        return self.models[link]

    def prepare(self, X: Matrix) -> Matrix:
        return ready_to_predict(self.estimator, X)

    def probability(self, data: Matrix) -> Array:
        seen, found = chain_features(data, len(self.models)), []
        for model in self.models:
            found.append(class_probability(model, seen.current()))
            seen.add(found[-1] >= 0.5)
        return np.column_stack(found)


def chain_features(X: Matrix, n_links: int) -> ChainFeatures | ChainFrame:
    """Return the features that the links of a chain see, without labels to begin with."""
    return ChainFrame(X, n_links) if is_frame(X) else ChainFeatures(X, n_links)


class ChainFrame:
    """A dataframe that grows by one column at a time: the labels of the links, as ints."""

    def __init__(self, X: Any, n_links: int) -> None:
        self._frame = X
        self._names = iter(names_of_links(contain(X).names or (), n_links))

    def current(self) -> Any:
        """Return the features and the labels added so far."""
        return self._frame

    def add(self, label: Array) -> None:
        """Add a label as the last feature."""
        self._frame = with_column(self._frame, next(self._names), label.astype(np.int64))


class ChainFeatures:
    """Features that grow by one label at a time."""

    def __init__(self, X: Matrix, n_links: int) -> None:
        self._n_columns, self._sparse = X.shape[1], X if sparse.issparse(X) else None
        if self._sparse is None:
            # By columns, so that the first of them lie together.
            self._dense = np.zeros((X.shape[0], X.shape[1] + n_links), X.dtype, order="F")
            self._dense[:, : X.shape[1]] = X

    def current(self) -> Matrix:
        """Return the features and the labels added so far."""
        return self._dense[:, : self._n_columns] if self._sparse is None else self._sparse

    def add(self, label: Array) -> None:
        """Add a label as the last feature."""
        if self._sparse is None:
            self._dense[:, self._n_columns] = label
        else:
            self._sparse = with_last_feature(self._sparse, label)
        self._n_columns += 1


def with_last_feature(X: Any, label: Array) -> Any:
    """Return a sparse matrix with a label as one feature more.

    By rows it is the last entry of each row that has it: so the entries are not sorted anew, which
    takes longer than growing a small tree.
    """
    if X.format != "csr":
        column = sparse.csc_array(label[:, None].astype(X.dtype))
        return sparse.hstack([X, column], format=X.format)
    has_label = np.asarray(label, dtype=bool)
    at, ends = X.indptr[1:][has_label], X.indptr.copy()
    ends[1:] += np.cumsum(has_label, dtype=ends.dtype)
    parts = (np.insert(X.data, at, 1), np.insert(X.indices, at, X.shape[1]), ends)
    return type(X)(parts, shape=(X.shape[0], X.shape[1] + 1))


def fit_model(
    estimator: Any,
    X: Matrix,
    target: Array,
    seed: int,
    what: str,
    params: Mapping[str, Any] = EMPTY,
) -> Any:
    """Fit a seeded clone, or a constant where the target has one class.

    Parameters
    ----------
    estimator : classifier
        Left as it is.
    X : (n, d) ndarray, sparse matrix or dataframe
        The features.
    target : (n,) ndarray of ints
        The classes.
    seed : int
        The model's own.
    what : str
        What the model is for, to be named where it fails.
    params : mapping of str to value
        Parameters of the estimator's fit, for these samples.
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
        raise FitError(f"{name} could not be fitted to {what}: {error}") from error


def _taken(X: Matrix, samples: Array) -> Matrix:
    return take_rows(X, samples) if is_frame(X) else X[samples]


def fed_labels(model: Any, X: Matrix, labels: Array | None) -> Array:
    """Return what later links see of a link: its labels, or what it predicts if they are -1."""
    if labels is None:
        return is_predicted(model, X)
    return np.where(labels < 0, is_predicted(model, X), labels) if (labels < 0).any() else labels


def is_predicted(model: Any, X: Matrix) -> Array:
    """Return whether a two-class model predicts class 1: a tie is a yes."""
    return class_probability(model, X) >= 0.5


def in_chunks(
    items: Sequence[Any], n_jobs: int | None, chunks_per_job: int = 8
) -> list[Sequence[Any]]:
    """Split a sequence into a few even parts for each of the jobs."""
    n_chunks = min(len(items), chunks_per_job * effective_n_jobs(n_jobs))
    ends = np.linspace(0, len(items), n_chunks + 1).astype(int)
    return [items[start:end] for start, end in pairwise(ends)]


def _mean_probability(models: list[Any], X: Matrix, k: int) -> Array:
    total = class_probability(models[0], X, k)
    for model in models[1:]:
        total = total + class_probability(model, X, k)
    return total / len(models)
