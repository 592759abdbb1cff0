"""Format the help of commands: DATA instead of {DATA}, N instead of <int range>."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

TYPES = {"int": "N", "float": "NUMBER", "path": "FILE", "str": "TEXT"}


class PlainHelp(TyperCommand):
    """A command whose help has no brackets and no types of Python."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line."""
        pieces = [plain_usage(piece) for piece in super().collect_usage_pieces(ctx)]
        # Older versions of typer leave the dots out where the argument is given a name.
        several = {param.metavar for param in self.get_params(ctx) if param.nargs == -1}
        return [f"{piece}..." if piece in several else piece for piece in pieces]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the lists of arguments and options."""
        records: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                is_argument = param.param_type_name == "argument"
                head = plain_head(record[0], is_argument=is_argument)
                records["Arguments" if is_argument else "Options"].append((head, record[1]))
        for title, rows in records.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class PlainGroup(TyperGroup):
    """A group whose help shows the first sentence of each command in full."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, command.get_short_help_str(limit=1000)) for name, command in commands if command
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def plain_usage(piece: str) -> str:
    """Return a part of the usage line without doubled brackets.

    >>> plain_usage("{DATA}"), plain_usage("[[PLAN.toml]]"), plain_usage("{NAME}...")
    ('DATA', '[PLAN.toml]', 'NAME...')
    """
    return re.sub(r"\[\[(.*)\]\]", r"[\1]", re.sub(r"\{(.*)\}", r"\1", piece))


def plain_head(head: str, *, is_argument: bool) -> str:
    """Return what stands before the words on an option, types in words of the shell.

    >>> plain_head("--k <int range>", is_argument=False), plain_head("DATA <str>", is_argument=True)
    ('--k N', 'DATA')
    """
    if is_argument:
        return re.sub(r" <.*>$", "", head)
    return re.sub(r"<(\w+)[^>]*>$", lambda match: TYPES.get(match[1], match[1].upper()), head)
