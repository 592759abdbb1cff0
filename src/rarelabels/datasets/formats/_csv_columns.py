"""The columns of a CSV file: what its texts mean, decided for a whole column at a time.

A column is read as numbers until one of its texts is none. Those columns are read again, as
categories, so that a column's texts never have to be kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError
from rarelabels.datasets.files import stem
from rarelabels.datasets.formats._collect import GrowingArray
from rarelabels.datasets.formats._csv_rows import Source, read_chunks, read_names
from rarelabels.datasets.formats._label_choice import by_name, labels_in_file
from rarelabels.datasets.formats._table import (
    Feature,
    Floats,
    Label,
    dataset_of,
    first_wrong_label,
    in_order,
    numbers_or_none,
)


def read_table(source: Source, labels: Any, categorical: Sequence[str]) -> MultiLabelDataset:
    """Read a file once and, where columns turn out to be categorical, those once more."""
    names = read_names(source)
    is_label = labels_in_file(names, labels, source.path, 1)
    if categorical:
        by_name(names, categorical)
    columns: dict[int, Any] = {j: _column(name, bool(is_label[j]), name in set(categorical), source)
                               for j, name in enumerate(names)}  # fmt: skip
    n_rows = _read_into(columns, source, len(names))
    if n_rows == 0:
        raise DataFormatError("no rows below the header: the file was cut off", source.path, 1)
    again = {j: CategoryColumn(names[j]) for j, column in columns.items() if column.is_other}
    if again:
        _read_into(again, source, len(names))
    columns |= again
    features = [columns[j].finish() for j in np.flatnonzero(~is_label).tolist()]
    labelled = [columns[j].finish() for j in np.flatnonzero(is_label).tolist()]
    return dataset_of(features, labelled, n_rows, stem(source.path))


def _column(name: str, is_label: bool, is_categorical: bool, source: Source) -> Any:
    if is_label:
        return LabelColumn(name, source)
    return CategoryColumn(name) if is_categorical else NumberColumn(name, source)


def _read_into(columns: dict[int, Any], source: Source, n_columns: int) -> int:
    n_rows = 0
    for lines, texts in read_chunks(source, n_columns):
        n_rows += len(lines)
        parsed = _all_numbers(columns, texts)
        for j, column in columns.items():
            if j in parsed:
                column.add_numbers(parsed[j], texts[j], lines)
            else:
                column.add(texts[j], lines)
    return n_rows


def _all_numbers(columns: dict[int, Any], texts: list[tuple[str, ...]]) -> dict[int, Floats]:
    """Return the columns of numbers and labels if all their texts are numbers, else nothing.

    There may be very many columns: one by one they take much longer.
    """
    places = [j for j, column in columns.items() if column.wants_numbers]
    if len(places) < 2:
        return {}
    numbers = numbers_or_none([text for j in places for text in texts[j]])
    if numbers is None:
        return {}
    return dict(zip(places, numbers.reshape(len(places), -1), strict=True))


class NumberColumn:
    """A feature of numbers, until a text is none."""

    def __init__(self, name: str, source: Source) -> None:
        self.name = name
        self.is_other = False
        self._source = source
        self._values = GrowingArray(np.float64)
        self._refused: tuple[int, str] | None = None

    @property
    def wants_numbers(self) -> bool:
        """Whether all texts were numbers so far."""
        return not self.is_other

    def add_numbers(self, numbers: Floats, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Add texts that were turned into numbers."""
        self._values.append(numbers)

    def add(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Add texts, with their lines."""
        if self.is_other:
            return
        numbers = numbers_or_none(texts)
        if numbers is None:
            numbers = self._one_by_one(texts, lines)
        if numbers is None:
            self.is_other, self._values = True, GrowingArray(np.float64)
        else:
            self._values.append(numbers)

    def _one_by_one(self, texts: Sequence[str], lines: Sequence[int]) -> Any:
        """Return numbers where all that is wrong is infinite: the rest of the column decides."""
        numbers = np.empty(len(texts))
        for place, (text, line) in enumerate(zip(texts, lines, strict=True)):
            number = numbers_or_none([text])
            if number is None and not is_infinite(text):
                return None
            if number is None and self._refused is None:
                self._refused = line, text
            numbers[place] = math.nan if number is None else number[0]
        return numbers

    def finish(self) -> Feature:
        """Return the feature."""
        if self._refused is not None:
            line, text = self._refused
            problem = f"{self.name!r} is numeric; infinity and numbers beyond 1e308 are not read"
            raise DataFormatError(problem, self._source.path, line, text)
        return Feature(self.name, self._values.finish())


def is_infinite(text: str) -> bool:
    """Whether a text means infinity, or a number too large for a float.

    >>> is_infinite("1e400"), is_infinite("-inf"), is_infinite("1"), is_infinite("info")
    (True, True, False, False)
    """
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


class CategoryColumn:
    """A feature of texts; the empty text is missing."""

    is_other = wants_numbers = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._codes: dict[str, int] = {}
        self._values = GrowingArray(np.int32)

    def add(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Add texts; their lines do not matter."""
        codes = self._codes
        found = [codes.setdefault(text, len(codes)) if text else -1 for text in texts]
        self._values.append(np.array(found, dtype=np.int32))

    def finish(self) -> Feature:
        """Return the feature, with its categories sorted."""
        categories = in_order(set(self._codes))
        places = {text: code for code, text in enumerate(categories)}
        # The last place is that of -1.
        new = np.array([*(places[text] for text in self._codes), np.nan])
        return Feature(self.name, new[self._values.finish()], categories)


class LabelColumn:
    """A label."""

    is_other, wants_numbers = False, True

    def __init__(self, name: str, source: Source) -> None:
        self.name = name
        self._source = source
        self._values = GrowingArray(np.int8)

    def add(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Add texts, or say in which line one is no label."""
        self.add_numbers(numbers_or_none(texts), texts, lines)

    def add_numbers(
        self, numbers: Floats | None, texts: Sequence[str], lines: Sequence[int]
    ) -> None:
        """Add texts that were turned into numbers, where they could be."""
        if numbers is None or first_wrong_label(numbers) is not None:
            place = next(i for i, text in enumerate(texts) if not _is_label(text))
            problem = f"label {self.name!r} is neither 0 nor 1"
            raise DataFormatError(problem, self._source.path, lines[place], texts[place])
        self._values.append(numbers.astype(np.int8))

    def finish(self) -> Label:
        """Return the label."""
        return Label(self.name, self._values.finish())


def _is_label(text: str) -> bool:
    number = numbers_or_none([text])
    return number is not None and first_wrong_label(number) is None
