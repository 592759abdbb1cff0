"""Draw which frequent labels rare labels occur with, and how concentrated SCUMBLE is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from markupsafe import Markup

from rarelabels.report.figures._columns import Column, columns_figure
from rarelabels.report.figures._svg import WIDTH, chart, tag
from rarelabels.report.words import percent, short

LEFT, RIGHT, TOP, NAME_LENGTH, HEAD_LENGTH = 184, 100, 122, 15, 13


def together_figure(pairs: dict[str, Any]) -> Markup:
    """Draw, for each rare label, the share of its samples that carry each frequent label too."""
    rare, frequent = pairs["rare"], pairs["frequent"]
    side = min(44.0, (WIDTH - LEFT - RIGHT) / max(len(frequent), 1))
    height = TOP + side * len(rare) + 12
    cells = [
        _cell(pairs, row, column, LEFT + column * side, TOP + row * side, side)
        for row in range(len(rare))
        for column in range(len(frequent))
    ]
    names = [
        tag(
            "text",
            _cut(name),
            class_="name",
            x=LEFT - 8,
            y=TOP + (row + 0.5) * side + 5,
            text_anchor="end",
        )
        for row, name in enumerate(rare)
    ]
    heads = [_head(name, LEFT + (column + 0.5) * side) for column, name in enumerate(frequent)]
    return chart(
        "Samples that rare labels share with frequent ones",
        height,
        tag("g", *names, *heads, aria_hidden="true"),
        tag("g", *cells),
        id="together",
        data_walk="rect",
        tabindex="0",
    )


def _cell(pairs: dict[str, Any], row: int, column: int, x: float, y: float, side: float) -> Markup:
    share, n_shared = pairs["share"][row][column], pairs["together"][row][column]
    tip = (
        f"{pairs['rare'][row]} with {pairs['frequent'][column]}: {short(n_shared)} samples, "
        f"{percent(share)} of the rare label’s"
    )
    # A shared sample must not look like none.
    strength = 0.12 + 0.88 * share if n_shared else 0.0
    place = {"x": x + 1, "y": y + 1, "width": side - 2, "height": side - 2}
    filled = [
        tag("rect", class_="cell", data_tip=tip, role="img", aria_label=tip, **place),
        tag("rect", class_="heat", fill_opacity=strength, **place),
    ]
    return tag("g", *filled)


def _head(name: str, x: float) -> Markup:
    turn = f"rotate(-45 {x:g} {TOP - 10})"
    return tag("text", _cut(name, HEAD_LENGTH), class_="name", x=x, y=TOP - 10, transform=turn)


def _cut(name: str, length: int = NAME_LENGTH) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"


def scumble_figure(histogram: dict[str, Any]) -> Markup:
    """Draw how many samples have which SCUMBLE."""
    ranges = zip(pairwise(histogram["edges"]), histogram["counts"], strict=True)
    columns = [
        Column(low, high, count, f"SCUMBLE from {short(low)} to {short(high)}")
        for (low, high), count in ranges
    ]
    title, values = "Samples by their SCUMBLE", "SCUMBLE of the sample"
    return columns_figure(title, "scumble", values, columns)
