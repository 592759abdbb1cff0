"""The paper's claims, and what the results say of each: how often, by how much, how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from rarelabels.comparison import average_ranks, holm

from .beside import leading_number
from .formats import Table
from .gains import p_value
from .paper import ENSEMBLES, METRICS, SAMPLERS, printed
from .results import Results
from .tables import FEWEST, TOTAL, better_than_single

ALPHA = 0.05
YES, IN_PART, NO = "yes", "in part", "no"


@dataclass(frozen=True)
class Claim:
    """Pairs of methods of which the paper calls the first better.

    Attributes
    ----------
    text : str
        What is claimed.
    pairs : tuple of (str, str)
        The better method, and the one that it is better than.
    ranked_in : str
        The paper's table that has the ranks of both; empty if there is none.
    metrics : tuple of str
        What it is claimed for.
    """

    text: str
    pairs: tuple[tuple[str, str], ...]
    ranked_in: str = ""
    metrics: tuple[str, ...] = tuple(METRICS)


def against(method: str, others: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pair a method with each of the others.

    >>> against("MLSOL", ["MLROS", "MLSOL"])
    (('MLSOL', 'MLROS'),)
    """
    return tuple((method, other) for other in others if other != method)


BEATS_SAMPLER = "An ensemble beats its sampler"
RANKING = ("macro_auc_roc", "macro_auc_pr")
DISAGREEMENT = "disagreement"
VARIED_MLSOL = (("EpMLSOL", "EMLSOL"), ("EkMLSOL", "EMLSOL"))
CLAIMS = (
    Claim(
        "MLSOL is the best oversampler",
        against("MLSOL", ("MLROS", "MLSMOTE", "RHwRSMT")),
        "sampling",
    ),
    Claim("MLUL is the better undersampler", (("MLUL", "MLRUS"),), "sampling"),
    Claim(BEATS_SAMPLER, tuple((f"E{name}", name) for name in SAMPLERS)),
    Claim("EMLSOL is the best ensemble", against("EMLSOL", ENSEMBLES), "ensemble", RANKING),
    Claim("EMLUL is the best ensemble", against("EMLUL", ENSEMBLES), "ensemble", ("macro_f1",)),
    Claim(
        "EMLSOL and EMLUL beat the learner alone",
        (("EMLSOL", "Default"), ("EMLUL", "Default")),
        "ensemble",
    ),
    Claim(
        "Varied p or k makes members of EMLSOL differ more", VARIED_MLSOL, metrics=(DISAGREEMENT,)
    ),
    Claim("Varied p or k makes EMLSOL better", VARIED_MLSOL, metrics=("macro_auc_pr",)),
    Claim(
        "Varied p or k makes EMLUL better (the paper: hardly)",
        (("EpMLUL", "EMLUL"), ("EkMLUL", "EMLUL")),
        metrics=("macro_auc_pr",),
    ),
)


def pairs_table(results: Results, claims: Sequence[Claim] = CLAIMS) -> Table:
    """Return what the first method of each claimed pair gains over the second.

    A data set counts with its score averaged over the learners, so that a test has as many values
    as there are data sets.
    """
    rows: list[tuple[str, ...]] = []
    for claim in claims:
        for metric in claim.metrics:
            rows += _pair_rows(results, claim, metric)
    header = ("Claim", "Metric", "Pair", "Ranks in the paper", "Ranks here", "Sets", "Gain")
    caption = (
        "Gain of the first method of a pair over the second: mean over data sets and learners, the "
        "number of data sets on which it is better, and the p-value of Wilcoxon's test over data "
        "sets, with Holm's correction within a claim and a metric. Ranks are means over the "
        "learners, among the seven methods of the paper's table."
    )
    return Table("claims-pairs", caption, (*header, "Better on", "p"), tuple(rows))


def _pair_rows(results: Results, claim: Claim, metric: str) -> list[tuple[str, ...]]:
    found = []
    for pair in claim.pairs:
        gains = mean_gains(results, metric, *pair)
        if gains.size >= FEWEST:
            found.append((pair, gains, p_value(gains)))
    adjusted = holm([p for *_, p in found]) if found else []
    return [
        (
            claim.text,
            METRICS.get(metric, metric.capitalize()),
            " over ".join(pair),
            *_ranks(results, claim, metric, pair),
            str(gains.size),
            f"{gains.mean():+.4f}",
            f"{int((gains > 0).sum())} of {gains.size}",
            f"{p:.2g}",
        )
        for (pair, gains, _), p in zip(found, adjusted, strict=True)
    ]


def mean_gains(results: Results, metric: str, better: str, other: str) -> np.ndarray:
    """Return for each data set the mean gain over the learners, where all learners have both."""
    if not {better, other} <= set(results.methods):
        return np.empty(0)
    tables = [results.table(metric, learner, (better, other)) for learner in results.learners]
    common = [d for d in results.datasets if all(d in table.datasets for table in tables)]
    gains = [[table.values[table.datasets.index(d)] @ (1, -1) for table in tables] for d in common]
    return np.mean(gains, axis=1) if gains else np.empty(0)


def _ranks(results: Results, claim: Claim, metric: str, pair: tuple[str, str]) -> tuple[str, str]:
    if not claim.ranked_in:
        return "", ""
    methods = ("Default", *(SAMPLERS if claim.ranked_in == "sampling" else ENSEMBLES))
    of_paper = [leading_number(c) for c in printed(claim.ranked_in, metric, TOTAL, pair)]
    tables = [results.table(metric, learner, methods) for learner in results.learners]
    ranks = [average_ranks(t.columns()) for t in tables if len(t.datasets) >= FEWEST]
    here = [np.mean([of_learner[name] for of_learner in ranks]) for name in pair] if ranks else []
    return " : ".join(f"{r:.2f}" for r in of_paper if r is not None), " : ".join(
        f"{r:.2f}" for r in here
    )


def claims_table(results: Results, pairs: Table, correlation: Table, diversity: Table) -> Table:
    """Return each claim of the paper with the word that the results allow."""
    rows = [_limb_row(correlation)] if correlation.rows else []
    for text, group in groupby(pairs.rows, key=lambda row: row[0]):
        rows.append(_verdict_row(text, list(group)))
        rows += _single_wins(results) if text == BEATS_SAMPLER else []
    if diversity.rows:
        rows.append(_diversity_row(diversity))
    caption = (
        "The claims of the paper. For a claim about pairs of methods: *yes* if the first is better "
        "on average in every pair and metric, and significantly in at least half of them; *no* if "
        "it is better in fewer than half, or significantly worse in one; otherwise *in part*."
    )
    return Table("claims", caption, ("Claim", "Holds here", "Evidence"), tuple(rows))


def _verdict_row(text: str, rows: list[tuple[str, ...]]) -> tuple[str, str, str]:
    gains = [float(row[6]) for row in rows]
    sure = [float(row[8]) <= ALPHA for row in rows]
    better = sum(gain > 0 for gain in gains)
    surely_better = sum(gain > 0 and s for gain, s in zip(gains, sure, strict=True))
    surely_worse = sum(gain < 0 and s for gain, s in zip(gains, sure, strict=True))
    evidence = (
        f"better in {better} of {len(rows)} pairs and metrics, significantly in {surely_better}; "
        f"significantly worse in {surely_worse}; mean gain {np.mean(gains):+.4f}"
    )
    return text, verdict(len(rows), better, surely_better, surely_worse), evidence


def verdict(n_pairs: int, better: int, surely_better: int, surely_worse: int) -> str:
    """Return the word for a claim about pairs.

    >>> verdict(4, 4, 2, 0), verdict(4, 4, 1, 0), verdict(4, 3, 3, 1), verdict(4, 1, 0, 0)
    ('yes', 'in part', 'no', 'no')
    """
    if better == n_pairs and 2 * surely_better >= n_pairs:
        return YES
    return NO if surely_worse or 2 * better < n_pairs else IN_PART


def _limb_row(correlation: Table) -> tuple[str, str, str]:
    """Judge whether LImb is the measure that correlates most with performance."""
    first, means = {}, {}
    for source in ("here", "paper"):
        cells = [row[-1] for row in correlation.rows if row[3] == source and row[-1]]
        first[source] = sum(cell.endswith("(1)") for cell in cells), len(cells)
        means[source] = np.mean([leading_number(cell) for cell in cells])
    n_first, n = first["here"]
    word = YES if n_first == n else IN_PART if 2 * n_first >= n else NO
    evidence = (
        f"the strongest of six measures in {n_first} of {n} pairs of metric and learner (in the "
        f"paper {first['paper'][0]} of {first['paper'][1]}); mean correlation "
        f"{means['here']:.2f} (paper {means['paper']:.2f})"
    )
    return "LImb correlates most with performance", word, evidence


def _diversity_row(diversity: Table) -> tuple[str, str, str]:
    """Judge whether the members of EMLSOL differ most under learners that ignore imbalance."""
    place = diversity.header.index("EMLSOL")
    rows = [
        row
        for row in diversity.rows
        if row[2] == "here" and row[0] not in ("COCOA", "ECCRU3", "Ave")
    ]
    n_first = sum(float(row[place]) == min(map(float, row[3:])) for row in rows)
    word = YES if n_first == len(rows) else IN_PART if 2 * n_first >= len(rows) else NO
    evidence = f"with {n_first} of {len(rows)} learners that ignore imbalance (in the paper 4 of 4)"
    return "The members of EMLSOL differ most", word, evidence


def _single_wins(results: Results) -> list[tuple[str, str, str]]:
    """Judge how many of the paper's stars are here: ensembles significantly above their sampler."""
    stars = [
        star
        for metric in METRICS
        for learner in results.learners
        if len(results.table(metric, learner, ("Default", *ENSEMBLES)).datasets) >= FEWEST
        for star in better_than_single(results, metric, learner, ENSEMBLES)
    ]
    if not stars:
        return []
    word = YES if all(stars) else IN_PART if 2 * sum(stars) >= len(stars) else NO
    evidence = f"{sum(stars)} of {len(stars)} learners, metrics and samplers (in the paper all 108)"
    return [("Significantly so with every learner and metric", word, evidence)]
