"""The file formats of data sets: one record for each, in one tuple that everything else reads.

Reading and writing by name or suffix, the choices and messages of the command line, plans of
experiments and the documentation all use `FORMATS`. A new format is a file in `rarelabels.datasets`
and an entry here. This module does not import NumPy, so that ``--help`` of commands is fast.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rarelabels._registry import Deferred, did_you_mean

COMPRESSED = (".gz", ".bz2", ".xz")


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name : str
        The name that `format=` and ``--format`` accept.
    title : str
        A short description.
    suffixes : tuple of str
        Suffixes of the file names. If two formats have the same suffix, the first one in `FORMATS`
        is used.
    load : callable
        ``load(path)`` or ``load(path, labels, **options)`` reads a data set.
    save : callable
        ``save(dataset, path)`` writes one.
    begins : compiled pattern of bytes, optional
        Pattern of the beginning of the content, for files with other suffixes.
    companion : str, optional
        Suffix of a second file with the names of the labels, next to the first.
    takes_labels : bool
        Whether a caller may choose the label columns.
    is_table : bool
        Whether files are plain tables, so that a caller may drop columns (`drop`) or set the
        separator of labels in a column (`separator`).
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    load: Callable[..., Any]
    save: Callable[..., None]
    begins: re.Pattern[bytes] | None = None
    companion: str | None = None
    takes_labels: bool = True
    is_table: bool = False

    def files(self, path: str | os.PathLike[str]) -> list[Path]:
        """Return the files of a data set at `path`: one, or two if the format has a second file."""
        second = [] if self.companion is None else [companion_path(path, self.companion)]
        return [Path(path), *second]


FORMATS: tuple[Format, ...] = (
    Format(
        "mulan",
        "Mulan's ARFF, with the names of the labels in a separate XML file",
        (".arff",),
        Deferred("rarelabels.datasets.arff:load_arff"),
        Deferred("rarelabels.datasets:save_mulan"),
        begins=re.compile(rb"(?:\s|%[^\n]*\n)*+@relation", re.IGNORECASE),
        companion=".xml",
    ),
    Format(
        "meka",
        "MEKA's ARFF, with the number of labels in the name of the relation",
        (".arff",),
        Deferred("rarelabels.datasets.arff:load_arff"),
        Deferred("rarelabels.datasets:save_meka"),
    ),
    Format(
        "csv",
        "comma-separated values, with the names of the labels in a separate JSON file",
        (".csv", ".tsv"),
        Deferred("rarelabels.datasets:load_csv"),
        Deferred("rarelabels.datasets:save_csv"),
        companion=".labels.json",
        is_table=True,
    ),
    Format(
        "parquet",
        "Parquet",
        (".parquet", ".pq"),
        Deferred("rarelabels.datasets:load_parquet"),
        Deferred("rarelabels.datasets:save_parquet"),
        begins=re.compile(rb"PAR1"),
        is_table=True,
    ),
    Format(
        "feather",
        "Feather, with the names of the labels in a separate JSON file",
        (".feather",),
        Deferred("rarelabels.datasets:load_feather"),
        Deferred("rarelabels.datasets:save_feather"),
        begins=re.compile(rb"ARROW1"),
        companion=".feather.labels.json",
        is_table=True,
    ),
    Format(
        "excel",
        "an Excel workbook, with the names of the labels in a separate JSON file",
        (".xlsx",),
        Deferred("rarelabels.datasets:load_excel"),
        Deferred("rarelabels.datasets:save_excel"),
        begins=re.compile(rb"PK\x03\x04"),
        companion=".xlsx.labels.json",
        is_table=True,
    ),
    Format(
        "xmc",
        "sparse text of the Extreme Classification Repository",
        (".txt", ".svm"),
        Deferred("rarelabels.datasets:load_xmc"),
        Deferred("rarelabels.datasets:save_xmc"),
        begins=re.compile(rb"[ \t]*\d{1,19}[ \t]+\d{1,19}[ \t]+\d{1,19}[ \t]*\r?\n"),
        takes_labels=False,
    ),
)


def format_names() -> tuple[str, ...]:
    """Return the names of the formats."""
    return tuple(one.name for one in FORMATS)


def format_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all formats, each once.

    >>> format_suffixes()[:2]
    ('.arff', '.csv')
    """
    return tuple(dict.fromkeys(suffix for one in FORMATS for suffix in one.suffixes))


def format_named(name: str) -> Format:
    """Return the format with a name, in upper or lower case."""
    for one in FORMATS:
        if one.name == name.lower():
            return one
    raise ValueError(f"no format is called {name!r}; {did_you_mean(name, format_names())}")


def format_of_suffix(path: str | os.PathLike[str]) -> Format | None:
    """Return the format for the suffix of a file, compressed or not; None if it is unknown.

    >>> format_of_suffix("yeast.arff.gz").name, format_of_suffix("yeast.docx")
    ('mulan', None)
    """
    suffix = without_compression(path).suffix.lower()
    return next((one for one in FORMATS if suffix in one.suffixes), None)


def format_to_write(path: str | os.PathLike[str]) -> Format:
    """Return the format for the suffix of a file, or raise ValueError."""
    chosen = format_of_suffix(path)
    if chosen is None:
        known = ", ".join(format_suffixes())
        raise ValueError(f"{os.fspath(path)} has no known suffix: use {known}, or pass the format.")
    return chosen


def format_of_content(start: bytes) -> Format | None:
    """Return the format whose files begin like this, or None."""
    for one in FORMATS:
        if one.begins is not None and one.begins.match(start):
            return one
    return None


def without_compression(path: str | os.PathLike[str]) -> Path:
    """Return the path without `.gz`, `.bz2` or `.xz`."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def companion_path(path: str | os.PathLike[str], suffix: str) -> Path:
    """Return the path of a second file: ``yeast.xml`` for ``yeast.arff.gz``."""
    return without_compression(path).with_suffix(suffix)
