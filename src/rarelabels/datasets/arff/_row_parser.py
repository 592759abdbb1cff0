"""Read single rows of an ARFF file; raise an error with a reason for rows that are not valid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._errors import shortened
from rarelabels.datasets.arff._columns import Columns
from rarelabels.datasets.arff._words import WordError, read_word, skip_blanks, split_words
from rarelabels.datasets.growing_arrays import SparseRows
from rarelabels.datasets.number_parser import whole_number


def parse_dense_row(row: str, columns: Columns) -> npt.NDArray[np.float64]:
    """Read a row that has a value for every column."""
    words = split_words(row, at_most=len(columns))
    if len(words) != len(columns):
        n_words = str(len(words)) if len(words) < len(columns) else "more"
        raise ValueError(
            f"expected {len(columns)} values, one per attribute, got {n_words} (a value that "
            "contains blanks needs quotes)"
        )
    return np.array([[columns.value(j, word) for j, word in enumerate(words)]])


def parse_sparse_row(row: str, columns: Columns) -> SparseRows:
    """Read a row of ``index value`` pairs in braces."""
    pairs: dict[int, float] = {}
    position = skip_blanks(row, 1)
    while row[position : position + 1] != "}":
        place, value, position = _pair(row, position, columns)
        if place in pairs:
            raise ValueError(f"index {place} occurs twice in the row")
        pairs[place] = value
        position = _after_pair(row, position)
    _check_end(row[position + 1 :])
    places = np.array(sorted(pairs), dtype=np.int64)
    return SparseRows(
        np.array([places.size]), places, np.array([pairs[j] for j in places.tolist()], dtype=float)
    )


def _pair(row: str, position: int, columns: Columns) -> tuple[int, float, int]:
    _check_not_over(row, position)
    index, position = read_word(row, position)
    position = skip_blanks(row, position)
    _check_not_over(row, position)
    word, position = read_word(row, position)
    place = _place(index.text, len(columns))
    return place, columns.value(place, word), position


def _place(text: str, n_columns: int) -> int:
    try:
        place = whole_number(text)
    except ValueError:
        raise ValueError(f"expected the index of an attribute, got {shortened(text)!r}") from None
    if not 0 <= place < n_columns:
        raise ValueError(f"index {place} is out of range: the attributes are 0 to {n_columns - 1}")
    return place


def _after_pair(row: str, position: int) -> int:
    position = skip_blanks(row, position)
    _check_not_over(row, position)
    if row[position] == "}":
        return position
    if row[position] != ",":
        raise WordError("expected , or } after an index and its value", row[position:])
    position = skip_blanks(row, position + 1)
    if row[position : position + 1] == "}":
        raise WordError("a pair is missing after the last comma", row[position:])
    return position


def _check_not_over(row: str, position: int) -> None:
    if position >= len(row):
        raise ValueError("the row has no closing }: the file is incomplete, or the row is damaged")


def _check_end(rest: str) -> None:
    rest = rest.strip(" \t")
    if rest.startswith(",") and rest[1:].strip(" \t").startswith("{"):
        raise WordError("instance weights in braces are not supported: remove them", rest)
    if rest and not rest.startswith("%"):
        raise WordError("nothing may follow the closing } of a sparse row", rest)
