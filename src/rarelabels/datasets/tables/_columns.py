"""Columns of tables of any format: features, labels and the meaning of texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rarelabels._features import LEAST_TEXTS
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import FilePath
from rarelabels.datasets.growing_arrays import GrowingArray
from rarelabels.datasets.label_columns import Labels, NoLabels, by_name, labels_in_file
from rarelabels.datasets.sidecar import Sidecar
from rarelabels.datasets.tables._library import MISSING, Floats, number_or_none, numbers_of

# Days, months and years in any order.
_OTHER_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b")


class Roles(NamedTuple):
    """Indices of the labels and of the features among the columns of a table."""

    labels: list[int]
    features: list[int]
    groups: int | None = None


class ColumnChoice(NamedTuple):
    """Options of the caller for the columns of a table."""

    labels: Labels | None
    separator: str | None
    categorical_features: Sequence[str]
    drop: Sequence[str]
    unknown: str | None = None
    groups: str | None = None

    def is_unknown(self, text: str) -> bool:
        """Return whether the text of a label marks it as unknown.

        >>> choice = ColumnChoice(None, None, (), (), unknown="-1")
        >>> [choice.is_unknown(text) for text in ("-1.0", " ", "?", "0")]
        [True, True, True, False]
        """
        if self.unknown is None:
            return False
        word = text.strip(" \t")
        if word == self.unknown or word in MISSING:
            return True
        value = number_or_none(word)
        return value is not None and value == number_or_none(self.unknown)

    def check_unknown(self) -> None:
        """Raise an error if the marker is a valid label."""
        if self.unknown is not None and label_or_none(self.unknown) is not None:
            raise ValueError(
                f"unknown={self.unknown!r} is a valid label, so it cannot mark unknown labels; "
                "choose another marker, such as -1."
            )

    def roles(
        self,
        names: Sequence[str],
        sidecar: Sidecar,
        path: FilePath,
        line: int | None = None,
        sheet: str | None = None,
    ) -> Roles:
        """Return the labels and features; an error for a missing column names the file."""
        chosen = sidecar.label_columns(self.labels, self.separator)
        is_label = labels_in_file(names, chosen, path, line, sheet)
        self.check_unknown()
        of_groups = by_name(names, [] if self.groups is None else [self.groups])
        if (is_label & of_groups).any():
            raise ValueError(
                f"the column of groups, {self.groups!r}, is a label; choose another column."
            )
        is_feature = ~(is_label | of_groups | by_name(names, self.drop))
        if not isinstance(self.labels, NoLabels):
            by_name(names, self.categorical_features)
        group = np.flatnonzero(of_groups).tolist()
        labels, features = (np.flatnonzero(mask).tolist() for mask in (is_label, is_feature))
        return Roles(labels, features, group[0] if group else None)


def in_order(categories: set[str]) -> tuple[str, ...]:
    """Sort categories, as numbers if all of them are numbers.

    >>> in_order({"10", "9"}), in_order({"b", "a"})
    (('9', '10'), ('a', 'b'))
    """
    by_text = sorted(categories)
    numbers = numbers_of(by_text)
    if not np.isfinite(numbers).all():
        return tuple(by_text)
    return tuple(by_text[i] for i in np.argsort(numbers, kind="stable"))


def text_problem(name: str, texts: Collection[str], n_known: int) -> str | None:
    """Return why a column of texts is not categorical, or None if it may be."""
    if len(texts) <= max(LEAST_TEXTS, n_known // 2):
        return None
    is_day = _OTHER_DATE.match(next(iter(texts)).strip()) is not None
    hint = " If these are dates, write them as 2024-01-31." if is_day else ""
    return (
        f"column {name!r} is text, but not categorical: {len(texts)} of its {n_known} values are "
        f"distinct.{hint} Leave it out (drop=[{name!r}], or --drop), convert it to numbers, or "
        "name it in categorical_features if it is categorical"
    )


def tags_of(text: str, separator: str) -> set[str]:
    """Return the names in a cell with several names.

    >>> sorted(tags_of("flu; cold;", ";"))
    ['cold', 'flu']
    """
    return {tag.strip() for tag in text.split(separator)} - {""}


# Common separators of tags.
_SEPARATORS = (";", ",", "|", " ")


UNKNOWN_HINT = "; if it is unknown, pass unknown= (--unknown)"


def tags_hint(name: str, text: str) -> str:
    """Return a hint if a text that is not a label looks like a list of tags, else "".

    >>> tags_hint("tags", "flu; cold")
    "; if 'tags' is a column of tags, pass separator=';'"
    >>> tags_hint("tags", "2.5")
    ''
    """
    if number_or_none(text) is not None or not text.strip():
        return ""
    separator = next((one for one in _SEPARATORS if one in text.strip()), ";")
    return f"; if {name!r} is a column of tags, pass separator={separator!r}"


def first_wrong_label(values: Floats) -> int | None:
    """Return the first row whose value is neither 0 nor 1."""
    wrong = np.flatnonzero((values != 0) & (values != 1))
    return int(wrong[0]) if wrong.size else None


# Next to the numbers 0 and 1.
_LABEL_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def label_or_none(text: str) -> float | None:
    """Convert a text to a label, 0 or 1; return None for any other text.

    >>> [label_or_none(text) for text in ("True", "no", "1.0", "2")]
    [1.0, 0.0, 1.0, None]
    """
    word = _LABEL_WORDS.get(text.strip(" \t").lower())
    value = number_or_none(text) if word is None else word
    return value if value in (0, 1) else None


class Feature(NamedTuple):
    """A column of X, with its categories, if any, and the type of its numbers."""

    name: str
    values: Floats
    categories: tuple[str, ...] | None = None
    kind: str | None = None


class Label(NamedTuple):
    """A column of Y."""

    name: str
    values: npt.NDArray[Any]


class TagColumn:
    """A column whose cells list all labels of their samples."""

    is_other = wants_numbers = False

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._codes: dict[str, int] = {}
        self._lengths = GrowingArray(np.int32)
        self._indices = GrowingArray(np.int32)

    def add(self, texts: Sequence[str]) -> None:
        """Add cells."""
        rows = [tags_of(text, self._separator) for text in texts]
        codes = self._codes
        indices = [codes.setdefault(tag, len(codes)) for row in rows for tag in sorted(row)]
        self._lengths.append(np.array([len(row) for row in rows], dtype=np.int32))
        self._indices.append(np.array(indices, dtype=np.int32))

    def finish(self) -> list[Label]:
        """Return the labels, sorted by name."""
        lengths, indices = self._lengths.finish(), self._indices.finish()
        Y = np.zeros((lengths.size, len(self._codes)), dtype=np.int8)
        Y[np.repeat(np.arange(lengths.size), lengths), indices] = 1
        return [Label(tag, Y[:, self._codes[tag]]) for tag in sorted(self._codes)]


def as_label(name: str, values: npt.NDArray[Any]) -> Label:
    """Convert a label with -1 for unknown values to 0, 1 and NaN."""
    return Label(name, np.where(values < 0, np.nan, values) if (values < 0).any() else values)


def checked_groups(name: str, groups: Sequence[str | None]) -> npt.NDArray[Any]:
    """Return the group of each sample; raise an error if one is missing."""
    n_missing = sum(group is None or group == "" for group in groups)
    if n_missing:
        raise ValueError(
            f"the column of groups, {name!r}, has {n_missing} missing values, but every sample "
            "needs a group. Give these samples separate groups, or drop them."
        )
    return np.asarray(groups, dtype=np.str_)


def dataset_of(
    features: list[Feature],
    labels: list[Label],
    n_rows: int,
    name: str,
    groups: npt.NDArray[Any] | None = None,
) -> MultiLabelDataset:
    """Combine columns in a matrix."""
    Y = _side_by_side([label.values for label in labels], n_rows)
    has_unknown = Y.dtype.kind == "f" and bool(np.isnan(Y).any())
    categories = {j: f.categories for j, f in enumerate(features) if f.categories is not None}
    return MultiLabelDataset(
        _side_by_side([feature.values for feature in features], n_rows),
        Y.astype(np.float64 if has_unknown else np.int64),
        feature_names=tuple(feature.name for feature in features),
        label_names=tuple(label.name for label in labels),
        categorical_features=tuple(categories),
        name=name,
        categories=categories,
        types={j: f.kind for j, f in enumerate(features) if f.kind is not None},
        groups=groups,
    )


def _side_by_side(columns: list[npt.NDArray[Any]], n_rows: int) -> npt.NDArray[Any]:
    return np.column_stack(columns) if columns else np.empty((n_rows, 0))
