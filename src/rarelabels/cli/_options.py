"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rarelabels._distances import DISTANCES, distance_choices
from rarelabels._formats import format_suffixes
from rarelabels.cli._names import DATASET_NAMES, METRIC_NAMES, complete


def complete_data(incomplete: str) -> list[str]:
    """Complete the name of a known data set, or a path."""
    folder = Path(incomplete if incomplete.endswith("/") else incomplete + "x").parent
    entries = folder.iterdir() if folder.is_dir() else ()
    paths = sorted(f"{path}/" if path.is_dir() else str(path) for path in entries)
    return [*complete(DATASET_NAMES)(incomplete), *(p for p in paths if p.startswith(incomplete))]


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help=f"A file ({', '.join(format_suffixes())}; also compressed) or a data set’s name.",
        show_default=False,
        autocompletion=complete_data,
    ),
]
DataOrFolder = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help=f"A file ({', '.join(format_suffixes())}; also compressed), a folder of Parquet "
        "files, or a data set’s name.",
        show_default=False,
        autocompletion=complete_data,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        help="Which columns are labels: a prefix of their names, names separated by commas, a "
        "count (-6 for the last six), or Mulan’s XML file.",
        show_default=False,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        help="What separates the names in a column of tags: --labels tags --separator ';'.",
        show_default=False,
    ),
]
Drop = Annotated[
    str | None,
    typer.Option(help="Columns to leave out, separated by commas.", show_default=False),
]
DropLabel = Annotated[
    str | None,
    typer.Option(
        "--drop-label", help="Labels to leave out, separated by commas.", show_default=False
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(help="The sheet of an Excel workbook; by default the first.", show_default=False),
]
Unknown = Annotated[
    str | None,
    typer.Option(
        metavar="MARKER",
        help="The marker of an unknown label, such as -1; empty cells are then unknown, too. Use "
        "? for ARFF files, and the word blank if only empty cells are unknown.",
        show_default=False,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column with the group of each sample, such as a patient. It is not a feature, "
        "and folds do not divide groups.",
        show_default=False,
    ),
]
Neighbors = Annotated[int, typer.Option("--k", min=1, help="Number of neighbors of each sample.")]
Approximate = Annotated[
    bool,
    typer.Option(
        "--approximate",
        help="Search neighbors approximately, and report how many are found; for many samples.",
    ),
]
# The distance that commands use by default.
DEFAULT_METRIC = DISTANCES[0].name
Metric = Annotated[
    str,
    typer.Option(
        "--metric",
        help=f"Distance between samples: {distance_choices()}.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="For a folder of Parquet files: the Dask scheduler whose workers do the work, such as "
        "tcp://host:8786; by default, threads of this process.",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Wide = Annotated[
    bool,
    typer.Option("--wide", help="Show all columns, also if lines get longer than the terminal."),
]
Report = Annotated[
    str | None,
    typer.Option(metavar="PAGE.html", help="Write an HTML report; - for standard output."),
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", help="Number of processes; -1 for one per core.")
]
MetricName = Annotated[
    str,
    typer.Option(help=f"One of {', '.join(METRIC_NAMES)}.", autocompletion=complete(METRIC_NAMES)),
]
StorePath = Annotated[
    Path, typer.Option("--store", metavar="RESULTS.sqlite", help="Where results are stored.")
]
Minutes = Annotated[
    float | None,
    typer.Option(
        "--max-minutes", min=0, help="Stop after this time; the same command continues later."
    ),
]
Trust = Annotated[
    list[str] | None,
    typer.Option("--trust", metavar="PACKAGE", help="Also allow base classifiers of this package."),
]
StoreFile = Annotated[Path, typer.Argument(metavar="RESULTS.sqlite", help="The store.")]
PackFile = Annotated[Path, typer.Argument(metavar="RESULTS.json.xz", help="The packed store.")]
