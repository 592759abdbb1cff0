"""Merge points that would overlap into one point, which shows how many there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from rarelabels.report.figures._svg import tag

# Up to this number of labels, each has a separate point.
MOST_POINTS = 150
CELL = 20.0
RADIUS, LARGEST = 6.0, 16.0
MOST_NAMED = 6


@dataclass(frozen=True)
class Point:
    """A label on a chart: its position, number, name, tip and class."""

    x: float
    y: float
    label: int
    name: str
    tip: str
    kind: str = "dot"


def drawn_points(points: Sequence[Point]) -> list[Markup]:
    """Draw points; those that would overlap become one circle, whose area shows their number."""
    if len(points) <= MOST_POINTS:
        return [_single(point) for point in points]
    cells: dict[tuple[int, int, str], list[Point]] = {}
    for point in points:
        place = (int(point.x // CELL), int(point.y // CELL), point.kind)
        cells.setdefault(place, []).append(point)
    return [_single(of[0]) if len(of) == 1 else _merged(of) for of in cells.values()]


def _single(point: Point) -> Markup:
    return _circle(point.x, point.y, RADIUS, point.kind, point.tip, data_label=point.label)


def _merged(points: list[Point]) -> Markup:
    names = [point.name for point in points]
    more = len(names) - MOST_NAMED
    shown = ", ".join([*names[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])])
    x = sum(point.x for point in points) / len(points)
    y = sum(point.y for point in points) / len(points)
    radius = min(LARGEST, RADIUS * math.sqrt(1 + math.log2(len(points))))
    return _circle(x, y, radius, f"{points[0].kind} many", f"{len(points)} labels: {shown}")


def _circle(x: float, y: float, radius: float, kind: str, tip: str, **more: Any) -> Markup:
    place = {"cx": x, "cy": y, "r": radius}
    return tag("circle", class_=kind, data_tip=tip, role="img", aria_label=tip, **place, **more)
