"""Read DATA: a file, or the name of a known data set."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarelabels.cli._errors import Misuse, as_misuse, say

if TYPE_CHECKING:
    from rarelabels.datasets import MultiLabelDataset


# The value of --unknown for empty cells.
BLANK = "blank"


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


def check_data(data: str) -> None:
    """Refuse DATA that is a folder, or a file that does not exist."""
    path = Path(data)
    if path.is_dir():
        raise Misuse(
            f"{data} is a folder; name a file in it. Only describe, resample and predict accept a "
            "folder of Parquet files."
        )
    if not path.exists() and (path.suffix or len(path.parts) > 1):
        raise Misuse(f"the file {data} does not exist.")


def reading_options(
    separator: str | None,
    drop: str | None,
    sheet: str | None,
    unknown: str | None = None,
    groups: str | None = None,
) -> dict[str, Any]:
    """Return options for reading a file from the options of a command.

    >>> reading_options(";", "note,", None)
    {'separator': ';', 'drop': ['note']}
    """
    names = None if drop is None else names_in(drop)
    options = {"separator": separator, "drop": names, "sheet": sheet, "groups": groups}
    options["unknown"] = "" if unknown == BLANK else unknown
    return {name: value for name, value in options.items() if value is not None}


def read_data(
    data: str,
    labels: str | None,
    separator: str | None = None,
    drop: str | None = None,
    sheet: str | None = None,
    drop_label: str | None = None,
    unknown: str | None = None,
    groups: str | None = None,
) -> MultiLabelDataset:
    """Read the data set that DATA and ``--labels`` name, without the labels to leave out."""
    from rarelabels.datasets import drop_labels, fetch_mulan, load

    check_data(data)
    unwanted = names_in(drop_label)
    if Path(data).exists():
        with as_misuse_about_labels():
            options = reading_options(separator, drop, sheet, unknown, groups)
            dataset = load(data, label_choice(labels), **options)
            return with_empty_named(drop_labels(dataset, unwanted))
    with as_misuse(ValueError):
        return drop_labels(fetch_mulan(data, progress=sys.stderr.isatty()), unwanted)


def names_in(text: str | None) -> list[str]:
    """Return names that are separated by commas.

    >>> names_in("rain,snow,"), names_in(None)
    (['rain', 'snow'], [])
    """
    return [] if text is None else [name for name in text.split(",") if name]


def as_typed(data: str, **options: str | None) -> str:
    """Return DATA and the options that say how to read it, as a command has them.

    >>> as_typed("my data.csv", labels="y_", separator=None)
    "'my data.csv' --labels y_"
    """
    given = [part for name, text in options.items() if text for part in (f"--{name}", text)]
    return shlex.join([data, *given])


def with_empty_named(dataset: MultiLabelDataset) -> MultiLabelDataset:
    """Name the features without known values, in place of later warnings with their numbers."""
    import numpy as np

    if isinstance(dataset.X, np.ndarray):
        empty = np.flatnonzero(np.isnan(dataset.X).all(axis=0)).tolist()
        for j in empty:
            say(f"note: {dataset.feature_names[j]!r} has no known value: left out of distances.")
        if empty:
            warnings.filterwarnings("ignore", message="features? .* no known value")
    return dataset


@contextmanager
def as_misuse_about_labels() -> Iterator[None]:
    """Report missing names of labels as a wrong command, and say how to give them."""
    try:
        yield
    except ValueError as error:
        is_about_options = "labels=" in str(error) or "separator=" in str(error)
        is_of_the_file = type(error) is not ValueError and not is_about_options
        if is_of_the_file:
            raise
        raise Misuse(_as_options(str(error))) from error


def _as_options(text: str) -> str:
    """Replace the parameters of functions in an error by the options of a command."""
    return text.replace("pass labels=", "pass --labels").replace("separator=", "--separator ")


def plan_entry(
    data: str,
    labels: str | None,
    separator: str | None = None,
    drop: str | None = None,
    sheet: str | None = None,
    drop_label: str | None = None,
    unknown: str | None = None,
    groups: str | None = None,
) -> dict[str, Any]:
    """Return the entry of DATA in the plan of an experiment."""
    path, unwanted = Path(data), names_in(drop_label)
    left_out: dict[str, Any] = {"drop_labels": unwanted} if unwanted else {}
    if not path.is_file():
        return {"name": data, **left_out}
    choice = label_choice(labels)
    options = {**reading_options(separator, drop, sheet, unknown, groups), **left_out}
    entry: dict[str, Any] = {"path": str(path.resolve()), **options}
    if choice is not None:
        is_xml = isinstance(choice, str) and choice.lower().endswith(".xml")
        entry["labels"] = str(Path(choice).resolve()) if is_xml else choice
    return entry


def known_places() -> dict[str, str]:
    """Return where each known data set is, including those of the local folder."""
    import os

    from rarelabels.datasets import mulan

    folder = Path(os.environ.get(mulan.LOCAL_FOLDER) or os.devnull)
    inside = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    local = [name for name in inside if mulan.local_file(name) is not None]
    return {name: place_of(name) for name in dict.fromkeys((*mulan.known_names(), *local))}


def place_of(name: str) -> str:
    """Return where a data set is, or how to get it."""
    from rarelabels.datasets import mulan

    local = mulan.local_file(name)
    if local is not None:
        return str(local)
    if name in mulan.LOCAL_ONLY:
        return f"not to be downloaded; put it into a folder named in {mulan.LOCAL_FOLDER}"
    return str(mulan.cached_set(name) or f"rarelabels fetch {name}")
