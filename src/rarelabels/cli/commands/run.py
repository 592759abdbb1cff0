"""rarelabels run: a plan of experiments into a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rarelabels._engines import engine_names
from rarelabels.cli._errors import ends_with_message
from rarelabels.cli._options import Jobs, Minutes, StorePath, Trust
from rarelabels.cli._plans import execute, read_plan


@ends_with_message
def run_command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN.toml", help="The plan to run.")],
    store: StorePath,
    jobs: Jobs = -1,
    engine: Annotated[
        str | None, typer.Option(help=f"{', '.join(engine_names())} or a scheduler’s address.")
    ] = None,
    max_minutes: Minutes = None,
    nice: Annotated[
        int,
        typer.Option(
            min=0, help="Niceness of the worker processes; a higher value lowers their priority."
        ),
    ] = 0,
    trust: Trust = None,
) -> None:
    """Run the jobs of a plan that have no result in the store yet.

    An interrupted run continues where it stopped when the command is run again.
    """
    read = read_plan(plan, trust)
    execute(read, store, jobs=jobs, engine=engine, max_minutes=max_minutes, nice=nice)
