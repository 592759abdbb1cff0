"""The rows of an ARFF file: many at once where they are plain, else one after the other.

The quick ways take a block of rows whose bytes and structure they fully understand and give None
for any other; the careful way reads every row that is allowed and names the line of one that is
not. Both read the same language, so which way a block takes never shows in the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._errors import DataFormatError, FilePath, shortened
from rarelabels.datasets.files import Blocks
from rarelabels.datasets.formats._collect import SparseRows, rise_in_each_row
from rarelabels.datasets.formats._numbers import (
    NUMBER_BYTES,
    Tokens,
    find_tokens,
    parse_numbers,
    whole_number,
)
from rarelabels.datasets.formats.arff._collectors import (
    Collector,
    DenseCollector,
    SparseCollector,
)
from rarelabels.datasets.formats.arff._columns import BY_NAME, UNBOUNDED, Columns
from rarelabels.datasets.formats.arff._words import WordError, read_word, skip_blanks, split_words

_FIRST_ROW = re.compile(rb"^[ \t]*([^ \t\n%])", re.MULTILINE)
# What takes a text out of the quick way for categories: quotes, escapes, comments, braces.
_INTRICATE = re.compile(rb"['\"\\%{}\t]")


def read_rows(blocks: Blocks, columns: Columns, path: FilePath, encoding: str) -> tuple[Any, Any]:
    """Read the rows below ``@data``: X and Y, sparse where the first row is."""
    collector: Collector | None = None
    line = 1
    for line, block in blocks:
        first = _FIRST_ROW.search(block)
        if collector is None and first is not None:
            is_sparse = first[1] == b"{"
            collector = SparseCollector(columns) if is_sparse else DenseCollector(columns)
        if collector is not None and not _quickly(block, columns, collector):
            _carefully(line, block.decode(encoding), columns, collector, path)
    if collector is None:
        raise DataFormatError("no rows after @data: the file was cut off", path, line)
    return collector.finish()


def _quickly(block: bytes, columns: Columns, collector: Collector) -> bool:
    if block.startswith(b"{"):
        rows = quick_sparse_rows(block, columns)
        if rows is not None:
            collector.add_sparse(*rows)
        return rows is not None
    values = quick_dense_rows(block, columns)
    if values is not None:
        collector.add_dense(values)
    return values is not None


def quick_sparse_rows(block: bytes, columns: Columns) -> SparseRows | None:
    """Read sparse rows of plain numbers, all at once."""
    lengths = _pairs_per_row(_marks(block))
    if lengths is None:
        block = block.replace(b"\t", b" ").replace(b", ", b",")
        lengths = _pairs_per_row(_marks(block))
    if lengths is None:
        return None
    try:
        numbers = parse_numbers(find_tokens(block.translate(None, b"{}")))
    except ValueError:
        return None
    if numbers.size != 2 * lengths.sum():
        return None
    return _sparse_rows(lengths, numbers[::2], numbers[1::2], columns)


def _marks(block: bytes) -> bytes:
    """Return what stands between the numbers."""
    return block.translate(None, NUMBER_BYTES + b"?")


def _sparse_rows(
    lengths: npt.NDArray[np.int64],
    places: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    columns: Columns,
) -> SparseRows | None:
    with np.errstate(invalid="ignore"):
        found = places.astype(np.int64)
    # A missing index is NaN, and equals no whole number.
    if not (found == places).all() or found.min(initial=0) < 0:
        return None
    if found.max(initial=0) >= len(columns) or not rise_in_each_row(found, lengths):
        return None
    return SparseRows(lengths, found, values) if _are_values(values, found, columns) else None


def _are_values(
    values: npt.NDArray[np.float64], places: npt.NDArray[np.int64], columns: Columns
) -> bool:
    """Whether every value is one that its column takes as it is."""
    is_code = (values >= 0) & (values == np.floor(values))
    if is_code.all() and values.max(initial=0) < columns.lowest_limit:
        return True
    limit = columns.limit[places]
    is_right = (is_code & (values < limit)) | (limit == UNBOUNDED)
    if is_right.all():
        return True
    is_missing = np.isnan(values) & ~columns.is_label[places] & (limit != BY_NAME)
    return bool((is_right | is_missing).all())


# Which mark may follow which in sparse rows once the numbers are taken out, as in `{ , , }\n`.
_MARKS = b"{ ,}\n"
_MARK_CODES = bytes.maketrans(_MARKS, bytes(range(len(_MARKS))))
_FOLLOWS = np.zeros((5, 5), dtype=bool)
for _before, _after in ("{ ", "{}", " ,", " }", ", ", "}\n", "\n{"):
    _FOLLOWS[_MARKS.index(ord(_before)), _MARKS.index(ord(_after))] = True


def _pairs_per_row(marks: bytes) -> npt.NDArray[np.int64] | None:
    """Count the pairs of each row from the marks between its numbers, None if they are wrong."""
    if marks.translate(None, _MARKS) or not marks.startswith(b"{"):
        return None
    codes = np.frombuffer(marks.translate(_MARK_CODES), dtype=np.uint8)
    if not _FOLLOWS.ravel()[codes[:-1] * np.uint8(5) + codes[1:]].all():
        return None
    row_ends = np.flatnonzero(codes == _MARKS.index(b"\n"))
    # A row of p pairs has p blanks, p - 1 commas, two braces and a line end; an empty one, three.
    return (np.diff(row_ends, prepend=-1) - 2) // 2


def quick_dense_rows(block: bytes, columns: Columns) -> npt.NDArray[np.float64] | None:
    """Read dense rows without quotes, all at once."""
    if (columns.limit != BY_NAME).all():
        return _dense_numbers(block, columns)
    if _INTRICATE.search(block) or not block.isascii():
        return None
    return _dense_values(block.decode("ascii").replace(", ", ","), columns)


def _dense_numbers(block: bytes, columns: Columns) -> npt.NDArray[np.float64] | None:
    """Read rows of nothing but numbers."""
    if b" " in block:
        block = block.replace(b", ", b",")
    tokens = find_tokens(block)
    if not _are_rows(tokens, len(columns)):
        return None
    try:
        values = parse_numbers(tokens).reshape(-1, len(columns))
    except ValueError:
        return None
    coded = np.flatnonzero(columns.limit != UNBOUNDED)
    return values if _are_values(values[:, coded], coded, columns) else None


def _are_rows(tokens: Tokens, n_columns: int) -> bool:
    """Whether commas stand between the tokens and a line end after each `n_columns` of them."""
    separators = np.frombuffer(tokens.text, dtype=np.uint8)[tokens.ends]
    n_rows, rest = divmod(separators.size, n_columns)
    if rest or int((tokens.ends - tokens.starts).sum()) + separators.size != len(tokens.text):
        return False  # a value too many or too few, or two separators in a row
    marks = separators.reshape(n_rows, n_columns)
    return bool((marks[:, :-1] == ord(",")).all() and (marks[:, -1] == ord("\n")).all())


def _dense_values(text: str, columns: Columns) -> npt.NDArray[np.float64] | None:
    """Read rows column by column, categories by name."""
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
        if "?" in column:
            raise ValueError("missing, or a category that must be quoted")
        return [codes[text] for text in column]
    numbers = parse_numbers(find_tokens((",".join(column) + ",").encode()))
    if numbers.size != len(column):
        raise ValueError("a value is missing")
    if columns.is_label[j] and not np.isin(numbers, (0, 1)).all():
        raise ValueError("not a label")
    return numbers


def _carefully(
    first_line: int, text: str, columns: Columns, collector: Collector, path: FilePath
) -> None:
    """Read a block row by row, and say in which line it goes wrong."""
    for line, row in _rows(first_line, text):
        try:
            if row.startswith("{"):
                collector.add_sparse(*careful_sparse_row(row, columns))
            else:
                collector.add_dense(careful_dense_row(row, columns))
        except WordError as error:
            raise DataFormatError(str(error), path, line, error.rest) from None
        except ValueError as error:
            raise DataFormatError(str(error), path, line, row) from None


def _rows(first_line: int, text: str) -> Iterator[tuple[int, str]]:
    for line, row in enumerate(text.split("\n"), first_line):
        stripped = row.strip(" \t")
        if stripped and not stripped.startswith("%"):
            yield line, stripped


def careful_dense_row(row: str, columns: Columns) -> npt.NDArray[np.float64]:
    """Read a row that gives every column's value."""
    words = split_words(row)
    if len(words) != len(columns):
        raise ValueError(
            f"expected {len(columns)} values, one per attribute, got {len(words)} (a value with "
            "blanks in it needs quotes)"
        )
    return np.array([[columns.value(j, word) for j, word in enumerate(words)]])


def careful_sparse_row(row: str, columns: Columns) -> SparseRows:
    """Read a row of ``index value`` pairs in braces."""
    pairs: dict[int, float] = {}
    position = skip_blanks(row, 1)
    while row[position : position + 1] != "}":
        place, value, position = _pair(row, position, columns)
        if place in pairs:
            raise ValueError(f"index {place} comes twice in the row")
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
        raise ValueError(f"expected an attribute's index, got {shortened(text)!r}") from None
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
        raise ValueError("the row has no closing }: the file was cut off, or the row was broken")


def _check_end(rest: str) -> None:
    rest = rest.strip(" \t")
    if rest.startswith(",") and rest[1:].strip(" \t").startswith("{"):
        raise WordError("instance weights in braces are not read: remove them", rest)
    if rest and not rest.startswith("%"):
        raise WordError("nothing may follow a sparse row's closing }", rest)
