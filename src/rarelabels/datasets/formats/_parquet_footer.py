"""The footer of a Parquet file: the size of its table and its metadata, read before the table is.

A column of a billion equal values takes a few bytes of a file. The footer, in Thrift's compact
encoding, says how many rows and columns there are; not every library that reads Parquet shows it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from rarelabels.datasets._errors import FilePath

MAGIC = b"PAR1"
TRUE, FALSE, BYTE, INTEGERS, DOUBLE, BINARY, LISTS, STRUCT = (
    1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 12,
)  # fmt: skip
# Fields of FileMetaData, RowGroup and KeyValue in the format's definition.
SCHEMA, N_ROWS, ROW_GROUPS, KEY_VALUES = 2, 3, 4, 5
ROWS_OF_GROUP = 3
KEY, VALUE = 1, 2
MOST_NESTED = 32


@dataclass
class Footer:
    """Rows and columns of a table, and the texts of its metadata by key."""

    n_rows: int = 0
    n_columns: int = 0
    metadata: dict[str, str] = field(default_factory=dict)


def read_footer(path: FilePath) -> Footer:
    """Read the footer of a Parquet file; ValueError where there is none."""
    with open(path, "rb") as file:
        size = os.path.getsize(path)
        file.seek(max(0, size - 8))
        end = file.read(8)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != MAGIC or length + 8 > size:
            raise ValueError("it has no footer")
        file.seek(size - 8 - length)
        return footer_of(file.read(length))


def footer_of(content: bytes) -> Footer:
    """Read a footer's bytes; ValueError where they are damaged."""
    thrift, found, n_grouped = Thrift(content), Footer(), 0
    for number, kind in thrift.fields():
        if number == SCHEMA and kind in LISTS:
            # The first element is the table itself.
            found.n_columns = max(found.n_columns, thrift.skip(kind) - 1)
        elif number == N_ROWS and kind in INTEGERS:
            found.n_rows = max(found.n_rows, thrift.integer())
        elif number == ROW_GROUPS and kind in LISTS:
            n_grouped += sum(_rows_of_group(thrift) for _ in thrift.items())
        elif number == KEY_VALUES and kind in LISTS:
            found.metadata.update(_key_and_value(thrift) for _ in thrift.items())
        else:
            thrift.skip(kind)
    found.n_rows = max(found.n_rows, n_grouped)
    return found


def _rows_of_group(thrift: Thrift) -> int:
    n_rows = 0
    for number, kind in thrift.fields():
        if number == ROWS_OF_GROUP and kind in INTEGERS:
            n_rows = max(n_rows, thrift.integer())
        else:
            thrift.skip(kind)
    return n_rows


def _key_and_value(thrift: Thrift) -> tuple[str, str]:
    texts = {KEY: "", VALUE: ""}
    for number, kind in thrift.fields():
        if number in texts and kind == BINARY:
            texts[number] = thrift.binary().decode("utf-8", "replace")
        else:
            thrift.skip(kind)
    return texts[KEY], texts[VALUE]


class Thrift:
    """Thrift's compact encoding, read from the front."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._place = 0

    def binary(self, length: int | None = None) -> bytes:
        """Read bytes, whose number stands before them unless it is given."""
        length = self._varint() if length is None else length
        found = self._content[self._place : self._place + length]
        if len(found) < length:
            raise ValueError("the footer is cut off")
        self._place += length
        return found

    def integer(self) -> int:
        """Read a signed integer."""
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield number and kind of each field of a struct; the caller reads or skips the value."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            yield number, head & 15

    def items(self) -> Iterator[int]:
        """Yield the kind of each item of a list; the caller reads or skips the item."""
        head = self._byte()
        length = head >> 4 if head >> 4 < 15 else self._varint()
        for _ in range(length):
            yield head & 15

    def skip(self, kind: int, depth: int = 0) -> int:
        """Skip a value; return how many items a list has."""
        if depth > MOST_NESTED:
            raise ValueError("the footer is nested too deeply")
        if kind in LISTS:
            return sum(self._skip_item(item, depth) for item in self.items())
        if kind == STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind in INTEGERS:
            self._varint()
        elif kind == BINARY:
            self.binary()
        elif kind in (BYTE, DOUBLE):
            self.binary(1 if kind == BYTE else 8)
        elif kind not in (TRUE, FALSE):
            raise ValueError(f"the footer holds values of an unknown kind ({kind})")
        return 0

    def _skip_item(self, kind: int, depth: int) -> int:
        if kind in (TRUE, FALSE):
            self._byte()
        else:
            self.skip(kind, depth + 1)
        return 1

    def _byte(self) -> int:
        return self.binary(1)[0]

    def _varint(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128 or shift > 63:
                return number
