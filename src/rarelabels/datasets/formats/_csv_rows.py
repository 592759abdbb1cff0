"""The rows of a CSV file, each with its line and as many fields as the header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rarelabels._formats import without_compression
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import read_blocks, read_start
from rarelabels.datasets.formats._remembered import Remembered

CELLS = 1 << 15  # cells that are turned into numbers at once
_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class TextTable:
    """A file and how to read it."""

    path: FilePath
    encoding: str
    max_size: int
    delimiter: str
    remembered: Remembered


class Chunk(NamedTuple):
    """Some rows by their columns, and each row's line."""

    lines: list[int]
    columns: list[tuple[str, ...]]


def read_names(source: TextTable) -> list[str]:
    """Return the columns' names."""
    for line, fields in _records(source, None):
        names = [source.remembered.text(field) for field in fields]
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise DataFormatError("two columns have the same name", source.path, line, name)
            seen.add(name)
        return names
    raise DataFormatError("the file is empty", source.path, 1, "")


def read_chunks(source: TextTable, n_columns: int) -> Iterator[Chunk]:
    """Read the rows below the header, some at a time."""
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, fields in _rows(source, n_columns):
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
            raise DataFormatError(problem, source.path, line, source.delimiter.join(fields[:50]))
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
        raise DataFormatError(f"not a CSV file ({error})", source.path, start) from None


def _lines(source: TextTable, n_columns: int | None) -> Iterator[str]:
    for number, block in read_blocks(source.path, source.max_size):
        for line, text in enumerate(block.decode(source.encoding).split("\n")[:-1], number):
            # Millions of fields in a line without quotes are refused before any is made.
            n_fields = 0 if '"' in text else text.count(source.delimiter)
            if n_columns is not None and n_fields > n_columns + 100:
                problem = f"expected {n_columns} values, one per column, got more"
                raise DataFormatError(problem, source.path, line, text[:200])
            yield text + "\n"
