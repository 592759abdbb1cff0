"""rarelabels retry: run again what failed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rarelabels.cli._errors import ends_with_message
from rarelabels.cli._options import Jobs, StorePath, Trust
from rarelabels.cli._plans import execute, read_plan, stored_plans


@ends_with_message
def retry_command(
    store: StorePath,
    plan: Annotated[
        Path | None,
        typer.Argument(
            metavar="PLAN.toml", help="The plan to retry; by default the plans in the store."
        ),
    ] = None,
    jobs: Jobs = -1,
    trust: Trust = None,
) -> None:
    """Run again the jobs that failed, and run those that have no result yet."""
    plans = [read_plan(plan, trust)] if plan is not None else stored_plans(store)
    for one in plans:
        execute(one, store, jobs=jobs, retry=True, trust=trust)
