"""Statistics of the columns of a block, and of all blocks together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from rarelabels._containers import (
    Array,
    Container,
    SparseContainer,
    canonical_csr,
    column_of,
    contain,
    is_missing,
)
from rarelabels._features import as_numbers, is_wide, kind_of_value, refuse_wide_values
from rarelabels._neighbors.scaling import column_ranges

NONE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Values:
    """The distinct values of a column that may be categorical.

    Attributes
    ----------
    firsts : mapping of value to row
        The known values in order of first appearance, each with its row.
    n_known : int
        Number of known values.
    kinds : frozenset of types
        Kinds of values.
    """

    firsts: dict[Any, int]
    n_known: int
    kinds: frozenset[type]


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of the columns in consecutive rows.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    dtypes : tuple of numpy.dtype
        The dtype of each column's values, objects if they are not numbers.
    low, high : (d,) ndarray of floats
        The smallest and the largest number of each column, NaN if none is known.
    first_missing, first_infinite : (d,) ndarray of ints
        The first row of each column with a missing or infinite value, `NONE` without any.
    integers : mapping of column to two integers
        The exact minimum and maximum of columns of 64-bit integers.
    values : mapping of column to Values
        The values of columns that may be categorical.
    n_entries : int
        Number of stored values: all of them, or those of sparse matrices.
    """

    n_rows: int
    dtypes: tuple[Any, ...]
    low: Array
    high: Array
    first_missing: Array
    first_infinite: Array
    integers: dict[int, tuple[Any, Any]]
    values: dict[int, Values]
    n_entries: int


def column_statistics(data: Any, may_be_categorical: Array) -> ColumnStatistics:
    """Compute the statistics of a block."""
    container = contain(data)
    if isinstance(container, SparseContainer):
        return _statistics_of_sparse(container, may_be_categorical)
    n_rows, n_columns = container.shape
    matrix = container.numbers() if n_rows and not may_be_categorical.any() else None
    if matrix is not None and matrix.dtype.kind == "f":
        return _statistics_of_floats(matrix, [container.column(j).dtype for j in range(n_columns)])
    columns = [_numbers_if_any(container, j, bool(may_be_categorical[j])) for j in range(n_columns)]
    extremes = [_extremes(column) for column in columns]
    return ColumnStatistics(
        n_rows,
        tuple(column.dtype for column in columns),
        np.array([low for low, _ in extremes]),
        np.array([high for _, high in extremes]),
        np.array([_first(_is_missing(column)) for column in columns]),
        np.array([_first(_is_infinite(column)) for column in columns]),
        {j: (column.min(), column.max()) for j, column in enumerate(columns) if is_long(column)},
        {j: _values(columns[j]) for j in np.flatnonzero(may_be_categorical).tolist()},
        n_rows * n_columns,
    )


def _statistics_of_sparse(
    container: SparseContainer, may_be_categorical: Array
) -> ColumnStatistics:
    """Do the same for a sparse matrix."""
    refuse_wide_values(container)
    matrix = canonical_csr(container.data)
    n_rows, n_columns = matrix.shape
    low, high = column_ranges(matrix) if n_rows else np.full((2, n_columns), np.nan)
    by_column = matrix.tocsc()
    return ColumnStatistics(
        n_rows,
        (matrix.dtype,) * n_columns,
        low,
        high,
        _first_rows(matrix, np.isnan),
        _first_rows(matrix, np.isinf),
        {},
        {j: _values(column_of(by_column, j)) for j in np.flatnonzero(may_be_categorical).tolist()},
        matrix.nnz,
    )


def _first_rows(matrix: Any, is_bad: Callable[[Array], Array]) -> Array:
    """Return the first row of each column with a bad value, `NONE` without any."""
    first, bad = np.full(matrix.shape[1], NONE), np.flatnonzero(is_bad(matrix.data))
    rows = np.searchsorted(matrix.indptr, bad, side="right") - 1
    np.minimum.at(first, matrix.indices[bad], rows)
    return first


def _statistics_of_floats(matrix: Array, dtypes: list[Any]) -> ColumnStatistics:
    """Do the same for a matrix of floats, all columns at once."""
    low, high = np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = np.flatnonzero(~np.isfinite(matrix.sum(axis=0)))
    missing, infinite = np.full(low.size, NONE), np.full(low.size, NONE)
    for j in suspects.tolist():
        missing[j], infinite[j] = _first(np.isnan(matrix[:, j])), _first(np.isinf(matrix[:, j]))
    low, high = low.astype(np.float64), high.astype(np.float64)
    n_rows, n_entries = matrix.shape[0], matrix.size
    return ColumnStatistics(n_rows, tuple(dtypes), low, high, missing, infinite, {}, {}, n_entries)


def _numbers_if_any(container: Container, j: int, may_be_categorical: bool) -> Array:
    """Return a column's values, as numbers unless it may be categorical."""
    column = container.column(j)
    return column if may_be_categorical else as_numbers(column, j, container.names)


def is_long(column: Array) -> bool:
    """Whether values are integers of 64 bits."""
    return column.dtype.kind in "iu" and column.dtype.itemsize == 8 and column.size > 0


def _extremes(column: Array) -> tuple[float, float]:
    if column.dtype.kind == "O" and all(kind_of_value(v) is float or is_missing(v) for v in column):
        # Objects may still be numbers.
        column = as_numbers(column, 0, None)
    if column.dtype.kind not in "biuf" or not column.size:
        return np.nan, np.nan
    return float(np.fmin.reduce(column)), float(np.fmax.reduce(column))


def _is_missing(column: Array) -> Array:
    if column.dtype.kind == "O":
        return np.array([is_missing(value) for value in column], dtype=bool)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(column.size, dtype=bool)


def _is_infinite(column: Array) -> Array:
    return np.isinf(column) if column.dtype.kind == "f" else np.zeros(column.size, dtype=bool)


def _first(chosen: Array) -> int:
    return int(chosen.argmax()) if chosen.any() else NONE


def _values(column: Array) -> Values:
    known = np.flatnonzero(~_is_missing(column))
    if column.dtype.kind != "O":
        values, firsts = np.unique(column[known], return_index=True)
        order = np.argsort(firsts)
        first_rows = dict(zip(values[order].tolist(), known[firsts[order]].tolist(), strict=True))
        return Values(first_rows, known.size, frozenset({float}))
    first_rows = {}
    for row, value in zip(known.tolist(), column[known].tolist(), strict=True):
        first_rows.setdefault(value, row)
    return Values(first_rows, known.size, frozenset(map(kind_of_value, first_rows)))


def joined_statistics(parts: Sequence[ColumnStatistics]) -> ColumnStatistics:
    """Join the statistics of consecutive blocks."""
    return reduce(_joined, parts)


def _joined(above: ColumnStatistics, below: ColumnStatistics) -> ColumnStatistics:
    n_above = above.n_rows
    # An empty block has no statistics, and its dtypes are arbitrary.
    if not below.n_rows or not n_above:
        return above if n_above else below
    return ColumnStatistics(
        n_above + below.n_rows,
        tuple(map(_common, above.dtypes, below.dtypes)),
        np.fmin(above.low, below.low),
        np.fmax(above.high, below.high),
        _earlier(above.first_missing, below.first_missing, n_above),
        _earlier(above.first_infinite, below.first_infinite, n_above),
        {
            j: (min(low, below.integers[j][0]), max(high, below.integers[j][1]))
            for j, (low, high) in above.integers.items()
            if j in below.integers
        },
        {j: _joined_values(values, below.values[j], n_above) for j, values in above.values.items()},
        above.n_entries + below.n_entries,
    )


def _common(above: Any, below: Any) -> Any:
    return above if above == below else np.result_type(above, below)


def _earlier(above: Array, below: Array, n_above: int) -> Array:
    moved = np.where(below == NONE, NONE, np.where(below == NONE, 0, below) + n_above)
    return np.minimum(above, moved)


def _joined_values(above: Values, below: Values, n_above: int) -> Values:
    firsts = dict(above.firsts)
    for value, row in below.firsts.items():
        firsts.setdefault(value, row + n_above)
    return Values(firsts, above.n_known + below.n_known, above.kinds | below.kinds)


@dataclass(frozen=True)
class NumberCoding:
    """How values are turned into numbers, the same way in every block.

    Attributes
    ----------
    dtype : numpy.dtype
        The dtype of the numbers.
    codes : mapping of column to mapping of value to int
        The columns that are turned into codes.
    lows : mapping of column to integer
        The minimum of columns with integers beyond 2**53.
    """

    dtype: Any
    codes: dict[int, dict[Any, int]]
    lows: dict[int, Any]


def coding_of(statistics: ColumnStatistics, categorical: Array) -> NumberCoding:
    """Determine how the values of all blocks are turned into numbers."""
    wide = {
        j: low
        for j, (low, high) in statistics.integers.items()
        if statistics.dtypes[j].kind in "iu"
        and is_wide(np.array([low, high], dtype=statistics.dtypes[j]))
    }
    is_object = [dtype.kind not in "biuf" for dtype in statistics.dtypes]
    coded = [j for j in np.flatnonzero(categorical).tolist() if is_object[j] or j in wide]
    codes = {
        j: {value: code for code, value in enumerate(statistics.values[j].firsts)} for j in coded
    }
    # A mix of numbers and codes is stored in double precision.
    common = np.float64 if codes or any(is_object) else np.result_type(*statistics.dtypes)
    dtype = {np.dtype(np.float16): np.float32, np.dtype(np.float32): np.float32}
    lows = {j: low for j, low in wide.items() if not categorical[j]}
    return NumberCoding(np.dtype(dtype.get(np.dtype(common), np.float64)), codes, lows)
