"""Convert the columns of an ARFF file to numbers, and assign them to X or Y."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._errors import shortened
from rarelabels.datasets.arff._header import Attribute
from rarelabels.datasets.arff._words import Word
from rarelabels.datasets.number_parser import parse_number

UNBOUNDED = np.inf  # any number is valid
BY_NAME = -1.0  # values are not equal to their codes and must be looked up


@dataclass(frozen=True)
class Columns:
    """The columns of a file.

    A category is coded as its index among the declared ones. In a label column, the value itself is
    used, so that ``{1,0}`` is equivalent to ``{0,1}``.
    """

    attributes: list[Attribute]
    is_label: npt.NDArray[np.bool_]
    allows_unknown: bool = False

    def __len__(self) -> int:
        return len(self.attributes)

    @cached_property
    def features(self) -> npt.NDArray[np.int64]:
        """Indices of the features."""
        return np.flatnonzero(~self.is_label)

    @cached_property
    def feature_span(self) -> slice | npt.NDArray[np.int64]:
        """Indices of the features, as a slice if they are contiguous."""
        places = self.features
        together = places.size > 0 and places[-1] - places[0] + 1 == places.size
        return slice(places[0], places[-1] + 1) if together else places

    @cached_property
    def labels(self) -> npt.NDArray[np.int64]:
        """Indices of the labels."""
        return np.flatnonzero(self.is_label)

    @cached_property
    def target(self) -> npt.NDArray[np.int32]:
        """Index of each column in X or in Y."""
        counts = np.where(self.is_label, np.cumsum(self.is_label), np.cumsum(~self.is_label))
        return (counts - 1).astype(np.int32)

    @cached_property
    def limit(self) -> npt.NDArray[np.float64]:
        """Limit of the integers that are valid in each column; any number if UNBOUNDED."""
        kinds = {attribute.categories for attribute in self.attributes}
        limits = {kind: _limit(kind) for kind in kinds}
        limit = np.array([limits[attribute.categories] for attribute in self.attributes])
        # A numeric label must be 0 or 1; labels with more categories fail by name, with a message.
        limit[self.is_label & (limit == UNBOUNDED)] = 2
        limit[self.is_label & (limit > 2)] = BY_NAME
        return limit

    @cached_property
    def lowest_limit(self) -> float:
        """The lowest limit: integers below it are valid in any column."""
        return float(self.limit.min())

    @cached_property
    def codes(self) -> list[dict[str, float] | None]:
        """Codes of the values of each column, None for a numeric column."""
        cache: dict[tuple[tuple[str, ...], bool], dict[str, float]] = {}
        codes: list[dict[str, float] | None] = []
        for (_, categories, _), is_label in zip(self.attributes, self.is_label, strict=True):
            if categories is None:
                codes.append(None)
                continue
            key = (categories, bool(is_label))
            if key not in cache:
                cache[key] = _label_codes(categories) if is_label else _codes(categories)
            codes.append(cache[key])
        return codes

    @cached_property
    def implied(self) -> npt.NDArray[np.bool_]:
        """Mask of labels whose first value is 1, which is implied if a sparse row leaves it out."""
        implied = np.zeros(len(self), dtype=bool)
        for j in self.labels:
            categories = self.attributes[j].categories
            implied[j] = bool(categories) and _label_value(categories[0]) == 1
        return implied

    def value(self, j: int, word: Word) -> float:
        """Convert a word in column `j` to a number, or raise ValueError."""
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
                "(--unknown) to read unknown labels"
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
        """Accept ``1.0`` for the declared ``1`` if the categories are 0, 1 and so on."""
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
