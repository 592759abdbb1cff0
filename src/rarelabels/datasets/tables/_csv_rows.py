"""Read the rows of a CSV file, each with its line and as many fields as the header.

A block of lines is split by a dataframe library if its bytes show that each line has as many fields
as the header, so that every library splits it in the same way. From the first block for which this
cannot be shown (because of doubled quotes, line ends within quotes or a wrong number of fields),
the rows are split by Python's `csv` in its strict mode, and an error names the line.
"""

from __future__ import annotations

import csv
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from rarelabels._formats import without_compression
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import Blocks, read_blocks, read_start
from rarelabels.datasets.sidecar import Sidecar
from rarelabels.datasets.tables._library import Cells, ListCells, split_cells

CELLS = 1 << 15  # number of cells in Python lists that are converted at once
BLOCK = 1 << 20  # number of bytes that a library splits at once
# For smaller files, importing a library takes longer than reading the rows without it.
SMALL = 1 << 15
_QUOTED = re.compile(r'"[^"]*"')


@dataclass
class TextSource(ABC):
    """A table whose cells are texts; `sheet` is the name of the sheet in a workbook."""

    path: FilePath
    max_size: int
    sidecar: Sidecar
    sheet: str | None

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of the columns."""

    @abstractmethod
    def chunks(self, n_columns: int) -> Iterator[Chunk]:
        """Read the rows below the names in blocks."""

    def check_kinds(self, name: str) -> None:
        """Raise the error for a column with values of several types.

        All values of a text file are texts.
        """
        return

    def error(
        self, problem: str, line: int | None = None, text: str | None = None
    ) -> DataFormatError:
        """Return the error for a line or row."""
        return DataFormatError(problem, self.path, line, text, self.sheet)


@dataclass
class TextTable(TextSource):
    """A file of separated values, and how to read it."""

    encoding: str
    delimiter: str

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return self._column_names.names

    def chunks(self, n_columns: int) -> Iterator[Chunk]:
        """Read the rows below the header in blocks."""
        blocks = self._blocks()
        for line, block in blocks:
            cells = self._split(block, n_columns)
            if cells is None:
                rows = _rows(self, chain([(line, block)], blocks), n_columns)
                yield from row_chunks(rows, n_columns)
                return
            yield Chunk(range(line, line + block.count(b"\n")), cells)

    @cached_property
    def _column_names(self) -> ColumnNames:
        reader = csv.reader(
            _lines(self, read_blocks(self.path, self.max_size), None),
            delimiter=self.delimiter,
            strict=True,
        )
        start = 1
        try:
            for fields in reader:
                if fields:
                    names = [self.sidecar.text(field) for field in fields]
                    return ColumnNames(distinct_names(names, self, start), reader.line_num)
                start = reader.line_num + 1
        except csv.Error as error:
            raise self.error(f"not a CSV file ({error})", start) from None
        raise self.error("the file is empty", 1, "")

    def _blocks(self) -> Blocks:
        """Read the lines below the header."""
        last = self._column_names.last_line
        for line, block in read_blocks(self.path, self.max_size, BLOCK):
            n_above = last + 1 - line
            if n_above <= 0:
                yield line, block
            elif n_above < block.count(b"\n"):
                yield last + 1, block.split(b"\n", n_above)[n_above]

    def _split(self, block: bytes, n_columns: int) -> Cells | None:
        # `csv` reads lines that span many blocks, and stops at the first wrong one.
        is_handled = SMALL <= len(block) <= 4 * BLOCK
        is_handled = is_handled and self.delimiter.isascii() and self.delimiter != '"'
        if not is_handled or not have_fields(block, self.delimiter, n_columns):
            return None
        if not block.isascii():
            block = block.decode(self.encoding).encode()
        return split_cells(block, self.delimiter, n_columns)


class ColumnNames(NamedTuple):
    """The names of the columns, and the last line of the header."""

    names: list[str]
    last_line: int


class Chunk(NamedTuple):
    """A block of rows, and the line of each row."""

    lines: Sequence[int]
    cells: Cells


def have_fields(block: bytes, delimiter: str, n_fields: int) -> bool:
    r"""Return whether the bytes prove that each line has this many fields.

    A quote may only open and close a whole field, without quotes inside.

    >>> have_fields(b'1,"a,b"\n2,c\n', ",", 2), have_fields(b"1,2\n3\n", ",", 2)
    (True, False)
    """
    characters = np.frombuffer(block, dtype=np.uint8)
    is_end, is_delimiter = characters == ord("\n"), characters == ord(delimiter)
    if b'"' in block:
        is_quote = characters == ord('"')
        quotes = np.flatnonzero(is_quote)
        if quotes.size % 2:
            return False
        is_border = is_end | is_delimiter
        opening, closing = quotes[::2], quotes[1::2]
        is_inside = np.logical_xor.accumulate(is_quote)
        # The first character follows the end of the previous line.
        is_whole = is_border[opening - 1].all() and is_border[closing + 1].all()
        if not is_whole or (is_end & is_inside).any():
            return False
        is_delimiter &= ~is_inside
    ends, delimiters = np.flatnonzero(is_end), np.flatnonzero(is_delimiter)
    if delimiters.size != ends.size * (n_fields - 1):
        return False
    if n_fields == 1:
        return bool((np.diff(ends, prepend=-1) > 1).all())
    rows = delimiters.reshape(ends.size, n_fields - 1)
    return bool((rows[:, -1] < ends).all() and (rows[1:, 0] > ends[:-1]).all())


def distinct_names(names: list[str], source: TextSource, line: int) -> list[str]:
    """Return the names of the columns, or raise an error if a name occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise source.error("two columns have the same name", line, name)
        seen.add(name)
    return names


def row_chunks(records: Iterator[tuple[int, list[str]]], n_columns: int) -> Iterator[Chunk]:
    """Return blocks of rows by column."""
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, fields in records:
        lines.append(line)
        rows.append(fields)
        if len(rows) * n_columns >= CELLS:
            yield Chunk(lines, ListCells(list(zip(*rows, strict=True))))
            lines, rows = [], []
    if rows:
        yield Chunk(lines, ListCells(list(zip(*rows, strict=True))))


def delimiter_of(path: FilePath) -> str:
    """Return the separator of the columns: the most frequent candidate in the first line."""
    if without_compression(path).suffix.lower() == ".tsv":
        return "\t"
    start = read_start(path).lstrip(b"\r\n").decode("latin-1")
    first = _QUOTED.sub("", start).partition("\n")[0]
    return max(",;\t", key=first.count)


def _rows(source: TextTable, blocks: Blocks, n_columns: int) -> Iterator[tuple[int, list[str]]]:
    """Read rows with their line numbers; empty lines at the end are left out."""
    first, block = next(blocks)
    lines = _lines(source, chain([(first, block)], blocks), n_columns)
    reader = csv.reader(lines, delimiter=source.delimiter, strict=True)
    start, empty = first, None
    try:
        for fields in reader:
            if not fields:
                empty = empty or start
            elif empty or len(fields) != n_columns:
                wrong = [] if empty else fields
                problem = f"expected {n_columns} values, one per column, got {len(wrong)}"
                text = source.delimiter.join(wrong[:50])
                raise source.error(problem, empty or start, text)
            else:
                yield start, fields
            start = first + reader.line_num
    except csv.Error as error:
        raise source.error(f"not a CSV file ({error})", start) from None


def _lines(source: TextTable, blocks: Blocks, n_columns: int | None) -> Iterator[str]:
    for number, block in blocks:
        for line, text in enumerate(block.decode(source.encoding).split("\n")[:-1], number):
            # A line with too many fields raises an error before it is split.
            n_fields = 0 if '"' in text else text.count(source.delimiter)
            if n_columns is not None and n_fields > n_columns + 100:
                problem = f"expected {n_columns} values, one per column, got more"
                raise source.error(problem, line, text[:200])
            yield text + "\n"
