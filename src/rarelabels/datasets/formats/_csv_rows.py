"""The rows of a CSV file, each with its line and as many fields as the header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rarelabels._formats import without_compression
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import read_blocks, read_start
from rarelabels.datasets.formats._remembered import Remembered

CELLS = 1 << 15  # cells that are turned into numbers at once
_QUOTED = re.compile(r'"[^"]*"')


class TextSource(Protocol):
    """A table whose cells are texts."""

    @property
    def path(self) -> FilePath:
        """The file."""
        ...

    @property
    def remembered(self) -> Remembered:
        """What stands beside the file."""
        ...

    @property
    def sheet(self) -> str | None:
        """The sheet's name, in a workbook."""
        ...

    def names(self) -> list[str]:
        """Return the columns' names."""
        ...

    def chunks(self, n_columns: int) -> Iterator[Chunk]:
        """Read the rows below the names, some at a time."""
        ...

    def check_kinds(self, name: str) -> None:
        """Raise the error of a column that was read and holds both numbers and texts."""
        ...

    def error(
        self, problem: str, line: int | None = None, text: str | None = None
    ) -> DataFormatError:
        """Return the error of a row."""
        ...


@dataclass(frozen=True)
class TextTable:
    """A file of separated values, and how to read it."""

    path: FilePath
    encoding: str
    max_size: int
    delimiter: str
    remembered: Remembered
    sheet: None = None

    def names(self) -> list[str]:
        """Return the columns' names."""
        for line, fields in _records(self, None):
            return distinct_names([self.remembered.text(field) for field in fields], self, line)
        raise self.error("the file is empty", 1, "")

    def chunks(self, n_columns: int) -> Iterator[Chunk]:
        """Read the rows below the header, some at a time."""
        return row_chunks(_rows(self, n_columns), n_columns)

    def check_kinds(self, name: str) -> None:
        """Accept numbers beside texts: all cells of a text file are texts."""

    def error(
        self, problem: str, line: int | None = None, text: str | None = None
    ) -> DataFormatError:
        """Return the error of a line."""
        return DataFormatError(problem, self.path, line, text)


class Chunk(NamedTuple):
    """Some rows by their columns, and each row's line."""

    lines: list[int]
    columns: list[tuple[str, ...]]


def distinct_names(names: list[str], source: TextSource, line: int) -> list[str]:
    """Return the columns' names, or raise the error of one that is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise source.error("two columns have the same name", line, name)
        seen.add(name)
    return names


def row_chunks(records: Iterator[tuple[int, list[str]]], n_columns: int) -> Iterator[Chunk]:
    """Return rows by their columns, some at a time."""
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, fields in records:
        lines.append(line)
        rows.append(fields)
        if len(rows) * n_columns >= CELLS:
            yield Chunk(lines, list(zip(*rows, strict=True)))
            lines, rows = [], []
    if rows:
        yield Chunk(lines, list(zip(*rows, strict=True)))


def delimiter_of(path: FilePath) -> str:
    """Return what separates a file's columns: the most frequent candidate of its first line."""
    if without_compression(path).suffix.lower() == ".tsv":
        return "\t"
    start = read_start(path).lstrip(b"\r\n").decode("latin-1")
    first = _QUOTED.sub("", start).partition("\n")[0]
    return max(",;\t", key=first.count)


def _rows(source: TextTable, n_columns: int) -> Iterator[tuple[int, list[str]]]:
    records = _records(source, n_columns)
    next(records, None)  # the header
    for line, fields in records:
        if len(fields) != n_columns:
            problem = f"expected {n_columns} values, one per column, got {len(fields)}"
            raise source.error(problem, line, source.delimiter.join(fields[:50]))
        yield line, fields


def _records(source: TextTable, n_columns: int | None) -> Iterator[tuple[int, list[str]]]:
    """Read records with their lines; empty lines above the header and at the end are left out."""
    reader = csv.reader(_lines(source, n_columns), delimiter=source.delimiter, strict=True)
    start, is_header, empty = 1, True, None
    try:
        for fields in reader:
            if not fields:
                empty = start if empty is None and not is_header else empty
            elif empty is not None:
                yield empty, []
            if fields:
                yield start, fields
                is_header = False
            start = reader.line_num + 1
    except csv.Error as error:
        raise source.error(f"not a CSV file ({error})", start) from None


def _lines(source: TextTable, n_columns: int | None) -> Iterator[str]:
    for number, block in read_blocks(source.path, source.max_size):
        for line, text in enumerate(block.decode(source.encoding).split("\n")[:-1], number):
            # Millions of fields in a line without quotes are refused before any is made.
            n_fields = 0 if '"' in text else text.count(source.delimiter)
            if n_columns is not None and n_fields > n_columns + 100:
                problem = f"expected {n_columns} values, one per column, got more"
                raise source.error(problem, line, text[:200])
            yield text + "\n"
