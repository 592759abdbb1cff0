"""Tables of text that pages of the documentation show."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """A table of text, with the places (row, column) of cells that are set in bold."""

    caption: str
    header: list[str]
    rows: list[list[str]]
    bold: set[tuple[int, int]] = field(default_factory=set)
