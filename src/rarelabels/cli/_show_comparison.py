"""A comparison on the terminal."""

from __future__ import annotations

from typing import Any

from rarelabels.cli._show import console, printable, table


def show_comparison(found: dict[str, Any], *, error: bool = False) -> None:
    """Print the conclusion, the methods and the labels that gain most and least."""
    page = console(error=error)
    page.print(_methods_table(found))
    if found["gains"]:
        page.print()
        page.print(_gains_table(found))
    page.print()
    for sentence in (found["conclusion"]["headline"], *found["conclusion"]["details"]):
        page.print(printable(sentence), markup=False, soft_wrap=True)


def _methods_table(found: dict[str, Any]) -> Any:
    from rarelabels.report._words import short, signed

    heads = ["method", found["metric_title"], "±", "gain", "95 % interval", "p", "rank"]
    rows = []
    for row in sorted(found["methods"], key=lambda one: -one["mean"]):
        is_base = row["verdict"] == "baseline"
        interval = "" if is_base else f"{signed(row['low'])} to {signed(row['high'])}"
        gain, p = ("", "") if is_base else (signed(row["gain"]), f"{row['p_value']:.2g}")
        numbers = (
            f"{row['mean']:.3f}",
            _deviation(row["sd"]),
            gain,
            interval,
            p,
            f"{row['rank']:.2f}",
        )
        rows.append((row["name"], *numbers, short(row["seconds"]), row["verdict"]))
    return table([*heads, "s/fold", "verdict"], rows)


def _deviation(sd: float | None) -> str:
    return "" if sd is None else f"{sd:.3f}"


def _gains_table(found: dict[str, Any]) -> Any:
    from rarelabels.report._words import signed

    ranked = sorted(found["methods"], key=lambda row: -row["mean"])
    best = next(row["name"] for row in ranked if row["name"] in found["gains"])
    gains = [
        (gain, name)
        for gain, name in zip(found["gains"][best], found["labels"], strict=True)
        if gain is not None
    ]
    gains.sort(key=lambda pair: -pair[0])
    shown = gains if len(gains) <= 10 else [*gains[:5], *gains[-5:]]
    head = f"gains by {best}" if len(gains) <= 10 else f"gains by {best}, first and last five"
    return table([head, "gain"], ((name, signed(gain)) for gain, name in shown))
