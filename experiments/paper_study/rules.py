"""What the rules change on which texts and programs differ: LImb's features, REMEDIAL, ties."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from itertools import groupby, product
from pathlib import Path

import numpy as np

from rarelabels.comparison import average_ranks, holm, pearson_correlation

from .formats import Table
from .gains import p_value
from .paper import METRICS, SAMPLERS, printed
from .results import Results
from .tables import FEWEST

TIES = Path(__file__).parents[1] / "results" / "tie_rule.csv"
SPLIT, WHOLE = "RHwRSMT", "RHwRSMT, whole"
RANKED = ("Default", *SAMPLERS, WHOLE)


def limb_slip_table(results: Results, measures: Mapping[str, Mapping[str, float]]) -> Table:
    """Return how LImb correlates with performance, as the paper printed it and as it should be."""
    rows = []
    limbs = {
        name: (float(printed("datasets", None, name, ("limb",))[0]), measures[name]["limb"])
        for name in results.datasets
    }
    for metric, learner in product(METRICS, results.learners):
        scores = results.table(metric, learner, ("Default",))
        if len(scores.datasets) >= 3:
            columns = np.array([limbs[name] for name in scores.datasets])
            of_rule = {"printed": columns[:, 0], "right": columns[:, 1]}
            found = pearson_correlation(of_rule, {learner: scores.values[:, 0]})
            cells = [f"{rho:.3f}" for rho in found.correlation[learner].values()]
            (in_paper,) = printed("correlation", metric, learner, ("limb",))
            lead = (METRICS[metric], learner, str(len(scores.datasets)))
            rows.append((*lead, *cells, in_paper.partition("(")[0]))
    caption = (
        "Correlation of LImb with the performance of the learner alone: with the printed values of "
        "LImb, which have the last label among the features; with the correct values; and as "
        "printed in the paper, where the rows of ECCRU3 repeat those of MLkNN."
    )
    return Table(
        "limb-slip", caption, ("Metric", "Base", "Sets", "Printed", "Right", "Paper"), tuple(rows)
    )


def remedial_rule_table(results: Results) -> Table:
    """Return how RHwRSMT ranks and what it gains where one-sided samples are left whole.

    Parameters
    ----------
    results : Results
        Of the plan ``rules.toml``.
    """
    rows: list[tuple[str, ...]] = []
    for metric in METRICS:
        tables = {name: results.table(metric, name, RANKED) for name in results.learners}
        found = {name: t.columns() for name, t in tables.items() if len(t.datasets) >= FEWEST}
        gains = {name: np.subtract(c[WHOLE], c[SPLIT]) for name, c in found.items()}
        adjusted = holm([p_value(of_learner) for of_learner in gains.values()]) if gains else []
        for (learner, gained), p in zip(gains.items(), adjusted, strict=True):
            ranks = (
                _rank_without(found[learner], *pair) for pair in ((SPLIT, WHOLE), (WHOLE, SPLIT))
            )
            better = f"{int((gained > 0).sum())} of {gained.size}"
            lead = (METRICS[metric], learner, str(gained.size), *(f"{rank:.2f}" for rank in ranks))
            rows.append((*lead, f"{gained.mean():+.4f}", better, f"{p:.2g}"))
    caption = (
        "RHwRSMT if REMEDIAL also splits one-sided samples, and if it leaves them whole: average "
        "rank among the learner alone and six samplers, mean gain of leaving them whole, the "
        "number of data sets on which this is better, and the p-value of Wilcoxon's test over "
        "data sets, with Holm's correction within a metric."
    )
    header = ("Metric", "Base", "Sets", "Rank, split", "Rank, whole", "Gain", "Better on", "p")
    return Table("remedial-rule", caption, header, tuple(rows))


def _rank_without(columns: dict[str, list[float]], method: str, other: str) -> float:
    """Return the average rank of a method where another one does not take part."""
    return average_ranks({name: c for name, c in columns.items() if name != other})[method]


def tie_rule_table(path: Path = TIES) -> Table:
    """Return F and ranks where a score of 0.5 is a yes and where it is a no.

    Parameters
    ----------
    path : Path
        What ``tie_rule.py`` wrote.
    """
    with path.open(encoding="utf-8", newline="") as file:
        scored = list(csv.DictReader(file))
    rows: list[tuple[str, ...]] = []
    for learner, group in groupby(scored, key=lambda row: row["learner"]):
        of_learner = list(group)
        by_rule = {rule: _means(of_learner, rule) for rule in ("yes", "no")}
        ranks = {rule: average_ranks(means) for rule, means in by_rule.items()}
        for method, values in by_rule["yes"].items():
            yes, no = values.mean(), by_rule["no"][method].mean()
            places = (f"{ranks[rule][method]:.2f}" for rule in ("yes", "no"))
            cells = (f"{yes:.4f}", f"{no:.4f}", f"{no - yes:+.4f}")
            rows.append((learner, str(values.size), method, *cells, *places))
    caption = (
        "Mean F-measure over data sets and average rank of single models if a score of exactly "
        "0.5 counts as a positive prediction (yes), as in the study, and if it does not (no)."
    )
    header = ("Base", "Sets", "Method", "F, yes", "F, no", "Difference", "Rank, yes", "Rank, no")
    return Table("tie-rule", caption, header, tuple(rows))


def _means(rows: list[dict[str, str]], rule: str) -> dict[str, np.ndarray]:
    """Return for each method the mean over folds on each data set that has all of its jobs."""
    found: dict[str, dict[str, list[float]]] = {}
    counts = Counter(row["dataset"] for row in rows)
    for row in (row for row in rows if counts[row["dataset"]] == max(counts.values())):
        of_method = found.setdefault(row["method"], {})
        of_method.setdefault(row["dataset"], []).append(float(row[rule]))
    return {
        method: np.array([np.mean(scores) for scores in by_dataset.values()])
        for method, by_dataset in found.items()
    }
