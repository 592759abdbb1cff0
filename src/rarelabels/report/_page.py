"""One HTML file of a summary: no outside request, whatever the data is called."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from rarelabels import __version__
from rarelabels.report._data_summary import measures
from rarelabels.report._labelsets import MOST_EXAMPLES
from rarelabels.report.words import (
    TYPE_MEANINGS,
    TYPES,
    found_by,
    percent,
    short,
    signed,
    unknown_labels,
)

if TYPE_CHECKING:
    # Imported with jinja2, an extra that measuring alone does not need.
    from markupsafe import Markup

    from rarelabels.report.figures import View

MAX_LABELS = 5000
# Rows that the page contains without its script, which adds the others when they are visible.
STATIC_ROWS = 200
COLUMNS = {
    "label": "Label",
    "count": "Samples",
    "local_imbalance": "Local",
    "safe": "Types of its samples",
    "irlbl": "IRLbl",
    "imr": "ImR",
}
GAIN_COLUMNS = {
    "label": "Label",
    "positives": "Samples",
    "gain": "Gain",
    "low": "95 % interval",
    "verdict": "Verdict",
}
OF_DATA = ("summary", "map", "features", "labelsets", "advice")
VERDICTS = ("higher", "lower", "not clear", "too few to judge")
FOR_SCRIPT = (
    "label", "count", "local_imbalance", "safe", "borderline", "rare", "outlier", "irlbl", "imr",
)  # fmt: skip


def render_page(
    data: dict[str, Any],
    comparison: dict[str, Any] | None = None,
    *,
    reference: dict[str, Any] | None = None,
    made: str = "",
) -> str:
    """Write the page of a data set, and of a comparison of methods on it.

    Parameters
    ----------
    data : dict
        From :func:`data_summary`.
    comparison : dict, optional
        From :func:`~rarelabels.comparison.comparison_summary`.
    reference : dict, optional
        The summary of another data set, whose measures are shown for comparison.
    made : str, optional
        The date, for the foot of the page.

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
    environment = template_environment()
    from rarelabels.report.figures import View, first_label

    chosen = first_label(data["labels"])
    view = View(data, comparison or {}, shown_labels(data["labels"], chosen), chosen)
    words = {**_words(view), "reference": reference, "made": made, "version": __version__}
    style, script = template_file("page.css"), template_file("page.js")
    return environment.get_template("page.html").render(
        **words,
        figures=_figures(view, environment, words),
        style=style,
        script=script,
        policy=_policy(style, script),
        data=script_json(_for_script(view)),
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
    # JSON without the signs that end an element.
    return Markup(text)  # noqa: S704


def _words(view: View) -> dict[str, Any]:
    """Return what the templates and the charts' captions speak of."""
    data, comparison = view.data, view.comparison
    from rarelabels.report.figures import MOST_POINTS

    best = _best(comparison) if comparison else None
    return {
        "title": data["name"] or "A data set",
        "subtitle": sizes(data["summary"]),
        "measures": measures(data["summary"]),
        "found_by": found_by(data["summary"]),
        "unknown_labels": unknown_labels(data["summary"]),
        "columns": list(COLUMNS.items()),
        "labels": label_rows(data["labels"], view.shown[:STATIC_ROWS]),
        "options": [{**data["labels"][j], "index": j} for j in view.shown],
        "n_shown": len(view.shown),
        "hidden_labels": len(data["labels"]) - len(view.shown),
        "merged": len(view.shown) > MOST_POINTS,
        "together": data["cooccurrence"],
        "legend": legend_of_types(),
        "map_legend": _legend_of_map(has_unknown="n_unknown" in data["summary"]),
        "gain_columns": list(GAIN_COLUMNS.items()),
        "gain_rows": gain_rows(comparison, best)[:STATIC_ROWS] if best else [],
        "chosen": view.chosen,
        "comparison": comparison,
        "gains": bool(comparison and comparison["gains"]),
        "best": best,
        **{key: data[key] for key in OF_DATA},
    }


def sizes(summary: dict[str, Any]) -> str:
    """Return how many samples, features and labels there are, in words."""
    counted = ("n_samples", "samples"), ("n_features", "features"), ("n_labels", "labels")
    return ", ".join(f"{short(summary[key])} {noun}" for key, noun in counted)


def label_rows(labels: list[dict[str, Any]], shown: list[int]) -> list[dict[str, Any]]:
    """Return the labels that are shown, for the table."""
    from rarelabels.report.figures import types_bar_svg

    return [
        {
            **labels[j],
            "index": j,
            "bar": types_bar_svg(labels[j]),
        }
        for j in shown
    ]


def shown_labels(labels: list[dict[str, Any]], chosen: int | None = None) -> list[int]:
    """Return the rarest labels, and the one on the map among them."""
    kept = sorted(range(len(labels)), key=lambda j: labels[j]["count"])[:MAX_LABELS]
    return kept if chosen is None or chosen in kept else [*kept[:-1], chosen]


def _figures(view: View, environment: Any, words: dict[str, Any]) -> dict[str, Markup]:
    """Draw the charts, and return those of each place behind each other."""
    from markupsafe import Markup

    from rarelabels.report import figures

    drawn_at: dict[str, Markup] = {}
    for chart in figures.CHARTS:
        if view.comparison or not chart.needs_comparison:
            parts = [chart.draw(view)]
            if chart.caption:
                caption = environment.from_string(chart.caption).render(**words)
                # Rendered by a template that escapes what comes from the data.
                parts.append(figures.tag("figcaption", Markup(caption), class_="quiet"))  # noqa: S704
            drawn = figures.tag("figure", *parts)
            drawn_at[chart.place] = figures.joined([drawn_at.get(chart.place, ""), drawn])
    return drawn_at


def _best(comparison: dict[str, Any]) -> str | None:
    return comparison["focus"] if comparison["focus"] in comparison["gains"] else None


def gain_rows(comparison: dict[str, Any], method: str) -> list[dict[str, Any]]:
    """Return what a method gains on each label, the largest gain first."""
    tests = comparison["label_tests"][method]
    columns = {
        "label": comparison["labels"],
        "positives": comparison["positives"],
        "gain": comparison["gains"][method],
        **{key: tests[key] for key in ("low", "high", "verdict")},
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    rows = [row for row in rows if row["gain"] is not None]
    return sorted(rows, key=lambda row: -row["gain"])


MARKS = (
    ("mark4", "t4", "other", "samples of the label’s more frequent class"),
    ("added", "added carrier", "added", "by the sampler, of the label’s rarer class"),
    ("added", "added", "added", "by the sampler, of its more frequent class"),
    ("repeated", "repeated", "repeated", "by the sampler"),
    ("removed", "removed", "removed", "by the sampler"),
)


def legend_of_types() -> Markup:
    """Return a legend of the marks of the types."""
    return _legend("Types of samples, by their neighbors", _type_marks())


def _legend_of_map(*, has_unknown: bool) -> Markup:
    """Return what the marks of the map mean; unknown labels look like the more frequent class."""
    frequent = "more frequent class"
    marks = [
        (
            *mark[:3],
            mark[3].replace(frequent, f"{frequent}, or unknown") if has_unknown else mark[3],
        )
        for mark in MARKS
    ]
    return _legend("Marks of the map", [*_type_marks(), *marks])


def _type_marks() -> list[tuple[str, str, str, str]]:
    return [(f"mark{n}", f"t{n}", name, TYPE_MEANINGS[name]) for n, name in enumerate(TYPES)]


def _legend(name: str, marks: Iterable[tuple[str, str, str, str]]) -> Markup:
    from rarelabels.report.figures import tag

    items = [_legend_item(*mark) for mark in marks]
    return tag("ul", *items, class_="legend", aria_label=name)


def _legend_item(mark: str, kind: str, name: str, meaning: str) -> Markup:
    from rarelabels.report.figures import tag

    drawn = tag("use", href=f"#{mark}", class_=kind, x=7, y=7)
    picture = tag("svg", drawn, aria_hidden="true")
    return tag("li", picture, name, tag("span", f" {meaning}", class_="quiet"))


def _for_script(view: View) -> dict[str, Any]:
    """Return the data of the page's script: labels, the map without positions, and gains."""
    data, samples = view.data, view.data["map"]
    labels = [data["labels"][j] for j in view.shown]
    overlays = [
        {
            key: value
            for key, value in overlay.items()
            if key not in ("added", "repeated", "removed")
        }
        for overlay in samples["overlays"]
    ]
    return {
        "types": samples["types"],
        "overlays": overlays,
        "chosen": view.chosen,
        "columns": list(COLUMNS),
        "labels": {
            "index": view.shown,
            **{key: [rounded(row[key]) for row in labels] for key in FOR_SCRIPT},
        },
        "names": [row["label"] for row in data["labels"]],
        "partners": data["partners"],
        "examples": data["examples"],
        "most_examples": MOST_EXAMPLES,
        **_gains_for_script(view.comparison),
    }


def _gains_for_script(comparison: dict[str, Any]) -> dict[str, Any]:
    tests = comparison.get("label_tests") or {}
    return {
        "positives": comparison.get("positives", []),
        "verdicts": VERDICTS,
        "gains": {
            name: {
                "gain": [rounded(value) for value in comparison["gains"][name]],
                "low": [rounded(value) for value in test["low"]],
                "high": [rounded(value) for value in test["high"]],
                "verdict": [VERDICTS.index(value) for value in test["verdict"]],
            }
            for name, test in tests.items()
        },
    }


def rounded(value: Any) -> Any:
    """Round a number to four digits, enough for a table; other values do not change."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _policy(style: str, script: str) -> str:
    """Allow this page's own style and script, and nothing from elsewhere."""
    return f"{style_policy(style)}; script-src '{_digest(script)}'"


def style_policy(style: str) -> str:
    """Allow a page's own style alone."""
    own = f"style-src '{_digest(style)}'"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def template_environment() -> Any:
    """Return the environment that renders the templates, which escapes all data."""
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


def template_file(name: str) -> Markup:
    """Return the content of a file of the templates."""
    from importlib.resources import files

    from markupsafe import Markup

    # A file of this package.
    return Markup(  # noqa: S704
        files("rarelabels.report").joinpath("templates", name).read_text(encoding="utf-8")
    )
