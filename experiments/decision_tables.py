"""Tables and a figure of what decision_rules.py and decision_checks.py found."""

from __future__ import annotations

import json
import lzma
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon
from text_table import Table

FOLDER = Path(__file__).parent / "results" / "decisions"
# As the page shows them: the default first, then other rules, then what they replace.
SHOWN = (
    "pooled_f1", "f1", "expected_f1", "micromacro", "fbr", "gmean", "balanced_accuracy",
    "f1, exact", "f1, training scores", "0.5",
)  # fmt: skip
HALVES, FIVE_FOLDS = "rules.json.xz", "five_folds.json.xz"
HITS, PREDICTED, POSITIVE, ENTRIES = 2, 3, 4, 5


@cache
def results(file: str = HALVES) -> dict[str, Any]:
    """Return what decision_rules.py packed, for halves or for five folds."""
    return json.loads(lzma.decompress((FOLDER / file).read_bytes()))


@cache
def checks() -> dict[str, Any]:
    """Return what decision_checks.py wrote."""
    return json.loads((FOLDER / "checks.json").read_text(encoding="utf-8"))


def models() -> list[str]:
    """Return the models, in the order of the results."""
    return list(dict.fromkeys(row["model"] for row in results()["results"]))


def sums(model: str, rule: str, file: str = HALVES) -> Any:
    """Return the sums of a model's data sets, of shape (n_datasets, n_bands, n_numbers)."""
    rows = [row for row in results(file)["results"] if row["model"] == model]
    return np.array([row["rules"][rule] for row in rows])


def macro_f1(model: str, rule: str, file: str = HALVES) -> Any:
    """Return the mean F over labels and folds of each data set."""
    total = sums(model, rule, file).sum(axis=1)
    return total[:, 1] / total[:, 0]


def micro_f1(model: str, rule: str) -> Any:
    """Return the micro-F of each data set."""
    total = sums(model, rule).sum(axis=1)
    return 2 * total[:, HITS] / (total[:, PREDICTED] + total[:, POSITIVE])


def predicted_share(model: str, rule: str) -> Any:
    """Return the share of predicted entries of each data set."""
    total = sums(model, rule).sum(axis=1)
    return total[:, PREDICTED] / total[:, ENTRIES]


def band_f1(model: str, rule: str) -> Any:
    """Return the mean F of each band, over the data sets that have such labels."""
    found = sums(model, rule)
    has = found[:, :, 0] > 0
    f1 = np.where(has, found[:, :, 1] / np.where(has, found[:, :, 0], 1), 0)
    return f1.sum(axis=0) / np.maximum(has.sum(axis=0), 1)


def by_model(value: Any, caption: str, *, highest: bool = True) -> Table:
    """Return a table with a row for each rule and a column for each model, means of data sets."""
    numbers = np.array([[value(model, rule).mean() for model in models()] for rule in SHOWN])
    rows = [
        [rule, *(f"{number:.3f}" for number in row)]
        for rule, row in zip(SHOWN, numbers, strict=True)
    ]
    bold = {(int(i), j + 1) for j, i in enumerate(numbers.argmax(axis=0))} if highest else set()
    return Table(caption, ["rule", *models()], rows, bold)


def bands() -> Table:
    """Return F by the number of positives, means over models and data sets."""
    limits = results()["bands"]
    names = [f"{low}+" if high is None else f"{low}–{high}" for low, high in limits]
    numbers = np.array([np.mean([band_f1(m, rule) for m in models()], axis=0) for rule in SHOWN])
    rows = [
        [rule, *(f"{number:.3f}" for number in row)]
        for rule, row in zip(SHOWN, numbers, strict=True)
    ]
    bold = {(int(i), j + 1) for j, i in enumerate(numbers.argmax(axis=0))}
    return Table("F by positives in the training half", ["rule", *names], rows, bold)


def gains() -> Table:
    """Return how much macro-F the default gains over others, with Wilcoxon's test."""
    rows = []
    for model in models():
        ours = macro_f1(model, "pooled_f1")
        for other in ("f1", "f1, exact", "f1, training scores", "pooled_f1, by rank"):
            gain = ours - macro_f1(model, other)
            p = wilcoxon(gain).pvalue
            rows.append(
                [
                    model,
                    other,
                    f"{gain.mean():+.4f}",
                    f"{(gain > 0).sum()} of {gain.size}",
                    f"{p:.3f}",
                ]
            )
    header = ["model", "compared with", "gain in macro-F", "better on", "p"]
    return Table("What pooled_f1 gains", header, rows)


def folds() -> Table:
    """Return how many folds of how many data sets each model has."""
    rows = []
    for model in models():
        counts = [row["n_folds"] for row in results()["results"] if row["model"] == model]
        rows.append([model, str(len(counts)), str(min(counts)), str(max(counts))])
    header = ["model", "data sets", "fewest folds", "most folds"]
    return Table("What was computed", header, rows)


def noise() -> Table:
    """Return the largest predicted share of the models if features carry no information."""
    found = checks()["noise"]
    rules = list(next(iter(found["shares"].values())))
    largest = {r: np.max([of[r] for of in found["shares"].values()], axis=0) for r in rules}
    rows = [["as it occurs", *(f"{100 * c / found['n_samples']:.1f} %" for c in found["counts"])]]
    rows += [[rule, *(f"{100 * share:.1f} %" for share in largest[rule])] for rule in rules]
    header = ["rule", *(f"{count} positives" for count in found["counts"])]
    return Table("Predicted share of new samples, for labels without information", header, rows)


def violations() -> Table:
    """Return how often targets are missed in simulations."""
    rows = [
        [
            row["target"], f"{row['value']:g}", f"{row['prevalence']:.0%}", str(row["n_samples"]),
            f"{row['confidence']:.0%}", f"{row['violated']:.1%}", f"{row['refused']:.1%}",
            "–" if row["other"] is None else f"{row['other']:.2f}",
        ]
        for row in checks()["violations"]
    ]  # fmt: skip
    header = ["target", "at least", "positives", "samples", "confidence", "missed", "refused",
              "the other of precision and recall"]  # fmt: skip
    return Table("Missed targets in 1,000 simulated splits", header, rows)


def real_violations() -> Table:
    """Return how often targets are missed on scores of real data sets."""
    rows = [
        [
            row["target"], f"{row['value']:g}", str(row["n_labels"]), f"{row['confidence']:.0%}",
            f"{row['violated']:.1%}", f"{row['refused']:.1%}",
        ]
        for row in checks()["real violations"]
    ]  # fmt: skip
    header = ["target", "at least", "labels", "confidence", "missed", "refused"]
    return Table("Missed targets in 1,000 splits of real data", header, rows)


def cost() -> Table:
    """Return the time and the memory of each rule on a large table."""
    found = checks()["cost"]
    rows = [
        [rule, f"{row['seconds']:.0f}", f"{row['megabytes']:,}"]
        for rule, row in found["rules"].items()
    ]
    caption = f"Cost at {found['n_samples']:,} samples and {found['n_labels']:,} labels"
    return Table(caption, ["rule", "seconds", "MB in addition to the input"], rows)


TABLES = {
    "macro": lambda: by_model(macro_f1, "Macro-F, means of the data sets"),
    "five-folds": lambda: by_model(
        partial(macro_f1, file=FIVE_FOLDS), "Macro-F in five folds, means of the data sets"
    ),
    "micro": lambda: by_model(micro_f1, "Micro-F, means of the data sets"),
    "share": lambda: by_model(predicted_share, "Share of predicted entries", highest=False),
    "bands": bands,
    "gains": gains,
    "folds": folds,
    "noise": noise,
    "violations": violations,
    "real-violations": real_violations,
    "cost": cost,
}


def draw_bands(place: Path) -> None:
    """Draw F over the number of positives, a line for each rule."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    table = bands()
    with mpl.rc_context({"svg.hashsalt": "decisions"}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        ax = figure.subplots()
        for row in table.rows:
            style = {"linewidth": 3} if row[0] == "pooled_f1" else {"linewidth": 1}
            ax.plot(
                table.header[1:],
                [float(cell) for cell in row[1:]],
                marker="o",
                label=row[0],
                **style,
            )
        ax.set(xlabel="positives in the training half", ylabel="F")
        ax.legend(fontsize="small")
        figure.savefig(place, metadata={"Date": None})
