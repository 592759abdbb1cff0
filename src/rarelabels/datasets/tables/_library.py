"""Split the rows of a text file and parse numbers with a dataframe library.

Cells are texts. Each class here returns the texts of one column, and the numbers of many columns at
once. pyarrow and polars accept the same numbers as `parse_number` and round them in the same way;
the tests compare them.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rarelabels.datasets.number_parser import parse_number

Floats: TypeAlias = npt.NDArray[np.float64]
Library: TypeAlias = Literal["polars", "pandas", "pyarrow"]

# Texts that mean a missing number. Only the empty text means a missing category: "NA" may be one of
# the categories.
MISSING = ("", "?", "NA", "NaN", "nan", "null")
_OF_NUMBERS = b"0123456789.eE+-"


def is_installed(library: str) -> bool:
    """Return whether a library can be imported."""
    return importlib.util.find_spec(library) is not None


def installed_library(*candidates: Library) -> Library:
    """Return the first installed candidate; the error names the extra that installs one."""
    for library in candidates:
        if is_installed(library):
            return library
    raise ImportError(
        f"this table needs one of {', '.join(candidates)}, and none is installed: "
        'pip install "rarelabels[tables]".'
    )


class Cells(Protocol):
    """A block of rows of a table whose cells are texts."""

    def texts(self, column: int) -> list[str]:
        """Return the texts of a column."""
        ...

    def numbers(self, columns: Sequence[int]) -> list[Floats]:
        """Return the numbers of columns; a text that is not a number is not finite."""
        ...


def split_cells(block: bytes, delimiter: str, n_columns: int) -> Cells | None:
    """Split lines whose fields are known to match the columns; None without a fast library."""
    if is_installed("pyarrow"):
        return ArrowCells(block, delimiter, n_columns)
    if is_installed("polars"):
        return PolarsCells(block, delimiter)
    return None


class ArrowCells:
    """Cells that are split and converted by pyarrow."""

    def __init__(self, block: bytes, delimiter: str, n_columns: int) -> None:
        import pyarrow
        from pyarrow import csv

        names = list(map(str, range(n_columns)))
        self._table = csv.read_csv(
            pyarrow.BufferReader(block),
            # One block, so that no line is split and every column has one chunk.
            csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block) + 1),
            csv.ParseOptions(delimiter=delimiter, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string())),
        )

    def texts(self, column: int) -> list[str]:
        """Return the texts of a column."""
        return self._table.column(column).to_pylist()

    def numbers(self, columns: Sequence[int]) -> list[Floats]:
        """Return the numbers of columns."""
        return [self._numbers(column) for column in columns]

    def _numbers(self, column: int) -> Floats:
        import pyarrow
        from pyarrow import compute

        cells = self._table.column(column)
        try:
            return cells.cast(pyarrow.float64()).to_numpy()
        except pyarrow.ArrowInvalid:
            pass
        is_missing = compute.is_in(cells, value_set=pyarrow.array(MISSING))
        try:
            known = compute.if_else(is_missing, None, cells)
            return known.cast(pyarrow.float64()).to_numpy()
        except pyarrow.ArrowInvalid:
            return numbers_of(self.texts(column))


class PolarsCells:
    """Cells that are split and converted by polars."""

    def __init__(self, block: bytes, delimiter: str) -> None:
        import polars

        self._frame = polars.read_csv(
            block,
            has_header=False,
            separator=delimiter,
            quote_char='"' if b'"' in block else None,
            infer_schema=False,
        )

    def texts(self, column: int) -> list[str]:
        """Return the texts of a column."""
        return self._frame.to_series(column).fill_null("").to_list()

    def numbers(self, columns: Sequence[int]) -> list[Floats]:
        """Return the numbers of columns."""
        import polars

        chosen = self._frame.select(polars.nth(*columns).cast(polars.Float64, strict=False))
        return list(chosen.to_numpy().T)


class ListCells:
    """Cells in lists, as returned by Python's `csv` and openpyxl."""

    def __init__(self, columns: Sequence[Sequence[str]]) -> None:
        self._columns = columns

    def texts(self, column: int) -> list[str]:
        """Return the texts of a column."""
        return list(self._columns[column])

    def numbers(self, columns: Sequence[int]) -> list[Floats]:
        """Return the numbers of columns."""
        return [numbers_of(self._columns[column]) for column in columns]


def numbers_of(texts: Sequence[str]) -> Floats:
    """Convert texts to numbers, with NaN for texts that are not numbers.

    >>> numbers_of(["1.5", "", "red"])
    array([1.5, nan, nan])
    """
    # For texts with only these characters, Python's `float` accepts numbers and nothing else.
    if not "".join(texts).encode().translate(None, _OF_NUMBERS):
        try:
            return np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:
            pass
    values = {text: number_or_none(text) for text in set(texts)}
    return np.array([math.nan if values[t] is None else values[t] for t in texts], dtype=np.float64)


def number_or_none(text: str) -> float | None:
    """Convert a cell to a number, NaN if it is missing, or None for any other text.

    >>> number_or_none(" 1.5"), number_or_none("NA"), number_or_none("red")
    (1.5, nan, None)
    """
    text = text.strip(" \t")
    if text in MISSING:
        return math.nan
    try:
        return parse_number(text)
    except ValueError:
        return None
