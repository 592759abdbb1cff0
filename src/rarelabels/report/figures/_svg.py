"""Write SVG as text: escaped elements, and the scales and axes of charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

WIDTH = 640


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element, with everything escaped that is not markup.

    A trailing underscore of an attribute's name is dropped, others become hyphens; None leaves the
    attribute out.

    >>> tag("text", "a < b", class_="name", data_tip='"', x=1.50)
    Markup('<text class="name" data-tip="&#34;" x="1.5">a &lt; b</text>')
    """
    pairs = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    inside = "".join(f' {key}="{_attribute(value)}"' for key, value in pairs if value is not None)
    # Names are the callers' own; attributes and children are escaped.
    return Markup(f"<{name}{inside}>{joined(children)}</{name}>")  # noqa: S704


def joined(parts: Iterable[Any]) -> Markup:
    """Join parts."""
    # Each part is escaped.
    return Markup("".join(escape(part) for part in parts))  # noqa: S704


def chart(title: str, height: float, *children: Any, **attributes: Any) -> Markup:
    """Return a chart that fills its width, with a title for screen readers."""
    return tag(
        "svg",
        *children,
        **{"viewBox": f"0 0 {WIDTH} {height:g}", "role": "group", "aria-label": title},
        **{"class": "chart", **attributes},
    )


def _attribute(value: Any) -> str:
    if isinstance(value, float):
        return f"{round(value, 2):g}" if abs(value) < 1e5 else f"{value:.0f}"
    return str(escape(value))


@dataclass(frozen=True)
class Scale:
    """Convert values to positions, linearly or by the logarithm, with ticks."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        low, high = self._on_axis(self.low), self._on_axis(self.high)
        share = 0.5 if high == low else (self._on_axis(value) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def _on_axis(self, value: float) -> float:
        return math.log10(max(value, 1e-12)) if self.logarithmic else value

    def ticks(self, wanted: int = 6) -> list[float]:
        """Return round values within the scale.

        >>> Scale(0, 1, 0, 100).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        >>> Scale(3, 1200, 0, 100, logarithmic=True).ticks()
        [10.0, 100.0, 1000.0]
        """
        if self.logarithmic:
            return _log_ticks(self.low, self.high)
        return _round_ticks(self.low, self.high, wanted)


def _round_ticks(low: float, high: float, wanted: int) -> list[float]:
    if high <= low:
        return [low]
    rough = (high - low) / wanted
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        ticks = [float(f * 10**p) for p in powers for f in factors if low <= f * 10**p <= high]
        if len(ticks) >= 3:
            return ticks
    return ticks


def x_axis(
    scale: Scale, y: float, title: str, *, top: float, write: Callable[[float], str]
) -> Markup:
    """Draw the horizontal axis of a plot: ticks, grid lines and a title."""
    parts = []
    for tick in scale.ticks():
        place = scale(tick)
        parts.append(tag("line", class_="grid", x1=place, x2=place, y1=top, y2=y))
        parts.append(
            tag("text", write(tick), class_="tick", x=place, y=y + 20, text_anchor="middle")
        )
    middle = (scale.start + scale.end) / 2
    parts.append(tag("text", title, class_="axis", x=middle, y=y + 46, text_anchor="middle"))
    return tag("g", *parts, aria_hidden="true")


def y_axis(
    scale: Scale, x: float, title: str, *, right: float, write: Callable[[float], str]
) -> Markup:
    """Draw the vertical axis of a plot: ticks, grid lines and a title."""
    parts = []
    for tick in scale.ticks():
        place = scale(tick)
        parts.append(tag("line", class_="grid", x1=x, x2=right, y1=place, y2=place))
        parts.append(
            tag("text", write(tick), class_="tick", x=x - 8, y=place + 5, text_anchor="end")
        )
    parts.append(tag("text", title, class_="axis", x=4, y=min(scale.start, scale.end) - 20))
    return tag("g", *parts, aria_hidden="true")
