"""Turn a table's columns into X and Y."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._numbers import find_tokens, parse_numbers

Floats = npt.NDArray[np.float64]

# What stands for a missing number. Only the empty text stands for a missing category: "NA" may be
# one of the categories.
MISSING = frozenset({"", "?", "NA", "NaN", "nan", "null"})


def numbers_or_none(texts: Sequence[str]) -> Floats | None:
    """Give a column of texts as numbers, None where it holds something else."""
    tokens = ["?" if text in MISSING else text.strip() for text in texts]
    try:
        numbers = parse_numbers(find_tokens((",".join(tokens) + ",").encode()))
        return numbers if numbers.size == len(tokens) else None
    except ValueError:
        return _slowly(tokens)


def _slowly(tokens: list[str]) -> Floats | None:
    try:
        numbers = [np.nan if token == "?" else float(token) for token in tokens]
    except ValueError:
        return None
    return None if any("_" in token for token in tokens) else np.array(numbers)


def codes_and_categories(texts: Sequence[str]) -> tuple[Floats, tuple[str, ...]]:
    """Give a column of texts as codes, NaN for the empty text, and what the codes stand for."""
    categories = in_order({text for text in texts if text})
    codes = {text: float(code) for code, text in enumerate(categories)}
    return np.array([codes.get(text, np.nan) for text in texts]), categories


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


def first_wrong_label(values: Floats) -> int | None:
    """Give the first row whose value is neither 0 nor 1."""
    wrong = np.flatnonzero((values != 0) & (values != 1))
    return int(wrong[0]) if wrong.size else None


class Feature(NamedTuple):
    """A column of X, with its categories where it has any."""

    name: str
    values: Floats
    categories: tuple[str, ...] | None = None


class Label(NamedTuple):
    """A column of Y."""

    name: str
    values: Floats


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
    )


def _side_by_side(columns: list[Floats], n_rows: int) -> Floats:
    return np.column_stack(columns) if columns else np.empty((n_rows, 0))
