"""Tables of text cells as docutils nodes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from docutils import nodes

LONGEST = 40  # characters of a cell that is not broken into lines


def table_node(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    bold: Collection[tuple[int, int]] = (),
) -> nodes.table:
    """Build a table, some of whose cells (row, column) are set in bold."""
    group = nodes.tgroup(cols=len(header))
    group += [nodes.colspec(colwidth=1) for _ in header]
    head, body = nodes.thead(), nodes.tbody()
    head += _row([(text, False) for text in header])
    for i, row in enumerate(rows):
        body += _row([(text, (i, j) in bold) for j, text in enumerate(row)])
    group += [head, body]
    whole = nodes.table(classes=["study"])
    whole += [nodes.title(text=caption), group]
    return whole


def _row(cells: list[tuple[str, bool]]) -> nodes.row:
    row = nodes.row()
    for text, is_bold in cells:
        kind = nodes.strong if is_bold else nodes.inline
        classes = ["long-cell"] if len(text) > LONGEST else []
        row += nodes.entry("", nodes.paragraph("", "", kind("", text)), classes=classes)
    return row


def scrolling(table: nodes.table) -> nodes.container:
    """Let a wide table scroll on its own."""
    return nodes.container("", table, classes=["wide-table"])
