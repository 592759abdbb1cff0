"""Errors of readers and downloads."""

from __future__ import annotations

import os
from typing import TypeAlias

FilePath: TypeAlias = str | os.PathLike[str]

SHOWN = 60  # maximum number of characters of the wrong text in a message


class DataFormatError(ValueError):
    """The content of a file does not follow its format.

    Readers raise this error for any problem with the content of a file. They raise
    `FileNotFoundError` for a missing file, and `OSError` for one that cannot be read.

    Parameters
    ----------
    problem : str
        The problem, and what was expected.
    path : path-like
        The file.
    line : int, optional
        The line of the problem, counted from 1.
    text : str, optional
        The wrong text; the message quotes its beginning.
    sheet : str, optional
        The sheet of a workbook; `line` is then a row.

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
        # All arguments are in `args`, so that the error can be pickled by a worker.
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
    """A data set could not be downloaded, or the downloaded file has a wrong checksum."""


def shortened(text: str) -> str:
    """Shorten a text so that it fits in a message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
