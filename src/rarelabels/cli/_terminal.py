"""Tables on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rarelabels.cli._printable import printable

# A pipe has no width of its own; wide enough that nothing is cut.
PIPE_WIDTH = 160

TYPES = {"safe": ("█", "blue"), "borderline": ("▓", "cyan"), "rare": ("▒", "yellow"),
         "outlier": ("░", "red")}  # fmt: skip
BAR_WIDTH = 20


def console(*, error: bool = False) -> Console:
    """Return the terminal, or a wide page where the output goes into a file or a pipe."""
    stream = sys.stderr if error else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else pipe_width(), highlight=False)


def pipe_width() -> int:
    """Return the width of output that is no terminal: COLUMNS, or enough for any table."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else PIPE_WIDTH


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> Table:
    """Lay out rows; the first column is text, numbers are to the right."""
    made = Table(box=SIMPLE_HEAD, title=Text(printable(title)) if title else None,
                 title_justify="left", pad_edge=False, show_edge=False)  # fmt: skip
    for place, head in enumerate(heads):
        side: Any = "left" if place == 0 else "right"
        made.add_column(Text(printable(head)), justify=side, no_wrap=place > 0, overflow="ellipsis")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row))
    return made


def types_bar(row: Any) -> Text:
    """Draw the shares of safe, borderline, rare and outlier samples, in shades and colours."""
    bar, drawn, total = Text(), 0, 0.0
    for kind, (sign, colour) in TYPES.items():
        share = row[kind]
        if share is None or share != share:
            return Text("one class only", style="dim")
        total += share
        length = round(BAR_WIDTH * total) - drawn
        bar.append(sign * length, style=colour)
        drawn += length
    return bar


def types_legend() -> Text:
    """Return a legend of the bars' parts."""
    legend = Text()
    for kind, (sign, colour) in TYPES.items():
        legend.append(f"{sign * 2} ", style=colour).append(f"{kind}  ")
    return legend
