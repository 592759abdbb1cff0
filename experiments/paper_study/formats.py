"""One table, three ways to write it down."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table of text.

    Attributes
    ----------
    name : str
        Of the file it is written to.
    caption : str
        What it shows.
    header : tuple of str
        The columns' names.
    rows : tuple of tuples of str
        The cells.
    best : frozenset of (int, int)
        Rows and columns of the cells to be set in bold.
    """

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]] = frozenset()

    def cells(self, bold: Callable[[str], str]) -> list[list[str]]:
        """Return the cells, the best of them in bold."""
        return [
            [bold(cell) if (i, j) in self.best and cell else cell for j, cell in enumerate(row)]
            for i, row in enumerate(self.rows)
        ]


def markdown(table: Table) -> str:
    """Write a table in Markdown.

    >>> print(markdown(Table("t", "Ranks.", ("a", "b"), (("1", "2"),), frozenset({(0, 0)}))))
    Ranks.
    <BLANKLINE>
    | a | b |
    |---|---|
    | **1** | 2 |
    """
    lines = [table.header, *table.cells(lambda cell: f"**{cell}**")]
    head, *body = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([table.caption, "", head, "|" + "---|" * len(table.header), *body])


def latex(table: Table) -> str:
    r"""Write a table in LaTeX, with the rules of booktabs.

    >>> print(latex(Table("t", "50 % of it.", ("a", "b_1"), (("1", "2"),), frozenset({(0, 1)}))))
    \begin{table}
    \centering
    \caption{50 \% of it.}
    \begin{tabular}{ll}
    \toprule
    a & b\_1 \\ \midrule
    1 & \textbf{2} \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    rows = table.cells(bold=lambda cell: rf"\textbf{{{cell}}}")
    body = [" & ".join(map(_escaped, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_escaped(table.caption)}}}",
            rf"\begin{{tabular}}{{{'l' * len(table.header)}}}",
            r"\toprule",
            " & ".join(map(_escaped, table.header)) + r" \\ \midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def as_csv(table: Table) -> str:
    r"""Write a table as CSV.

    >>> as_csv(Table("t", "Ranks.", ("a", "b"), (("1", "2,5"),)))
    'a,b\r\n1,"2,5"\r\n'
    """
    text = io.StringIO()
    csv.writer(text).writerows([table.header, *table.rows])
    return text.getvalue()


WRITERS: dict[str, Callable[[Table], str]] = {"md": markdown, "csv": as_csv, "tex": latex}


def _escaped(text: str) -> str:
    for character in "&%#_":
        text = text.replace(character, "\\" + character)
    return text
