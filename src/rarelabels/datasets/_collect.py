"""Rows are collected in arrays that grow in place, so that memory stays close to the result's."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels.datasets._arff_columns import Columns


class GrowingArray:
    """A one-dimensional array to append to."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._values = np.empty(1024, dtype=dtype)
        self._size = 0

    def append(self, values: npt.NDArray[Any]) -> None:
        """Append an array."""
        size = self._size + values.size
        if size > self._values.size:
            # An eighth at a time: the system moves large arrays without a copy, and what is
            # reserved in vain stays small.
            self._values.resize(size + size // 8, refcheck=False)
        self._values[self._size : size] = values
        self._size = size

    def finish(self) -> npt.NDArray[Any]:
        """Give the array at its size; nothing can be appended afterwards."""
        self._values.resize(self._size, refcheck=False)
        return self._values


class GrowingCSR:
    """A CSR matrix to append rows to."""

    def __init__(self, n_columns: int, dtype: npt.DTypeLike) -> None:
        self.n_columns = n_columns
        self._data = GrowingArray(dtype)
        self._indices = GrowingArray(np.int32)
        self._lengths = GrowingArray(np.int32)

    def append(
        self, lengths: npt.NDArray[Any], indices: npt.NDArray[Any], data: npt.NDArray[Any]
    ) -> None:
        """Append rows: their lengths, and their entries one row after the other."""
        self._lengths.append(lengths)
        self._indices.append(indices)
        self._data.append(data)

    def finish(self) -> sparse.csr_array:
        """Give the matrix."""
        lengths = self._lengths.finish()
        indptr = np.zeros(lengths.size + 1, dtype=np.int64)
        np.cumsum(lengths, out=indptr[1:])
        # scikit-learn's compiled code wants 32-bit indices wherever they do.
        kind = np.int32 if indptr[-1] <= np.iinfo(np.int32).max else np.int64
        parts = (self._data.finish(), self._indices.finish(), indptr.astype(kind))
        return sparse.csr_array(parts, shape=(lengths.size, self.n_columns))


class Collector(Protocol):
    """What takes a file's rows and gives X and Y."""

    def add_dense(self, values: npt.NDArray[np.float64]) -> None:
        """Add rows that give every column's value."""

    def add_sparse(
        self,
        lengths: npt.NDArray[np.int64],
        columns: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
    ) -> None:
        """Add rows that give some columns' values."""

    def finish(self) -> tuple[Any, Any]:
        """Give X and Y."""


class DenseCollector:
    """Collects X and Y as arrays."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._X = GrowingArray(np.float64)
        self._Y = GrowingArray(np.int64)

    def add_dense(self, values: npt.NDArray[np.float64]) -> None:
        """Add rows that give every column's value."""
        self._X.append(values[:, self._columns.feature_span].ravel())
        self._Y.append(values[:, self._columns.labels].ravel())

    def add_sparse(
        self,
        lengths: npt.NDArray[np.int64],
        columns: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
    ) -> None:
        """Add rows that give some columns' values."""
        rows = np.tile(self._columns.implied.astype(np.float64), (lengths.size, 1))
        rows[np.repeat(np.arange(lengths.size), lengths), columns] = values
        self.add_dense(rows)

    def finish(self) -> tuple[Any, Any]:
        """Give X and Y."""
        n_features, n_labels = self._columns.features.size, self._columns.labels.size
        X, Y = self._X.finish(), self._Y.finish()
        n_samples = X.size // n_features if n_features else Y.size // max(n_labels, 1)
        return X.reshape(n_samples, n_features), Y.reshape(n_samples, n_labels)


class SparseCollector:
    """Collects X and Y as CSR arrays without stored zeros."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._X = GrowingCSR(columns.features.size, np.float64)
        self._Y = GrowingCSR(columns.labels.size, np.int64)

    def add_dense(self, values: npt.NDArray[np.float64]) -> None:
        """Add rows that give every column's value."""
        n_rows, n_columns = values.shape
        places = np.tile(np.arange(n_columns), n_rows)
        self.add_sparse(np.full(n_rows, n_columns), places, values.ravel())

    def add_sparse(
        self,
        lengths: npt.NDArray[np.int64],
        columns: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
    ) -> None:
        """Add rows that give some columns' values."""
        known = self._columns
        if known.implied.any():
            # Stored is what differs from the value left out; `finish` turns it round.
            values = np.where(known.implied[columns], 1 - values, values)
        is_label, is_stored = known.is_label[columns], values != 0
        for matrix, taken in ((self._X, is_stored & ~is_label), (self._Y, is_stored & is_label)):
            places = known.target[columns[taken]]
            matrix.append(_count_per_row(taken, lengths), places, values[taken])

    def finish(self) -> tuple[Any, Any]:
        """Give X and Y."""
        X, Y = self._X.finish(), self._Y.finish()
        turned = self._columns.implied[self._columns.labels]
        return X, (_complement(Y, turned) if turned.any() else Y)


def _count_per_row(
    taken: npt.NDArray[np.bool_], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Count the entries taken of each row."""
    before = np.zeros(taken.size + 1, dtype=np.int64)
    np.cumsum(taken, out=before[1:])
    ends = np.cumsum(lengths)
    return before[ends] - before[ends - lengths]


def _complement(Y: sparse.csr_array, turned: npt.NDArray[np.bool_]) -> sparse.csr_array:
    """Give Y with the turned columns' zeros and ones exchanged."""
    ones = sparse.csr_array(np.tile(turned.astype(np.int64), (Y.shape[0], 1)))
    difference = sparse.csr_array(abs(Y - ones))
    difference.eliminate_zeros()
    difference.sort_indices()
    return difference
