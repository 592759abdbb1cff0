"""Columns of a table, whatever its format: features, labels and what their texts may be."""

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

# Days, months and years in one of the many orders that there are.
_OTHER_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b")


class Roles(NamedTuple):
    """The columns of a table that are labels, and those that are features, by their places."""

    labels: list[int]
    features: list[int]
    groups: int | None = None


class ColumnChoice(NamedTuple):
    """What a caller says about the columns of a table."""

    labels: Labels | None
    separator: str | None
    categorical_features: Sequence[str]
    drop: Sequence[str]
    unknown: str | None = None
    groups: str | None = None

    def is_unknown(self, text: str) -> bool:
        """Whether the text of a label says that it is unknown.

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
        """Refuse a marker that is a value of labels."""
        if self.unknown is not None and label_or_none(self.unknown) is not None:
            raise ValueError(
                f"unknown={self.unknown!r} is a value of labels, so it cannot mark labels "
                "that are unknown; choose another marker, such as -1."
            )

    def roles(
        self,
        names: Sequence[str],
        sidecar: Sidecar,
        path: FilePath,
        line: int | None = None,
        sheet: str | None = None,
    ) -> Roles:
        """Return the labels and features; an error names the file where a column is missing."""
        chosen = sidecar.label_columns(self.labels, self.separator)
        is_label = labels_in_file(names, chosen, path, line, sheet)
        self.check_unknown()
        of_groups = by_name(names, [] if self.groups is None else [self.groups])
        if (is_label & of_groups).any():
            raise ValueError(f"the column of groups, {self.groups!r}, is a label; name another.")
        is_feature = ~(is_label | of_groups | by_name(names, self.drop))
        if not isinstance(self.labels, NoLabels):
            by_name(names, self.categorical_features)
        group = np.flatnonzero(of_groups).tolist()
        labels, features = (np.flatnonzero(mask).tolist() for mask in (is_label, is_feature))
        return Roles(labels, features, group[0] if group else None)


def in_order(categories: set[str]) -> tuple[str, ...]:
    """Sort categories, as numbers where they all are.

    >>> in_order({"10", "9"}), in_order({"b", "a"})
    (('9', '10'), ('a', 'b'))
    """
    by_text = sorted(categories)
    numbers = numbers_of(by_text)
    if not np.isfinite(numbers).all():
        return tuple(by_text)
    return tuple(by_text[i] for i in np.argsort(numbers, kind="stable"))


def text_problem(name: str, texts: Collection[str], n_known: int) -> str | None:
    """Return why a column of texts is not a category, None if it may be one."""
    if len(texts) <= max(LEAST_TEXTS, n_known // 2):
        return None
    is_day = _OTHER_DATE.match(next(iter(texts)).strip()) is not None
    hint = " If these are dates, write them as 2024-01-31." if is_day else ""
    return (
        f"column {name!r} is text and no category: {len(texts)} of its {n_known} values are "
        f"distinct.{hint} Leave it out (drop=[{name!r}], or --drop), turn it into numbers, or name "
        "it in categorical_features if it is a category"
    )


def tags_of(text: str, separator: str) -> set[str]:
    """Return the names in a cell that holds several.

    >>> sorted(tags_of("flu; cold;", ";"))
    ['cold', 'flu']
    """
    return {tag.strip() for tag in text.split(separator)} - {""}


# What people separate tags by.
_SEPARATORS = (";", ",", "|", " ")


UNKNOWN_HINT = "; if it is unknown, pass unknown= (--unknown)"


def tags_hint(name: str, text: str) -> str:
    """Return what to do if a text that is not a label is a list of tags; "" if it is not.

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
    """Return the label that a text is, 0 or 1; None for any other text.

    >>> [label_or_none(text) for text in ("True", "no", "1.0", "2")]
    [1.0, 0.0, 1.0, None]
    """
    word = _LABEL_WORDS.get(text.strip(" \t").lower())
    value = number_or_none(text) if word is None else word
    return value if value in (0, 1) else None


class Feature(NamedTuple):
    """A column of X, with its categories where it has any, and what its numbers are."""

    name: str
    values: Floats
    categories: tuple[str, ...] | None = None
    kind: str | None = None


class Label(NamedTuple):
    """A column of Y."""

    name: str
    values: npt.NDArray[Any]


class TagColumn:
    """A column whose cells name all labels of their samples."""

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
    """Return a label whose unknown values are -1 as 0, 1 and NaN."""
    return Label(name, np.where(values < 0, np.nan, values) if (values < 0).any() else values)


def checked_groups(name: str, groups: Sequence[str | None]) -> npt.NDArray[Any]:
    """Return the group of each sample, none of which may be missing."""
    n_missing = sum(group is None or group == "" for group in groups)
    if n_missing:
        raise ValueError(
            f"the column of groups, {name!r}, has {n_missing} missing values; every sample needs a "
            "group. Give these samples separate groups, or drop them."
        )
    return np.asarray(groups, dtype=np.str_)


def dataset_of(
    features: list[Feature],
    labels: list[Label],
    n_rows: int,
    name: str,
    groups: npt.NDArray[Any] | None = None,
) -> MultiLabelDataset:
    """Put columns side by side."""
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
