"""rarelabels fetch: download data sets once."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rarelabels.cli._data import place_of
from rarelabels.cli._errors import as_misuse, ends_with_message
from rarelabels.cli._names import DATASETS, complete
from rarelabels.cli._printable import printable


@ends_with_message
def fetch_command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME", help="See rarelabels datasets.", autocompletion=complete(DATASETS)
        ),
    ],
) -> None:
    """Download data sets into the cache; afterwards they are read without a network."""
    from rarelabels.datasets import fetch_mulan

    for name in names:
        with as_misuse(ValueError):
            dataset = fetch_mulan(name, progress=sys.stderr.isatty())
        sizes = (
            f"{dataset.n_samples} samples, {dataset.n_features} features, {dataset.n_labels} labels"
        )
        print(printable(f"{name}: {sizes}, {place_of(dataset.name)}"))
