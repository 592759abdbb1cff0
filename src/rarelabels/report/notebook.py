"""A description's charts and tables as a notebook shows them: no script, nothing loaded."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from rarelabels.measures import Description
from rarelabels.report._data_summary import measures, measures_of
from rarelabels.report._page import (
    COLUMNS,
    STATIC_ROWS,
    label_rows,
    legend_of_types,
    shown_labels,
    sizes,
    style_policy,
    template_environment,
    template_file,
)
from rarelabels.report.words import found_by, unknown_labels

HEIGHT = "44rem"


def description_frame(described: Description) -> str:
    """Return a description as a separate page in a frame, which no other style changes."""
    page = escape(description_page(described), quote=True)
    style = f"width:100%;height:{HEIGHT};border:0;resize:vertical"
    return f'<iframe srcdoc="{page}" style="{style}" title="Description of the labels"></iframe>'


def description_page(described: Description) -> str:
    """Return a description as an HTML document: a chart and a table of its labels, and advice."""
    environment = template_environment()
    from rarelabels.report.figures import MOST_POINTS, frequency_figure, mark_shapes

    data = measures_of(described, described.labels["label"].tolist())
    shown, style = shown_labels(data["labels"]), template_file("page.css")
    listed = label_rows(data["labels"], shown[:STATIC_ROWS])
    words = {
        **data,
        "labels": listed,
        "hidden_labels": len(data["labels"]) - len(listed),
        "chart": frequency_figure(data["labels"], shown),
        "merged": len(shown) > MOST_POINTS,
        "measures": measures(data["summary"]),
        "columns": list(COLUMNS.items()),
        "subtitle": sizes(data["summary"]),
        "found_by": found_by(data["summary"]),
        "unknown_labels": unknown_labels(data["summary"]),
        "legend": legend_of_types(),
        "shapes": mark_shapes(),
        "reference": None,
        "labelsets": None,
    }
    page = environment.get_template("notebook.html").render(
        **words, style=style, policy=style_policy(style)
    )
    return with_titles(page)


def with_titles(page: Any) -> str:
    """Add titles to elements with a tip, which browsers show without a script.

    >>> with_titles('<circle data-tip="a &lt; b" r="2"></circle>')
    '<circle data-tip="a &lt; b" r="2"><title>a &lt; b</title></circle>'
    """
    return re.sub(r'(<[^<>]* data-tip="([^"]*)"[^<>]*>)', r"\1<title>\2</title>", str(page))
