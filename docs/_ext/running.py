"""Run the code of a page, block by block: for the site, and for the tests of it."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import types
import warnings
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

OPENING = r"( *)(```python|\.\. run::|\.\. run-shell::|\.\. code-block:: python)\s*$"


class Block(NamedTuple):
    """A block of a page: "python" or "shell", the line it begins in, and what it says."""

    language: str
    line: int
    source: str


class Page:
    """The variables and the folder that the blocks of a page share.

    The variables are a module that the import system knows, so that what a page defines can be
    pickled.

    Parameters
    ----------
    name : str
        The name of the page.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = types.ModuleType("page_" + re.sub(r"\W", "_", name))
        sys.modules[self.module.__name__] = self.module
        self.folder = tempfile.mkdtemp(prefix="page-")
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def run(self, block: Block) -> str:
        """Run a block in the page's folder, and return what it prints."""
        run = self._run_python if block.language == "python" else self._run_shell
        with contextlib.chdir(self.folder):
            return run(block.source, block.line)

    def _run_shell(self, source: str, line: int) -> str:
        """Run lines that call the command line, each of which must succeed."""
        printed = []
        for command in source.splitlines():
            name, *arguments = shlex.split(command)
            if name != "rarelabels":
                raise ValueError(f"{self.name}, line {line}: no call of rarelabels: {command}")
            # Only blocks of this documentation are run.
            done = subprocess.run(  # noqa: S603
                [sys.executable, "-m", "rarelabels.cli", *arguments],
                env={**os.environ, "COLUMNS": "96", "NO_COLOR": "1"},
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
            )
            if done.returncode:
                raise RuntimeError(f"{command} fails: {done.stderr}")
            printed.append(done.stdout)
        return "".join(printed)

    def _run_python(self, source: str, line: int) -> str:
        """Run a block of Python, with warnings as errors."""
        printed = io.StringIO()
        code = compile(source, f"<{self.name}, line {line}>", "exec")
        with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.simplefilter("error")
            exec(code, vars(self.module))  # noqa: S102
        return printed.getvalue()

    def value(self, expression: str) -> Any:
        """Evaluate an expression with the variables of the page."""
        return eval(expression, vars(self.module))  # noqa: S307


def blocks(text: str) -> Iterator[Block]:
    """Return each block of a page, Markdown or reStructuredText, that is to run."""
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        opening = re.match(OPENING, lines[place])
        place += 1
        if opening is None:
            continue
        find = _fenced if opening[2].startswith("`") else _indented
        found = find(lines, place, len(opening[1]))
        language = "shell" if "shell" in opening[2] else "python"
        yield Block(language, place + 1, "\n".join(found).strip("\n"))
        place += len(found)


def _fenced(lines: list[str], start: int, indent: int) -> list[str]:
    stop = next(n for n in range(start, len(lines)) if lines[n].strip() == "```")
    return [line[indent:] for line in lines[start:stop]]


def _indented(lines: list[str], start: int, indent: int) -> list[str]:
    inside = indent + 3
    found = []
    for line in lines[start:]:
        if line.strip() and not line.startswith(" " * inside):
            break
        found.append("" if re.match(r" *:[\w-]+:", line) else line[inside:])
    return found
