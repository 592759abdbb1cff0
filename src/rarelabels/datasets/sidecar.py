"""The sidecar of a table: a JSON file that names the label columns and categorical columns.

It is ``data.labels.json`` for ``data.csv`` and ``data.xlsx.labels.json`` for ``data.xlsx``. A
Parquet file needs none: the same JSON is part of its metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from rarelabels._formats import companion_path
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.column_types import BOOLEAN
from rarelabels.datasets.files import replacing_together
from rarelabels.datasets.formulas import unescape_formula
from rarelabels.datasets.label_columns import Labels

SUFFIX = ".labels.json"
# Suffixes of other formats, so that files with the same name have separate sidecars.
FEATHER_SUFFIX, EXCEL_SUFFIX = f".feather{SUFFIX}", f".xlsx{SUFFIX}"


@dataclass(frozen=True)
class Sidecar:
    """Labels, categorical columns and types of the columns of a table, by name.

    If `has_escapes` is true, texts that a spreadsheet would run begin with an apostrophe.
    `categories` preserves the order of categories, because some libraries do not read the order
    that others write.
    """

    labels: tuple[str, ...] | None = None
    categorical_features: tuple[str, ...] = ()
    has_escapes: bool = False
    delimiter: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def text(self, cell: str) -> str:
        """Return the text of a cell, without the apostrophe that escapes a formula."""
        return unescape_formula(cell) if self.has_escapes else cell

    def label_columns(self, labels: Labels | None, separator: str | None) -> Labels | None:
        """Return the labels that the caller requests, or those of the sidecar."""
        if labels is None:
            return self.labels
        # A column of label sets is named in full, not by a prefix.
        return [labels] if separator is not None and isinstance(labels, str) else labels

    def categorical_columns(self, labels: Labels | None, given: Sequence[str]) -> Sequence[str]:
        """Return the categorical features that the caller names, or those of the sidecar."""
        return given or (self.categorical_features if labels is None else ())


def sidecar_of(
    dataset: MultiLabelDataset, *, has_escapes: bool = False, delimiter: str | None = None
) -> Sidecar:
    """Return the sidecar of a data set."""
    names, types = dataset.feature_names, dataset.types
    # Booleans are recognized by their values.
    categorical = tuple(names[j] for j in dataset.categorical_features if types.get(j) != BOOLEAN)
    by_name = {names[j]: kind for j, kind in types.items()}
    categories = {names[j]: values for j, values in dataset.categories.items()}
    return Sidecar(
        tuple(dataset.label_names), categorical, has_escapes, delimiter, by_name, categories
    )


def as_json(sidecar: Sidecar) -> str:
    """Return a sidecar as JSON."""
    values = {
        "labels": sidecar.labels,
        "categorical_features": sidecar.categorical_features,
        "formulas_marked": sidecar.has_escapes,
        "delimiter": sidecar.delimiter,
        "types": dict(sidecar.types),
        "categories": dict(sidecar.categories),
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


@contextmanager
def replacing_with_sidecar(
    sidecar: Sidecar, path: FilePath, suffix: str = SUFFIX
) -> Iterator[IO[bytes]]:
    """Write a table and its sidecar; if one fails, both old files remain."""
    with replacing_together(path, companion_path(path, suffix)) as (file, side):
        side.write(as_json(sidecar).encode())
        yield file


def read_sidecar(path: FilePath, suffix: str = SUFFIX) -> Sidecar:
    """Read the sidecar of a file; it is empty if the sidecar does not exist."""
    side = companion_path(path, suffix)
    if not side.is_file():
        return Sidecar()
    try:
        return from_json(side.read_bytes().decode())
    except ValueError as error:
        raise DataFormatError(f"this is not the sidecar of a table ({error})", side) from None


def from_json(text: str) -> Sidecar:
    """Read the output of `as_json`, or raise ValueError."""
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
    categories = {name: _names(values) for name, values in categories.items()}
    return Sidecar(*names, values.get("formulas_marked") is True, delimiter, types, categories)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("expected lists of names")
    return tuple(value)
