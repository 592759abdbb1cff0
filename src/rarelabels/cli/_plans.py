"""Read plans of experiments from a file or a store, and run them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rarelabels.cli._comparing import failed, report_failures
from rarelabels.cli._errors import Failure, Misuse, as_misuse, say
from rarelabels.cli._files import check_free


def read_plan(path: Path, trust: list[str] | None = None) -> Any:
    """Read a plan's file."""
    from rarelabels.experiment import PlanError, load_plan

    if not path.is_file():
        raise Misuse(f"the plan {path} does not exist.")
    with as_misuse(PlanError):
        return load_plan(path, trusted=trust or ())


def stored_plans(place: Path) -> list[Any]:
    """Return the plans whose jobs a store has."""
    from rarelabels.experiment import Plan, Store

    if not place.is_file():
        raise Misuse(f"the store {place} does not exist.")
    with Store(place) as store:
        return [Plan.of_jobs(name, store.jobs(name)) for name in store.plans()]


def execute(
    plan: Any,
    store: Path,
    *,
    jobs: int,
    engine: str | None = None,
    max_minutes: float | None = None,
    retry: bool = False,
    nice: int = 0,
    trust: list[str] | None = None,
) -> None:
    """Run a plan into a store, and report the result."""
    from rarelabels.experiment import Store, run
    from rarelabels.experiment.failures import failures_of

    check_free(store, force=True)
    with Store(store) as opened:
        try:
            done = run(
                plan, opened, n_jobs=jobs, engine=engine, max_minutes=max_minutes,
                retry=retry, nice=nice, trusted=trust or (),
            )  # fmt: skip
        except KeyboardInterrupt:
            raise Failure("interrupted; run the same command again to continue.") from None
        say(str(done))
        n_failed = report_failures(failures_of(opened, plan.name))
    if n_failed:
        raise failed(n_failed, store)
