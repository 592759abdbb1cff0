"""How far the results agree with the paper's: ranks, significant wins, stars."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scipy.stats import spearmanr

from rarelabels.comparison import average_ranks

from .beside import leading_number
from .formats import Table
from .paper import ENSEMBLES, METRICS, SAMPLERS, printed
from .results import Results
from .tables import better_than_single, ranked, wins_and_losses

FAMILIES = {"sampling": ("Default", *SAMPLERS), "ensemble": ("Default", *ENSEMBLES)}
CAPTION = (
    "Agreement with the paper: Spearman's correlation of the mean ranks of the methods with those "
    "of the paper; how many of the significant wins in the paper are found here (at most, because "
    "the paper prints how many methods are worse than a method, not which ones); and how many of "
    "its stars are found here."
)


def agreement_table(results: Results) -> Table:
    """Return one row for each of the paper's tables 3 and 4, metric and learner."""
    rows = []
    for number, (of_paper, methods) in enumerate(FAMILIES.items(), start=3):
        if not set(methods) <= set(results.methods):
            continue
        for metric in METRICS:
            for learner, scores in ranked(results, metric, methods):
                paper = printed(of_paper, metric, learner, methods)
                if not any(paper):
                    continue
                ranks = list(average_ranks(scores.columns()).values())
                rho = spearmanr(ranks, [leading_number(cell) for cell in paper]).statistic
                agreeing, claimed = common_wins(wins_and_losses(scores), paper)
                stars = better_than_single(results, metric, learner, methods)
                lead = (f"Table {number}", METRICS[metric], learner, str(len(scores.datasets)))
                wins = f"{agreeing} of {claimed}"
                rows.append((*lead, f"{rho:.2f}", wins, common_stars(stars, paper)))
    header = ("Of", "Metric", "Base", "Sets", "Spearman's rho", "Wins", "Stars")
    return Table("agreement", CAPTION, header, tuple(rows))


def common_wins(counts: Sequence[tuple[int, int]], paper: Sequence[str]) -> tuple[int, int]:
    """Return how many of the paper's significant wins can be here, and how many it has.

    >>> common_wins([(2, 0), (0, 1)], ["1.5(3/0)", "2.5(1/2)"])
    (2, 4)
    """
    claimed = [int(re.search(r"\((\d+)/", cell)[1]) for cell in paper]  # type: ignore[index]
    agreeing = [min(wins, most) for (wins, _), most in zip(counts, claimed, strict=True)]
    return sum(agreeing), sum(claimed)


def common_stars(stars: Sequence[bool], paper: Sequence[str]) -> str:
    """Return how many of the paper's stars are here.

    >>> common_stars([True, False], ["2*(1/0)", "3*(0/0)"]), common_stars([False], ["3(0/0)"])
    ('1 of 2', '')
    """
    claimed = ["*" in cell for cell in paper]
    both = sum(a and b for a, b in zip(stars, claimed, strict=True))
    return f"{both} of {sum(claimed)}" if any(claimed) else ""


def totals(table: Table) -> str:
    """Return the agreement in one sentence."""
    if not table.rows:
        return "No data set has a whole repetition of all methods yet."
    rhos = [float(row[4]) for row in table.rows]
    pairs = [tuple(map(int, row[5].split(" of "))) for row in table.rows]
    stars = [tuple(map(int, row[6].split(" of "))) for row in table.rows if row[6]]
    return (
        f"Mean ranks correlate with the paper's by {sum(rhos) / len(rhos):.2f} on average over "
        f"{len(rhos)} pairs of learner and metric ({min(rhos):.2f} to {max(rhos):.2f}); at most "
        f"{sum(a for a, _ in pairs)} of the paper's {sum(b for _, b in pairs)} significant wins "
        "and "
        f"{sum(a for a, _ in stars)} of its {sum(b for _, b in stars)} stars are significant here."
    )
