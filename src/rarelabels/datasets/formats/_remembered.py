"""What a written table remembers about its columns: which are labels, which hold categories.

Most formats have no place for it, so that it stands in a JSON file beside: ``data.labels.json`` for
``data.csv``, ``data.xlsx.labels.json`` for ``data.xlsx``. Parquet has metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from rarelabels._formats import beside
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.column_types import BOOLEAN
from rarelabels.datasets.files import replacing
from rarelabels.datasets.formats._label_choice import Labels
from rarelabels.datasets.formats.spreadsheets import unmarked

SUFFIX = ".labels.json"
# Of other formats, so that files of one name do not share it.
FEATHER_SUFFIX, EXCEL_SUFFIX = f".feather{SUFFIX}", f".xlsx{SUFFIX}"


@dataclass(frozen=True)
class Remembered:
    """The columns of a table that are labels, categorical or of a type, by name.

    `has_marks` says that an apostrophe stands before texts that a spreadsheet would run. Columns of
    categories keep their order in `categories`: not every library reads what another one wrote.
    """

    labels: tuple[str, ...] | None = None
    categorical_features: tuple[str, ...] = ()
    has_marks: bool = False
    delimiter: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def text(self, cell: str) -> str:
        """Return a cell without the mark that was put before it."""
        return unmarked(cell) if self.has_marks else cell

    def label_columns(self, labels: Labels | None, separator: str | None) -> Labels | None:
        """Return the labels that were asked for, else those remembered."""
        if labels is None:
            return self.labels
        # A column of label sets is named in full, not by a prefix.
        return [labels] if separator is not None and isinstance(labels, str) else labels

    def categorical_columns(self, labels: Labels | None, given: Sequence[str]) -> Sequence[str]:
        """Return the categorical features given, else those remembered with the labels."""
        return given or (self.categorical_features if labels is None else ())


def remembered_of(
    dataset: MultiLabelDataset, *, has_marks: bool = False, delimiter: str | None = None
) -> Remembered:
    """Return what is to be remembered of a data set."""
    names, types = dataset.feature_names, dataset.types
    # Booleans are recognized by their values.
    categorical = tuple(names[j] for j in dataset.categorical_features if types.get(j) != BOOLEAN)
    by_name = {names[j]: kind for j, kind in types.items()}
    categories = {names[j]: values for j, values in dataset.categories.items()}
    return Remembered(
        tuple(dataset.label_names), categorical, has_marks, delimiter, by_name, categories
    )


def as_json(remembered: Remembered) -> str:
    """Return it as JSON."""
    values = {
        "labels": remembered.labels,
        "categorical_features": remembered.categorical_features,
        "formulas_marked": remembered.has_marks,
        "delimiter": remembered.delimiter,
        "types": dict(remembered.types),
        "categories": dict(remembered.categories),
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


@contextmanager
def replacing_with(
    remembered: Remembered, path: FilePath, suffix: str = SUFFIX
) -> Iterator[IO[bytes]]:
    """Write a table and, beside it, what is remembered; both old files stay where one fails."""
    with replacing(path) as file, replacing(beside(path, suffix)) as side:
        side.write(as_json(remembered).encode())
        yield file


def read_beside(path: FilePath, suffix: str = SUFFIX) -> Remembered:
    """Read what stands beside a file; nothing is remembered where there is no such file."""
    side = beside(path, suffix)
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
    types, categories = values.get("types", {}), values.get("categories", {})
    if not isinstance(types, dict) or not all(isinstance(kind, str) for kind in types.values()):
        raise ValueError("expected the types of columns by name")
    if not isinstance(categories, dict):
        raise ValueError("expected the categories of columns by name")
    categories = {name: _names(held) for name, held in categories.items()}
    return Remembered(*names, values.get("formulas_marked") is True, delimiter, types, categories)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("expected lists of names")
    return tuple(value)
