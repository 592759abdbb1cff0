"""How each column of an ARFF file turns into numbers, and where those go: X or Y."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._errors import shortened
from rarelabels.datasets.arff._header import Attribute
from rarelabels.datasets.arff._words import Word
from rarelabels.datasets.number_parser import parse_number

UNBOUNDED = np.inf  # any number will do
BY_NAME = -1.0  # values are not their own codes: they are looked up one by one


@dataclass(frozen=True)
class Columns:
    """The columns of a file.

    Numbers stand for themselves and a category for its place among the declared ones. In a label
    column the value itself counts, so that ``{1,0}`` means the same as ``{0,1}``.
    """

    attributes: list[Attribute]
    is_label: npt.NDArray[np.bool_]
    allows_unknown: bool = False

    def __len__(self) -> int:
        return len(self.attributes)

    @cached_property
    def features(self) -> npt.NDArray[np.int64]:
        """Places of the features."""
        return np.flatnonzero(~self.is_label)

    @cached_property
    def feature_span(self) -> slice | npt.NDArray[np.int64]:
        """Places of the features, as a slice where they stand together."""
        places = self.features
        together = places.size > 0 and places[-1] - places[0] + 1 == places.size
        return slice(places[0], places[-1] + 1) if together else places

    @cached_property
    def labels(self) -> npt.NDArray[np.int64]:
        """Places of the labels."""
        return np.flatnonzero(self.is_label)

    @cached_property
    def target(self) -> npt.NDArray[np.int32]:
        """Each column's place in X or in Y."""
        counts = np.where(self.is_label, np.cumsum(self.is_label), np.cumsum(~self.is_label))
        return (counts - 1).astype(np.int32)

    @cached_property
    def limit(self) -> npt.NDArray[np.float64]:
        """What numbers a column takes as they are: whole ones below this, or any (UNBOUNDED)."""
        kinds = {attribute.categories for attribute in self.attributes}
        limits = {kind: _limit(kind) for kind in kinds}
        limit = np.array([limits[attribute.categories] for attribute in self.attributes])
        # A numeric label takes 0 and 1; one with more categories fails by name, with a message.
        limit[self.is_label & (limit == UNBOUNDED)] = 2
        limit[self.is_label & (limit > 2)] = BY_NAME
        return limit

    @cached_property
    def lowest_limit(self) -> float:
        """The lowest of the limits: whole numbers below it will do in any column."""
        return float(self.limit.min())

    @cached_property
    def codes(self) -> list[dict[str, float] | None]:
        """Each column's code for each of its values, None for a number."""
        known: dict[tuple[tuple[str, ...], bool], dict[str, float]] = {}
        codes: list[dict[str, float] | None] = []
        for (_, categories, _), is_label in zip(self.attributes, self.is_label, strict=True):
            if categories is None:
                codes.append(None)
                continue
            key = (categories, bool(is_label))
            if key not in known:
                known[key] = _label_codes(categories) if is_label else _codes(categories)
            codes.append(known[key])
        return codes

    @cached_property
    def implied(self) -> npt.NDArray[np.bool_]:
        """Where a value left out of a sparse row means 1: labels whose first value is 1."""
        implied = np.zeros(len(self), dtype=bool)
        for j in self.labels:
            categories = self.attributes[j].categories
            implied[j] = bool(categories) and _label_value(categories[0]) == 1
        return implied

    def value(self, j: int, word: Word) -> float:
        """Return the number that a word stands for in column `j`, or raise ValueError."""
        if word.is_missing:
            return self._missing(j)
        codes = self.codes[j]
        if codes is None:
            return self._number(j, word.text)
        if word.text in codes:
            return codes[word.text]
        return self._same_number(j, word.text)

    def _missing(self, j: int) -> float:
        if self.is_label[j] and not self.allows_unknown:
            raise ValueError(
                f"label {self._name(j)} has no value; a label is 0 or 1. Pass unknown='?' "
                "(--unknown) to read labels that are unknown"
            )
        return float("nan")

    def _number(self, j: int, text: str) -> float:
        try:
            value = parse_number(text)
        except ValueError:
            raise ValueError(f"{self._name(j)} is numeric, got {shortened(text)!r}") from None
        if self.is_label[j] and value not in (0, 1):
            raise ValueError(f"label {self._name(j)} is {shortened(text)}; a label is 0 or 1")
        return value

    def _same_number(self, j: int, text: str) -> float:
        """Take ``1.0`` for the declared ``1`` where the categories are 0, 1 and so on."""
        try:
            value = parse_number(text)
        except ValueError:
            raise ValueError(self._undeclared(j, text)) from None
        if not (0 <= value < self.limit[j] and value == int(value)):
            raise ValueError(self._undeclared(j, text))
        return value

    def _undeclared(self, j: int, text: str) -> str:
        categories = self.attributes[j].categories or ()
        if self.is_label[j] and text in categories:
            return f"label {self._name(j)} is {shortened(text)!r}; a label is 0 or 1"
        shown = ", ".join(categories[:5]) + (", …" if len(categories) > 5 else "")
        return f"{self._name(j)} declares {{{shortened(shown)}}}, got {shortened(text)!r}"

    def _name(self, j: int) -> str:
        return repr(shortened(self.attributes[j].name))


def _limit(categories: tuple[str, ...] | None) -> float:
    if categories is None:
        return UNBOUNDED
    is_own_code = categories == tuple(map(str, range(len(categories))))
    return len(categories) if is_own_code else BY_NAME


def _codes(categories: tuple[str, ...]) -> dict[str, float]:
    return {value: float(code) for code, value in enumerate(categories)}


def _label_codes(categories: tuple[str, ...]) -> dict[str, float]:
    values = {value: _label_value(value) for value in categories}
    return {value: float(code) for value, code in values.items() if code is not None}


def _label_value(text: str) -> int | None:
    try:
        value = parse_number(text)
    except ValueError:
        return None
    return int(value) if value in (0, 1) else None
