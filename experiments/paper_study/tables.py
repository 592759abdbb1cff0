"""The paper's Tables 2 to 6, computed from results, beside the paper's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.stats import rankdata

from rarelabels.comparison import (
    average_ranks,
    friedman_test,
    holm,
    pearson_correlation,
    wilcoxon_bergmann_hommel,
)
from rarelabels.experiment import ScoreTable

from .beside import three_rows
from .formats import Table
from .paper import ENSEMBLES, MEASURES, METRICS, SAMPLERS, printed
from .results import Results

TOTAL = "Ave(Total)"
FEWEST = 2  # data sets from which on ranks mean anything
CORRECTION = (
    "Wilcoxon tests with Bergmann and Hommel's correction at 5 %, if the Friedman test finds a "
    "difference"
)
STARS = (
    "A star marks an ensemble that is significantly better than its sampler alone, by Wilcoxon "
    "tests with Holm's correction over the six ensembles at 5 %. In the paper, every ensemble has "
    "a star, and the correction is not stated."
)


def scores_table(results: Results, metric: str, learner: str) -> Table:
    """Return the average scores: methods × data sets."""
    found = results.table(metric, learner, results.methods)
    best = found.values == found.values.max(axis=1, keepdims=True, initial=-1)
    rows = tuple(
        (method, *(f"{value:.4f}" for value in found.values[:, j]))
        for j, method in enumerate(found.methods)
    )
    caption = f"{METRICS[metric]} of {learner}, mean over whole repetitions."
    bold = frozenset((int(j), int(i) + 1) for i, j in np.argwhere(best))
    return Table(f"scores-{metric}-{learner}", caption, ("Method", *found.datasets), rows, bold)


def sampling_table(results: Results) -> Table:
    """Return ranks, wins and losses of the samplers (the paper's Table 3)."""
    caption = f"Table 3. Average rank (significant wins/losses) of the samplers: {CORRECTION}."
    return _ranks_table(results, "table3-sampling", "sampling", ("Default", *SAMPLERS), caption)


def ensemble_table(results: Results) -> Table:
    """Return ranks, wins and losses of the ensembles (the paper's Table 4)."""
    caption = (
        f"Table 4. Average rank (significant wins/losses) of the ensembles: {CORRECTION}. {STARS}"
    )
    return _ranks_table(results, "table4-ensembles", "ensemble", ("Default", *ENSEMBLES), caption)


def _ranks_table(
    results: Results, name: str, of_paper: str, methods: tuple[str, ...], caption: str
) -> Table:
    rows: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    for metric in METRICS:
        ranks, counts = [], []
        for learner, scores in ranked(results, metric, methods):
            ranks.append(list(average_ranks(scores.columns()).values()))
            counts.append(wins_and_losses(scores))
            stars = better_than_single(results, metric, learner, methods)
            lead = (METRICS[metric], learner, str(len(scores.datasets)))
            paper = printed(of_paper, metric, learner, methods)
            best |= {(len(rows), 4 + j) for j in _places(min(ranks[-1]), ranks[-1])}
            rows += three_rows(lead, _rank_cells(ranks[-1], counts[-1], stars), paper)
        if ranks:
            mean, total = np.mean(ranks, axis=0).tolist(), np.sum(counts, axis=0).tolist()
            best |= {(len(rows), 4 + j) for j in _places(min(mean), mean)}
            paper = printed(of_paper, metric, TOTAL, methods)
            cells = _rank_cells(mean, total, [False] * len(methods))
            rows += three_rows((METRICS[metric], TOTAL, ""), cells, paper)
    header = ("Metric", "Base", "Sets", "From", *methods)
    return Table(name, caption, header, tuple(rows), frozenset(best))


def ranked(
    results: Results, metric: str, methods: Sequence[str]
) -> Iterator[tuple[str, ScoreTable]]:
    """Yield each learner's table of scores, where there are data sets enough."""
    for learner in results.learners:
        scores = results.table(metric, learner, methods)
        if len(scores.datasets) >= FEWEST:
            yield learner, scores


def wins_and_losses(scores: ScoreTable) -> list[tuple[int, int]]:
    """Count for each method those it is significantly better, and worse, than.

    As in the paper the pairs are only looked at where the Friedman test finds a difference.
    """
    columns = scores.columns()
    if len(columns) > 2 and friedman_test(columns).pvalue > 0.05:
        return [(0, 0)] * len(columns)
    found = wilcoxon_bergmann_hommel(columns)
    return [(int(found.wins[name]), int(found.losses[name])) for name in columns]


def better_than_single(
    results: Results, metric: str, learner: str, methods: Sequence[str]
) -> list[bool]:
    """Tell which ensembles are significantly better than their sampler, with Holm's correction."""
    found: dict[str, tuple[float, bool]] = {}
    for method in methods:
        single = method.removeprefix("E")
        if method not in ENSEMBLES or single not in results.methods:
            continue
        scores = results.table(metric, learner, (method, single))
        if len(scores.datasets) >= FEWEST:
            test = wilcoxon_bergmann_hommel(scores.columns())
            found[method] = test.p_values[method][single], test.wins[method] == 1
    adjusted = dict(zip(found, holm([p for p, _ in found.values()]), strict=True)) if found else {}
    return [method in found and adjusted[method] <= 0.05 and found[method][1] for method in methods]


def _rank_cells(
    ranks: Sequence[float], counts: Sequence[Sequence[int]], stars: Sequence[bool]
) -> tuple[str, ...]:
    return tuple(
        f"{rank:.2f}{'*' if star else ''}({wins}/{losses})"
        for rank, (wins, losses), star in zip(ranks, counts, stars, strict=True)
    )


def diversity_table(results: Results) -> Table:
    """Return the ensembles' ranks by disagreement, 1 the most diverse (the paper's Table 5)."""
    rows: list[tuple[str, ...]] = []
    all_ranks = []
    for learner, scores in ranked(results, "disagreement", ENSEMBLES):
        all_ranks.append(list(average_ranks(scores.columns()).values()))
        cells = [f"{rank:.2f}" for rank in all_ranks[-1]]
        paper = printed("diversity", None, learner, ENSEMBLES)
        rows += three_rows((learner, str(len(scores.datasets))), cells, paper)
    if all_ranks:
        cells = [f"{rank:.2f}" for rank in np.mean(all_ranks, axis=0)]
        rows += three_rows(("Ave", ""), cells, printed("diversity", None, "Ave", ENSEMBLES))
    caption = (
        "Table 5. Average rank of the ensembles by the disagreement of their members; 1 is the "
        "most diverse. The row Ave of the paper is not the mean of its rows."
    )
    header = ("Base", "Sets", "From", *ENSEMBLES)
    return Table("table5-diversity", caption, header, tuple(rows))


def strategies_table(results: Results) -> Table:
    """Return wins/losses by AUCPR among E, E_p and E_k (the paper's Table 6)."""
    families = [(f"E{name}", f"Ep{name}", f"Ek{name}") for name in ("MLSOL", "MLUL")]
    methods = tuple(name for family in families for name in family)
    rows: list[tuple[str, ...]] = []
    for learner, scores in ranked(results, "macro_auc_pr", methods):
        counts = [count for family in families for count in wins_and_losses(scores.select(family))]
        cells = [f"{wins}/{losses}" for wins, losses in counts]
        paper = printed("strategies", None, learner, methods)
        rows += three_rows((learner, str(len(scores.datasets))), cells, paper)
    caption = (
        "Table 6. Significant wins/losses by AUCPR among three ways to make members differ: "
        f"{CORRECTION}. The difference is that of the wins."
    )
    return Table("table6-strategies", caption, ("Base", "Sets", "From", *methods), tuple(rows))


def correlation_table(results: Results, measures: Mapping[str, Mapping[str, float]]) -> Table:
    """Return the correlation of measures with the learners' own performance (Table 2).

    Parameters
    ----------
    results : Results
        With the method Default.
    measures : mapping of data set to mapping of measure to value
        What `measures.measures_of` returns.
    """
    rows: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    for metric in METRICS:
        for learner in results.learners:
            scores = results.table(metric, learner, ("Default",))
            if len(scores.datasets) < 3:
                continue
            columns = {
                name: [measures[dataset][name] for dataset in scores.datasets] for name in MEASURES
            }
            found = pearson_correlation(columns, {learner: scores.values[:, 0]})
            values = np.round(list(found.correlation[learner].values()), 3)
            bold = np.flatnonzero(np.abs(values) > found.critical_value)
            best |= {(len(rows), 4 + int(j)) for j in bold}
            cells = [
                f"{rho:.3f}({rank:g})" for rho, rank in zip(values, ranks_of(values), strict=True)
            ]
            paper = printed("correlation", metric, learner, tuple(MEASURES))
            rows += three_rows((METRICS[metric], learner, str(len(scores.datasets))), cells, paper)
    caption = (
        "Table 2. Pearson's correlation of measures with the performance of the learner alone, and "
        "its rank in the row, where 1 is the strongest negative correlation. Bold: significant at "
        "1 % (±0.684 for 13 data sets). The paper's rows of ECCRU3 repeat those of MLkNN."
    )
    header = ("Metric", "Base", "Sets", "From", *MEASURES.values())
    return Table("table2-correlation", caption, header, tuple(rows), frozenset(best))


def ranks_of(values: Sequence[float]) -> list[float]:
    """Rank correlations, the most negative first; equal ones as printed share a rank.

    >>> ranks_of([-0.433, -0.377, -0.56, -0.377])
    [2.0, 3.5, 1.0, 3.5]
    """
    return rankdata(values).tolist()


def _places(wanted: float, values: Sequence[float]) -> list[int]:
    return [place for place, value in enumerate(values) if value == wanted]
