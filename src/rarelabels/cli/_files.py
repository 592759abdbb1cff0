"""Output files: never over what is there, never half, never a device."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from rarelabels.cli._errors import Failure, Misuse

STDOUT = "-"


def check_free(path: str | Path | None, *, force: bool) -> None:
    """Refuse a place that cannot be written to, before any work is done for it.

    Links are followed: what counts is the file that would be written.
    """
    if path is None or str(path) == STDOUT:
        return
    place, target = Path(path), Path(os.path.realpath(path))
    if target.is_dir():
        raise Failure(f"{place} is a folder; name a file.")
    if target.exists() and not target.is_file():
        raise Failure(f"{place} is no regular file; name another (- is standard output).")
    if target.exists() and not force:
        raise Failure(f"{place} is there already; --force overwrites it.")
    if not target.parent.is_dir():
        raise Failure(f"there is no folder {_named(place, target)} to write {target.name} into.")


def _named(place: Path, target: Path) -> Path:
    """Return the folder as it was typed, or where a link leads."""
    return target.parent if place.is_symlink() else place.parent


def check_one_output(report: str | None, *, as_json: bool) -> None:
    """Refuse to write two things to standard output."""
    if as_json and report == STDOUT:
        raise Misuse("--json and --report - both want standard output.")


def write_text(path: str | Path, text: str) -> None:
    """Write a text beside its place and rename it, or to standard output for ``-``."""
    write_bytes(path, text.encode())


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write bytes beside their place and rename them, or to standard output for ``-``."""
    from rarelabels.datasets.files import replacing

    if str(path) == STDOUT:
        sys.stdout.buffer.write(content)
        return
    with replacing(path) as file:
        file.write(content)


def write_json(value: Any) -> None:
    """Write JSON for people and programs to standard output."""
    write_text(STDOUT, json_text(value))


def json_text(value: Any) -> str:
    r"""Return JSON for people and programs, without what could steer a terminal.

    >>> print(json_text({"label": "a\x1b\x9b"}), end="")
    {
      "label": "a\u001b\u009b"
    }
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    # JSON escapes the control characters below the space itself, and none of the others.
    return "".join(s if s.isprintable() or s == "\n" else json.dumps(s)[1:-1] for s in text) + "\n"
