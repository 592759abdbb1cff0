"""What the rules change on which texts and programs differ: LImb's features, ties at 0.5."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import numpy as np

from rarelabels.comparison import average_ranks, pearson_correlation

from .formats import Table
from .paper import METRICS, printed
from .results import Results

TIES = Path(__file__).parents[1] / "results" / "tie_rule.csv"


def limb_slip_table(results: Results, measures: Mapping[str, Mapping[str, float]]) -> Table:
    """Return how LImb correlates with performance, as the paper printed it and as it should be."""
    rows = []
    for metric in METRICS:
        for learner in results.learners:
            scores = results.table(metric, learner, ("Default",))
            if len(scores.datasets) < 3:
                continue
            columns = {
                "printed": [
                    float(printed("datasets", None, d, ("limb",))[0]) for d in scores.datasets
                ],
                "right": [measures[dataset]["limb"] for dataset in scores.datasets],
            }
            found = pearson_correlation(columns, {learner: scores.values[:, 0]})
            cells = (f"{rho:.3f}" for rho in found.correlation[learner].values())
            rows.append((METRICS[metric], learner, str(len(scores.datasets)), *cells))
    caption = (
        "Correlation of LImb with performance of the learner alone: with LImb as the paper prints "
        "it, the last label among the features, and as it should be."
    )
    return Table("limb-slip", caption, ("Metric", "Base", "Sets", "Printed", "Right"), tuple(rows))


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
        "F-measure, mean over data sets, and average rank of single models where a score of "
        "exactly 0.5 is a yes, as in the study, and where it is a no."
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
