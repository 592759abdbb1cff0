"""What a written table remembers about its columns: which are labels, which hold categories.

A CSV file has no place for it, so that it stands in a JSON file beside: ``data.labels.json`` for
``data.csv``. Parquet has metadata.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rarelabels._formats import beside
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.formats.spreadsheets import unmarked

SUFFIX = ".labels.json"


@dataclass(frozen=True)
class Remembered:
    """The columns of a table that are labels or categorical, by name.

    `has_marks` says that an apostrophe stands before texts that a spreadsheet would run.
    """

    labels: tuple[str, ...] | None = None
    categorical_features: tuple[str, ...] = ()
    has_marks: bool = False
    delimiter: str | None = None

    def text(self, cell: str) -> str:
        """Return a cell without the mark that was put before it."""
        return unmarked(cell) if self.has_marks else cell


def remembered_of(
    dataset: MultiLabelDataset, *, has_marks: bool = False, delimiter: str | None = None
) -> Remembered:
    """Return what is to be remembered of a data set."""
    categorical = tuple(dataset.feature_names[j] for j in dataset.categorical_features)
    return Remembered(tuple(dataset.label_names), categorical, has_marks, delimiter)


def as_json(remembered: Remembered) -> str:
    """Return it as JSON."""
    values = {
        "labels": remembered.labels,
        "categorical_features": remembered.categorical_features,
        "formulas_marked": remembered.has_marks,
        "delimiter": remembered.delimiter,
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def read_beside(path: FilePath) -> Remembered:
    """Read what stands beside a file; nothing is remembered where there is no such file."""
    side = beside(path, SUFFIX)
    if not side.is_file():
        return Remembered()
    try:
        return from_json(side.read_bytes().decode())
    except ValueError as error:
        raise DataFormatError(f"not what stands beside a table ({error})", side) from None


def from_json(text: str) -> Remembered:
    """Read what `as_json` gave, or raise ValueError."""
    values = json.loads(text)
    if not isinstance(values, dict):
        raise ValueError("expected an object")
    names = _names(values.get("labels")), _names(values.get("categorical_features", []))
    delimiter = values.get("delimiter")
    if delimiter not in (None, ",", ";", "\t"):
        raise ValueError(f"expected comma, semicolon or tab as delimiter, got {delimiter!r}")
    return Remembered(*names, values.get("formulas_marked") is True, delimiter)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("expected lists of names")
    return tuple(value)


def side_file(path: FilePath) -> Path:
    """Return the place of the file beside a table."""
    return beside(path, SUFFIX)
