"""Show descriptions and comparisons on the terminal."""

from __future__ import annotations

from typing import Any

from rarelabels.cli._layout import TableColumn
from rarelabels.cli._terminal import Page, colored_verdict, types_bar, types_legend


def show_description(description: dict[str, Any], n_labels: int, data: str, *, page: Page) -> None:
    """Print the measures, then the rarest labels; `data` is DATA as it was typed, with options."""
    page.table(*measure_columns([description["name"] or "value"], [description]))
    _print_limits(page, description)
    page.line()
    page.table(*label_columns(description["labels"], n_labels))
    page.line()
    page.text(types_legend())
    n_more = len(description["labels"]) - n_labels
    if n_more > 0:
        page.text(f"… and {n_more} more frequent labels (--all shows them)")
    page.line()
    for line in plan_lines(description["advice"], data):
        page.text(line)


def plan_lines(advice: list[dict[str, Any]], data: str) -> list[str]:
    """Return what to do, a paragraph for each step, with the command for it."""
    lines = ["What to do:"]
    for number, step in enumerate(advice, 1):
        lines.append(f"{number}. {step['topic']}: {step['what']}. Why: {step['why']}.")
        lines += [f"   {step['command'].replace('DATA', data)}"] if step["command"] else []
    return lines


def show_before_and_after(old: dict[str, Any], new: dict[str, Any], *, page: Page) -> None:
    """Print the measures before and after resampling, and the counts of the rarest labels."""
    from rarelabels.report.words import short

    page.table(*measure_columns(["before", "after"], [old, new], meanings=False))
    _print_limits(page, old)
    page.line()
    pairs = sorted(zip(old["labels"], new["labels"], strict=True), key=lambda p: p[0]["count"])[:10]
    heads = {"count": "samples", "local_imbalance": "local imb."}
    page.table(
        TableColumn("rarest labels", [old["label"] for old, _ in pairs], is_text=True),
        *(
            TableColumn(f"{head} {when}", [short(pair[place][key]) for pair in pairs])
            for key, head in heads.items()
            for place, when in enumerate(("before", "after"))
        ),
    )


def show_counts(before: Any, after: Any, n_before: int, n_after: int, *, page: Page) -> None:
    """Print the numbers of samples before and after resampling, of the rarest labels and of all.

    `before` and `after` map labels to numbers of positive samples.
    """
    from rarelabels.report.words import short

    rarest = sorted(before.index, key=lambda name: before[name])[:10]
    page.table(
        TableColumn("rarest labels", [*rarest, "all samples"], is_text=True),
        TableColumn("samples before", [short(int(n)) for n in (*before[rarest], n_before)]),
        TableColumn("samples after", [short(int(n)) for n in (*after[rarest], n_after)]),
    )


def _print_limits(page: Page, description: dict[str, Any]) -> None:
    """Print how many of the neighbors a search finds, and how many labels are unknown."""
    from rarelabels.report.words import found_by, unknown_labels

    if "neighbor_recall" in description["summary"]:
        page.text(found_by(description["summary"]))
    if unknown := unknown_labels(description["summary"]):
        page.text(unknown)


def measure_columns(
    heads: list[str], summaries: list[dict[str, Any]], *, meanings: bool = True
) -> list[TableColumn]:
    """Return the measures of data sets, with what they mean."""
    from rarelabels.report.words import MEASURES, short

    columns = [TableColumn("", [words.title for words in MEASURES.values()], is_text=True)]
    columns += [
        TableColumn(head, [short(one["summary"][name]) for name in MEASURES])
        for head, one in zip(heads, summaries, strict=True)
    ]
    if meanings:
        texts = [words.meaning for words in MEASURES.values()]
        columns.append(TableColumn("meaning", texts, is_text=True))
    return columns


def label_columns(
    labels: list[dict[str, Any]], n_shown: int, head: str = "label"
) -> list[TableColumn]:
    """Return the columns of the rarest labels."""
    from rarelabels.report.words import short

    rarest = sorted(labels, key=lambda row: row["count"])[:n_shown]

    def numbers(key: str, head: str, rank: int = 0) -> TableColumn:
        return TableColumn(head, [short(row[key]) for row in rarest], rank=rank)

    return [
        TableColumn(head, [row["label"] for row in rarest], is_text=True),
        numbers("count", "samples"),
        numbers("irlbl", "IRLbl", rank=2),
        numbers("imr", "ImR", rank=1),
        numbers("local_imbalance", "local imb."),
        TableColumn("types of its samples", [types_bar(row) for row in rarest], is_text=True),
    ]


def show_comparison(comparison: dict[str, Any], *, page: Page) -> None:
    """Print what to use, the methods, the labels that change most, and the reasons."""
    page.text(comparison["conclusion"]["headline"])
    page.line()
    page.table(*method_columns(comparison))
    if comparison["gains"]:
        page.line()
        page.table(*gain_columns(comparison))
    page.line()
    for sentence in comparison["conclusion"]["details"]:
        page.text(sentence)


def method_columns(comparison: dict[str, Any]) -> list[TableColumn]:
    """Return the columns of the methods, best mean first."""
    from rarelabels.report.words import short

    rows = sorted(comparison["methods"], key=lambda one: -one["gain"])

    def numbers(head: str, key: str, form: str, rank: int = 0) -> TableColumn:
        return TableColumn(head, [_formatted(row.get(key), form) for row in rows], rank=rank)

    return [
        TableColumn("method", [row["name"] for row in rows], is_text=True),
        numbers(comparison["metric_title"], "mean", ".3f"),
        numbers("±", "sd", ".3f", rank=2),
        TableColumn("gain", [_gain(row) for row in rows]),
        TableColumn("95 % interval", [_method_interval(row) for row in rows]),
        numbers("p", "p_value", ".2g", rank=1),
        numbers(f"P(>{comparison['margin']:g})", "probability_helps", ".2f", rank=4),
        numbers("could show", "smallest_detectable", ".3f", rank=3),
        numbers("rank", "rank", ".2f", rank=6),
        TableColumn("folds", [short(row["n_folds"]) for row in rows], rank=7),
        TableColumn("s/fold", [short(row["seconds"]) for row in rows], rank=5),
        TableColumn("verdict", [colored_verdict(row["verdict"]) for row in rows], is_text=True),
    ]


def _formatted(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _gain(row: dict[str, Any]) -> str:
    from rarelabels.report.words import signed

    return "" if row["verdict"] == "baseline" else signed(row["gain"])


def _method_interval(row: dict[str, Any]) -> str:
    return "" if row["p_value"] is None else _interval(row["low"], row["high"])


def _interval(low: float | None, high: float | None) -> str:
    from rarelabels.report.words import signed

    return "" if low is None or high is None else f"{signed(low)} to {signed(high)}"


def gain_columns(comparison: dict[str, Any]) -> list[TableColumn]:
    """Return the gains of one method on the labels that change most."""
    from rarelabels.report.words import short, signed

    best = comparison["focus"]
    gains, tests = comparison["gains"][best], comparison["label_tests"][best]
    places = [place for place, gain in enumerate(gains) if gain is not None]
    places.sort(key=lambda place: -gains[place])
    head = f"gains by {best}"
    if len(places) > 10:
        places, head = [*places[:5], *places[-5:]], f"{head}, first and last five"
    intervals = [_interval(tests["low"][place], tests["high"][place]) for place in places]
    verdicts = [colored_verdict(tests["verdict"][place]) for place in places]
    return [
        TableColumn(head, [comparison["labels"][place] for place in places], is_text=True),
        TableColumn("samples", [short(comparison["positives"][place]) for place in places], rank=1),
        TableColumn("gain", [signed(gains[place]) for place in places]),
        TableColumn("95 % interval", intervals),
        TableColumn("verdict", verdicts, is_text=True),
    ]


def show_tables(summary: dict[str, Any], *, page: Page) -> None:
    """Print one learner's table of scores, with ranks and tests below."""
    from rarelabels.metrics import find_metric

    tallies: list[str] = [tally for tally in ("wins", "losses") if tally in summary]
    names = [*summary["datasets"], *(["average rank"] if summary["ranks"] else []), *tallies]
    page.text(f"{find_metric(summary['metric']).title}, {summary['learner']}")
    page.table(
        TableColumn("data set", names, is_text=True),
        *(
            TableColumn(method, _method_cells(summary, place, method, tallies))
            for place, method in enumerate(summary["methods"])
        ),
        split=True,
    )
    for line in _below_tables(summary):
        page.text(line)
    page.line()


def _method_cells(
    summary: dict[str, Any], place: int, method: str, tallies: list[str]
) -> list[str]:
    """Return a method's scores on all data sets, its average rank, wins and losses."""
    cells = [_formatted(values[place], ".4f") or "–" for values in summary["scores"]]
    if summary["ranks"]:
        cells.append(f"{summary['ranks'][method]:.2f}")
    return [*cells, *(str(summary[tally][method]) for tally in tallies)]


def _below_tables(summary: dict[str, Any]) -> list[str]:
    """Return the tests, and why some data sets are left out of them."""
    lines = []
    if summary.get("friedman") is not None:
        lines.append(f"Friedman test: p = {summary['friedman']:.2g}")
    if "wins" in summary:
        lines.append(
            f"wins and losses: Wilcoxon tests at 5 %, corrected by {summary['correction']}"
        )
    if summary.get("note"):
        lines.append(summary["note"])
    if summary["failed"]:
        counts = ", ".join(f"{name} ({count} jobs)" for name, count in summary["failed"].items())
        lines.append(f"failed: {counts}; ranks and tests leave these data sets out.")
    incomplete = [
        name
        for name, values in zip(summary["datasets"], summary["scores"], strict=True)
        if None in values and name not in summary["failed"]
    ]
    if incomplete:
        lines.append(
            f"not done yet: {', '.join(incomplete)}; ranks and tests leave these data sets out."
        )
    return lines
