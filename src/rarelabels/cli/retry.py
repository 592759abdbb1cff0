"""rarelabels retry: run again what failed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rarelabels.cli._errors import Misuse, as_misuse, told
from rarelabels.cli.compare import Jobs
from rarelabels.cli.run import StorePath, execute, existing


@told
def retry(
    store: StorePath,
    plan: Annotated[
        Path | None, typer.Argument(metavar="[PLAN.toml]", help="Else the plan in the store.")
    ] = None,
    jobs: Jobs = -1,
) -> None:
    """Run the jobs that failed again, and those that have not run yet."""
    from rarelabels.experiment import PlanError, load_plan

    with as_misuse(PlanError):
        plans = [load_plan(existing(plan))] if plan is not None else stored_plans(store)
    for read in plans:
        execute(read, store, jobs=jobs, retry=True)


def stored_plans(place: Path) -> list[Any]:
    """Give the plans whose jobs a store has."""
    from rarelabels.experiment import Store

    if not place.is_file():
        raise Misuse(f"there is no store {place}.")
    with Store(place) as store:
        return [plan_of(name, store.jobs(name)) for name in store.plans()]


def plan_of(name: str, jobs: list[Any]) -> Any:
    """Put the jobs of a plan together again."""
    from rarelabels.experiment import Plan

    first = jobs[0]
    return Plan(
        name=name,
        datasets=tuple(dict.fromkeys(job.dataset for job in jobs)),
        learners=tuple(dict.fromkeys(job.learner for job in jobs)),
        methods=tuple(dict.fromkeys(job.method for job in jobs)),
        n_splits=first.n_splits,
        n_repeats=first.n_repeats,
        seed=first.seed,
        per_label=first.per_label,
    )
