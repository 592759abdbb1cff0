"""Tables: the dataframe libraries that read them, and their columns turned into X and Y."""

from __future__ import annotations

import importlib.util
import math
import re
from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rarelabels._features import LEAST_TEXTS
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets.formats._numbers import parse_numbers, split_tokens

Floats = npt.NDArray[np.float64]
Library: TypeAlias = Literal["polars", "pandas", "pyarrow"]

# Days, months and years in one of the many orders that there are.
_OTHER_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b")
# What stands for a missing number. Only the empty text stands for a missing category: "NA" may be
# one of the categories.
MISSING = frozenset({"", "?", "NA", "NaN", "nan", "null"})


def numbers_or_none(texts: Sequence[str]) -> Floats | None:
    """Return texts as numbers, NaN for what is missing; None where one is something else."""
    joined = ",".join(texts)
    if " " in joined or "\t" in joined or not MISSING.isdisjoint(texts):
        stripped = (text.strip(" \t") for text in texts)
        joined = ",".join("?" if text in MISSING else text for text in stripped)
    # A comma inside of a text would split it in two.
    if joined.count(",") != len(texts) - 1:
        return None
    try:
        numbers = parse_numbers(split_tokens((joined + ",").encode()))
    except ValueError:
        return None
    return numbers if numbers.size == len(texts) else None


def in_order(categories: set[str]) -> tuple[str, ...]:
    """Sort categories, as numbers where they all are.

    >>> in_order({"10", "9"}), in_order({"b", "a"})
    (('9', '10'), ('a', 'b'))
    """
    by_text = sorted(categories)
    numbers = numbers_or_none(by_text)
    if numbers is None or np.isnan(numbers).any():
        return tuple(by_text)
    return tuple(by_text[i] for i in np.argsort(numbers, kind="stable"))


def text_problem(name: str, texts: Collection[str], n_known: int) -> str | None:
    """Return why a column of different texts is no category, None where it may be one."""
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


def tag_labels(codes: dict[str, int], lengths: Any, indices: Any) -> list[Label]:
    """Return the labels of cells with several names each, sorted by name."""
    Y = np.zeros((lengths.size, len(codes)), dtype=np.int8)
    Y[np.repeat(np.arange(lengths.size), lengths), indices] = 1
    return [Label(tag, Y[:, codes[tag]]) for tag in sorted(codes)]


def first_wrong_label(values: Floats) -> int | None:
    """Return the first row whose value is neither 0 nor 1."""
    wrong = np.flatnonzero((values != 0) & (values != 1))
    return int(wrong[0]) if wrong.size else None


# Next to the numbers 0 and 1.
_LABEL_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def label_values(texts: Sequence[str]) -> Floats | None:
    """Return texts as labels, 0 or 1; None where one is something else.

    >>> label_values(["True", "no", "1.0"])
    array([1., 0., 1.])
    """
    plain = [text.strip(" \t").lower() for text in texts]
    words = [_LABEL_WORDS.get(text, math.nan) for text in plain]
    others = [text for text, word in zip(plain, words, strict=True) if word != word]
    numbers = numbers_or_none(others) if others else np.empty(0)
    values = np.array(words)
    if numbers is None:
        return None
    values[np.isnan(values)] = numbers
    return values if first_wrong_label(values) is None else None


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


def dataset_of(
    features: list[Feature], labels: list[Label], n_rows: int, name: str
) -> MultiLabelDataset:
    """Put columns side by side."""
    categories = {j: f.categories for j, f in enumerate(features) if f.categories is not None}
    return MultiLabelDataset(
        _side_by_side([feature.values for feature in features], n_rows),
        _side_by_side([label.values for label in labels], n_rows).astype(np.int64),
        feature_names=tuple(feature.name for feature in features),
        label_names=tuple(label.name for label in labels),
        categorical_features=tuple(categories),
        name=name,
        categories=categories,
        types={j: f.kind for j, f in enumerate(features) if f.kind is not None},
    )


def _side_by_side(columns: list[npt.NDArray[Any]], n_rows: int) -> npt.NDArray[Any]:
    return np.column_stack(columns) if columns else np.empty((n_rows, 0))


def backend(*candidates: Library) -> Library:
    """Return the first of the dataframe libraries that is installed."""
    for name in candidates:
        if importlib.util.find_spec(name) is not None:
            return name
    raise ImportError(
        f"this needs one of {', '.join(candidates)}, and none is installed; pip install polars."
    )
