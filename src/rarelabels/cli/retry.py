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
    from rarelabels.experiment import Plan, Store

    if not place.is_file():
        raise Misuse(f"there is no store {place}.")
    with Store(place) as store:
        return [Plan.of_jobs(name, store.jobs(name)) for name in store.plans()]
