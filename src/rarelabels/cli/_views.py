"""Descriptions and comparisons on the terminal."""

from __future__ import annotations

from typing import Any

from rarelabels.cli._printable import printable
from rarelabels.cli._terminal import console, table, types_bar, types_legend


def show_description(found: dict[str, Any], n_labels: int, *, error: bool = False) -> None:
    """Print the measures, then the rarest labels."""
    page = console(error=error)
    page.print(measures_table([found["name"] or "value"], [found]))
    _print_recall(page, found)
    page.print()
    page.print(labels_table(found["labels"], n_labels))
    page.print()
    page.print(types_legend())
    n_more = len(found["labels"]) - n_labels
    if n_more > 0:
        page.print(f"… and {n_more} more frequent labels (--all shows them)")
    page.print()
    for line in plan_lines(found["advice"]):
        page.print(printable(line), markup=False)


def plan_lines(advice: list[dict[str, Any]]) -> list[str]:
    """Return what to do, a paragraph for each step."""
    lines = ["What to do:"]
    for number, step in enumerate(advice, 1):
        lines.append(f"{number}. {step['topic']}: {step['what']}. Why: {step['why']}.")
        lines += [f"   {step['code']}"] if step["code"] else []
    return lines


def show_before_and_after(old: dict[str, Any], new: dict[str, Any], *, error: bool) -> None:
    """Print the measures before and after resampling, and the counts of the rarest labels."""
    from rarelabels.report.words import short

    page = console(error=error)
    page.print(measures_table(["before", "after"], [old, new], meanings=False))
    _print_recall(page, old)
    pairs = sorted(zip(old["labels"], new["labels"], strict=True), key=lambda p: p[0]["count"])[:10]
    numbers = ("count", "local_imbalance")
    rows = (
        (a["label"], *(short(one[number]) for number in numbers for one in (a, b)))
        for a, b in pairs
    )
    heads = ["rarest labels", "samples before", "after", "local imb. before", "after"]
    page.print(table(heads, rows))


def _print_recall(page: Any, found: dict[str, Any]) -> None:
    """Print how well the neighbours are known, where the search was approximate."""
    from rarelabels.report.words import found_by

    if "neighbor_recall" in found["summary"]:
        page.print(found_by(found["summary"]))


def measures_table(heads: list[str], found: list[dict[str, Any]], *, meanings: bool = True) -> Any:
    """Lay out the measures of data sets, with what they mean."""
    from rarelabels.report.words import MEASURES, short

    rows = [
        [words.title, *(short(one["summary"][name]) for one in found)]
        + ([words.meaning] if meanings else [])
        for name, words in MEASURES.items()
    ]
    made = table(["", *heads, *(["meaning"] if meanings else [])], rows)
    if meanings:
        made.columns[-1].justify, made.columns[-1].no_wrap = "left", False
    return made


def labels_table(labels: list[dict[str, Any]], n_shown: int, head: str = "label") -> Any:
    """Lay out the rarest labels."""
    from rarelabels.report.words import short

    numbers = ("count", "irlbl", "imr", "local_imbalance")
    rarest = sorted(labels, key=lambda row: row["count"])[:n_shown]
    made = table(
        [head, "samples", "IRLbl", "ImR", "local imb.", "types of its samples"],
        ([row["label"], *(short(row[key]) for key in numbers), types_bar(row)] for row in rarest),
    )
    made.columns[-1].justify = "left"
    return made


def show_comparison(found: dict[str, Any], *, error: bool = False) -> None:
    """Print the methods, the labels that change most, and the conclusion."""
    page = console(error=error)
    page.print(_methods_table(found))
    if found["gains"]:
        page.print()
        page.print(_gains_table(found))
    page.print()
    for sentence in (found["conclusion"]["headline"], *found["conclusion"]["details"]):
        page.print(printable(sentence), markup=False, soft_wrap=True)


def _methods_table(found: dict[str, Any]) -> Any:
    heads = ["method", found["metric_title"], "±", "gain", "95 % interval", "p"]
    heads += [f"P(>{found['margin']:g})", "could show", "rank", "s/fold", "verdict"]
    ranked = sorted(found["methods"], key=lambda one: -one["mean"])
    return table(heads, [_method_row(row) for row in ranked])


def _method_row(row: dict[str, Any]) -> tuple[str, ...]:
    from rarelabels.report.words import short, signed

    mean = (row["name"], f"{row['mean']:.3f}", _decimals(row["sd"]))
    last = (f"{row['rank']:.2f}", short(row["seconds"]), row["verdict"])
    if row["p_value"] is None:
        return (
            *mean,
            "" if row["verdict"] == "baseline" else signed(row["gain"]),
            *[""] * 4,
            *last,
        )
    gain = (signed(row["gain"]), f"{signed(row['low'])} to {signed(row['high'])}")
    tests = (f"{row['p_value']:.2g}", f"{row['probability_helps']:.2f}")
    return (*mean, *gain, *tests, _decimals(row["smallest_detectable"]), *last)


def _decimals(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _gains_table(found: dict[str, Any]) -> Any:
    ranked = sorted(found["methods"], key=lambda row: -row["mean"])
    best = next(row["name"] for row in ranked if row["name"] in found["gains"])
    gains = [(gain, place) for place, gain in enumerate(found["gains"][best]) if gain is not None]
    gains.sort(key=lambda pair: -pair[0])
    shown = gains if len(gains) <= 10 else [*gains[:5], *gains[-5:]]
    head = f"gains by {best}" if len(gains) <= 10 else f"gains by {best}, first and last five"
    rows = [_label_row(found, best, place) for _, place in shown]
    return table([head, "samples", "gain", "95 % interval", "verdict"], rows)


def _label_row(found: dict[str, Any], method: str, place: int) -> tuple[str, ...]:
    from rarelabels.report.words import short, signed

    test, gain = found["label_tests"][method], found["gains"][method][place]
    low, high = test["low"][place], test["high"][place]
    interval = "" if low is None else f"{signed(low)} to {signed(high)}"
    count = short(found["positives"][place])
    return (found["labels"][place], count, signed(gain), interval, test["verdict"][place])


def show_tables(found: dict[str, Any]) -> None:
    """Print one learner's table of scores, with ranks and tests below."""
    from rarelabels.metrics import find_metric

    rows = [
        (name, *("–" if value is None else f"{value:.4f}" for value in values))
        for name, values in zip(found["datasets"], found["scores"], strict=True)
    ]
    if found["ranks"]:
        rows.append(("average rank", *(f"{found['ranks'][name]:.2f}" for name in found["methods"])))
    rows += [
        (tally, *(str(found[tally][name]) for name in found["methods"]))
        for tally in ("wins", "losses")
        if tally in found
    ]
    page = console()
    title = f"{find_metric(found['metric']).title}, {found['learner']}"
    page.print(table(["data set", *found["methods"]], rows, title=title))
    for line in _below_tables(found):
        page.print(printable(line), markup=False)
    page.print()


def _below_tables(found: dict[str, Any]) -> list[str]:
    """Return the tests, and why some data sets are left out of them."""
    lines = []
    if found.get("friedman") is not None:
        lines.append(f"Friedman test: p = {found['friedman']:.2g}")
    if "wins" in found:
        lines.append(f"wins and losses: Wilcoxon tests at 5 %, corrected by {found['correction']}")
    if found["failed"]:
        counts = ", ".join(f"{name} ({count} jobs)" for name, count in found["failed"].items())
        lines.append(f"failed: {counts}; ranks and tests leave these data sets out.")
    gaps = [
        name
        for name, values in zip(found["datasets"], found["scores"], strict=True)
        if None in values and name not in found["failed"]
    ]
    if gaps:
        lines.append(f"not done yet: {', '.join(gaps)}; ranks and tests leave these data sets out.")
    return lines
