"""Format tables as text for a terminal or as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt


def structured_table(columns: dict[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Combine columns in a structured array; a column may have several values per row.

    >>> structured_table({"label": np.array(["rain"]), "count": np.array([12])})["count"]
    array([12])
    """
    dtype = [(name, column.dtype, column.shape[1:]) for name, column in columns.items()]
    table = np.empty(len(next(iter(columns.values()))), dtype=dtype)
    for name, column in columns.items():
        table[name] = column
    return table


def text_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Format a table as text, with the first `left` columns left-aligned, the others right-aligned.

    >>> print(text_table(["label", "count"], [["rain", "12"], ["snow", "3"]]))
    label  count
    rain      12
    snow       3
    """
    cells = [list(heads), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def html_table(heads: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Format a table as HTML with the first column as row headers; all data is escaped."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in heads)
    body = "".join(_row(row) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(row: Iterable[Any]) -> str:
    first, *rest = (escape(str(cell)) for cell in row)
    return f"<tr><th>{first}</th>{''.join(f'<td>{cell}</td>' for cell in rest)}</tr>"
