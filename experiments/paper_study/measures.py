"""Measures of a plan's data sets: the global ones, and LImb for several k."""

from __future__ import annotations

from collections.abc import Iterable

from rarelabels import find_neighbors
from rarelabels.experiment import DatasetSpec
from rarelabels.measures import describe, limb

from .formats import Table
from .paper import MEASURES, printed

NUMBERS_OF_NEIGHBORS = (5, 6, 7, 8, 9)


def measures_of(
    datasets: Iterable[DatasetSpec], numbers: tuple[int, ...] = NUMBERS_OF_NEIGHBORS
) -> dict[str, dict[str, float]]:
    """Measure data sets, with one search for neighbours each.

    Returns
    -------
    dict of str to dict
        By data set: what `describe` says with the first of `numbers`, and ``limb_5`` … for each.
    """
    return {spec.name: _measured(spec, numbers) for spec in datasets}


def _measured(spec: DatasetSpec, numbers: tuple[int, ...]) -> dict[str, float]:
    data = spec.load()
    found = find_neighbors(
        data.X, n_neighbors=max(numbers), categorical_features=list(data.categorical_features)
    )
    summary = describe(data.X, data.Y, n_neighbors=numbers[0], neighbors=found).summary
    of_k = {f"limb_{k}": limb(data.X, data.Y, n_neighbors=k, neighbors=found) for k in numbers}
    return {**summary, **of_k}


def measures_table(measures: dict[str, dict[str, float]]) -> Table:
    """Give the measures of the data sets, over the paper's (its Table 1)."""
    names = ("label_cardinality", *MEASURES)
    rows: list[tuple[str, ...]] = []
    for dataset, found in measures.items():
        rows.append((dataset, "here", *(f"{found[name]:.4g}" for name in names)))
        rows.append((dataset, "paper", *printed("datasets", None, dataset, names)))
    caption = "Measures of the data sets; the paper's LImb has the last label among the features."
    header = ("Data set", "From", "LC", *MEASURES.values())
    return Table("measures", caption, header, tuple(rows))
