"""Read tables of scores, and return results in the same type of container.

A pandas dataframe gives pandas results labeled by its columns; an array or list of rows gives
arrays in the order of its columns; any other table with named columns (a dict of columns, a polars
or pyarrow table) gives dicts keyed by the names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from rarelabels._containers import contain

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class MethodTable:
    """A checked table of scores.

    Attributes
    ----------
    values : ndarray of shape (n_datasets, n_methods)
        The scores.
    names : tuple of length n_methods
        The names of the methods, or their numbers if the table has no names.
    kind : "pandas", "array" or "named"
        The type of container for results.
    index : object
        The index of a pandas dataframe, else None.
    """

    values: npt.NDArray[np.float64]
    names: tuple[Any, ...]
    kind: str
    index: Any = None

    def per_column(self, values: Array) -> Any:
        """Return one value per method in the container type of the caller."""
        if self.kind == "array":
            return values
        if self.kind == "named":
            return dict(zip(self.names, values.tolist(), strict=True))
        import pandas as pd

        return pd.Series(values, index=list(self.names))

    def per_pair(self, values: Array, rows: MethodTable | None = None) -> Any:
        """Return one value for each column of `rows` (default: this table) and of this table."""
        rows = self if rows is None else rows
        if self.kind == "array":
            return values
        if self.kind == "named":
            return {
                name: self.per_column(row) for name, row in zip(rows.names, values, strict=True)
            }
        import pandas as pd

        return pd.DataFrame(values, index=list(rows.names), columns=list(self.names))


def read_scores(
    data: Any,
    *,
    argument: str = "scores",
    least_columns: int = 1,
    lower_is_better: bool = False,
) -> MethodTable:
    """Read a table and check that it has enough columns of numbers, without missing values.

    If lower scores are better, their sign is changed, so that the highest value is the best.
    """
    table = _read_mapping(data, argument) if isinstance(data, Mapping) else _read(data, argument)
    n_rows, n_columns = table.values.shape
    if n_rows == 0 or n_columns < least_columns:
        raise ValueError(
            f"{argument} must have a row for each data set and at least {least_columns} columns, "
            f"got a table of shape {(n_rows, n_columns)}."
        )
    _check_finite(table, argument)
    return replace(table, values=-table.values) if lower_is_better else table


def as_columns(data: Any) -> Any:
    """Convert a single column to a table."""
    series = nw.from_native(data, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return series.alias(series.name or "0").to_frame().to_native()
    is_plain = not isinstance(data, Mapping) and not hasattr(data, "columns")
    return np.reshape(data, (-1, 1)) if is_plain and np.ndim(data) == 1 else data


def _read_mapping(data: Mapping[Any, Any], argument: str) -> MethodTable:
    columns = [_numbers(np.asarray(column), name, argument) for name, column in data.items()]
    if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
        raise ValueError(
            f"{argument} is a dict and must have columns of equal length, got lengths "
            f"{ {name: len(column) for name, column in data.items()} }."
        )
    return MethodTable(np.column_stack(columns), tuple(data), "named")


def _read(data: Any, argument: str) -> MethodTable:
    try:
        container = contain(data)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{argument}: {error}") from error
    n_columns = container.shape[1]
    names = tuple(range(n_columns)) if container.names is None else container.names
    columns = [_numbers(container.column(j), names[j], argument) for j in range(n_columns)]
    values = np.column_stack(columns) if columns else np.empty(container.shape)
    is_pandas = nw.dependencies.is_pandas_dataframe(data)
    kind = "pandas" if is_pandas else "array" if container.names is None else "named"
    return MethodTable(values, names, kind, data.index if is_pandas else None)


def _numbers(column: Array, name: Any, argument: str) -> npt.NDArray[np.float64]:
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{argument} must have numeric columns, but column {name!r} is not numeric; if it has "
            "the names of the rows, drop it or make it the index."
        ) from error


def _check_finite(table: MethodTable, argument: str) -> None:
    missing = np.argwhere(~np.isfinite(table.values))
    if not missing.size:
        return
    row, column = missing[0].tolist()
    where = table.index[row] if table.index is not None else row
    raise ValueError(
        f"{argument} has {table.values[row, column]} in row {where!r}, column "
        f"{table.names[column]!r} ({len(missing)} such values in all); every method needs a score "
        "on every data set. Drop the rows or columns that are incomplete."
    )
