"""The columns of a table of texts: what they mean, decided for a whole column at a time.

A column is read as numbers until one of its texts is none. Those columns are read again, as
categories, so that a column's texts never have to be kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets.column_types import BOOLEAN, BOOLEANS, INTEGER, whole_numbers
from rarelabels.datasets.files import stem
from rarelabels.datasets.formats._collect import GrowingArray
from rarelabels.datasets.formats._csv_rows import TextSource
from rarelabels.datasets.formats._dates import (
    Dates,
    MixedZonesError,
    dates_or_none,
    with_remembered,
)
from rarelabels.datasets.formats._label_choice import by_name, labels_in_file
from rarelabels.datasets.formats._table import (
    Feature,
    Floats,
    Label,
    dataset_of,
    first_wrong_label,
    in_order,
    label_values,
    numbers_or_none,
    tag_labels,
    tags_of,
    text_problem,
)

_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")


def read_table(
    source: TextSource,
    labels: Any,
    categorical: Sequence[str],
    separator: str | None,
    drop: Sequence[str] = (),
) -> MultiLabelDataset:
    """Read a file once and, where columns turn out to be categorical, those once more."""
    names = source.names()
    is_label = labels_in_file(names, labels, source.path, 1, source.sheet)
    is_feature = ~(is_label | by_name(names, drop))
    by_name(names, categorical)
    kinds = Kinds(source, separator, frozenset(categorical))
    columns: dict[int, Any] = {
        j: kinds.column(name, bool(is_label[j]))
        for j, name in enumerate(names)
        if is_label[j] or is_feature[j]
    }
    n_rows = _read_into(columns, source, len(names))
    if n_rows == 0:
        raise source.error("no rows below the header: the file was cut off", 1)
    columns |= _others_read_again(columns, names, source)
    features = [columns[j].finish() for j in np.flatnonzero(is_feature).tolist()]
    labelled = [label for j in np.flatnonzero(is_label).tolist() for label in columns[j].finish()]
    return dataset_of(features, labelled, n_rows, stem(source.path))


def _others_read_again(
    columns: dict[int, Any], names: list[str], source: TextSource
) -> dict[int, Any]:
    again = {j: OtherColumn(names[j], source) for j, one in columns.items() if one.is_other}
    for column in again.values():
        source.check_kinds(column.name)
    if again:
        _read_into(again, source, len(names))
    return again


class Kinds(NamedTuple):
    """What decides how a column is read."""

    source: TextSource
    separator: str | None
    categorical: frozenset[str]

    def column(self, name: str, is_label: bool) -> Any:
        """Return what reads a column."""
        if is_label and self.separator is not None:
            return TagColumn(name, self.separator)
        if is_label:
            return LabelColumn(name, self.source)
        if name in self.categorical:
            return CategoryColumn(name, self.source)
        return NumberColumn(name, self.source)


def _read_into(columns: dict[int, Any], source: TextSource, n_columns: int) -> int:
    n_rows = 0
    for lines, texts in source.chunks(n_columns):
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
    numbers = numbers_or_none(list(chain.from_iterable(texts[j] for j in places)))
    if numbers is None:
        return {}
    return dict(zip(places, numbers.reshape(len(places), -1), strict=True))


class NumberColumn:
    """A feature of numbers, until a text is none."""

    def __init__(self, name: str, source: TextSource) -> None:
        self.name = name
        self.is_other = False
        self._source = source
        self._values = GrowingArray(np.float64)
        self._refused: tuple[str, int, str] | None = None

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
        """Return numbers where the others nearly are some: the rest of the column decides."""
        numbers = np.empty(len(texts))
        for place, (text, line) in enumerate(zip(texts, lines, strict=True)):
            number = numbers_or_none([text])
            problem = None if number is not None else nearly_a_number(text)
            if number is None and problem is None:
                return None
            if problem is not None and self._refused is None:
                self._refused = problem, line, text
            numbers[place] = math.nan if number is None else number[0]
        return numbers

    def finish(self) -> Feature:
        """Return the feature."""
        if self._refused is not None:
            problem, line, text = self._refused
            raise self._source.error(f"{self.name!r} {problem}", line, text)
        values = self._values.finish()
        return Feature(self.name, values, kind=INTEGER if whole_numbers(values) else None)


def nearly_a_number(text: str) -> str | None:
    """Return why a text that looks like a number is not read as one, None for other texts.

    >>> nearly_a_number("-inf"), nearly_a_number("red")
    ('is numeric; infinity and numbers beyond 1e308 are not read', None)
    """
    if _DECIMAL_COMMA.fullmatch(text.strip(" \t")):
        return (
            "has numbers with commas, which are not read: write 1.5 for 1,5, or name the column in "
            "categorical_features"
        )
    try:
        is_infinite = math.isinf(float(text))
    except ValueError:
        return None
    return "is numeric; infinity and numbers beyond 1e308 are not read" if is_infinite else None


class CategoryColumn:
    """A feature of texts; the empty text is missing."""

    is_other = wants_numbers = False

    def __init__(self, name: str, source: TextSource) -> None:
        self.name = name
        self._text = source.remembered.text
        self._codes: dict[str, int] = {}
        self._values = GrowingArray(np.int32)

    def add(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Add texts; their lines do not matter."""
        codes = self._codes
        found = [codes.setdefault(text, len(codes)) if text else -1 for text in texts]
        self._values.append(np.array(found, dtype=np.int32))

    def finish(self) -> Feature:
        """Return the feature, with its categories sorted."""
        texts = self._texts()
        return self._coded(texts, in_order(set(texts)))

    def _texts(self) -> list[str]:
        return [self._text(cell) for cell in self._codes]

    def _coded(self, texts: list[str], categories: tuple[str, ...]) -> Feature:
        places = {text: float(code) for code, text in enumerate(categories)}
        return Feature(self.name, self._of_texts([places[text] for text in texts]), categories)

    def _of_texts(self, values: Sequence[float]) -> Floats:
        """Return the samples' values, from those of the different texts."""
        # The last place is that of -1.
        found: Floats = np.array([*values, np.nan])[self._values.finish()]
        return found


class OtherColumn(CategoryColumn):
    """A feature that is no numbers: dates, booleans, or texts that may be categories."""

    def __init__(self, name: str, source: TextSource) -> None:
        super().__init__(name, source)
        self._source = source

    def finish(self) -> Feature:
        """Return the feature, or refuse texts that are mostly distinct."""
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
            found = dates_or_none(texts)
        except MixedZonesError as error:
            raise self._source.error(f"column {self.name!r} {error}") from None
        return found and with_remembered(found, self._source.remembered.types.get(self.name))


class LabelColumn:
    """A label."""

    is_other, wants_numbers = False, True

    def __init__(self, name: str, source: TextSource) -> None:
        self.name = name
        self._source = source
        self._values = GrowingArray(np.int8)

    def add(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Add texts, or say in which line one is no label."""
        self.add_numbers(label_values(texts), texts, lines)

    def add_numbers(
        self, numbers: Floats | None, texts: Sequence[str], lines: Sequence[int]
    ) -> None:
        """Add texts that were turned into numbers, where they could be."""
        if numbers is None or first_wrong_label(numbers) is not None:
            place = next(i for i, text in enumerate(texts) if label_values([text]) is None)
            problem = f"label {self.name!r} is neither 0 nor 1 (nor true, false, yes or no)"
            raise self._source.error(problem, lines[place], texts[place])
        self._values.append(numbers.astype(np.int8))

    def finish(self) -> list[Label]:
        """Return the label."""
        return [Label(self.name, self._values.finish())]


class TagColumn:
    """A column whose cells name all labels of their samples."""

    is_other = wants_numbers = False

    def __init__(self, name: str, separator: str) -> None:
        self.name = name
        self._separator = separator
        self._codes: dict[str, int] = {}
        self._lengths = GrowingArray(np.int32)
        self._indices = GrowingArray(np.int32)

    def add(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Add cells; their lines do not matter."""
        rows = [tags_of(text, self._separator) for text in texts]
        codes = self._codes
        found = [codes.setdefault(tag, len(codes)) for row in rows for tag in sorted(row)]
        self._lengths.append(np.array([len(row) for row in rows], dtype=np.int32))
        self._indices.append(np.array(found, dtype=np.int32))

    def finish(self) -> list[Label]:
        """Return the labels, sorted by name."""
        lengths, indices = self._lengths.finish(), self._indices.finish()
        return tag_labels(self._codes, lengths, indices)
