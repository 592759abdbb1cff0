"""Draw histograms: a column for each range of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from rarelabels.report.figures._svg import WIDTH, Scale, chart, tag, x_axis, y_axis
from rarelabels.report.words import short

HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 260, 72, 16, 48, 60


class Column(NamedTuple):
    """A column of a histogram: a range of values, the number of samples, and a tip."""

    low: float
    high: float
    n_samples: int
    tip: str


def columns_figure(title: str, id: str, values: str, columns: Sequence[Column]) -> Markup:
    """Draw the columns side by side, over an axis named after the values."""
    x = Scale(columns[0].low, columns[-1].high, LEFT, WIDTH - RIGHT)
    y = Scale(0, max(column.n_samples for column in columns) or 1, HEIGHT - BOTTOM, TOP)
    return chart(
        title,
        HEIGHT,
        x_axis(x, HEIGHT - BOTTOM, values, top=TOP, write=short),
        y_axis(y, LEFT, "samples", right=WIDTH - RIGHT, write=short),
        tag("g", *(_bar(x, y, column) for column in columns)),
        id=id,
        data_walk="rect",
        tabindex="0",
    )


def _bar(x: Scale, y: Scale, column: Column) -> Markup:
    height = max(y(0) - y(column.n_samples), 1.0 if column.n_samples else 0.0)
    width = max(x(column.high) - x(column.low) - 2, 1.0)
    place = {"x": x(column.low) + 1, "y": y(0) - height, "width": width, "height": height}
    tip = f"{short(column.n_samples)} samples with {column.tip}"
    return tag("rect", class_="column", data_tip=tip, role="img", aria_label=tip, **place)
