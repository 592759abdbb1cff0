"""Draw labels by frequency and local imbalance, and the types of their samples."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from rarelabels.report.figures._merging import Point, drawn_points
from rarelabels.report.figures._svg import WIDTH, Scale, chart, tag, x_axis, y_axis
from rarelabels.report.words import TYPES, percent, short

HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 410, 62, 16, 48, 60


def frequency_figure(labels: list[dict[str, Any]], wanted: list[int]) -> Markup:
    """Draw labels as points: their numbers of samples, and their local imbalance."""
    shown = [j for j in wanted if labels[j]["local_imbalance"] is not None]
    counts = [labels[j]["minority_samples"] for j in shown] or [1]
    x = Scale(max(min(counts) / 1.2, 0.8), max(counts) * 1.2, LEFT, WIDTH - RIGHT, logarithmic=True)
    y = Scale(0, 1, HEIGHT - BOTTOM, TOP)
    points = drawn_points([_point(labels[j], j, x, y) for j in shown])
    return chart(
        "Labels: samples of the rarer class against local imbalance",
        HEIGHT,
        x_axis(x, HEIGHT - BOTTOM, "samples of the label’s rarer class", top=TOP, write=short),
        y_axis(y, LEFT, "local imbalance", right=WIDTH - RIGHT, write=short),
        tag("g", *points, class_="points"),
        id="frequency",
        data_walk="circle",
        tabindex="0",
    )


def _point(row: dict[str, Any], j: int, x: Scale, y: Scale) -> Point:
    tip = (
        f"{row['label']}: {short(row['count'])} samples, "
        f"local imbalance {short(row['local_imbalance'])}"
    )
    return Point(x(row["minority_samples"]), y(row["local_imbalance"]), j, row["label"], tip)


def types_bar_svg(row: dict[str, Any]) -> Markup:
    """Draw the shares of safe, borderline, rare and outlier samples as one bar."""
    if row["safe"] is None:
        return Markup('<span class="quiet">one class only</span>')
    words = ", ".join(f"{kind} {percent(row[kind])}" for kind in TYPES)
    parts, start = [], 0.0
    for number, kind in enumerate(TYPES):
        width = 100 * row[kind]
        if width:
            # A space of half a unit between two parts separates them without color.
            drawn = max(width - 0.6, 0.4)
            parts.append(tag("rect", class_=f"t{number}", x=start, y=0, width=drawn, height=10))
        start += width
    return tag(
        "svg",
        *parts,
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        role="img",
        **{"class": "bar", "aria-label": words, "data-tip": words},
    )
