"""Define a chart of the page: one record with a function that draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup


@dataclass(frozen=True)
class View:
    """The content of a page, from which its charts are drawn.

    Attributes
    ----------
    data : dict
        From `data_summary`.
    comparison : dict or None
        From `comparison_summary`.
    shown : list of int
        The labels that the page lists.
    chosen : int
        The label that the map shows first.
    """

    data: dict[str, Any]
    comparison: dict[str, Any]
    shown: list[int]
    chosen: int


@dataclass(frozen=True)
class Chart:
    """A chart of the page.

    Attributes
    ----------
    place : str
        Where it stands: the templates have ``{{ figures.PLACE }}``, with all charts of that place.
    draw : callable
        From a `View` to an SVG element, whose ``id`` no other chart has.
    caption : str
        The words below it, a Jinja template that sees what the page's own templates see.
    needs_comparison : bool
        Whether it is left out of the page of a data set alone.
    """

    place: str
    draw: Callable[[View], Markup]
    caption: str = ""
    needs_comparison: bool = False
