"""What was given in memory: data, a model or a sampler, known by its content instead of a name.

A job of these runs where they are at hand and is stored like any other; read back from a store it
has the same key, and says that what it needs was not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from rarelabels._containers import Container, SparseContainer, canonical_csr, contain
from rarelabels._labels import Labels
from rarelabels.datasets import MultiLabelDataset
from rarelabels.ensemble.members import content_hash
from rarelabels.experiment.plan._specs import GIVEN, DatasetSpec, LearnerSpec, MethodSpec


@dataclass(frozen=True)
class HeldDataset(DatasetSpec):
    """A data set in memory: `held`, with X in the caller's container, and y as it was given."""

    held: Any = field(default=None, compare=False, repr=False)
    held_y: Any = field(default=None, compare=False, repr=False)

    def load(self) -> MultiLabelDataset:
        """Return the data."""
        return self.held


@dataclass(frozen=True)
class HeldLearner(LearnerSpec):
    """A multi-label classifier, not fitted."""

    held: Any = field(default=None, compare=False, repr=False)

    def build(self, trusted: Any = ()) -> Any:
        """Return a clone of the classifier."""
        return clone(self.held)


@dataclass(frozen=True)
class HeldMethod(MethodSpec):
    """A method whose sampler was given as an object."""

    held: Any = field(default=None, compare=False, repr=False)

    def build(self) -> Any:
        """Return a clone of the sampler."""
        return clone(self.held)


def held_dataset(
    X: Any,
    labels: Labels,
    categorical: tuple[int, ...],
    name: str,
    label_names: Sequence[str] | None = None,
) -> HeldDataset:
    """Return the spec of data in memory; X stays the dataframe or array that it is."""
    table = contain(X)
    names = None if table.names is None else tuple(map(str, table.names))
    is_sparse = isinstance(table, SparseContainer)
    X = canonical_csr(X) if is_sparse else np.asarray(X) if isinstance(X, (list, tuple)) else X
    data = MultiLabelDataset(
        X,
        labels.matrix if is_sparse else labels.matrix.toarray().astype(np.int64),
        feature_names=names or (),
        label_names=tuple(map(str, labels.names if label_names is None else label_names)),
        categorical_features=categorical,
        name=name,
    )
    return HeldDataset(
        name,
        path=GIVEN,
        sha256=content_key(table, labels, data.label_names, categorical),
        held=data,
        held_y=labels.container.original(),
    )


def held_learner(model: Any, name: str) -> HeldLearner:
    """Return the spec of a classifier in memory."""
    return HeldLearner(name, GIVEN, params=(("content", content_hash(model)),), held=model)


def held_method(sampler: Any, **values: Any) -> HeldMethod:
    """Return the spec of a method around a sampler in memory."""
    content = (("content", content_hash(sampler)),)
    return HeldMethod(sampler=GIVEN, params=content, held=sampler, **values)


def content_key(
    table: Container, labels: Labels, names: Sequence[str], categorical: tuple[int, ...]
) -> str:
    """Hash features and labels by their values, names and kind of container."""
    if isinstance(table, SparseContainer):
        features: Any = canonical_csr(table.data)
    else:
        features = [(table.column(j), table.is_category(j)) for j in range(table.shape[1])]
    of_features = (type(table).__name__, table.names, features, categorical)
    return content_hash((of_features, labels.matrix, tuple(names)))
