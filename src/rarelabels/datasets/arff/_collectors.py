"""Collect the rows of an ARFF file as X and Y, dense or sparse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels.datasets.arff._columns import Columns
from rarelabels.datasets.growing_arrays import GrowingArray, GrowingCSR, count_per_row

BLOCK = 1 << 16  # number of values processed at once


class RowCollector:
    """Collect rows as arrays until one is sparse, and as CSR arrays from then on.

    A sparse row may take only two bytes of a file, whatever the number of columns.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._dense: DenseCollector | None = None
        self._sparse: SparseCollector | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no row was added."""
        return self._dense is None and self._sparse is None

    def add_dense(self, values: npt.NDArray[np.float64]) -> None:
        """Add rows that have a value for every column."""
        if self._sparse is not None:
            self._sparse.add_dense(values)
            return
        if self._dense is None:
            self._dense = DenseCollector(self._columns)
        self._dense.add_dense(values)

    def add_sparse(
        self,
        lengths: npt.NDArray[np.int64],
        columns: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
    ) -> None:
        """Add rows that have values for some columns."""
        if self._sparse is None:
            self._sparse = SparseCollector(self._columns)
            for rows in () if self._dense is None else self._dense.blocks():
                self._sparse.add_dense(rows)
            self._dense = None
        self._sparse.add_sparse(lengths, columns, values)

    def finish(self) -> tuple[Any, Any]:
        """Return X and Y."""
        collector = self._dense or self._sparse or DenseCollector(self._columns)
        return collector.finish()


class DenseCollector:
    """Collect X and Y as arrays."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._X = GrowingArray(np.float64)
        self._Y = GrowingArray(np.float64 if columns.allows_unknown else np.int64)

    def add_dense(self, values: npt.NDArray[np.float64]) -> None:
        """Add rows that have a value for every column."""
        self._X.append(values[:, self._columns.feature_span].ravel())
        self._Y.append(values[:, self._columns.labels].ravel())

    def blocks(self) -> Iterator[npt.NDArray[np.float64]]:
        """Return the rows in blocks, in the original columns; nothing can be added afterwards."""
        X, Y = self.finish()
        size = max(1, BLOCK // max(len(self._columns), 1))
        for start in range(0, X.shape[0], size):
            rows = np.empty((X[start : start + size].shape[0], len(self._columns)))
            rows[:, self._columns.feature_span] = X[start : start + size]
            rows[:, self._columns.labels] = Y[start : start + size]
            yield rows

    def finish(self) -> tuple[Any, Any]:
        """Return X and Y."""
        n_features, n_labels = self._columns.features.size, self._columns.labels.size
        X, Y = self._X.finish(), self._Y.finish()
        n_samples = X.size // n_features if n_features else Y.size // max(n_labels, 1)
        return X.reshape(n_samples, n_features), _labels(Y).reshape(n_samples, n_labels)


class SparseCollector:
    """Collect X and Y as CSR arrays without stored zeros."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._X = GrowingCSR(columns.features.size, np.float64)
        dtype = np.float64 if columns.allows_unknown else np.int64
        self._Y = GrowingCSR(columns.labels.size, dtype)

    def add_dense(self, values: npt.NDArray[np.float64]) -> None:
        """Add rows that have a value for every column."""
        n_rows, n_columns = values.shape
        places = np.tile(np.arange(n_columns), n_rows)
        self.add_sparse(np.full(n_rows, n_columns), places, values.ravel())

    def add_sparse(
        self,
        lengths: npt.NDArray[np.int64],
        columns: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
    ) -> None:
        """Add rows that have values for some columns."""
        known = self._columns
        if known.implied.any():
            # Store the difference from the value that was left out; `finish` inverts it.
            values = np.where(known.implied[columns], 1 - values, values)
        is_label, is_stored = known.is_label[columns], values != 0
        for matrix, is_selected in (
            (self._X, is_stored & ~is_label),
            (self._Y, is_stored & is_label),
        ):
            places = known.target[columns[is_selected]]
            matrix.append(count_per_row(is_selected, lengths), places, values[is_selected])

    def finish(self) -> tuple[Any, Any]:
        """Return X and Y."""
        X, Y = self._X.finish(), self._Y.finish()
        is_inverted = self._columns.implied[self._columns.labels]
        Y = _complement(Y, is_inverted) if is_inverted.any() else Y
        return X, Y.astype(_labels(Y.data).dtype)


def _complement(Y: sparse.csr_array, is_inverted: npt.NDArray[np.bool_]) -> sparse.csr_array:
    """Return Y with zeros and ones of some columns exchanged, some rows at a time."""
    size = max(1, BLOCK // max(is_inverted.size, 1))
    blocks = (Y[start : start + size].toarray() for start in range(0, Y.shape[0], size))
    exchanged = (np.where(is_inverted, 1 - block, block) for block in blocks)
    return sparse.csr_array(sparse.vstack([sparse.csr_array(block) for block in exchanged]))


def _labels(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return labels as integers unless some are unknown."""
    is_partly_unknown = values.dtype.kind == "f" and np.isnan(values).any()
    return values if is_partly_unknown else values.astype(np.int64, copy=False)
