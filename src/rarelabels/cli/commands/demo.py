"""rarelabels demo: all steps on generated data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rarelabels._samplers import DEFAULT_SAMPLERS
from rarelabels.cli._errors import ends_with_message
from rarelabels.cli._files import check_free, write_text
from rarelabels.cli._options import Force, Jobs, Wide
from rarelabels.cli._printable import printable


@ends_with_message
def demo_command(
    report: Annotated[Path, typer.Option(metavar="PAGE.html", help="The page to write.")] = Path(
        "demo-report.html"
    ),
    jobs: Jobs = -1,
    wide: Wide = False,
    force: Force = False,
) -> None:
    """Describe an easy and a hard data set with equal label counts, and compare on the hard one."""
    check_free(report, force=force)
    run_demo(report, jobs=jobs, wide=wide)


def run_demo(report: Path, *, jobs: int = -1, wide: bool = False) -> None:
    """Print both descriptions and the comparison, write the page, and print its path last."""
    from rarelabels.cli._terminal import Page
    from rarelabels.cli._views import show_comparison
    from rarelabels.report import data_summary, measures_summary, render_page

    easy, hard = easy_and_hard()
    reference, data = measures_summary(easy), data_summary(hard, samplers=DEFAULT_SAMPLERS)
    show_pair(reference, data)
    print("\nComparing samplers, and ensembles of five, on the hard one …\n", flush=True)
    comparison = compared(hard, jobs)
    show_comparison(comparison, page=Page(wide=wide))
    write_text(report, render_page(data, comparison, reference=reference))
    print(f"\nThe page to look at:\n{printable(report.resolve())}")


def show_pair(*pair: dict[str, Any]) -> None:
    """Print the measures of two data sets side by side, then the labels of each."""
    from rarelabels.cli._terminal import Page, types_legend
    from rarelabels.cli._views import label_columns, measure_columns

    page = Page()
    page.table(*measure_columns([one["name"] for one in pair], list(pair)))
    page.line()
    page.text("The label counts are equal, and so are the global measures: only LImb differs.")
    page.line()
    for one in pair:
        page.table(*label_columns(one["labels"], len(one["labels"]), f"{one['name']}: label"))
        page.line()
    page.text(types_legend())


def easy_and_hard() -> tuple[Any, Any]:
    """Return two data sets with equal labels, whose classes are apart or overlap."""
    from dataclasses import replace

    from rarelabels.datasets import make_local_imbalance

    settings = {"n_samples": 2000, "n_labels": 6, "n_features": 8, "random_state": 0}
    easy = make_local_imbalance(difficulty=0.1, **settings)
    hard = make_local_imbalance(difficulty=0.6, **settings)
    return replace(easy, name="easy"), replace(hard, name="hard")


def compared(dataset: Any, jobs: int) -> dict[str, Any]:
    """Compare the samplers and their ensembles on a data set."""
    from rarelabels.advisor import does_sampling_help

    return does_sampling_help(
        dataset.X, dataset.Y, samplers=DEFAULT_SAMPLERS, cv="2x5", label_names=dataset.label_names,
        n_jobs=jobs, random_state=0, verbose=int(sys.stderr.isatty()),
    ).summary  # fmt: skip
