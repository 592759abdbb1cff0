"""Read a sheet of an Excel workbook as a table of texts, with exact numbers."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.parsers import expat

from rarelabels._registry import did_you_mean
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.dates import dates_or_none
from rarelabels.datasets.files import BLOCK_SIZE, too_large
from rarelabels.datasets.sidecar import Sidecar
from rarelabels.datasets.tables._csv_rows import Chunk, TextSource, distinct_names, row_chunks
from rarelabels.datasets.tables._library import number_or_none
from rarelabels.datasets.writing import number_text

# Maximum size of a sheet; a file that declares more is damaged.
MOST_ROWS, MOST_COLUMNS = 2**20, 2**14
NOT_AVAILABLE = "#N/A"
ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!"})
MIDNIGHT = datetime.min.time()


def openpyxl_module() -> Any:
    """Return openpyxl; the error says how to install it."""
    try:
        import openpyxl
    except ImportError as error:
        raise ImportError(
            'Excel files need openpyxl: pip install "rarelabels[excel]"; a CSV file does not.'
        ) from error
    return openpyxl


def opened_sheet(path: FilePath, name: str | None, sidecar: Sidecar, max_size: int) -> Sheet:
    """Open a workbook and return the named sheet, or the first one."""
    openpyxl_module()
    # In memory, because openpyxl leaves a file open if reading ends early.
    content = Path(path).read_bytes()
    _check_size(content, path, max_size)
    book = _workbook(content, path, shows_values=True)
    chosen = _chosen([sheet.title for sheet in book.worksheets], name)
    values = book[chosen]
    has_formulas = _check_widths(content, values._worksheet_path, path, chosen)
    return Sheet(path, max_size, sidecar, chosen, content, values, has_formulas)


def _workbook(content: bytes, path: FilePath, *, shows_values: bool) -> Any:
    """Open a workbook that shows the values of formulas, or the formulas."""
    with warnings.catch_warnings(), _damage(path):
        # These warnings are about content other than cells.
        warnings.simplefilter("ignore", UserWarning)
        book = openpyxl_module().load_workbook(
            io.BytesIO(content), read_only=True, data_only=shows_values, keep_links=False
        )
        for sheet in book.worksheets:
            # Otherwise cells outside the declared size are left out.
            sheet.reset_dimensions()
        return book


@dataclass
class Sheet(TextSource):
    """A sheet of a workbook that is read row by row."""

    content: bytes
    values: Any
    has_formulas: bool
    _header: int = 0
    _has_gaps: bool = False
    _names: list[str] = field(default_factory=list)
    # The types of values in each column, and the first row of each.
    _kinds: dict[str, dict[str, tuple[int, str]]] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the names of the columns from the first row that is not empty."""
        for row, cells in self._rows(self.values):
            if cells:
                self._header = row
                names = [_text(cell) for cell in cells]
                if "" in names:
                    letter = _letter(names.index(""))
                    raise self.error(f"column {letter} has no name in the first row", row)
                self._names = distinct_names(names, self, row)
                return names
        raise self.error("the sheet is empty")

    def chunks(self, n_columns: int) -> Iterator[Chunk]:
        """Read the rows below the names in blocks."""
        return row_chunks(self._table_rows(n_columns), n_columns)

    def check_kinds(self, name: str) -> None:
        """Raise the error for a column with values of several types."""
        (kind, (row, _)), *others = (self._kinds.get(name) or {"": (0, "")}).items()
        if others:
            other, (other_row, text) = others[0]
            raise self.error(
                f"column {name!r} holds {kind} (row {row}) and {other}; make it one of them, or "
                "name it in categorical_features if it is a category",
                other_row,
                text,
            )

    def refuse_formulas(self, ignored: Sequence[str]) -> None:
        """Raise the error for a formula without a value, which looks like a missing value."""
        if not (self.has_formulas and self._has_gaps):
            return
        kept = [j for j, name in enumerate(self._names) if name not in ignored]
        formulas = _workbook(self.content, self.path, shows_values=False)[self.sheet]
        both = zip(self._rows(self.values), self._rows(formulas), strict=False)
        for (row, shown), (_, written) in both:
            padded = [*shown, *[None] * (len(written) - len(shown))]
            for j in kept:
                if j < len(written) and written[j] is not None and padded[j] is None:
                    raise self.error(
                        f"column {self._names[j]!r} holds a formula without its value; open the "
                        "file in a spreadsheet program and save it, so that it is computed",
                        row,
                        str(written[j]),
                    )

    def _table_rows(self, n_columns: int) -> Iterator[tuple[int, list[str]]]:
        empty = None
        for row, cells in self._rows(self.values):
            if row <= self._header:
                continue
            if not cells:
                empty = empty or row
                continue
            if empty:
                raise self.error("the row is empty, but others follow", empty)
            if len(cells) > n_columns:
                raise self.error(f"column {_letter(n_columns)} has no name, but a value", row)
            yield row, self._cell_texts(row, cells, n_columns)

    def _cell_texts(self, row: int, cells: list[Any], n_columns: int) -> list[str]:
        texts = [_text(cell) for cell in cells]
        self._has_gaps |= len(texts) < n_columns or "" in texts
        for name, cell, text in zip(self._names, cells, texts, strict=False):
            if cell in ERRORS:
                raise self.error(f"column {name!r} holds an error of a formula", row, text)
            kinds = self._kinds.setdefault(name, {})
            is_known = "text" in kinds and isinstance(cell, str)
            if not is_known and (kind := _kind(cell)) is not None:
                kinds.setdefault(kind, (row, text))
        return texts + [""] * (n_columns - len(texts))

    def _rows(self, cells: Any) -> Iterator[tuple[int, list[Any]]]:
        """Read rows with their numbers, up to the last cell that is not empty."""
        n_cells = 0
        with _damage(self.path):
            for row, values in enumerate(cells.iter_rows(values_only=True), 1):
                if row > MOST_ROWS or len(values) > MOST_COLUMNS:
                    raise _larger_than_a_sheet(self.path, row, self.sheet)
                # A few bytes in the last column create a row of thousands of empty cells.
                n_cells += len(values)
                if 8 * n_cells > self.max_size:
                    raise too_large(self.path, self.max_size)
                last = len(values)
                while last and values[last - 1] is None:
                    last -= 1
                yield row, list(values[:last])


def _kind(value: Any) -> str | None:
    """Return the type of a cell, or None if it is missing or may be a number or a date.

    >>> _kind(1.5), _kind("7"), _kind("red"), _kind("2024-01-31"), _kind("NA")
    ('numbers', None, 'text', None, None)
    """
    if value is None or value == NOT_AVAILABLE:
        return None
    if isinstance(value, str):
        # Texts for missing values are allowed among numbers.
        is_open = number_or_none(value) is not None or dates_or_none([value]) is not None
        return None if is_open else "text"
    if isinstance(value, bool):
        return "booleans"
    if isinstance(value, datetime):
        return "dates"
    return "numbers" if isinstance(value, (int, float)) else "times"


def _text(value: Any) -> str:
    """Return the value of a cell as text.

    >>> _text(0.1), _text(True), _text(None), _text(datetime(2024, 1, 31))
    ('0.1', 'True', '', '2024-01-31')
    """
    if value is None or value == NOT_AVAILABLE:
        return ""
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, datetime):
        return (value.date() if value.time() == MIDNIGHT else value).isoformat()
    return str(value)


def _letter(j: int) -> str:
    """Return the letters that identify a column.

    >>> _letter(0), _letter(27)
    ('A', 'AB')
    """
    before, last = divmod(j, 26)
    return (_letter(before - 1) if before else "") + chr(ord("A") + last)


def _chosen(names: list[str], name: str | None) -> str:
    if name is None:
        return names[0]
    if name not in names:
        raise ValueError(f"the sheet {name!r} does not exist; {did_you_mean(name, names)}")
    return name


def _check_size(content: bytes, path: FilePath, max_size: int) -> None:
    with _damage(path), zipfile.ZipFile(io.BytesIO(content)) as packed:
        if sum(entry.file_size for entry in packed.infolist()) > max_size:
            raise too_large(path, max_size)


def _check_widths(content: bytes, member: str, path: FilePath, sheet: str) -> bool:
    """Check the number of cells in each row; return whether any cell has a formula.

    openpyxl creates all cells of a row before it returns the row.
    """
    n_cells = n_rows = 0
    has_formulas = False

    def count(name: str, attributes: Any) -> None:
        nonlocal n_cells, n_rows, has_formulas
        tag = name.rpartition(":")[2]
        has_formulas |= tag == "f"
        if tag == "row":
            n_cells, n_rows = 0, n_rows + 1
        elif tag == "c":
            n_cells += 1
            if n_cells > MOST_COLUMNS:
                raise _larger_than_a_sheet(path, n_rows, sheet)

    parser = expat.ParserCreate()
    parser.StartElementHandler = count
    with _damage(path), zipfile.ZipFile(io.BytesIO(content)) as packed, packed.open(member) as xml:
        while block := xml.read(BLOCK_SIZE):
            parser.Parse(block)
    return has_formulas


def _larger_than_a_sheet(path: FilePath, row: int, sheet: str | None) -> DataFormatError:
    problem = "the sheet declares a larger size than a sheet can have"
    return DataFormatError(problem, path, row, sheet=sheet)


@contextmanager
def _damage(path: FilePath) -> Iterator[None]:
    """Raise all errors about the content of a file as `DataFormatError`."""
    try:
        yield
    except (OSError, MemoryError, DataFormatError):
        raise
    except Exception as error:
        # Errors of zipfile, the XML parser and openpyxl, which expects a valid file.
        raise DataFormatError(f"not an Excel workbook, or damaged ({error})", path) from error
