"""Number rows so that equal rows have equal numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix


def equal_row_groups(matrix: Any) -> Array:
    """Number the groups of equal rows in order of first appearance; missing values are equal.

    >>> import numpy as np
    >>> equal_row_groups(np.array([[1.0, np.nan], [2.0, 0.0], [1.0, np.nan]])).tolist()
    [0, 1, 0]
    """
    numbers: dict[bytes, int] = {}
    rows: Iterable[bytes]
    if matrix.dtype.kind == "V":
        rows = (row.tobytes() for row in matrix)
    elif sparse.issparse(matrix) and matrix.format == "csr" and (matrix.data == 1).all():
        # As in labels: rows with the same indices are equal.
        ends = (matrix.indptr.astype(np.int64) * matrix.indices.itemsize).tolist()
        indices = matrix.indices.tobytes()
        rows = (indices[start:end] for start, end in pairwise(ends))
    else:
        rows = bytes_of_rows(matrix)
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.intp)


def bytes_of_rows(matrix: Matrix) -> Iterator[bytes]:
    """Return bytes that are equal for equal rows; the indices of sparse rows must be sorted."""
    if not sparse.issparse(matrix):
        return (row.tobytes() for row in _table(matrix))
    csr = sparse.csr_array(matrix)
    # Blocks of a collection may have indices of different sizes.
    indices, ends = csr.indices.astype(np.int64), pairwise(csr.indptr.tolist())
    return (indices[a:b].tobytes() + csr.data[a:b].tobytes() for a, b in ends)


def _table(matrix: Any) -> Array:
    # Zero has two signs, and NaN has many bit patterns.
    table = np.ascontiguousarray(np.asarray(matrix, dtype=float)) + 0.0
    table[np.isnan(table)] = np.nan
    return table
