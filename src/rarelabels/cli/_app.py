"""The app, with its commands in the order of use."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from rarelabels import __version__
from rarelabels.cli._help import PlainGroup, PlainHelp
from rarelabels.cli.commands import COMMANDS

app = typer.Typer(
    name="rarelabels",
    cls=PlainGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name in COMMANDS:
    module = import_module(f"rarelabels.cli.commands.{name}")
    app.command(name, cls=PlainHelp)(getattr(module, f"{name}_command"))


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
