"""Read blocks of plain ARFF rows at once.

A block is read only if its structure is verified: every separator is in a valid position, and
there is exactly one number or one category between two of them. For any other block, these
functions return None, and `_row_parser` reads it row by row. Both accept the same language, so the
result does not depend on which of them reads a block.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from rarelabels.datasets.arff._columns import BY_NAME, UNBOUNDED, Columns
from rarelabels.datasets.files import has_long_line
from rarelabels.datasets.growing_arrays import SparseRows, rise_in_each_row
from rarelabels.datasets.number_parser import Tokens, parse_numbers, split_tokens
from rarelabels.datasets.separators import ABSENT, PRESENT, Grammar

# Characters that the fast parser of categories does not support: quotes, escapes, comments, braces.
_INTRICATE = re.compile(rb"['\"\\%{}\t]")
_SPARSE = Grammar(
    b"\n{ ,}",
    {
        b"\n{": ABSENT,
        b"{}": ABSENT,
        b"{ ": PRESENT,
        b" ,": PRESENT,
        b", ": PRESENT,
        b" }": PRESENT,
        b"}\n": ABSENT,
    },
)


def parse_sparse_block(block: bytes, columns: Columns) -> SparseRows | None:
    """Read sparse rows of plain numbers."""
    if has_long_line(block) and block.count(b",") > len(columns) * block.count(b"\n"):
        return None  # some index occurs twice, perhaps millions of times
    separators = _SPARSE.split(block)
    if separators is None:
        separators = _SPARSE.split(block.replace(b"\t", b" ").replace(b", ", b","))
    if separators is None:
        return None
    try:
        numbers = parse_numbers(separators.tokens)
    except ValueError:
        return None
    row_ends = np.flatnonzero(separators.codes == _SPARSE.code(b"\n"))
    # A row of p pairs has p blanks, p - 1 commas, two braces and a line end; an empty row has three
    # separators.
    lengths = (np.diff(row_ends, prepend=-1) - 2) // 2
    return _sparse_rows(lengths, numbers[::2], numbers[1::2], columns)


def _sparse_rows(
    lengths: npt.NDArray[np.int64],
    places: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    columns: Columns,
) -> SparseRows | None:
    with np.errstate(invalid="ignore"):
        indices = places.astype(np.int64)
    # A missing index is NaN, which does not equal any integer.
    if not (indices == places).all() or indices.min(initial=0) < 0:
        return None
    if indices.max(initial=0) >= len(columns) or not rise_in_each_row(indices, lengths):
        return None
    return SparseRows(lengths, indices, values) if _are_values(values, indices, columns) else None


def _are_values(
    values: npt.NDArray[np.float64], places: npt.NDArray[np.int64], columns: Columns
) -> bool:
    """Return whether every value is valid in its column without conversion."""
    is_code = (values >= 0) & (values == np.floor(values))
    if is_code.all() and values.max(initial=0) < columns.lowest_limit:
        return True
    limit = columns.limit[places]
    is_right = (is_code & (values < limit)) | (limit == UNBOUNDED)
    if is_right.all():
        return True
    is_missing = np.isnan(values) & ~columns.is_label[places] & (limit != BY_NAME)
    return bool((is_right | is_missing).all())


def parse_dense_block(block: bytes, columns: Columns) -> npt.NDArray[np.float64] | None:
    """Read dense rows without quotes at once."""
    if (columns.limit != BY_NAME).all():
        return _dense_numbers(block, columns)
    if _INTRICATE.search(block) or not block.isascii():
        return None
    return _dense_values(block.decode("ascii").replace(", ", ","), columns)


def _dense_numbers(block: bytes, columns: Columns) -> npt.NDArray[np.float64] | None:
    """Read rows that consist of numbers."""
    if b" " in block:
        block = block.replace(b", ", b",")
    if has_long_line(block) and block.count(b",") != (len(columns) - 1) * block.count(b"\n"):
        return None
    tokens = split_tokens(block, b",\n")
    if not _are_rows(tokens, len(columns)):
        return None
    try:
        values = parse_numbers(tokens).reshape(-1, len(columns))
    except ValueError:
        return None
    coded = np.flatnonzero(columns.limit != UNBOUNDED)
    return values if _are_values(values[:, coded], coded, columns) else None


def _are_rows(tokens: Tokens, n_columns: int) -> bool:
    """Return whether tokens are separated by commas, with a line end after every `n_columns`."""
    separators = np.frombuffer(tokens.text, dtype=np.uint8)[tokens.ends]
    if separators.size % n_columns:
        return False
    by_row = separators.reshape(-1, n_columns)
    return bool((by_row[:, :-1] == ord(",")).all() and (by_row[:, -1] == ord("\n")).all())


def _dense_values(text: str, columns: Columns) -> npt.NDArray[np.float64] | None:
    """Read rows column by column, categories by name."""
    if " " in text:
        return None  # a blank may separate values too
    rows = [line.split(",") for line in text.split("\n")[:-1]]
    if any(len(row) != len(columns) for row in rows):
        return None
    values = np.empty((len(rows), len(columns)))
    try:
        for j, column in enumerate(zip(*rows, strict=True)):
            values[:, j] = _column_values(column, j, columns)
    except (KeyError, ValueError):
        return None
    return values


def _column_values(column: tuple[str, ...], j: int, columns: Columns) -> Any:
    codes = columns.codes[j]
    if codes is not None:
        if "?" in column or "" in column:
            raise ValueError("a missing value, or a category that must be quoted")
        return [codes[text] for text in column]
    numbers = parse_numbers(split_tokens((",".join(column) + ",").encode()))
    if columns.is_label[j] and not np.isin(numbers, (0, 1)).all():
        raise ValueError("not a label")
    return numbers
