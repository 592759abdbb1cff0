"""Write output files: never over existing files, never partly, never to a device."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from rarelabels.cli._errors import Failure, Misuse

STDOUT = "-"


def check_free(path: str | Path | None, *, force: bool) -> None:
    """Raise an error before any work if a file cannot be written.

    Links are followed: what counts is the file that would be written.
    """
    if path is None or str(path) == STDOUT:
        return
    place, target = Path(path), Path(os.path.realpath(path))
    if target.is_dir():
        raise Failure(f"{place} is a folder; name a file.")
    if target.exists() and not target.is_file():
        raise Failure(f"{place} is not a regular file; name another one, or - for standard output.")
    if target.exists() and not force:
        raise Failure(f"{place} already exists; use --force to overwrite it.")
    if not target.parent.is_dir():
        raise Failure(
            f"cannot write {target.name}: the folder {_named(place, target)} does not exist."
        )


def _named(place: Path, target: Path) -> Path:
    """Return the folder as it was typed, or where a link leads."""
    return target.parent if place.is_symlink() else place.parent


def check_one_output(report: str | None, *, as_json: bool) -> None:
    """Refuse to write two things to standard output."""
    if as_json and report == STDOUT:
        raise Misuse("--json and --report - cannot both write to standard output.")


def write_text(path: str | Path, text: str) -> None:
    """Write a text to a file, as a whole or not at all, or to standard output for ``-``."""
    write_bytes(path, text.encode())


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write bytes to a file, all or none of them, or to standard output for ``-``."""
    from rarelabels.datasets.files import replacing

    if str(path) == STDOUT:
        sys.stdout.buffer.write(content)
        return
    with replacing(path) as file:
        file.write(content)


def write_json(value: Any) -> None:
    """Write JSON to standard output."""
    write_text(STDOUT, json_text(value))


def json_text(value: Any) -> str:
    r"""Return indented JSON in which control characters are escaped.

    >>> print(json_text({"label": "a\x1b\x9b"}), end="")
    {
      "label": "a\u001b\u009b"
    }
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    # JSON escapes the control characters below the space itself, and none of the others.
    return "".join(s if s.isprintable() or s == "\n" else json.dumps(s)[1:-1] for s in text) + "\n"
