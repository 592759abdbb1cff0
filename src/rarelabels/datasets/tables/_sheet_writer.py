"""Write a data set as an Excel workbook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import column_of
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets.column_types import BOOLEANS, DATE, is_datelike, rounded_to_type, zone_of
from rarelabels.datasets.dates import date_texts
from rarelabels.datasets.tables._sheet import (
    ERRORS,
    MOST_COLUMNS,
    MOST_ROWS,
    NOT_AVAILABLE,
    openpyxl_module,
)
from rarelabels.datasets.writing import (
    check_distinct_names,
    check_texts,
    rows_as_lists,
    written_categories,
)

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
LONGEST = 32767  # maximum number of characters in a cell
FIRST = -2203891200 * 10**6  # March 1, 1900: spreadsheets count earlier days in two ways


def written_workbook(dataset: MultiLabelDataset) -> Any:
    """Return a workbook whose sheet has the names of the columns above the rows."""
    openpyxl = openpyxl_module()
    categories = written_categories(dataset)
    _check(dataset, categories)
    workbook = openpyxl.Workbook(write_only=True)
    sheet = workbook.create_sheet("data")
    cells = SheetCells(sheet, openpyxl.cell.WriteOnlyCell)
    sheet.append([cells.text(name) for name in (*dataset.feature_names, *dataset.label_names)])
    spelled = {j: [False, True] if names == BOOLEANS else names for j, names in categories.items()}
    dates = {
        j: _dates(column_of(dataset.X, j), kind, cells)
        for j, kind in dataset.types.items()
        if is_datelike(kind)
    }
    rows = zip(rows_as_lists(dataset.X), rows_as_lists(dataset.Y), strict=True)
    for i, (x, y) in enumerate(rows):
        features = [
            dates[j][i] if j in dates else _value(value, spelled.get(j))
            for j, value in enumerate(x)
        ]
        row = [cells.text(one) if isinstance(one, str) else one for one in features]
        sheet.append(row + [None if value != value else int(value) for value in y])
    return workbook


class SheetCells:
    """Create cells of a sheet."""

    def __init__(self, sheet: Any, cell: Any) -> None:
        self._sheet, self._cell = sheet, cell

    def text(self, text: str) -> Any:
        """Return a cell that shows a text and is never run."""
        cell = self._cell(self._sheet, value=text)
        cell.data_type = "s"
        return cell

    def time(self, value: datetime, number_format: str) -> Any:
        """Return a cell for a date or a point in time."""
        cell = self._cell(self._sheet, value=value)
        cell.number_format = number_format
        return cell


def _value(value: float, categories: Sequence[Any] | None) -> Any:
    if value != value:
        return None
    if categories is not None:
        return categories[int(value)]
    return int(value) if value == int(value) and abs(value) < 2**53 and value else value


def _dates(values: Any, kind: str, cells: SheetCells) -> list[Any]:
    values = rounded_to_type(values, kind)
    known = values[values == values]
    if zone_of(kind) or (known < FIRST).any() or (known % 1000).any():
        return [text or None for text in date_texts(values, kind)]
    shown = "yyyy-mm-dd" if kind == DATE else "yyyy-mm-dd hh:mm:ss"
    start = datetime(1970, 1, 1)
    return [
        None if value != value else cells.time(start + timedelta(microseconds=value), shown)
        for value in values.tolist()
    ]


def _check(dataset: MultiLabelDataset, categories: dict[int, Sequence[str]]) -> None:
    check_distinct_names(dataset)
    check_texts(dataset, categories, "Excel")
    n_columns = dataset.n_features + dataset.n_labels
    if dataset.n_samples >= MOST_ROWS or n_columns > MOST_COLUMNS:
        raise ValueError(
            f"a sheet can have at most {MOST_ROWS - 1} samples and {MOST_COLUMNS} columns, but the "
            f"data set has {dataset.n_samples} and {n_columns}: write a Parquet file."
        )
    values = dataset.X.data if sparse.issparse(dataset.X) else dataset.X
    if np.isinf(values).any():
        raise ValueError("Excel files cannot have infinity: replace it, or make it missing (NaN).")
    texts = [*dataset.feature_names, *dataset.label_names]
    texts += [text for names in categories.values() for text in names]
    for text in texts:
        is_other = text in ERRORS | {NOT_AVAILABLE} or _CONTROLS.search(text)
        if not text or len(text) > LONGEST or is_other:
            raise ValueError(
                f"a sheet cannot have the name {text[:30]!r}: it is empty, an error of a formula, "
                f"longer than {LONGEST} characters or has control characters."
            )
