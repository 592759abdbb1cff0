"""Draw the map of the samples, colored for a label, and the effect of a sampler."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from rarelabels.report.figures._svg import WIDTH, Scale, chart, tag

HEIGHT, EDGE, GRID = 480, 14, 1000
MAJORITY = 4
ENOUGH = 20  # samples of a label for it to be worth the first look

# Types of samples also differ in shape, for readers who cannot see the colors.
SHAPES = (
    '<circle id="mark0" r="4.2"/>',
    '<rect id="mark1" x="-3.9" y="-3.9" width="7.8" height="7.8"/>',
    '<path id="mark2" d="M0 -5.4 5 3.8 -5 3.8Z"/>',
    '<path id="mark3" d="M0 -6 6 0 0 6 -6 0Z"/>',
    '<circle id="mark4" r="2.6"/>',
    '<path id="added" d="M0 -5V5M-5 0H5"/>',
    '<path id="removed" d="M-4 -4 4 4M-4 4 4 -4"/>',
    '<circle id="repeated" r="7.5"/>',
)


def map_figure(samples: dict[str, Any], label: int) -> Markup:
    """Draw the samples for a label, those of its rarer class on top."""
    x, y = Scale(0, GRID, EDGE, WIDTH - EDGE), Scale(0, GRID, HEIGHT - EDGE, EDGE)
    kinds = _kinds(samples["types"][label], len(samples["points"]))
    points = [
        tag("use", href=f"#mark{kind}", class_=f"t{kind}", **_at(place, x, y))
        for place, kind in zip(samples["points"], kinds, strict=True)
    ]
    overlays = [_overlay(overlay, samples["points"], x, y) for overlay in samples["overlays"]]
    return chart(
        f"Map of {len(samples['points'])} samples by {samples['method']}",
        HEIGHT,
        mark_shapes(),
        tag("rect", class_="frame", x=1, y=1, width=WIDTH - 2, height=HEIGHT - 2, rx=6),
        tag("g", *points, id="samples"),
        *overlays,
        id="map",
    )


def mark_shapes() -> Markup:
    """Return the definitions of the marks that legends and the map use."""
    # Constants above, no data.
    return tag("defs", *(Markup(shape) for shape in SHAPES))  # noqa: S704


def _kinds(types: list[list[int]], n_points: int) -> list[int]:
    kinds = [MAJORITY] * n_points
    for kind, places in enumerate(types):
        for place in places:
            kinds[place] = kind
    return kinds


def _overlay(overlay: dict[str, Any], points: list[Any], x: Scale, y: Scale) -> Markup:
    """Draw what a sampler added, repeated and removed; hidden until it is chosen."""
    marks = [
        *(tag("use", href="#added", class_="added", **_at(at, x, y)) for at in overlay["added"]),
        *(_mark("repeated", points[at], x, y) for at in overlay["repeated"]),
        *(_mark("removed", points[at], x, y) for at in overlay["removed"]),
    ]
    return tag("g", *marks, class_="overlay", data_sampler=overlay["sampler"], hidden="")


def _mark(kind: str, place: Any, x: Scale, y: Scale) -> Markup:
    return tag("use", href=f"#{kind}", class_=kind, **_at(place, x, y))


def _at(place: Any, x: Scale, y: Scale) -> dict[str, float]:
    return {"x": round(x(place[0]), 1), "y": round(y(place[1]), 1)}


def first_label(labels: list[dict[str, Any]]) -> int:
    """Choose the label to show first: one with the largest share of borderline and rare samples."""

    def hard_share(j: int) -> tuple[bool, bool, float]:
        row, share = labels[j], (labels[j]["borderline"] or 0) + (labels[j]["rare"] or 0)
        return row["minority_samples"] >= ENOUGH, row["minority_class"] == 1, share

    return max(range(len(labels)), key=hard_share)
