"""One HTML file of a summary: no outside request, whatever the data is called."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from rarelabels import __version__
from rarelabels.report._data_summary import measures
from rarelabels.report.words import TYPE_MEANINGS, TYPES, percent, short, signed

if TYPE_CHECKING:
    # Of jinja2's company: who only measures need not have it.
    from markupsafe import Markup

    from rarelabels.report.figures import View

MAX_LABELS = 1000
COLUMNS = {
    "label": "Label",
    "count": "Samples",
    "local_imbalance": "Local",
    "safe": "Types of its samples",
    "irlbl": "IRLbl",
    "imr": "ImR",
}


def render_page(
    data: dict[str, Any],
    comparison: dict[str, Any] | None = None,
    *,
    beside: dict[str, Any] | None = None,
    made: str = "",
) -> str:
    """Write the page of a data set, and of a comparison of methods on it.

    Parameters
    ----------
    data : dict
        From :func:`data_summary`.
    comparison : dict, optional
        From :func:`comparison_summary`.
    beside : dict, optional
        The summary of another data set, whose measures are shown beside these.
    made : str, optional
        When, for the foot of the page.

    Returns
    -------
    str
        An HTML document that loads nothing, readable without JavaScript too.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.report import data_summary, render_page
    >>> page = render_page(data_summary(make_local_imbalance(60, random_state=0)))
    >>> page.startswith("<!DOCTYPE html>")
    True
    """
    environment = _environment()
    from rarelabels.report.figures import View, first_label

    chosen = first_label(data["labels"])
    view = View(data, comparison or {}, _shown(data["labels"], chosen), chosen)
    words = {**_words(view), "beside": beside, "made": made, "version": __version__}
    style, script = _file("page.css"), _file("page.js")
    return environment.get_template("page.html").render(
        **words,
        figures=_figures(view, environment, words),
        style=style,
        script=script,
        policy=_policy(style, script),
        data=script_json(_for_script(data["map"])),
    )


def script_json(value: Any) -> Markup:
    r"""Write JSON that may stand in a script element.

    >>> print(script_json("</script>"))
    "\u003c/script\u003e"
    """
    from markupsafe import Markup

    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _words(view: View) -> dict[str, Any]:
    """Return what the templates and the charts' captions speak of."""
    data, comparison = view.data, view.comparison
    rows = _label_rows(data["labels"], view.shown)
    return {
        "title": data["name"] or "A data set",
        "subtitle": _subtitle(data["summary"]),
        "measures": measures(data["summary"]),
        "columns": list(COLUMNS.items()),
        "labels": rows,
        "hidden_labels": len(data["labels"]) - len(rows),
        "together": data["cooccurrence"],
        "legend": _legend(),
        "chosen": view.chosen,
        "comparison": comparison,
        "gains": bool(comparison and comparison["gains"]),
        "best": _best(comparison) if comparison else None,
        **{key: data[key] for key in ("summary", "n_neighbors", "map")},
    }


def _subtitle(summary: dict[str, Any]) -> str:
    sizes = ("n_samples", "samples"), ("n_features", "features"), ("n_labels", "labels")
    return ", ".join(f"{short(summary[key])} {noun}" for key, noun in sizes)


def _label_rows(labels: list[dict[str, Any]], shown: list[int]) -> list[dict[str, Any]]:
    """Return the labels that are shown, for the table."""
    from rarelabels.report.figures import types_bar_svg

    return [
        {
            **labels[j],
            "index": j,
            "bar": types_bar_svg(labels[j]),
            "sort_values": json.dumps([labels[j][key] for key in COLUMNS]),
        }
        for j in shown
    ]


def _shown(labels: list[dict[str, Any]], chosen: int) -> list[int]:
    """Return the rarest labels, and the one on the map among them."""
    kept = sorted(range(len(labels)), key=lambda j: labels[j]["count"])[:MAX_LABELS]
    return kept if chosen in kept else [*kept[:-1], chosen]


def _figures(view: View, environment: Any, words: dict[str, Any]) -> dict[str, Markup]:
    """Draw the charts, and return those of each place behind each other."""
    from markupsafe import Markup

    from rarelabels.report import figures

    found: dict[str, Markup] = {}
    for chart in figures.CHARTS:
        if view.comparison or not chart.needs_comparison:
            parts = [chart.draw(view)]
            if chart.caption:
                caption = environment.from_string(chart.caption).render(**words)
                parts.append(figures.tag("figcaption", Markup(caption), class_="quiet"))
            drawn = figures.tag("figure", *parts)
            found[chart.place] = figures.joined([found.get(chart.place, ""), drawn])
    return found


def _best(comparison: dict[str, Any]) -> str | None:
    ranked = sorted(comparison["methods"], key=lambda row: -row["mean"])
    return next((row["name"] for row in ranked if row["name"] in comparison["gains"]), None)


def _legend() -> Markup:
    from rarelabels.report.figures import tag

    items = [
        tag(
            "li",
            tag(
                "svg",
                tag("use", href=f"#mark{kind}", class_=f"t{kind}", x=7, y=7),
                aria_hidden="true",
            ),
            name,
            tag("span", f" {TYPE_MEANINGS[name]}", class_="quiet"),
        )
        for kind, name in enumerate(TYPES)
    ]
    return tag("ul", *items, class_="legend", aria_label="Types of samples, by their neighbours")


def _for_script(rows: dict[str, Any]) -> dict[str, Any]:
    """Return what the page's script needs to know of the map: all but the places."""
    overlays = [
        {
            key: value
            for key, value in overlay.items()
            if key not in ("added", "repeated", "removed")
        }
        for overlay in rows["overlays"]
    ]
    return {"types": rows["types"], "overlays": overlays}


def _policy(style: str, script: str) -> str:
    """Allow this page's own style and script, and nothing from elsewhere."""
    return (
        f"default-src 'none'; style-src '{_sum(style)}'; script-src '{_sum(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _sum(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError('the page needs jinja2: pip install "rarelabels[report]".') from error
    environment = Environment(
        loader=PackageLoader("rarelabels.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(short=short, percent=percent, signed=signed)
    return environment


def _file(name: str) -> Markup:
    from importlib.resources import files

    from markupsafe import Markup

    return Markup(
        files("rarelabels.report").joinpath("templates", name).read_text(encoding="utf-8")
    )
