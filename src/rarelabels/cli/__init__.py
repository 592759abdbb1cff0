"""The command line: one short file per command, over the library."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments name."""
    try:
        import typer  # noqa: F401
    except ImportError:
        print(
            'error: the command line needs typer: pip install "rarelabels[cli]".', file=sys.stderr
        )
        sys.exit(1)
    from rarelabels.cli._app import app
    from rarelabels.cli._errors import take_debug

    app(args=take_debug(sys.argv[1:]), prog_name="rarelabels")
