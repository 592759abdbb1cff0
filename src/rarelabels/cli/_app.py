"""The app: the commands, in the order in which one meets them."""

from __future__ import annotations

from typing import Annotated

import typer

from rarelabels import __version__
from rarelabels.cli.compare import compare
from rarelabels.cli.datasets import datasets
from rarelabels.cli.demo import demo
from rarelabels.cli.describe import describe
from rarelabels.cli.fetch import fetch
from rarelabels.cli.pack import pack, unpack
from rarelabels.cli.resample import resample
from rarelabels.cli.retry import retry
from rarelabels.cli.run import run
from rarelabels.cli.tables import tables

app = typer.Typer(
    name="rarelabels",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo, describe, resample, compare, run, retry, tables, pack, unpack, datasets, fetch,
):  # fmt: skip
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"rarelabels {__version__}")
        raise typer.Exit


@app.callback()
def rarelabels(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error came from, with any command.")
    ] = False,
) -> None:
    """Measure, resample and learn multi-label data whose interesting labels are rare."""
