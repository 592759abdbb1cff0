"""rarelabels describe: the measures of a data set, and its labels, rarest first."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rarelabels.cli._data import Data, Force, Labels, Neighbors, read_data
from rarelabels.cli._errors import Misuse, say, told
from rarelabels.cli._files import STDOUT, check_free, write_text

SHOWN = 40
Report = Annotated[
    str | None,
    typer.Option(metavar="PAGE.html", help="Write a page to look at; - for standard output."),
]


@told
def describe(
    data: Data,
    labels: Labels = None,
    k: Neighbors = 5,
    report: Report = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help=f"Show all labels, not the {SHOWN} rarest.")
    ] = False,
    force: Force = False,
) -> None:
    """Measure how imbalanced a data set is, as a whole and label by label."""
    if as_json and report == STDOUT:
        raise Misuse("--json and --report - both want standard output.")
    check_free(report, force=force)
    dataset = read_data(data, labels)
    found = summarize(dataset, k, with_map=report is not None)
    if report is not None:
        from rarelabels.report import render_page

        write_text(report, render_page(found))
    if as_json:
        write_text(STDOUT, as_text({key: found[key] for key in ("name", "summary", "labels")}))
    else:
        show(found, SHOWN if not everything else len(found["labels"]), error=report == STDOUT)
    if report not in (None, STDOUT):
        say(f"page: {report}")


def summarize(dataset: Any, k: int, *, with_map: bool = False) -> dict[str, Any]:
    """Give the page's summary or, without a map, what of it a terminal can show."""
    from rarelabels.report import data_summary, measured

    return (data_summary if with_map else measured)(dataset, n_neighbors=k)


def as_text(value: Any) -> str:
    """Write JSON for people and programs."""
    import json

    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def show(found: dict[str, Any], n_labels: int, *, error: bool = False) -> None:
    """Print the measures, then the rarest labels."""
    from rarelabels.cli._show import console, types_legend

    page = console(error=error)
    page.print(measures_table(found))
    page.print()
    page.print(labels_table(found["labels"], n_labels))
    page.print()
    page.print(types_legend())
    n_more = len(found["labels"]) - n_labels
    if n_more > 0:
        page.print(f"… and {n_more} more frequent labels (--all shows them)")


def measures_table(*found: dict[str, Any]) -> Any:
    """Lay out the measures of data sets with what they mean."""
    from rarelabels.cli._show import table
    from rarelabels.report._words import MEASURES, short

    rows = (
        (words.title, *(short(one["summary"][name]) for one in found), words.meaning)
        for name, words in MEASURES.items()
    )
    made = table(["", *(one["name"] or "value" for one in found), "meaning"], rows)
    made.columns[-1].justify, made.columns[-1].no_wrap = "left", False
    return made


def labels_table(labels: list[dict[str, Any]], n_shown: int) -> Any:
    """Lay out the rarest labels."""
    from rarelabels.cli._show import table, types_bar
    from rarelabels.report._words import short

    numbers = ("count", "irlbl", "imr", "local_imbalance")
    rarest = sorted(labels, key=lambda row: row["count"])[:n_shown]
    made = table(
        ["label", "rows", "IRLbl", "ImR", "local imb.", "types of its rows"],
        ([row["label"], *(short(row[key]) for key in numbers), types_bar(row)] for row in rarest),
    )
    made.columns[-1].justify = "left"
    return made
