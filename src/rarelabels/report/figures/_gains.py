"""Draw the gain of a method on each label, by the rarity and difficulty of the label."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from rarelabels.report.figures._chart import View
from rarelabels.report.figures._merging import Point, drawn_points
from rarelabels.report.figures._svg import WIDTH, Scale, chart, tag, x_axis, y_axis
from rarelabels.report.words import short, signed

HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 380, 70, 16, 48, 60


def gains_figure(view: View, by: str) -> Markup:
    """Draw the gains of every method, one group of points each; the page shows one at a time.

    `by` is "minority_samples" or "local_imbalance".
    """
    comparison, labels = view.comparison, view.data["labels"]
    shown = [j for j in view.shown if labels[j]["local_imbalance"] is not None]
    x = _rarity(labels, shown) if by == "minority_samples" else Scale(0, 1, LEFT, WIDTH - RIGHT)
    known = [gain for gains in comparison["gains"].values() for gain in gains if gain is not None]
    reach = 1.1 * max([0.01, *(abs(gain) for gain in known)])
    y = Scale(-reach, reach, HEIGHT - BOTTOM, TOP)
    groups = [
        _group(name, gains, labels, shown, by, x, y) for name, gains in comparison["gains"].items()
    ]
    title = "samples of the label’s rarer class" if by == "minority_samples" else "local imbalance"
    return chart(
        f"Gain of each label against its {title}",
        HEIGHT,
        x_axis(x, HEIGHT - BOTTOM, title, top=TOP, write=short),
        y_axis(
            y,
            LEFT,
            f"gain in {comparison['label_title']}",
            right=WIDTH - RIGHT,
            write=short,
        ),
        tag("line", class_="baseline", x1=LEFT, x2=WIDTH - RIGHT, y1=y(0), y2=y(0)),
        *groups,
        id=f"gains-{by.replace('_', '-')}",
        data_walk="g:not([hidden]) > circle",
        tabindex="0",
    )


def _rarity(labels: list[dict[str, Any]], shown: list[int]) -> Scale:
    counts = [labels[j]["minority_samples"] for j in shown] or [1]
    low, high = max(min(counts) / 1.2, 0.8), max(counts) * 1.2
    return Scale(low, high, LEFT, WIDTH - RIGHT, logarithmic=True)


def _group(
    name: str,
    gains: list[Any],
    labels: list[dict[str, Any]],
    shown: list[int],
    by: str,
    x: Scale,
    y: Scale,
) -> Markup:
    points = []
    for j in shown:
        if j < len(gains) and gains[j] is not None:
            tip = f"{labels[j]['label']}: {signed(gains[j])} with {name}"
            kind = "dot up" if gains[j] > 0 else "dot down" if gains[j] < 0 else "dot"
            at = x(labels[j][by]), y(gains[j])
            points.append(Point(*at, label=j, name=labels[j]["label"], tip=tip, kind=kind))
    return tag("g", *drawn_points(points), class_="gains", data_method=name, hidden="")
