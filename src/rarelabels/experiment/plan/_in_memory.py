"""Specs of objects in memory: data, a model or a sampler, identified by a hash of their content.

A job with such specs is stored like any other. Read back from a store it has the same key, but it
cannot run, and says that its objects were not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from sklearn.base import clone

from rarelabels._containers import Container, SparseContainer, canonical_csr, contain
from rarelabels._labels import Labels
from rarelabels.datasets import MultiLabelDataset
from rarelabels.ensemble.members import content_hash
from rarelabels.experiment.plan._frozen import Pairs, canonical_json
from rarelabels.experiment.plan._specs import GIVEN, DatasetSpec, LearnerSpec, MethodSpec


@dataclass(frozen=True)
class InMemoryDataset(DatasetSpec):
    """A data set in memory, with X in the caller's container and y unchanged."""

    in_memory: Any = field(default=None, compare=False, repr=False)
    in_memory_y: Any = field(default=None, compare=False, repr=False)
    # Pairs of training and test samples; None for stratified folds.
    in_memory_splits: Any = field(default=None, compare=False, repr=False)
    # The samples that are divided into stratified folds; None for all.
    in_memory_rows: Any = field(default=None, compare=False, repr=False)

    def load(self) -> MultiLabelDataset:
        """Return the data."""
        return self.in_memory


@dataclass(frozen=True)
class LoadedDataset(DatasetSpec):
    """A data set of a file or a name that was read already, and is not read by worker processes."""

    in_memory: Any = field(default=None, compare=False, repr=False)

    def load(self) -> MultiLabelDataset:
        """Return the data."""
        return self.in_memory


def loaded(spec: DatasetSpec) -> DatasetSpec:
    """Return a data set with its data, so that this process does not read them again."""
    if isinstance(spec, (InMemoryDataset, LoadedDataset)):
        return spec
    values = {one.name: getattr(spec, one.name) for one in fields(spec)}
    return LoadedDataset(**values, in_memory=spec.load())


def with_splits(
    spec: DatasetSpec, data: MultiLabelDataset, splits: Sequence[tuple[Any, Any]]
) -> InMemoryDataset:
    """Return other data in place of a data set's, with pairs of training and test samples."""
    key = content_hash((canonical_json(spec.identity()), splits))
    return InMemoryDataset(
        spec.name, path=GIVEN, sha256=key, in_memory=data, in_memory_y=data.Y,
        in_memory_splits=splits,
    )  # fmt: skip


def with_rows(spec: DatasetSpec, rows: Any) -> InMemoryDataset:
    """Return a data set of which some samples are divided into folds, and no others are used."""
    data = spec.load()
    key = content_hash((canonical_json(spec.identity()), np.asarray(rows)))
    y = spec.in_memory_y if isinstance(spec, InMemoryDataset) else data.Y
    return InMemoryDataset(
        spec.name, path=GIVEN, sha256=key, in_memory=data, in_memory_y=y, in_memory_rows=rows
    )


@dataclass(frozen=True)
class InMemoryLearner(LearnerSpec):
    """A multi-label classifier, not fitted.

    `in_memory_preprocessing` are transformers that turn the features, for instance texts, into
    those of samplers and the classifier; None if these take the features unchanged.
    """

    in_memory: Any = field(default=None, compare=False, repr=False)
    in_memory_preprocessing: Any = field(default=None, compare=False, repr=False)

    def build(self, trusted: Any = (), settings: Pairs = ()) -> Any:
        """Return a clone of the classifier, with further parameters."""
        return clone(self.in_memory).set_params(**dict(settings))


@dataclass(frozen=True)
class InMemoryMethod(MethodSpec):
    """A method whose sampler was given as an object."""

    in_memory: Any = field(default=None, compare=False, repr=False)

    def build(self) -> Any:
        """Return a clone of the sampler."""
        return clone(self.in_memory)


def in_memory_dataset(
    X: Any,
    labels: Labels,
    categorical: tuple[int, ...],
    name: str,
    label_names: Sequence[str] | None = None,
    groups: Any = None,
    splits: Any = None,
) -> InMemoryDataset:
    """Return the spec of data in memory; X stays the dataframe or array that it is."""
    table = contain(X)
    names = None if table.names is None else tuple(map(str, table.names))
    is_sparse = isinstance(table, SparseContainer)
    X = canonical_csr(X) if is_sparse else np.asarray(X) if isinstance(X, (list, tuple)) else X
    Y = labels.values.with_nan()
    dtype = np.int64 if labels.values.unknown is None else np.float64
    data = MultiLabelDataset(
        X,
        Y if is_sparse else Y.toarray().astype(dtype),
        feature_names=names or (),
        label_names=tuple(map(str, labels.names if label_names is None else label_names)),
        categorical_features=categorical,
        name=name,
        groups=groups,
    )
    key = content_key(table, labels, data.label_names, categorical)
    if groups is not None or splits is not None:
        key = content_hash((key, groups, splits))
    return InMemoryDataset(
        name,
        path=GIVEN,
        sha256=key,
        in_memory=data,
        in_memory_y=labels.container.original(),
        in_memory_splits=splits,
    )


def in_memory_learner(model: Any, name: str, preprocessing: Any = None) -> InMemoryLearner:
    """Return the spec of a classifier in memory, and of transformers before it."""
    content = content_hash(model if preprocessing is None else (model, preprocessing))
    params = (("content", content),)
    return InMemoryLearner(
        name, GIVEN, params=params, in_memory=model, in_memory_preprocessing=preprocessing
    )


def in_memory_method(sampler: Any, **values: Any) -> InMemoryMethod:
    """Return the spec of a method around a sampler in memory."""
    content = (("content", content_hash(sampler)),)
    return InMemoryMethod(sampler=GIVEN, params=content, in_memory=sampler, **values)


def content_key(
    table: Container, labels: Labels, names: Sequence[str], categorical: tuple[int, ...]
) -> str:
    """Hash features and labels by their values, names and kind of container."""
    if isinstance(table, SparseContainer):
        features: Any = canonical_csr(table.data)
    else:
        features = [(table.column(j), table.is_category(j)) for j in range(table.shape[1])]
    of_features = (type(table).__name__, table.names, features, categorical)
    return content_hash((of_features, labels.values.with_nan(), tuple(names)))
