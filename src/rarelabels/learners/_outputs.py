"""Predicted labels in the kind of container that y came in at fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from rarelabels._containers import Array, FrameContainer, SparseContainer
from rarelabels._labels import Labels


@dataclass(frozen=True)
class DenseOutput:
    """Predictions as an array, also for lists."""

    def of(self, decisions: Array, X: Any) -> Any:
        """Return decisions of shape (n_samples, n_labels) as ints."""
        return decisions.astype(np.int64)


@dataclass(frozen=True)
class SparseOutput:
    """Predictions as a CSR array, or as a CSR matrix where y was one of SciPy's matrices."""

    is_matrix: bool

    def of(self, decisions: Array, X: Any) -> Any:
        """Return decisions of shape (n_samples, n_labels) as sparse ints."""
        made = sparse.csr_matrix if self.is_matrix else sparse.csr_array
        return made(decisions.astype(np.int64))


@dataclass(frozen=True)
class FrameOutput:
    """Predictions as a dataframe with the labels' names, and the row labels of a pandas X."""

    names: tuple[Any, ...]
    implementation: Any

    def of(self, decisions: Array, X: Any) -> Any:
        """Return decisions of shape (n_samples, n_labels) as a dataframe of ints."""
        values = decisions.astype(np.int64)
        if self.implementation.is_pandas_like():
            frame = self.implementation.to_native_namespace().DataFrame
            return frame(values, columns=list(self.names), index=_row_labels(X))
        made = nw.from_numpy(values, schema=list(self.names), backend=self.implementation)
        return made.to_native()


Output = DenseOutput | SparseOutput | FrameOutput


def output_like(labels: Labels) -> Output:
    """Return what turns decisions into the kind of container that y has."""
    container = labels.container
    if isinstance(container, SparseContainer):
        return SparseOutput(isinstance(container.data, sparse.spmatrix))
    if isinstance(container, FrameContainer):
        return FrameOutput(tuple(container.data.columns), container.data.implementation)
    return DenseOutput()


def _row_labels(X: Any) -> Any:
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return nw.maybe_get_index(frame) if isinstance(frame, nw.DataFrame) else None
