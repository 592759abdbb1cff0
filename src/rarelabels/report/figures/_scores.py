"""Draw the scores of methods with intervals, their ranks, and their times."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from rarelabels.report.figures._svg import WIDTH, Scale, chart, tag, x_axis
from rarelabels.report.words import short

LEFT, RIGHT, TOP, STEP = 196, 20, 16, 38
NAME_LENGTH = 20
# Dots of folds are below the interval, which would hide them.
BELOW = 11


def scores_figure(comparison: dict[str, Any]) -> Markup:
    """Draw each method's mean, its interval, and the score on each fold."""
    rows = sorted(comparison["methods"], key=lambda row: -row["gain"])
    ends = [
        value for row in rows for value in (row["score_low"], row["score_high"], *row["scores"])
    ]
    known = [value for value in ends if value is not None]
    margin = 0.04 * ((max(known) - min(known)) or 0.1)
    x = Scale(min(known) - margin, max(known) + margin, LEFT, WIDTH - RIGHT)
    bottom = TOP + STEP * len(rows)
    base = next(row["mean"] for row in rows if row["name"] == comparison["baseline"])
    lines = [_score_line(row, x, TOP + STEP * (place + 0.5)) for place, row in enumerate(rows)]
    return chart(
        f"{comparison['metric_title']} of each method with its 95 % interval",
        bottom + 60,
        x_axis(x, bottom, comparison["metric_title"], top=TOP, write=short),
        tag("line", class_="baseline", x1=x(base), x2=x(base), y1=TOP - 8, y2=bottom),
        *lines,
        id="scores",
        data_walk=".method",
        tabindex="0",
    )


def _score_line(row: dict[str, Any], x: Scale, y: float) -> Markup:
    tip = f"{row['name']}: {row['mean']:.3f}"
    parts = [_name(row["name"], y)]
    if row["score_low"] is not None:
        tip += f", 95 % interval {row['score_low']:.3f} to {row['score_high']:.3f}"
        ends = {"x1": x(row["score_low"]), "x2": x(row["score_high"])}
        parts.append(tag("line", class_="interval", y1=y, y2=y, **ends))
    parts += [
        tag("circle", class_="fold", cx=x(score), cy=y + BELOW, r=3) for score in row["scores"]
    ]
    parts.append(tag("circle", class_="mean", cx=x(row["mean"]), cy=y, r=6.5))
    kind = row["verdict"].replace(" ", "-")
    return tag("g", *parts, class_=f"method {kind}", data_tip=tip, role="img", aria_label=tip)


def _name(name: str, y: float) -> Markup:
    return tag("text", _cut(name), class_="name", x=LEFT - 12, y=y + 5, text_anchor="end")


def _cut(name: str) -> str:
    return name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "…"


def ranks_figure(comparison: dict[str, Any]) -> Markup:
    """Draw the average ranks, and bars over methods that do not differ."""
    rows = sorted(comparison["methods"], key=lambda row: row["rank"])
    n_left = (len(rows) + 1) // 2
    x = Scale(1, max(len(rows), 2), 190, WIDTH - 190)
    names_from = 64 + 14 * len(comparison["alike"])
    marks = [
        _rank_mark(
            {**row, "is_recommended": row["name"] == comparison["recommended"]},
            place,
            n_left,
            len(rows),
            x,
            names_from,
        )
        for place, row in enumerate(rows)
    ]
    at = {row["name"]: x(row["rank"]) for row in rows}
    bars = [
        tag("line", class_="alike", x1=at[first] - 5, x2=at[last] + 5, y1=y, y2=y)
        for (first, last), y in zip(comparison["alike"], range(56, 1000, 14), strict=False)
    ]
    return chart(
        "Average rank of each method; a bar joins methods that do not differ significantly",
        names_from + 30 * n_left + 10,
        _rank_axis(x, len(rows)),
        *marks,
        *bars,
        id="ranks",
        data_walk=".method",
        tabindex="0",
    )


def _rank_axis(x: Scale, n_methods: int) -> Markup:
    parts = [tag("line", class_="rule", x1=x(1), x2=x(max(n_methods, 2)), y1=38, y2=38)]
    for rank in range(1, n_methods + 1):
        parts.append(tag("line", class_="rule", x1=x(rank), x2=x(rank), y1=32, y2=38))
        parts.append(tag("text", rank, class_="tick", x=x(rank), y=24, text_anchor="middle"))
    return tag("g", *parts, aria_hidden="true")


def _rank_mark(
    row: dict[str, Any], place: int, n_left: int, n_methods: int, x: Scale, names_from: float
) -> Markup:
    """Draw a line from a rank to the name of its method; those in the middle are lowest."""
    is_left = place < n_left
    depth = names_from + 30 * (place if is_left else n_methods - 1 - place)
    edge, anchor, off = (182, "end", -6) if is_left else (WIDTH - 182, "start", 6)
    at = x(row["rank"])
    tip = f"{row['name']}: average rank {row['rank']:.2f}"
    tip += ", recommended" if row["is_recommended"] else ""
    parts = [
        tag("path", class_="leader", d=f"M{at:.1f} 38V{depth:g}H{edge}"),
        tag(
            "text",
            _cut(row["name"]),
            class_="name recommended" if row["is_recommended"] else "name",
            x=edge + off,
            y=depth + 5,
            text_anchor=anchor,
        ),
        tag("circle", class_="mean", cx=at, cy=38, r=5),
    ]
    return tag("g", *parts, class_="method", data_tip=tip, role="img", aria_label=tip)


def time_figure(comparison: dict[str, Any]) -> Markup:
    """Draw the seconds that a method takes for a fold."""
    rows = sorted(comparison["methods"], key=lambda row: row["seconds"])
    bottom = TOP + 30 * len(rows)
    x = Scale(0, max(max(row["seconds"] for row in rows), 1e-3), LEFT, WIDTH - RIGHT)
    return chart(
        "Seconds for one fold",
        bottom + 60,
        x_axis(x, bottom, "seconds for a fold: resample, fit and predict", top=TOP, write=short),
        *(_time_bar(row, x, TOP + 30 * place) for place, row in enumerate(rows)),
        id="time",
        data_walk=".method",
        tabindex="0",
    )


def _time_bar(row: dict[str, Any], x: Scale, y: float) -> Markup:
    tip = f"{row['name']}: {row['seconds']:.3g} s"
    width = max(x(row["seconds"]) - x(0), 1.5)
    bar = tag("rect", class_="column", x=x(0), y=y + 6, width=width, height=18, rx=2)
    return tag(
        "g",
        _name(row["name"], y + 15),
        bar,
        class_="method",
        data_tip=tip,
        role="img",
        aria_label=tip,
    )
