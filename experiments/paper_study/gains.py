"""Gains over one method, on data sets together and on each by itself: for any plan."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

import numpy as np

from rarelabels.comparison import average_ranks, gains_over_baseline, holm, wilcoxon_bergmann_hommel

from .formats import Table
from .paper import METRICS
from .results import Results
from .tables import FEWEST

CAPTION = (
    "Average rank over data sets (1 is best), mean gain over {baseline}, the number of data sets "
    "on which a method is better, the p-value of Wilcoxon's test over data sets with Holm's "
    "correction, and the number of data sets on which a method helps or hurts according to the "
    "corrected resampled t-test over folds (Holm's correction over the methods)."
)


def gains_table(
    results: Results, baseline: str = "Default", methods: Sequence[str] | None = None
) -> Table:
    """Return ranks of methods of a plan, by default all, and their gains over one of them."""
    of_plan = results.methods if methods is None else tuple(methods)
    rows: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    for learner in results.learners:
        for metric in METRICS:
            found = _rows(results, metric, learner, baseline, of_plan)
            if found:
                first = min(range(len(found)), key=lambda i: float(found[i][4]))
                best.add((len(rows) + first, 4))
                rows += found
    header = (
        "Base",
        "Metric",
        "Sets",
        "Method",
        "Rank",
        "Gain",
        "Better on",
        "p",
        "Helps",
        "Hurts",
    )
    name = f"gains-{results.plan}" + ("" if baseline == "Default" else f"-over-{baseline}")
    return Table(name, CAPTION.format(baseline=baseline), header, tuple(rows), frozenset(best))


def _rows(
    results: Results, metric: str, learner: str, baseline: str, methods: Sequence[str]
) -> list[tuple[str, ...]]:
    methods = told_apart(results, metric, methods, baseline)
    scores = results.table(metric, learner, methods)
    if len(scores.datasets) < FEWEST:
        return []
    columns = {name: np.array(values) for name, values in scores.columns().items()}
    ranks = average_ranks(columns)
    others = [name for name in columns if name != baseline]
    p_values = holm([p_value(columns[name] - columns[baseline]) for name in others])
    adjusted = dict(zip(others, p_values, strict=True))
    verdicts = verdict_counts(results, metric, learner, baseline, methods)
    lead = (learner, METRICS[metric], str(len(scores.datasets)))
    return [
        (*lead, name, f"{ranks[name]:.2f}", *_cells(columns, name, baseline, adjusted, verdicts))
        for name in columns
    ]


def told_apart(results: Results, metric: str, methods: Sequence[str], baseline: str) -> list[str]:
    """Leave out methods that differ from the baseline or one before in what an AUC does not see."""
    if metric == "macro_f1":
        return list(methods)
    specs = {job.method.name: job.method for job in results.jobs}
    models = {name: dataclasses.replace(specs[name], name="", threshold=None) for name in methods}
    first = {models[name]: name for name in (*reversed(methods), baseline)}
    return [name for name in methods if first[models[name]] == name]


def p_value(gains: np.ndarray) -> float:
    """Return the p-value of Wilcoxon's test of gains against none."""
    columns = {"better": gains, "other": np.zeros(gains.size)}
    return float(wilcoxon_bergmann_hommel(columns).p_values["better"]["other"])


def _cells(
    columns: dict[str, np.ndarray],
    name: str,
    baseline: str,
    adjusted: dict[str, float],
    verdicts: dict[str, Counter[str]],
) -> tuple[str, ...]:
    if name == baseline:
        return ("",) * 5
    gains = columns[name] - columns[baseline]
    counts = verdicts[name]
    better = f"{int((gains > 0).sum())} of {gains.size}"
    helped = (str(counts[word]) for word in ("helps", "hurts"))
    return (f"{gains.mean():+.4f}", better, f"{adjusted[name]:.2g}", *helped)


def verdict_counts(
    results: Results, metric: str, learner: str, baseline: str, methods: Sequence[str]
) -> dict[str, Counter[str]]:
    """Count for each method the verdicts of single data sets."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in methods}
    for dataset in results.table(metric, learner, methods).datasets:
        folds = _folds(results, (metric, learner, dataset), methods)
        found = gains_over_baseline(folds, baseline, n_splits=results.n_splits)
        for name, gain in found.items():
            counts[name][gain.verdict] += 1
    return counts


def dataset_gains_table(
    results: Results, methods: Sequence[str] = ("MLSOL", "EMLSOL"), baseline: str = "Default"
) -> Table:
    """Return what methods gain over one with each learner, a row for each metric and data set."""
    rows = [
        (METRICS[metric], dataset, method, f"{np.mean(gains):+.4f}", *(f"{g:+.4f}" for g in gains))
        for metric in METRICS
        for (dataset, method), gains in _gains_by_dataset(results, metric, methods, baseline)
    ]
    learners = results.begun(next(iter(METRICS)), (baseline, *methods))
    caption = (
        f"What {' and '.join(methods)} gain over {baseline} on each data set, on average and with "
        "each learner."
    )
    return Table(
        "figure-gains", caption, ("Metric", "Data set", "Method", "Mean", *learners), tuple(rows)
    )


def _gains_by_dataset(
    results: Results, metric: str, methods: Sequence[str], baseline: str
) -> list[tuple[tuple[str, str], list[float]]]:
    gains: dict[tuple[str, str], list[float]] = {}
    compared = (baseline, *methods)
    for learner in results.begun(metric, compared):
        table = results.table(metric, learner, compared)
        for dataset, (base, *scores) in zip(table.datasets, table.values.tolist(), strict=True):
            for method, score in zip(methods, scores, strict=True):
                gains.setdefault((dataset, method), []).append(score - base)
    return list(gains.items())


def _folds(
    results: Results, where: tuple[str, str, str], methods: Sequence[str]
) -> dict[str, list[float]]:
    """Return the scores of whole repetitions, fold by fold, of some methods."""
    repeats = results.whole_repeats(*where, methods)
    folds = [repeat * results.n_splits + i for repeat in repeats for i in range(results.n_splits)]
    return {name: [results.values[(*where, name)][fold] for fold in folds] for name in methods}
