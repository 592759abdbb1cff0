"""The paper's tables, computed from a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rarelabels.comparison import (
    average_ranks,
    friedman_test,
    pearson_correlation,
    wilcoxon_bergmann_hommel,
)
from rarelabels.experiment import ScoreTable, Store

from .formats import Table
from .paper import ENSEMBLES, MEASURES, METRICS, SAMPLERS, printed

TOTAL = "Ave(Total)"


def learners_of(store: Store, plan: str) -> tuple[str, ...]:
    """Give the learners of a plan, in its order."""
    return tuple(dict.fromkeys(job.learner.name for job in store.jobs(plan)))


def scores_table(store: Store, plan: str, metric: str, learner: str) -> Table:
    """Give the average scores: data sets × methods."""
    found = store.scores(metric, learner=learner, plan=plan)
    best = np.nanmax(found.values, axis=1, keepdims=True, initial=-1) == found.values
    return Table(
        f"scores-{metric}-{learner}",
        f"{METRICS[metric]} of {learner}, mean over folds.",
        ("Method", *found.datasets),
        tuple(
            (method, *(_number(value, 4) for value in found.values[:, j]))
            for j, method in enumerate(found.methods)
        ),
        frozenset((int(j), int(i) + 1) for i, j in np.argwhere(best)),
    )


def all_ranks_table(store: Store, plan: str) -> Table:
    """Give the average rank of every method for each metric and learner, best first on average."""
    columns = [(metric, learner) for metric in METRICS for learner in learners_of(store, plan)]
    tables = [store.scores(m, learner=name, plan=plan).complete() for m, name in columns]
    ranks = np.column_stack([list(average_ranks(table.columns()).values()) for table in tables])
    order = np.argsort(ranks.mean(axis=1), kind="stable")
    best = {
        (place, j + 1)
        for j, column in enumerate(ranks[order].T)
        for place in _places(column.min(), column)
    }
    return Table(
        "ranks-all",
        f"Average rank of every method on {len(tables[0].datasets)} data sets, 1 the best.",
        ("Method", *(f"{METRICS[metric]} {learner}" for metric, learner in columns), "Mean"),
        tuple(
            (tables[0].methods[i], *(f"{rank:.2f}" for rank in ranks[i]), f"{ranks[i].mean():.2f}")
            for i in order
        ),
        frozenset(best),
    )


def sampling_table(store: Store, plan: str) -> Table:
    """Give ranks, wins and losses of the samplers (the paper's Table 3)."""
    return _ranks_table(store, plan, "sampling", ("Default", *SAMPLERS))


def ensemble_table(store: Store, plan: str) -> Table:
    """Give ranks, wins and losses of the ensembles (the paper's Table 4)."""
    return _ranks_table(store, plan, "ensemble", ("Default", *ENSEMBLES))


def _ranks_table(store: Store, plan: str, name: str, methods: tuple[str, ...]) -> Table:
    rows: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    n_datasets = 0
    for metric in METRICS:
        ranks, counts = [], []
        for learner in learners_of(store, plan):
            found = store.scores(metric, learner=learner, plan=plan)
            scores = found.select(methods).complete()
            n_datasets = len(scores.datasets)
            ranks.append(list(average_ranks(scores.columns()).values()))
            counts.append(wins_and_losses(scores))
            cells = _rank_cells(ranks[-1], counts[-1], better_than_single(found, methods))
            _append(rows, best, metric, learner, name, methods, cells, ranks[-1])
        mean, total = np.mean(ranks, axis=0).tolist(), np.sum(counts, axis=0).tolist()
        cells = _rank_cells(mean, total, [False] * len(methods))
        _append(rows, best, metric, TOTAL, name, methods, cells, mean)
    caption = (
        f"Average rank (significant wins/losses) on {n_datasets} data sets, over the paper's on 13."
    )
    return Table(name, caption, ("Metric", "Base", "From", *methods), tuple(rows), frozenset(best))


def wins_and_losses(scores: ScoreTable) -> list[tuple[int, int]]:
    """Count for each method those it is significantly better, and worse, than.

    As in the paper the pairs are only looked at where the Friedman test finds a difference.
    """
    columns = scores.columns()
    if len(columns) > 2 and friedman_test(columns).pvalue > 0.05:
        return [(0, 0)] * len(columns)
    found = wilcoxon_bergmann_hommel(columns)
    return [(int(found.wins[name]), int(found.losses[name])) for name in columns]


def better_than_single(scores: ScoreTable, methods: Iterable[str]) -> list[bool]:
    """Tell which ensembles are significantly better than their sampler alone."""
    return [
        method in ENSEMBLES
        and method[1:] in scores.methods
        and wins_and_losses(scores.select((method, method[1:])).complete())[0][0] == 1
        for method in methods
    ]


def _rank_cells(
    ranks: Sequence[float], counts: Sequence[Sequence[int]], stars: Sequence[bool]
) -> tuple[str, ...]:
    return tuple(
        f"{rank:.2f}{'*' if star else ''}({wins}/{losses})"
        for rank, (wins, losses), star in zip(ranks, counts, stars, strict=True)
    )


def _append(
    rows: list[tuple[str, ...]],
    best: set[tuple[int, int]],
    metric: str,
    learner: str,
    name: str,
    methods: tuple[str, ...],
    cells: tuple[str, ...],
    ranks: Sequence[float],
) -> None:
    """Add our row with its best cells, and the paper's below it."""
    best |= {(len(rows), 3 + place) for place in _places(min(ranks), ranks)}
    rows.append((METRICS[metric], learner, "here", *cells))
    rows.append((METRICS[metric], learner, "paper", *printed(name, metric, learner, methods)))


def diversity_table(store: Store, plan: str) -> Table:
    """Give the ensembles' ranks by disagreement, 1 the most diverse (the paper's Table 5)."""
    rows: list[tuple[str, ...]] = []
    all_ranks = []
    for learner in learners_of(store, plan):
        scores = store.scores("disagreement", learner=learner, plan=plan).select(ENSEMBLES)
        all_ranks.append(list(average_ranks(scores.complete().columns()).values()))
        rows.append((learner, "here", *(f"{rank:.2f}" for rank in all_ranks[-1])))
        rows.append((learner, "paper", *printed("diversity", None, learner, ENSEMBLES)))
    rows.append(("Ave", "here", *(f"{rank:.2f}" for rank in np.mean(all_ranks, axis=0))))
    rows.append(("Ave", "paper", *printed("diversity", None, "Ave", ENSEMBLES)))
    caption = "Average rank of the ensembles by disagreement of their members, 1 the most diverse."
    return Table("diversity", caption, ("Base", "From", *ENSEMBLES), tuple(rows))


def strategies_table(store: Store, plan: str) -> Table:
    """Give wins/losses by AUCPR among E, E_p and E_k (the paper's Table 6)."""
    families = [(f"E{name}", f"Ep{name}", f"Ek{name}") for name in ("MLSOL", "MLUL")]
    methods = tuple(name for family in families for name in family)
    rows = []
    for learner in learners_of(store, plan):
        scores = store.scores("macro_auc_pr", learner=learner, plan=plan)
        counts = [
            count
            for family in families
            for count in wins_and_losses(scores.select(family).complete())
        ]
        rows.append((learner, "here", *(f"{wins}/{losses}" for wins, losses in counts)))
        rows.append((learner, "paper", *printed("strategies", None, learner, methods)))
    caption = "Significant wins/losses by AUCPR among ways to make the members differ."
    return Table("strategies", caption, ("Base", "From", *methods), tuple(rows))


def correlation_table(
    store: Store, plan: str, measures: Mapping[str, Mapping[str, float]]
) -> Table:
    """Give the correlation of measures with the learners' own performance (the paper's Table 2).

    Parameters
    ----------
    store : Store
        With the method Default.
    plan : str
        Its name.
    measures : mapping of data set to mapping of measure to value
        What `measures.measures_of` gives.
    """
    rows: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    critical, n_datasets = float("nan"), 0
    for metric in METRICS:
        for learner in learners_of(store, plan):
            scores = store.scores(metric, learner=learner, plan=plan)
            scores = scores.select(("Default",)).complete()
            columns = {
                name: [measures[dataset][name] for dataset in scores.datasets] for name in MEASURES
            }
            found = pearson_correlation(columns, {learner: scores.values[:, 0]})
            values = list(found.correlation[learner].values())
            critical, n_datasets = found.critical_value, len(scores.datasets)
            best |= {(len(rows), 3 + j) for j, rho in enumerate(values) if abs(rho) > critical}
            rows.append((METRICS[metric], learner, "here", *(f"{rho:.3f}" for rho in values)))
            cells = printed("correlation", metric, learner, tuple(MEASURES))
            rows.append((METRICS[metric], learner, "paper", *cells))
    caption = (
        f"Pearson's correlation of measures with performance on {n_datasets} data sets; bold where "
        f"beyond ±{critical:.3f} (level 0.01)."
    )
    header = ("Metric", "Base", "From", *MEASURES.values())
    return Table("correlation", caption, header, tuple(rows), frozenset(best))


def _places(wanted: float, values: Sequence[float]) -> list[int]:
    return [place for place, value in enumerate(values) if value == wanted]


def _number(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"
