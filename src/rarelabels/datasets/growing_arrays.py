"""Arrays that grow in place, so that collecting rows needs little more memory than the result."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse


class GrowingArray:
    """A one-dimensional array to append to."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._values = np.empty(0, dtype=dtype)
        self._size = 0

    def append(self, values: npt.NDArray[Any]) -> None:
        """Append an array."""
        size = self._size + values.size
        if size > self._values.size:
            # Grow by an eighth: the system can move large arrays without copying them, and little
            # memory is reserved in vain.
            self._values.resize(size + size // 8, refcheck=False)
        self._values[self._size : size] = values
        self._size = size

    def finish(self) -> npt.NDArray[Any]:
        """Return the array without unused memory; nothing can be appended afterwards."""
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
        """Return the matrix."""
        lengths = self._lengths.finish()
        indptr = np.zeros(lengths.size + 1, dtype=np.int64)
        np.cumsum(lengths, out=indptr[1:])
        # scikit-learn's compiled code requires 32-bit indices if they are sufficient.
        kind = np.int32 if indptr[-1] <= np.iinfo(np.int32).max else np.int64
        parts = (self._data.finish(), self._indices.finish(), indptr.astype(kind))
        return sparse.csr_array(parts, shape=(lengths.size, self.n_columns))


class SparseRows(NamedTuple):
    """Sparse rows: their lengths, and the columns and values of all rows in order."""

    lengths: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


def rise_in_each_row(places: npt.NDArray[Any], lengths: npt.NDArray[np.int64]) -> bool:
    """Return whether places are in ascending order within every row of the given lengths."""
    rises = np.diff(places, prepend=-1) > 0
    starts = np.cumsum(lengths)[:-1]
    rises[starts[starts < rises.size]] = True
    return bool(rises.all())


def count_per_row(
    is_selected: npt.NDArray[np.bool_], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Count the selected entries of each row."""
    before = np.zeros(is_selected.size + 1, dtype=np.int64)
    np.cumsum(is_selected, out=before[1:])
    ends = np.cumsum(lengths)
    return before[ends] - before[ends - lengths]
