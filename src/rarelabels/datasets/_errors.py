"""What readers and the fetcher raise."""

from __future__ import annotations

import os
from typing import TypeAlias

FilePath: TypeAlias = str | os.PathLike[str]

SHOWN = 60  # characters of the offending text that a message quotes


class DataFormatError(ValueError):
    """A file does not hold what its format promises.

    Every reader raises this and nothing else about a file's content; a file that is not there is a
    `FileNotFoundError`, one that cannot be read an `OSError`.

    Parameters
    ----------
    problem : str
        What is wrong, and what was expected.
    path : path-like
        The file.
    line : int, optional
        The line where it went wrong, counted from 1.
    text : str, optional
        The offending text; the message quotes its beginning.
    sheet : str, optional
        The sheet of a workbook, whose lines are rows.

    Examples
    --------
    >>> from rarelabels.datasets import DataFormatError
    >>> print(DataFormatError("expected 3 values, got 2", "wine.arff", 12, "5.1,0"))
    wine.arff, line 12: expected 3 values, got 2; found '5.1,0'
    """

    def __init__(
        self,
        problem: str,
        path: FilePath,
        line: int | None = None,
        text: str | None = None,
        sheet: str | None = None,
    ) -> None:
        # All go to `args`, so that the error survives pickling on its way from a worker.
        super().__init__(problem, os.fspath(path), line, text, sheet)
        self.problem = problem
        self.path = os.fspath(path)
        self.line = line
        self.text = text
        self.sheet = sheet

    def __str__(self) -> str:
        place = self.path if self.sheet is None else f"{self.path}, sheet {self.sheet!r}"
        if self.line is not None:
            place += f", {'line' if self.sheet is None else 'row'} {self.line}"
        quoted = "" if self.text is None else f"; found {shortened(self.text)!r}"
        return f"{place}: {self.problem}{quoted}"


class DownloadError(OSError):
    """A data set could not be downloaded, or what came is not what was promised."""


def shortened(text: str) -> str:
    """Cut a text to what fits in a message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
