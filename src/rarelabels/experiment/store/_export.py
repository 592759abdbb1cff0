"""Write the rows of a store to a file that other programs read."""

from __future__ import annotations

import csv
import io
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import narwhals as nw

from rarelabels.datasets.files import replacing
from rarelabels.datasets.formats.spreadsheets import marked

WRITERS: tuple[Any, ...] = ("pyarrow", "polars", "pandas")


def export_rows(rows: list[dict[str, Any]], columns: tuple[str, ...], path: Any) -> None:
    """Write rows as CSV or Parquet, by the name of the file.

    In CSV an apostrophe stands before texts that a spreadsheet would run as formulas.
    """
    target = Path(os.fspath(path))
    suffix = target.suffix.lower()
    if suffix == ".csv":
        _write_csv(rows, columns, target)
    elif suffix in (".parquet", ".pq"):
        _write_parquet(rows, columns, target)
    else:
        raise ValueError(f"a store is exported as .csv or .parquet, got {target.name!r}.")


def _write_csv(rows: list[dict[str, Any]], columns: tuple[str, ...], target: Path) -> None:
    with replacing(target) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows([_cell(row[name]) for name in columns] for row in rows)


def _cell(value: Any) -> Any:
    return marked(value) if isinstance(value, str) else value


def _write_parquet(rows: list[dict[str, Any]], columns: tuple[str, ...], target: Path) -> None:
    backend = next((name for name in WRITERS if find_spec(name)), None)
    if backend is None:
        raise ImportError("Parquet needs pyarrow (pip install pyarrow); a .csv file does not.")
    schema = {name: _kind(rows, name) for name in columns}
    data = {name: [row[name] for row in rows] for name in columns}
    made = io.BytesIO()
    nw.from_dict(data, schema, backend=backend).write_parquet(made)
    with replacing(target) as file:
        file.write(made.getvalue())


def _kind(rows: list[dict[str, Any]], column: str) -> Any:
    kinds = {type(row[column]) for row in rows} - {type(None)}
    if kinds and kinds <= {int}:
        return nw.Int64
    return nw.Float64 if kinds and kinds <= {int, float} else nw.String
