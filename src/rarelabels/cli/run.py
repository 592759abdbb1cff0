"""rarelabels run: a plan of experiments into a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rarelabels.cli._errors import Failure, Misuse, as_misuse, say, told
from rarelabels.cli._files import check_free
from rarelabels.cli.compare import Jobs

StorePath = Annotated[
    Path, typer.Option("--store", metavar="RESULTS.sqlite", help="Where results are kept.")
]
Minutes = Annotated[
    float | None, typer.Option("--max-minutes", min=0, help="End after that time; go on later.")
]


@told
def run(
    plan: Annotated[Path, typer.Argument(metavar="PLAN.toml", help="What to run.")],
    store: StorePath,
    jobs: Jobs = -1,
    engine: Annotated[
        str | None, typer.Option(help="joblib, dask, inline or a scheduler’s address.")
    ] = None,
    max_minutes: Minutes = None,
    nice: Annotated[int, typer.Option(min=0, help="Give way to other processes by so much.")] = 0,
) -> None:
    """Run what a plan has and a store lacks; interrupt it and run it again at will."""
    from rarelabels.experiment import PlanError, load_plan

    with as_misuse(PlanError):
        read = load_plan(existing(plan))
    execute(read, store, jobs=jobs, engine=engine, max_minutes=max_minutes, nice=nice)


def existing(plan: Path) -> Path:
    """Give the place of a plan, if one is there."""
    if not plan.is_file():
        raise Misuse(f"there is no plan {plan}.")
    return plan


def execute(
    plan: Any,
    store: Path,
    *,
    jobs: int,
    engine: str | None = None,
    max_minutes: float | None = None,
    retry: bool = False,
    nice: int = 0,
) -> None:
    """Run a plan into a store, and say how it went."""
    from rarelabels.cli._comparing import tell_failures
    from rarelabels.experiment import Store
    from rarelabels.experiment import run as run_plan

    check_free(store, force=True)
    with Store(store) as opened:
        try:
            done = run_plan(
                plan, opened, n_jobs=jobs, engine=engine, max_minutes=max_minutes,
                retry=retry, nice=nice,
            )  # fmt: skip
        except KeyboardInterrupt:
            raise Failure("interrupted; the same command again goes on from there.") from None
        say(str(done))
        n_failed = tell_failures(opened, plan.name)
    if n_failed:
        raise Failure(f"{n_failed} jobs failed; rarelabels retry --store {store} tries them again.")
