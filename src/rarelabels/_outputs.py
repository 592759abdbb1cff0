"""Return predicted labels and scores in the container type of y at fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from rarelabels._containers import Array, FrameContainer, SparseContainer
from rarelabels._label_sets import LabelSetContainer, objects, sets_of
from rarelabels._labels import Labels


@dataclass(frozen=True)
class DenseOutput:
    """Predictions as an array, also for lists."""

    dtype: Any

    def of(self, decisions: Array, X: Any) -> Any:
        """Return decisions of shape (n_samples, n_labels)."""
        return decisions.astype(self.dtype)

    def scores(self, scores: Array, X: Any) -> Any:
        """Return scores of shape (n_samples, n_labels)."""
        return scores


@dataclass(frozen=True)
class SparseOutput(DenseOutput):
    """Predictions as a CSR array, or as a CSR matrix if y was a SciPy matrix."""

    is_matrix: bool

    def of(self, decisions: Array, X: Any) -> Any:
        """Return decisions of shape (n_samples, n_labels) as a sparse matrix."""
        kind = sparse.csr_matrix if self.is_matrix else sparse.csr_array
        return kind(decisions.astype(self.dtype))


@dataclass(frozen=True)
class FrameOutput(DenseOutput):
    """Predictions as a dataframe with the names of the labels, and the index of a pandas X."""

    names: tuple[Any, ...]
    # By name: a fitted model must not keep more of the dataframe library than it can write.
    library: Any

    def of(self, decisions: Array, X: Any) -> Any:
        """Return decisions of shape (n_samples, n_labels) as a dataframe."""
        return self.scores(decisions.astype(self.dtype), X)

    def scores(self, scores: Array, X: Any) -> Any:
        """Return scores of shape (n_samples, n_labels) as a dataframe."""
        backend: Any = nw.Implementation.from_backend(self.library)
        if backend.is_pandas_like():
            frame = backend.to_native_namespace().DataFrame
            return frame(scores, columns=list(self.names), index=_row_labels(X))
        frame = nw.from_numpy(scores, schema=list(self.names), backend=backend)
        return frame.to_native()


@dataclass(frozen=True)
class SetsOutput(DenseOutput):
    """Predictions as label sets, in a list or an array of objects."""

    names: tuple[Any, ...]
    kind: type
    in_list: bool

    def of(self, decisions: Array, X: Any) -> Any:
        """Return decisions of shape (n_samples, n_labels) as label sets."""
        sets = sets_of(decisions.astype(np.int8), self.names, self.kind)
        return sets if self.in_list else objects(sets)


def output_like(labels: Labels) -> DenseOutput:
    """Return the object that converts decisions and scores to the container type of y."""
    container = labels.container
    if isinstance(container, LabelSetContainer):
        in_list = isinstance(container.data, (list, tuple))
        return SetsOutput(np.int64, container.names, container.kind, in_list)
    if isinstance(container, SparseContainer):
        container = container.block
    dtype = np.bool_ if _is_boolean(container) else np.int64
    if isinstance(container, SparseContainer):
        return SparseOutput(dtype, isinstance(container.data, sparse.spmatrix))
    if isinstance(container, FrameContainer):
        return FrameOutput(
            dtype, tuple(container.data.columns), container.data.implementation.value
        )
    return DenseOutput(dtype)


def _is_boolean(container: Any) -> bool:
    if isinstance(container, FrameContainer):
        return all(dtype == nw.Boolean for dtype in container.data.schema.values())
    return container.data.dtype == np.bool_


def _row_labels(X: Any) -> Any:
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return nw.maybe_get_index(frame) if isinstance(frame, nw.DataFrame) else None
