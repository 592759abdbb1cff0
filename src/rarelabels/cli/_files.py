"""Output files: never over what is there, never half."""

from __future__ import annotations

import sys
from pathlib import Path

from rarelabels.cli._errors import Failure

STDOUT = "-"


def check_free(path: str | Path | None, *, force: bool) -> None:
    """Refuse a place that cannot be written to, before any work is done for it."""
    if path is None or str(path) == STDOUT:
        return
    place = Path(path)
    if place.is_dir():
        raise Failure(f"{place} is a folder; name a file.")
    if place.exists() and not force:
        raise Failure(f"{place} is there already; --force overwrites it.")
    if not place.absolute().parent.is_dir():
        raise Failure(f"there is no folder {place.parent} to write {place.name} into.")


def write_text(path: str | Path, text: str) -> None:
    """Write a text beside its place and rename it, or to standard output for ``-``."""
    from rarelabels.datasets.files import replacing

    if str(path) == STDOUT:
        sys.stdout.buffer.write(text.encode())
        return
    with replacing(path) as file:
        file.write(text.encode())
