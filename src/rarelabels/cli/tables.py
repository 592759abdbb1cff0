"""rarelabels tables: what the experiments in a store come to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rarelabels.cli._data import Force
from rarelabels.cli._errors import Misuse, as_misuse, say, told
from rarelabels.cli._files import check_free
from rarelabels.cli.compare import Metric, check_metric
from rarelabels.cli.describe import as_text
from rarelabels.cli.run import StorePath
from rarelabels.metrics import METRICS, find_metric


@told
def tables(
    store: StorePath,
    metric: Metric = METRICS[0].name,
    plan: Annotated[str | None, typer.Option(help="Which plan, if there are several.")] = None,
    learner: Annotated[str | None, typer.Option(help="Which learner; else all.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    export: Annotated[
        Path | None, typer.Option(help="Also write every result to a .csv or .parquet file.")
    ] = None,
    force: Force = False,
) -> None:
    """Print scores by data set and method, ranks and tests."""
    from rarelabels.experiment import Store

    check_metric(metric)
    check_free(export, force=force)
    if not store.is_file():
        raise Misuse(f"there is no store {store}.")
    with Store(store) as opened, as_misuse(ValueError):
        found = summaries(opened, metric, plan, learner)
        if export is not None:
            opened.export(export, plan)
            say(f"written: {export}")
    if as_json:
        print(as_text(found), end="")
        return
    for one in found:
        show(one)


def summaries(store: Any, metric: str, plan: str | None, learner: str | None) -> list[Any]:
    """Give a summary for each learner."""
    from rarelabels.report import tables_summary

    learners = dict.fromkeys(job.learner.name for job in store.jobs(plan))
    chosen = [learner] if learner is not None else list(learners)
    if any(name not in learners for name in chosen):
        raise Misuse(f"the store has no learner {learner!r}; it has {', '.join(learners)}.")
    if not chosen:
        raise Misuse("the store holds no results yet.")
    return [
        tables_summary(store.scores(metric, learner=name, plan=plan), metric=metric, learner=name)
        for name in chosen
    ]


def show(found: dict[str, Any]) -> None:
    """Print one learner's table, with ranks and tests below."""
    from rarelabels.cli._show import console, table

    rows = [
        (name, *("–" if value is None else f"{value:.4f}" for value in values))
        for name, values in zip(found["datasets"], found["scores"], strict=True)
    ]
    if found["ranks"]:
        rows.append(("average rank", *(f"{found['ranks'][name]:.2f}" for name in found["methods"])))
    rows += [
        (tally, *(str(found[tally][name]) for name in found["methods"]))
        for tally in ("wins", "losses")
        if tally in found
    ]
    title = f"{find_metric(found['metric']).title}, {found['learner']}"
    page = console()
    page.print(table(["data set", *found["methods"]], rows, title=title))
    if found.get("friedman") is not None:
        page.print(f"Friedman test: p = {found['friedman']:.2g}", markup=False)
    if "wins" in found:
        page.print(f"wins and losses: Wilcoxon tests at 5 %, corrected by {found['correction']}")
    n_gaps = len(found["datasets"]) - found["n_complete"]
    if n_gaps:
        page.print(f"{n_gaps} data sets are not done yet; ranks and tests leave them out.")
    page.print()
