"""The file formats of data sets: one record for each, in one tuple that everything else reads.

Reading and writing by name or suffix, the command line's choices and messages, plans of experiments
and the documentation all go by `FORMATS`. A new format is a file in `rarelabels.datasets`
and an entry here. Nothing here imports NumPy: a command's ``--help`` must not wait for it.
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
        What `format=` and ``--format`` take.
    title : str
        What it is, for people.
    suffixes : tuple of str
        How its files' names end; of two formats with the same suffix the first in `FORMATS` takes
        the file.
    load : callable
        ``load(path)`` or ``load(path, labels, **options)`` reads a data set.
    save : callable
        ``save(dataset, path)`` writes one.
    begins : compiled pattern of bytes, optional
        How the content begins, for a file whose name does not end in any suffix.
    beside : str, optional
        Suffix of a second file, beside the first, that names the labels.
    takes_labels : bool
        Whether a caller may say which columns are labels.
    is_table : bool
        Whether its columns have names only, so that a caller may drop some (`drop`) or say what
        separates labels in one of them (`separator`).
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    load: Callable[..., Any]
    save: Callable[..., None]
    begins: re.Pattern[bytes] | None = None
    beside: str | None = None
    takes_labels: bool = True
    is_table: bool = False

    def files(self, path: str | os.PathLike[str]) -> list[Path]:
        """Return the files that a data set at `path` consists of, the second one if there is."""
        second = [] if self.beside is None else [beside(path, self.beside)]
        return [Path(path), *second]


FORMATS: tuple[Format, ...] = (
    Format(
        "mulan",
        "Mulan's ARFF, with the labels' names in an XML file beside it",
        (".arff",),
        Deferred("rarelabels.datasets.arff:load_arff"),
        Deferred("rarelabels.datasets:save_mulan"),
        begins=re.compile(rb"(?:\s|%[^\n]*\n)*+@relation", re.IGNORECASE),
        beside=".xml",
    ),
    Format(
        "meka",
        "MEKA's ARFF, with the number of labels in the relation's name",
        (".arff",),
        Deferred("rarelabels.datasets.arff:load_arff"),
        Deferred("rarelabels.datasets:save_meka"),
    ),
    Format(
        "csv",
        "comma-separated values, with the labels' names in a JSON file beside it",
        (".csv", ".tsv"),
        Deferred("rarelabels.datasets:load_csv"),
        Deferred("rarelabels.datasets:save_csv"),
        beside=".labels.json",
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
        "Feather, with the labels' names in a JSON file beside it",
        (".feather",),
        Deferred("rarelabels.datasets:load_feather"),
        Deferred("rarelabels.datasets:save_feather"),
        begins=re.compile(rb"ARROW1"),
        beside=".feather.labels.json",
        is_table=True,
    ),
    Format(
        "excel",
        "an Excel workbook, with the labels' names in a JSON file beside it",
        (".xlsx",),
        Deferred("rarelabels.datasets:load_excel"),
        Deferred("rarelabels.datasets:save_excel"),
        begins=re.compile(rb"PK\x03\x04"),
        beside=".xlsx.labels.json",
        is_table=True,
    ),
    Format(
        "xmc",
        "the Extreme Classification Repository's sparse text",
        (".txt", ".svm"),
        Deferred("rarelabels.datasets:load_xmc"),
        Deferred("rarelabels.datasets:save_xmc"),
        begins=re.compile(rb"[ \t]*\d{1,19}[ \t]+\d{1,19}[ \t]+\d{1,19}[ \t]*\r?\n"),
        takes_labels=False,
    ),
)


def format_names() -> tuple[str, ...]:
    """Return the formats' names."""
    return tuple(one.name for one in FORMATS)


def format_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all formats, each once.

    >>> format_suffixes()[:2]
    ('.arff', '.csv')
    """
    return tuple(dict.fromkeys(suffix for one in FORMATS for suffix in one.suffixes))


def format_named(name: str) -> Format:
    """Return the format of a name, in upper or lower case."""
    for one in FORMATS:
        if one.name == name.lower():
            return one
    raise ValueError(f"no format is called {name!r}; {did_you_mean(name, format_names())}")


def format_of_suffix(path: str | os.PathLike[str]) -> Format | None:
    """Return the format that a file's name says, compressed or not; None if it says none.

    >>> format_of_suffix("yeast.arff.gz").name, format_of_suffix("yeast.docx")
    ('mulan', None)
    """
    suffix = without_compression(path).suffix.lower()
    return next((one for one in FORMATS if suffix in one.suffixes), None)


def format_to_write(path: str | os.PathLike[str]) -> Format:
    """Return the format that a file's name says, or raise ValueError."""
    found = format_of_suffix(path)
    if found is None:
        known = ", ".join(format_suffixes())
        raise ValueError(
            f"{os.fspath(path)} does not say its format: end it in {known}, or name the format."
        )
    return found


def format_of_content(start: bytes) -> Format | None:
    """Return the format whose files begin like this, None if none does."""
    for one in FORMATS:
        if one.begins is not None and one.begins.match(start):
            return one
    return None


def without_compression(path: str | os.PathLike[str]) -> Path:
    """Return the path without `.gz`, `.bz2` or `.xz`."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def beside(path: str | os.PathLike[str], suffix: str) -> Path:
    """Return the place of the file that belongs to another: ``yeast.xml`` to ``yeast.arff.gz``."""
    return without_compression(path).with_suffix(suffix)
