"""rarelabels tables: the scores of the experiments in a store, ranked and tested."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rarelabels.cli._comparing import check_metric
from rarelabels.cli._errors import Misuse, as_misuse, ends_with_message, say
from rarelabels.cli._files import check_free, write_json
from rarelabels.cli._options import Force, Json, MetricName, StorePath, Wide
from rarelabels.cli._printable import printable
from rarelabels.metrics import METRICS, find_metric


@ends_with_message
def tables_command(
    store: StorePath,
    metric: MetricName = METRICS[0].name,
    plan: Annotated[str | None, typer.Option(help="Which plan, if the store has several.")] = None,
    learner: Annotated[str | None, typer.Option(help="Which learner; by default all.")] = None,
    as_json: Json = False,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print LaTeX for the package booktabs.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option(help="Also write every result to a .csv or .parquet file.")
    ] = None,
    wide: Wide = False,
    force: Force = False,
) -> None:
    """Print scores by data set and method, ranks and tests."""
    from rarelabels.experiment import Store

    check_metric(metric)
    check_free(export, force=force)
    if not store.is_file():
        raise Misuse(f"the store {store} does not exist.")
    with Store(store) as opened, as_misuse(ValueError):
        per_learner = summaries(opened, metric, plan, learner)
        if export is not None:
            opened.export(export, plan)
            say(f"written: {export}")
        tables = [opened.scores(metric, learner=one["learner"], plan=plan) for one in per_learner]
    if as_json:
        write_json(per_learner)
        return
    if latex:
        is_loss = find_metric(metric).lower_is_better
        written = [table.to_latex(lower_is_better=is_loss) for table in tables]
        lines = "\n\n".join(written).splitlines()
        print("\n".join(map(printable, lines)))
        return
    from rarelabels.cli._terminal import Page
    from rarelabels.cli._views import show_tables

    for one in per_learner:
        show_tables(one, page=Page(wide=wide))


def summaries(store: Any, metric: str, plan: str | None, learner: str | None) -> list[Any]:
    """Return a summary for each learner."""
    check_held("plan", plan, store.plans())
    learners = list(dict.fromkeys(job.learner.name for job in store.jobs(plan)))
    if not learners:
        raise Misuse("the store holds no results yet.")
    check_held("learner", learner, learners)
    chosen = learners if learner is None else [learner]
    return [summary(store, metric, plan, name) for name in chosen]


def summary(store: Any, metric: str, plan: str | None, learner: str) -> dict[str, Any]:
    """Return the summary of a learner, with the data sets on which jobs have failed."""
    from rarelabels.report import tables_summary

    table = store.scores(metric, learner=learner, plan=plan)
    failures = [row for row in store.failures(plan) if row["learner"] == learner]
    return {
        **tables_summary(table, metric=metric, learner=learner),
        "failed": {
            name: sum(row["dataset"] == name for row in failures)
            for name in dict.fromkeys(row["dataset"] for row in failures)
        },
    }


def check_held(what: str, name: str | None, names: list[str]) -> None:
    """Refuse a name that the store does not have."""
    if name is not None and name not in names:
        present = ", ".join(names) or "none"
        raise Misuse(f"--{what}: the store has no {what} {name!r}; it has {present}.")
