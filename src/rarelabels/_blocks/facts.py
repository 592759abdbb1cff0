"""What a block knows of its columns, and what all blocks know together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from rarelabels._containers import Array, Container, contain, is_missing
from rarelabels._features import as_numbers, is_wide, kind_of_value

NONE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Values:
    """The different values of a column that may be categorical.

    Attributes
    ----------
    firsts : mapping of value to row
        The known values in the order they first appear, each with the row.
    n_known : int
        How many values are known.
    kinds : frozenset of types
        What sorts of values they are.
    """

    firsts: dict[Any, int]
    n_known: int
    kinds: frozenset[type]


@dataclass(frozen=True)
class Facts:
    """What is known of consecutive rows.

    Attributes
    ----------
    n_rows : int
        How many they are.
    dtypes : tuple of numpy.dtype
        The dtype of each column's values, objects where they are no numbers.
    low, high : (d,) ndarray of floats
        The least and the largest number of each column, NaN where none is known.
    gaps, infinities : (d,) ndarray of ints
        The first row of each column where the value is missing or infinite, `NONE` without any.
    integers : mapping of column to two integers
        The least and the largest of columns of long integers, exactly.
    values : mapping of column to Values
        Those of columns that may be categorical.
    """

    n_rows: int
    dtypes: tuple[Any, ...]
    low: Array
    high: Array
    gaps: Array
    infinities: Array
    integers: dict[int, tuple[Any, Any]]
    values: dict[int, Values]


def facts_of(data: Any, may_be_categorical: Array) -> Facts:
    """Return what a block knows of its columns."""
    container = contain(data)
    n_rows, n_columns = container.shape
    matrix = container.numbers() if n_rows and not may_be_categorical.any() else None
    if matrix is not None and matrix.dtype.kind == "f":
        return _facts_of_floats(matrix, [container.column(j).dtype for j in range(n_columns)])
    columns = [_numbers_if_any(container, j, bool(may_be_categorical[j])) for j in range(n_columns)]
    extremes = [_extremes(column) for column in columns]
    return Facts(
        n_rows,
        tuple(column.dtype for column in columns),
        np.array([low for low, _ in extremes]),
        np.array([high for _, high in extremes]),
        np.array([_first(_gaps(column)) for column in columns]),
        np.array([_first(_infinities(column)) for column in columns]),
        {j: (column.min(), column.max()) for j, column in enumerate(columns) if is_long(column)},
        {j: _values(columns[j]) for j in np.flatnonzero(may_be_categorical).tolist()},
    )


def _facts_of_floats(matrix: Array, dtypes: list[Any]) -> Facts:
    """Do the same for numbers alone, all columns at a time."""
    low, high = np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = np.flatnonzero(~np.isfinite(matrix.sum(axis=0)))
    gaps, infinities = np.full(low.size, NONE), np.full(low.size, NONE)
    for j in suspects.tolist():
        gaps[j], infinities[j] = _first(np.isnan(matrix[:, j])), _first(np.isinf(matrix[:, j]))
    low, high = low.astype(np.float64), high.astype(np.float64)
    return Facts(matrix.shape[0], tuple(dtypes), low, high, gaps, infinities, {}, {})


def _numbers_if_any(container: Container, j: int, may_be_categorical: bool) -> Array:
    """Return a column's values, as numbers unless it may be categorical."""
    column = container.column(j)
    return column if may_be_categorical else as_numbers(column, j, container.names)


def is_long(column: Array) -> bool:
    """Whether values are integers of 64 bits."""
    return column.dtype.kind in "iu" and column.dtype.itemsize == 8 and column.size > 0


def _extremes(column: Array) -> tuple[float, float]:
    if column.dtype.kind == "O" and all(kind_of_value(v) is float or is_missing(v) for v in column):
        # Objects may be numbers all the same.
        column = as_numbers(column, 0, None)
    if column.dtype.kind not in "biuf" or not column.size:
        return np.nan, np.nan
    return float(np.fmin.reduce(column)), float(np.fmax.reduce(column))


def _gaps(column: Array) -> Array:
    if column.dtype.kind == "O":
        return np.array([is_missing(value) for value in column], dtype=bool)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(column.size, dtype=bool)


def _infinities(column: Array) -> Array:
    return np.isinf(column) if column.dtype.kind == "f" else np.zeros(column.size, dtype=bool)


def _first(chosen: Array) -> int:
    return int(chosen.argmax()) if chosen.any() else NONE


def _values(column: Array) -> Values:
    known = np.flatnonzero(~_gaps(column))
    if column.dtype.kind != "O":
        values, firsts = np.unique(column[known], return_index=True)
        order = np.argsort(firsts)
        found = dict(zip(values[order].tolist(), known[firsts[order]].tolist(), strict=True))
        return Values(found, known.size, frozenset({float}))
    found = {}
    for row, value in zip(known.tolist(), column[known].tolist(), strict=True):
        found.setdefault(value, row)
    return Values(found, known.size, frozenset(map(kind_of_value, found)))


def joined_facts(parts: Sequence[Facts]) -> Facts:
    """Return what consecutive blocks know together."""
    return reduce(_joined, parts)


def _joined(above: Facts, below: Facts) -> Facts:
    n_above = above.n_rows
    # A block without rows says nothing, not even of the dtypes of its values.
    if not below.n_rows or not n_above:
        return above if n_above else below
    return Facts(
        n_above + below.n_rows,
        tuple(map(_common, above.dtypes, below.dtypes)),
        np.fmin(above.low, below.low),
        np.fmax(above.high, below.high),
        _earlier(above.gaps, below.gaps, n_above),
        _earlier(above.infinities, below.infinities, n_above),
        {
            j: (min(low, below.integers[j][0]), max(high, below.integers[j][1]))
            for j, (low, high) in above.integers.items()
            if j in below.integers
        },
        {j: _joined_values(own, below.values[j], n_above) for j, own in above.values.items()},
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
    """How values become numbers, the same in every block.

    Attributes
    ----------
    dtype : numpy.dtype
        Of the numbers.
    codes : mapping of column to mapping of value to int
        The columns that are given as codes.
    lows : mapping of column to integer
        The minimum of columns of integers that no float holds.
    """

    dtype: Any
    codes: dict[int, dict[Any, int]]
    lows: dict[int, Any]


def coding_of(facts: Facts, categorical: Array) -> NumberCoding:
    """Say how the values of all blocks become numbers."""
    wide = {
        j: low
        for j, (low, high) in facts.integers.items()
        if facts.dtypes[j].kind in "iu" and is_wide(np.array([low, high], dtype=facts.dtypes[j]))
    }
    is_object = [dtype.kind not in "biuf" for dtype in facts.dtypes]
    coded = [j for j in np.flatnonzero(categorical).tolist() if is_object[j] or j in wide]
    codes = {j: {value: code for code, value in enumerate(facts.values[j].firsts)} for j in coded}
    # Columns of numbers and codes together are in double precision.
    common = np.float64 if codes or any(is_object) else np.result_type(*facts.dtypes)
    dtype = {np.dtype(np.float16): np.float32, np.dtype(np.float32): np.float32}
    lows = {j: low for j, low in wide.items() if not categorical[j]}
    return NumberCoding(np.dtype(dtype.get(np.dtype(common), np.float64)), codes, lows)
