"""Write lines to standard error: whole words on a terminal, above a progress bar."""

from __future__ import annotations

import os
import sys
import textwrap
from typing import Any

USUAL_WIDTH = 80


def write_line(text: str) -> None:
    """Write a line to standard error; on a terminal, it is wrapped and does not cut a progress bar.

    Parameters
    ----------
    text : str
        One line, or one row of a table.
    """
    line = wrapped(text, sys.stderr)
    tqdm = sys.modules.get("tqdm")
    if tqdm is not None and sys.stderr.isatty():
        tqdm.tqdm.write(line, file=sys.stderr)
    else:
        print(line, file=sys.stderr, flush=True)


def wrapped(text: str, stream: Any) -> str:
    """Break a line between words if a stream is a terminal that is narrower than the line."""
    width = terminal_width(stream)
    if width is None or len(text) <= width:
        return text
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def terminal_width(stream: Any) -> int | None:
    """Return the number of columns of a terminal; None if the stream is not a terminal."""
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH
    except (OSError, ValueError):
        return USUAL_WIDTH
