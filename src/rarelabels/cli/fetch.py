"""rarelabels fetch: download data sets once."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rarelabels.cli._errors import as_misuse, told
from rarelabels.cli._names import DATASETS, complete


@told
def fetch(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME…", help="See rarelabels datasets.", autocompletion=complete(DATASETS)
        ),
    ],
) -> None:
    """Download data sets into the cache; afterwards they are read without a network."""
    from rarelabels.cli.datasets import place
    from rarelabels.datasets import fetch_mulan

    for name in names:
        with as_misuse(ValueError):
            dataset = fetch_mulan(name, progress=sys.stderr.isatty())
        print(f"{name}: {dataset.n_samples} rows, {dataset.n_features} features, "
              f"{dataset.n_labels} labels, {place(dataset.name)}")  # fmt: skip
