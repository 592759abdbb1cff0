"""Determine the types of the columns of a table of texts.

A column is read as numbers until one of its texts is not a number. Unless that is in the first
block of rows, the column is read again as categories, so that no texts have to be stored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets.column_types import BOOLEAN, BOOLEANS, INTEGER, whole_numbers
from rarelabels.datasets.dates import (
    Dates,
    MixedZonesError,
    dates_or_none,
    in_stored_zone,
)
from rarelabels.datasets.files import stem
from rarelabels.datasets.growing_arrays import GrowingArray
from rarelabels.datasets.tables._columns import (
    UNKNOWN_HINT,
    ColumnChoice,
    Feature,
    Label,
    TagColumn,
    as_label,
    checked_groups,
    dataset_of,
    in_order,
    label_or_none,
    tags_hint,
    text_problem,
)
from rarelabels.datasets.tables._csv_rows import Chunk, TextSource
from rarelabels.datasets.tables._library import Floats, number_or_none

_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")


def read_table(source: TextSource, choice: ColumnChoice) -> MultiLabelDataset:
    """Read a file and, if columns turn out to be categorical, read these columns again."""
    names = source.names()
    roles = choice.roles(names, source.sidecar, source.path, 1, source.sheet)
    columns: dict[int, Any] = {
        **{j: _feature_column(names[j], source, choice) for j in roles.features},
        **{j: _label_column(names[j], source, choice) for j in roles.labels},
    }
    if roles.groups is not None:
        columns[roles.groups] = CategoryColumn(names[roles.groups], source)
    n_rows = _read_into(columns, source, len(names))
    if n_rows == 0:
        raise source.error("no rows follow the header: the file is incomplete", 1)
    columns |= _others_read_again(columns, names, source)
    features = [columns[j].finish() for j in roles.features]
    labels = [label for j in roles.labels for label in columns[j].finish()]
    groups = None if roles.groups is None else columns[roles.groups].texts_of_rows()
    return dataset_of(features, labels, n_rows, stem(source.path), groups)


def _others_read_again(
    columns: dict[int, Any], names: list[str], source: TextSource
) -> dict[int, Any]:
    again = {j: OtherColumn(names[j], source) for j, one in columns.items() if one.is_other}
    if again:
        _read_into(again, source, len(names))
    return again


def _feature_column(name: str, source: TextSource, choice: ColumnChoice) -> Any:
    kind = CategoryColumn if name in choice.categorical_features else NumberColumn
    return kind(name, source)


def _label_column(name: str, source: TextSource, choice: ColumnChoice) -> Any:
    if choice.separator is not None:
        return TagColumn(choice.separator)
    return LabelColumn(name, source, choice)


def _read_into(columns: dict[int, Any], source: TextSource, n_columns: int) -> int:
    n_rows = 0
    for chunk in source.chunks(n_columns):
        n_rows += len(chunk.lines)
        numeric = [j for j, column in columns.items() if column.wants_numbers]
        numbers = dict(zip(numeric, chunk.cells.numbers(numeric), strict=True)) if numeric else {}
        for j, column in list(columns.items()):
            if j in numbers:
                column.add_numbers(numbers[j], chunk, j)
                if column.is_other and n_rows == len(chunk.lines):
                    # These are the first rows, so the file need not be read again.
                    columns[j] = OtherColumn(column.name, source)
                    columns[j].add(chunk.cells.texts(j))
            elif not column.is_other:
                column.add(chunk.cells.texts(j))
    return n_rows


class NumberColumn:
    """A numeric feature, as long as all texts are numbers."""

    def __init__(self, name: str, source: TextSource) -> None:
        self.name = name
        self.is_other = False
        self._source = source
        self._values = GrowingArray(np.float64)
        self._refused: tuple[str, int, str] | None = None

    @property
    def wants_numbers(self) -> bool:
        """Whether all texts so far were numbers."""
        return not self.is_other

    def add_numbers(self, numbers: Floats, chunk: Chunk, j: int) -> None:
        """Add numbers, and check the texts of those that are not finite."""
        rows = np.flatnonzero(~np.isfinite(numbers)).tolist()
        if rows:
            numbers = numbers.copy()
            texts = chunk.cells.texts(j)
            values = {text: number_or_none(text) for text in {texts[row] for row in rows}}
            for row in rows:
                value = values[texts[row]]
                if value is None and not self._is_nearly_a_number(texts[row], chunk.lines[row]):
                    self.is_other, self._values = True, GrowingArray(np.float64)
                    return
                numbers[row] = math.nan if value is None else value
        self._values.append(numbers)

    def _is_nearly_a_number(self, text: str, line: int) -> bool:
        """Return whether a text is an error in a numeric column; the other texts decide."""
        problem = nearly_a_number(text)
        if problem is not None and self._refused is None:
            self._refused = problem, line, text
        return problem is not None

    def finish(self) -> Feature:
        """Return the feature."""
        if self._refused is not None:
            problem, line, text = self._refused
            raise self._source.error(f"{self.name!r} {problem}", line, text)
        values = self._values.finish()
        return Feature(self.name, values, kind=INTEGER if whole_numbers(values) else None)


def nearly_a_number(text: str) -> str | None:
    """Return why a text that looks like a number is not accepted, or None for other texts.

    >>> nearly_a_number("-inf"), nearly_a_number("red")
    ('is numeric; infinity and numbers beyond 1e308 are not supported', None)
    """
    if _DECIMAL_COMMA.fullmatch(text.strip(" \t")):
        return (
            "has numbers with commas, which are not supported: write 1.5 for 1,5, or name the "
            "column in categorical_features"
        )
    try:
        is_infinite = math.isinf(float(text))
    except ValueError:
        return None
    return (
        "is numeric; infinity and numbers beyond 1e308 are not supported" if is_infinite else None
    )


class CategoryColumn:
    """A feature of texts; the empty text is a missing value."""

    is_other = wants_numbers = False

    def __init__(self, name: str, source: TextSource) -> None:
        self.name = name
        self._text = source.sidecar.text
        self._codes: dict[str, int] = {}
        self._values = GrowingArray(np.int32)

    def add(self, texts: Sequence[str]) -> None:
        """Add texts."""
        codes = self._codes
        row_codes = [codes.setdefault(text, len(codes)) if text else -1 for text in texts]
        self._values.append(np.array(row_codes, dtype=np.int32))

    def finish(self) -> Feature:
        """Return the feature, with its categories sorted."""
        texts = self._texts()
        return self._coded(texts, in_order(set(texts)))

    def texts_of_rows(self) -> npt.NDArray[Any]:
        """Return the texts of all rows; raise an error if one is missing."""
        texts = np.array([*self._texts(), None], dtype=object)
        return checked_groups(self.name, texts[self._values.finish()].tolist())

    def _texts(self) -> list[str]:
        return [self._text(cell) for cell in self._codes]

    def _coded(self, texts: list[str], categories: tuple[str, ...]) -> Feature:
        places = {text: float(code) for code, text in enumerate(categories)}
        return Feature(self.name, self._of_texts([places[text] for text in texts]), categories)

    def _of_texts(self, values: Sequence[float]) -> Floats:
        """Return the values of the samples from the values of the distinct texts."""
        # The last position is that of -1.
        row_values: Floats = np.array([*values, np.nan])[self._values.finish()]
        return row_values


class OtherColumn(CategoryColumn):
    """A feature that is not numeric: dates, booleans or categories."""

    def __init__(self, name: str, source: TextSource) -> None:
        super().__init__(name, source)
        self._source = source

    def finish(self) -> Feature:
        """Return the feature; raise an error if texts are mostly distinct."""
        self._source.check_kinds(self.name)
        texts = self._texts()
        dates = self._dates(texts)
        if dates is not None:
            return Feature(self.name, self._of_texts(dates.values.tolist()), kind=dates.kind)
        if {*BOOLEANS}.issuperset(texts):
            return self._coded(texts, BOOLEANS)._replace(kind=BOOLEAN)
        n_known = int((self._values.finish() >= 0).sum())
        problem = text_problem(self.name, texts, n_known)
        if problem is not None:
            raise self._source.error(problem)
        return self._coded(texts, in_order(set(texts)))

    def _dates(self, texts: list[str]) -> Dates | None:
        try:
            dates = dates_or_none(texts)
        except MixedZonesError as error:
            raise self._source.error(f"column {self.name!r} {error}") from None
        return dates and in_stored_zone(dates, self._source.sidecar.types.get(self.name))


class LabelColumn:
    """A label."""

    is_other, wants_numbers = False, True

    def __init__(self, name: str, source: TextSource, choice: ColumnChoice) -> None:
        self.name = name
        self._source, self._choice = source, choice
        self._values = GrowingArray(np.int8)

    def add_numbers(self, numbers: Floats, chunk: Chunk, j: int) -> None:
        """Add numbers, and check the texts of those that are not 0 or 1."""
        rows = np.flatnonzero((numbers != 0) & (numbers != 1)).tolist()
        if rows:
            numbers = numbers.copy()
            texts = chunk.cells.texts(j)
            values = {text: self._value(text) for text in {texts[row] for row in rows}}
            for row in rows:
                value = values[texts[row]]
                if value is None:
                    problem = f"label {self.name!r} is neither 0 nor 1 (nor true, false, yes or no)"
                    problem += tags_hint(self.name, texts[row]) or UNKNOWN_HINT
                    raise self._source.error(problem, chunk.lines[row], texts[row])
                numbers[row] = value
        self._values.append(numbers.astype(np.int8))

    def _value(self, text: str) -> float | None:
        """Convert a text to a label, -1 if it is unknown, or None for any other text."""
        return -1.0 if self._choice.is_unknown(text) else label_or_none(text)

    def finish(self) -> list[Label]:
        """Return the label."""
        return [as_label(self.name, self._values.finish())]
