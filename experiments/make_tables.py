"""Write the paper's tables and figures from a store, in Markdown, CSV, LaTeX and PDF.

``python experiments/make_tables.py STORE FOLDER [--plan NAME]``
"""

from __future__ import annotations

import argparse
from pathlib import Path

from paper_study.curves import parameter_table, rho_table, swept
from paper_study.figures import draw
from paper_study.formats import WRITERS, Table
from paper_study.measures import measures_of, measures_table
from paper_study.paper import ENSEMBLES, METRICS, SAMPLERS
from paper_study.tables import (
    all_ranks_table,
    correlation_table,
    diversity_table,
    ensemble_table,
    learners_of,
    sampling_table,
    scores_table,
    strategies_table,
)

from rarelabels.experiment import Store

VARIANTS = {f"E{kind}{name}" for kind in "pk" for name in ("MLSOL", "MLUL")}


def tables_of(store: Store, plan: str) -> list[Table]:
    """Give every table that the plan and what is done of it allow."""
    jobs = store.jobs(plan)
    methods = {job.method.name for job in jobs}
    tables = [
        scores_table(store, plan, metric, learner)
        for metric in METRICS
        for learner in learners_of(store, plan)
    ]
    if len({method for *_, method in swept(jobs)}) > 2:
        tables.append(parameter_table(store, plan))
    if n_finished(store, plan):
        tables += rank_tables(store, plan, methods)
    return tables + measure_tables(store, plan, methods)


def n_finished(store: Store, plan: str) -> int:
    """Count the data sets on which every learner is done with every method."""
    return min(
        len(store.scores("macro_f1", learner=learner, plan=plan).complete().datasets)
        for learner in learners_of(store, plan)
    )


def rank_tables(store: Store, plan: str, methods: set[str]) -> list[Table]:
    """Give the tables that compare methods, over the data sets that are finished."""
    tables = [all_ranks_table(store, plan)]
    if methods >= {"Default", *SAMPLERS}:
        tables.append(sampling_table(store, plan))
    if methods >= {"Default", *ENSEMBLES}:
        tables += [ensemble_table(store, plan), diversity_table(store, plan)]
    if methods >= VARIANTS:
        tables.append(strategies_table(store, plan))
    return tables


def measure_tables(store: Store, plan: str, methods: set[str]) -> list[Table]:
    """Give the tables about measures of the data sets, which are read for it."""
    measures = measures_of(dict.fromkeys(job.dataset for job in store.jobs(plan)))
    tables = [measures_table(measures)]
    if "Default" in methods and n_finished(store, plan) >= 3:
        tables += [correlation_table(store, plan, measures), rho_table(store, plan, measures)]
    return tables


def main() -> None:
    """Read the command line, compute the tables, write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plan")
    options = parser.parse_args()
    with Store(options.store) as store:
        plan = options.plan or store.plans()[0]
        tables = tables_of(store, plan)
    options.folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        for suffix, write in WRITERS.items():
            target = options.folder / f"{table.name}.{suffix}"
            target.write_text(write(table) + "\n", encoding="utf-8")
    draw(tables, options.folder)


if __name__ == "__main__":
    main()
