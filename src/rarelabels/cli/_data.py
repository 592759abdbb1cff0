"""DATA: any file that can be read, or the name of a known data set."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarelabels._formats import format_suffixes
from rarelabels.cli._errors import Misuse, as_misuse
from rarelabels.cli._names import DATASETS, complete

if TYPE_CHECKING:
    from rarelabels.datasets import MultiLabelDataset


def complete_data(incomplete: str) -> list[str]:
    """Complete the name of a known data set, or a path."""
    folder = Path(incomplete if incomplete.endswith("/") else incomplete + "x").parent
    entries = folder.iterdir() if folder.is_dir() else ()
    paths = sorted(f"{path}/" if path.is_dir() else str(path) for path in entries)
    return [*complete(DATASETS)(incomplete), *(p for p in paths if p.startswith(incomplete))]


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help=f"A file ({', '.join(format_suffixes())}; also compressed) or a data set’s name.",
        show_default=False,
        autocompletion=complete_data,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        help="Which columns are labels: a prefix of their names, names with commas, a count "
        "(-6: the last six), or Mulan’s XML file.",
        show_default=False,
    ),
]
Neighbors = Annotated[int, typer.Option("--k", min=1, help="Neighbours of each row.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]


def label_choice(text: str | None) -> Any:
    """Read what ``--labels`` says.

    >>> label_choice("-6"), label_choice("rain,snow"), label_choice("rain,"), label_choice("y_")
    (-6, ['rain', 'snow'], ['rain'], 'y_')
    """
    if text is None:
        return None
    if text.removeprefix("-").isdigit():
        return int(text)
    if "," in text:
        return [name for name in text.split(",") if name]
    return text


def read_data(data: str, labels: str | None) -> MultiLabelDataset:
    """Read the data set that DATA and ``--labels`` name."""
    from rarelabels.datasets import fetch_mulan, load

    path = Path(data)
    if path.is_dir():
        raise Misuse(f"{data} is a folder; name a file in it.")
    if path.exists():
        with as_misuse_about_labels():
            return load(path, label_choice(labels))
    if path.suffix or len(path.parts) > 1:
        raise Misuse(f"there is no file {data}.")
    with as_misuse(ValueError):
        return fetch_mulan(data, progress=sys.stderr.isatty())


@contextmanager
def as_misuse_about_labels() -> Iterator[None]:
    """Take it for a wrong command where the labels are not said, and say how to say them."""
    try:
        yield
    except ValueError as error:
        is_of_the_file = type(error) is not ValueError and "labels=" not in str(error)
        if is_of_the_file:
            raise
        raise Misuse(str(error).replace("pass labels=", "pass --labels")) from error


def plan_entry(data: str, labels: str | None) -> dict[str, Any]:
    """Give DATA as an experiment's plan has it."""
    path = Path(data)
    if not path.is_file():
        return {"name": data}
    choice = label_choice(labels)
    entry: dict[str, Any] = {"path": str(path.resolve())}
    if choice is not None:
        is_xml = isinstance(choice, str) and choice.lower().endswith(".xml")
        entry["labels"] = str(Path(choice).resolve()) if is_xml else choice
    return entry
