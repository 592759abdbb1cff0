"""rarelabels fetch: download data sets once."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rarelabels.cli._data import place_of
from rarelabels.cli._errors import as_misuse, ends_with_message
from rarelabels.cli._names import DATASET_NAMES, complete


@ends_with_message
def fetch_command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="Names of data sets; rarelabels datasets lists them.",
            autocompletion=complete(DATASET_NAMES),
        ),
    ],
) -> None:
    """Download data sets once; afterwards they are read without a network."""
    from rarelabels.cli._terminal import Page
    from rarelabels.datasets import fetch_mulan

    page = Page()
    for name in names:
        with as_misuse(ValueError):
            dataset = fetch_mulan(name, progress=sys.stderr.isatty())
        sizes = (
            f"{dataset.n_samples} samples, {dataset.n_features} features, {dataset.n_labels} labels"
        )
        page.text(f"{name}: {sizes}, {place_of(dataset.name)}")
