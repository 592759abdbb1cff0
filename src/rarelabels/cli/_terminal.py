"""Tables and sentences on the terminal."""

from __future__ import annotations

import os
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from rarelabels.cli._layout import TableColumn, laid_out
from rarelabels.cli._printable import printable

UNLIMITED = 10_000

TYPES = {"safe": ("█", "blue"), "borderline": ("▓", "cyan"), "rare": ("▒", "yellow"),
         "outlier": ("░", "red")}  # fmt: skip
BAR_WIDTH = 20
VERDICT_COLORS = {"helps": "green", "higher": "green", "hurts": "red", "lower": "red"}


class Page:
    """A terminal, which has a width, or a file or pipe, which has none.

    Parameters
    ----------
    error : bool, default=False
        Write to standard error instead of standard output.
    wide : bool, default=False
        Show every column of a table, even if lines get longer than the terminal is wide.
    """

    def __init__(self, *, error: bool = False, wide: bool = False) -> None:
        stream = sys.stderr if error else sys.stdout
        self.width = width_of(stream)
        self._table_width = None if wide else self.width
        self._console = Console(file=stream, highlight=False, width=UNLIMITED)

    def table(self, *columns: TableColumn, split: bool = False) -> None:
        """Print a table; with `split`, columns without room continue in a table below."""
        for place, part in enumerate(laid_out(columns, self._table_width, split=split)):
            if place:
                self.line()
            if isinstance(part, Text):
                self.text(part)
            else:
                self._console.print(part)

    def text(self, sentence: str | Text) -> None:
        """Print a sentence; on a terminal lines break between words."""
        text = sentence if isinstance(sentence, Text) else Text(printable(sentence))
        self._console.print(text, width=self.width or UNLIMITED)

    def line(self) -> None:
        """Print an empty line."""
        self._console.print()


def width_of(stream: Any) -> int | None:
    """Return the width of a terminal, or COLUMNS; None if the width is unlimited."""
    if stream.isatty():
        return Console(file=stream).width
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else None


def colored_verdict(verdict: str) -> Text:
    """Return a verdict in its color."""
    return Text(verdict, style=VERDICT_COLORS.get(verdict, ""))


def types_bar(row: Any) -> Text:
    """Draw the shares of safe, borderline, rare and outlier samples, in shades and colors."""
    bar, drawn, total = Text(), 0, 0.0
    for kind, (sign, color) in TYPES.items():
        share = row[kind]
        if share is None or share != share:
            return Text("one class only", style="dim")
        total += share
        length = round(BAR_WIDTH * total) - drawn
        bar.append(sign * length, style=color)
        drawn += length
    return bar


def types_legend() -> Text:
    """Return a legend of the bars' parts."""
    legend = Text()
    for kind, (sign, color) in TYPES.items():
        legend.append(f"{sign * 2} ", style=color).append(f"{kind}  ")
    return legend
