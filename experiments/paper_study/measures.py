"""Measures of a plan's data sets: the global ones, and LImb for several k.

They take a minute to compute and are kept in ``measured.toml``; ``python -m paper_study.measures``,
from the folder above, writes it anew.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from rarelabels import find_neighbors
from rarelabels.experiment import DatasetSpec, load_plan
from rarelabels.measures import describe, limb

from .beside import three_rows
from .formats import Table
from .paper import MEASURES, printed

FOLDER = Path(__file__).parents[1]
KEPT = FOLDER / "measured.toml"
NUMBERS_OF_NEIGHBORS = (5, 6, 7, 8, 9)
SIZES = {"n_samples": "n", "n_features": "d", "n_labels": "q"}


def measures_of(datasets: Iterable[DatasetSpec]) -> dict[str, dict[str, float]]:
    """Return the measures of data sets, as kept or, where their preprocessing differs, computed.

    Returns
    -------
    dict of str to dict
        By data set: what `describe` says for k = 5, and ``limb_5`` … ``limb_9``.
    """
    kept = tomllib.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    found = {}
    for spec in datasets:
        known = kept.get(spec.name, {})
        is_same = known.pop("preprocessing", None) == preprocessing(spec)
        found[spec.name] = known if is_same else computed_measures(spec)
    return found


def preprocessing(spec: DatasetSpec) -> str:
    """Return what was done to a data set before it was measured, as text."""
    return f"features={spec.features}, min_positive={spec.min_positive}"


def computed_measures(spec: DatasetSpec) -> dict[str, float]:
    """Measure a data set, with one search for neighbours."""
    data, numbers = spec.load(), NUMBERS_OF_NEIGHBORS
    categorical = list(data.categorical_features) or None
    found = find_neighbors(data.X, n_neighbors=max(numbers), categorical_features=categorical)
    options = {"neighbors": found, "categorical_features": categorical}
    summary = describe(data.X, data.Y, n_neighbors=numbers[0], **options).summary
    of_k = {f"limb_{k}": limb(data.X, data.Y, n_neighbors=k, **options) for k in numbers}
    return {**summary, **of_k}


def measures_table(measures: dict[str, dict[str, float]]) -> Table:
    """Return the data sets with their measures, beside the paper's (its Table 1)."""
    names = (*SIZES, "label_cardinality", *MEASURES)
    in_paper = ("n", "d", "q", "label_cardinality", *MEASURES)
    rows: list[tuple[str, ...]] = []
    for dataset, found in sorted(measures.items()):
        domain = printed("datasets", None, dataset, ("domain",))[0]
        paper = printed("datasets", None, dataset, in_paper)
        cells = [like(found[name], figure) for name, figure in zip(names, paper, strict=True)]
        rows += three_rows((dataset, domain), cells, paper)
    caption = (
        "Table 1. The data sets. The paper computed LImb with the last label among the features, "
        "and medical's LC over all 45 labels."
    )
    header = ("Data set", "Domain", "From", *SIZES.values(), "LC", *MEASURES.values())
    return Table("table1-datasets", caption, header, tuple(rows))


def like(value: float, figure: str) -> str:
    """Write a value with as many digits behind the point as a figure of the paper has.

    >>> like(12.4983, "12.5"), like(7395, "7395"), like(0.88161, "")
    ('12.5', '7395', '0.8816')
    """
    if not figure:
        return f"{value:.4g}"
    return f"{value:.{len(figure.partition('.')[2])}f}"


def write_kept(path: Path = KEPT) -> None:
    """Measure the data sets of the paper's plan, and keep the measures."""
    lines = ["# Measures of the data sets, by ``python -m paper_study.measures``."]
    for spec in load_plan(FOLDER / "paper.toml").datasets:
        lines += ["", f"[{spec.name}]", f'preprocessing = "{preprocessing(spec)}"']
        lines += [f"{name} = {value!r}" for name, value in computed_measures(spec).items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_kept()
