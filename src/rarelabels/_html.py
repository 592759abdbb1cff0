"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any


def html_table(heads: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Give a table whose first column heads the rows; whatever comes from the data is escaped."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in heads)
    body = "".join(_row(row) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(row: Iterable[Any]) -> str:
    first, *rest = (escape(str(cell)) for cell in row)
    return f"<tr><th>{first}</th>{''.join(f'<td>{cell}</td>' for cell in rest)}</tr>"
