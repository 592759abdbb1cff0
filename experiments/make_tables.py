"""Write the paper's tables and figures from results, each beside the paper's own.

``python experiments/make_tables.py RESULTS FOLDER [--plan NAME]``: RESULTS is a store or a packed
one, complete or not. Tables come as Markdown, CSV and LaTeX, figures as SVG; README.md has all of
them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from paper_study.agreement import agreement_table, totals
from paper_study.claims import claims_table, pairs_table
from paper_study.curves import parameter_table, rho_table, swept
from paper_study.figures import draw
from paper_study.formats import WRITERS, Table, markdown
from paper_study.gains import dataset_gains_table, gains_table
from paper_study.measures import measures_of, measures_table
from paper_study.paper import ENSEMBLES, LEARNERS, METRICS, SAMPLERS
from paper_study.results import Results, chosen_plan, missing_table, open_results
from paper_study.rules import TIES, limb_slip_table, remedial_rule_table, tie_rule_table
from paper_study.tables import (
    correlation_table,
    diversity_table,
    ensemble_table,
    sampling_table,
    scores_table,
    strategies_table,
)

from rarelabels.experiment import Store

VARIANTS = {f"E{kind}{name}" for kind in "pk" for name in ("MLSOL", "MLUL")}


def tables_of(store: Store, plan: str) -> list[Table]:
    """Return every table that a plan, and what is done of it, allows."""
    results = Results.of(store, plan)
    tables = paper_tables(results) if is_like_the_papers(results) else gains_tables(results)
    tables += [parameter_table(Results.of(store, name)) for name in plans_with_sweeps(store)]
    if "rules" in store.plans():
        rules = Results.of(store, "rules")
        alone = gains_table(rules, "Thresholds", ("Default", "Thresholds", "EMLSOL"))
        tables += [remedial_rule_table(rules), alone]
    scores = (
        scores_table(results, metric, learner) for metric in METRICS for learner in results.learners
    )
    return [missing_table(results), *tables, *scores]


def is_like_the_papers(results: Results) -> bool:
    """Tell whether a plan has methods and learners of the paper's tables."""
    methods = {"Default", *SAMPLERS, *ENSEMBLES}
    return set(results.methods) >= methods and set(results.learners) <= set(LEARNERS)


def paper_tables(results: Results) -> list[Table]:
    """Return the paper's tables and figures beside its own, and what becomes of its claims."""
    measures = measures_of(dict.fromkeys(job.dataset for job in results.jobs))
    correlation, diversity = correlation_table(results, measures), diversity_table(results)
    pairs = pairs_table(results)
    strategies = [strategies_table(results)] if set(results.methods) >= VARIANTS else []
    return [
        claims_table(results, pairs, correlation, diversity),
        agreement_table(results),
        measures_table(measures),
        correlation,
        sampling_table(results),
        ensemble_table(results),
        dataset_gains_table(results),
        diversity,
        *strategies,
        rho_table(results, measures),
        pairs,
        limb_slip_table(results, measures),
        *([tie_rule_table()] if TIES.is_file() else []),
    ]


def gains_tables(results: Results) -> list[Table]:
    """Return what methods gain over the learner alone, and over the rivals that a plan has."""
    tables = [gains_table(results)] if "Default" in results.methods else []
    if "MLONC" in results.methods:
        ensembles = [f"E{name}" for name in results.methods if f"E{name}" in results.methods]
        singles = [name.removeprefix("E") for name in ensembles]
        tables += [
            gains_table(results, "MLSOL", singles),
            gains_table(results, "EMLSOL", ensembles),
        ]
    return tables


def plans_with_sweeps(store: Store) -> list[str]:
    """Return the plans of a store in which a parameter takes several values; one at most."""
    return [
        plan
        for plan in store.plans()
        if len({method for *_, method in swept(store.jobs(plan))}) > 2
    ][:1]


def write(tables: list[Table], folder: Path) -> None:
    """Write every table in every format, the figures, and a page with all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        for suffix, writer in WRITERS.items():
            target = folder / f"{table.name}.{suffix}"
            target.write_text(writer(table) + "\n", encoding="utf-8")
    drawn = draw(tables, folder)
    parts = ["# The study beside the paper", *summary(tables)]
    for table in tables:
        if not table.name.startswith("scores-"):
            parts.append(markdown(table) if table.rows else table.caption)
            if f"{table.name}.svg" in drawn:
                parts.append(f"![{table.caption}]({table.name}.svg)")
    (folder / "README.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def summary(tables: list[Table]) -> list[str]:
    """Return how much is done, and how far it agrees with the paper, in a sentence each."""
    by_name = {table.name: table for table in tables}
    done = by_name["missing"].caption.partition(" Data sets")[0]
    return [done, *(totals(by_name[name]) for name in ("agreement",) if name in by_name)]


def main() -> None:
    """Read the command line, compute the tables, write them, say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="a store, or a packed one")
    parser.add_argument("folder", type=Path, help="where the tables go")
    parser.add_argument("--plan", help="which plan; else the paper's, or the first")
    options = parser.parse_args()
    with open_results(options.results) as store:
        tables = tables_of(store, chosen_plan(store, options.plan))
    write(tables, options.folder)
    print(*summary(tables), sep="\n")


if __name__ == "__main__":
    main()
