"""Choose the columns of a table that fit the terminal, and their widths."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from rarelabels.cli._printable import printable

GAP = 2
# A longer word may be broken; a longer text may be wrapped to make room for other columns.
WORD_WIDTH, TEXT_WIDTH = 19, 30


@dataclass
class TableColumn:
    """A column of a table.

    Parameters
    ----------
    head : str
        Its title.
    cells : sequence of str or Text
        Its cells.
    is_text : bool, default=False
        Text is on the left and may be wrapped; everything else is on the right and never is.
    rank : int, default=0
        0 is always shown; of the others, the highest ranks are left out first.
    """

    head: str
    cells: Sequence[Any]
    is_text: bool = False
    rank: int = 0

    def __post_init__(self) -> None:
        self.head = printable(self.head)
        self.texts = [one if isinstance(one, Text) else Text(printable(one)) for one in self.cells]
        self._heights: dict[int, list[int]] = {}

    @property
    def narrowest(self) -> int:
        """The width below which a number would be cut."""
        head = longest_word(self.head)
        if not self.is_text:
            return max([head, *(cell.cell_len for cell in self.texts)])
        words = max([head, *(longest_word(cell.plain) for cell in self.texts)])
        return max(min(words, WORD_WIDTH), 1)

    @property
    def widest(self) -> int:
        """The width at which nothing is wrapped."""
        return max([cell_len(self.head), *(cell.cell_len for cell in self.texts)])

    @property
    def wrap_widths(self) -> list[int]:
        """The widths to try, from the narrowest to the widest, in at most twelve steps."""
        step = max(1, (self.widest - self.narrowest) // 11)
        return [*range(self.narrowest, self.widest, step), self.widest]

    def heights(self, width: int) -> list[int]:
        """Return how many lines each cell takes at a width."""
        if width not in self._heights:
            lines = (len(textwrap.wrap(cell.plain, width)) for cell in self.texts)
            self._heights[width] = [max(count, 1) for count in lines]
        return self._heights[width]

    @property
    def comfortable(self) -> int:
        """The width that is reserved for the column before others are shown."""
        return min(self.widest, TEXT_WIDTH) if self.is_text else self.narrowest


def longest_word(text: str) -> int:
    """Return the width of the longest word.

    >>> longest_word("no relevant difference"), longest_word("")
    (10, 0)
    """
    return max(map(cell_len, text.split()), default=0)


def laid_out(
    columns: Sequence[TableColumn], width: int | None, *, split: bool = False
) -> list[Any]:
    """Return what to print for a table: the columns that fit, or several tables.

    Parameters
    ----------
    columns : sequence of TableColumn
        The first one names the rows.
    width : int or None
        Of the terminal; None shows every column.
    split : bool, default=False
        Continue in further tables instead of leaving columns out.
    """
    if width is None:
        return [drawn(columns, [column.widest for column in columns])]
    blocks = list(split_columns(columns, width)) if split else [shown(columns, width)]
    if any(total(block, "narrowest") > width for block in blocks):
        return [as_paragraphs(columns if split else blocks[0])]
    return [drawn(block, widths(block, width)) for block in blocks]


def total(columns: Sequence[TableColumn], measure: str) -> int:
    """Return the width of some columns with the space between them."""
    return sum(getattr(column, measure) for column in columns) + GAP * (len(columns) - 1)


def shown(columns: Sequence[TableColumn], width: int) -> list[TableColumn]:
    """Return the columns that are always shown, and as many others as fit."""
    chosen = list(columns)
    while total(chosen, "comfortable") > width and any(column.rank for column in chosen):
        chosen.remove(max(chosen, key=lambda column: column.rank))
    return chosen


def split_columns(columns: Sequence[TableColumn], width: int) -> Iterator[list[TableColumn]]:
    """Distribute columns over several tables; each repeats the first column."""
    block = [columns[0]]
    for column in columns[1:]:
        if len(block) > 1 and total([*block, column], "comfortable") > width:
            yield block
            block = [columns[0]]
        block.append(column)
    yield block


def widths(columns: Sequence[TableColumn], width: int) -> list[int]:
    """Return the width of each column: the shortest table, and what is left over for the heads."""
    numbers = [0 if column.is_text else column.narrowest for column in columns]
    texts = [column for column in columns if column.is_text]
    width_of_texts = width - GAP * (len(columns) - 1) - sum(numbers)
    of_texts = iter(text_widths(texts, width_of_texts))
    chosen = [next(of_texts) if column.is_text else column.narrowest for column in columns]
    spare = width - GAP * (len(columns) - 1) - sum(chosen)
    for place, column in enumerate(columns):
        more = min(spare, max(column.widest - chosen[place], 0))
        chosen[place] += more
        spare -= more
    return chosen


def text_widths(columns: Sequence[TableColumn], width: int) -> tuple[int, ...]:
    """Return the widths of columns of text that make the table shortest."""
    choices = [column.wrap_widths for column in columns]
    possible = [chosen for chosen in product(*choices) if sum(chosen) <= width]

    def height(chosen: tuple[int, ...]) -> int:
        heights = (column.heights(width) for column, width in zip(columns, chosen, strict=True))
        return sum(map(max, zip(*heights, strict=True)))

    return min(possible, key=height)


def drawn(columns: Sequence[TableColumn], column_widths: Sequence[int]) -> Table:
    """Return the table of some columns."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for column, width in zip(columns, column_widths, strict=True):
        table.add_column(
            Text(column.head), justify="left" if column.is_text else "right",
            width=width, overflow="fold",
        )  # fmt: skip
    for row in zip(*(column.texts for column in columns), strict=True):
        table.add_row(*row)
    return table


def as_paragraphs(columns: Sequence[TableColumn]) -> Text:
    """Return a paragraph for each row, where the terminal is too narrow for a table."""
    paragraphs = [f"{columns[0].head}:"] if columns[0].head else []
    for row in zip(*(column.texts for column in columns), strict=True):
        pairs = zip(columns[1:], row[1:], strict=True)
        cells = [f"  {column.head}: {cell.plain}" for column, cell in pairs if cell.plain]
        paragraphs.append("\n".join([row[0].plain, *cells]))
    return Text("\n\n".join(paragraphs), overflow="fold")
