"""rarelabels describe: the measures of a data set, and its labels, rarest first."""

from __future__ import annotations

from typing import Annotated

import typer

from rarelabels.cli._data import as_typed, read_data
from rarelabels.cli._errors import ends_with_message, say
from rarelabels.cli._files import STDOUT, check_free, check_one_output, write_json, write_text
from rarelabels.cli._options import (
    DEFAULT_METRIC,
    Approximate,
    DataOrFolder,
    Drop,
    DropLabel,
    Force,
    Groups,
    Json,
    Labels,
    Metric,
    Neighbors,
    Report,
    Scheduler,
    Separator,
    Sheet,
    Unknown,
    Wide,
)
from rarelabels.cli._parquet_folders import (
    check_for_files_only,
    is_folder_of_files,
    measured_folder,
    read_folder,
)

SHOWN = 40


@ends_with_message
def describe_command(
    data: DataOrFolder,
    labels: Labels = None,
    separator: Separator = None,
    drop: Drop = None,
    drop_label: DropLabel = None,
    sheet: Sheet = None,
    unknown: Unknown = None,
    groups: Groups = None,
    k: Neighbors = 5,
    metric: Metric = DEFAULT_METRIC,
    approximate: Approximate = False,
    report: Report = None,
    as_json: Json = False,
    everything: Annotated[
        bool, typer.Option("--all", help=f"Show all labels, not the {SHOWN} rarest.")
    ] = False,
    wide: Wide = False,
    force: Force = False,
    scheduler: Scheduler = None,
) -> None:
    """Measure how imbalanced a data set is, as a whole and label by label."""
    check_one_output(report, as_json=as_json)
    check_free(report, force=force)
    is_folder = is_folder_of_files(data, scheduler)
    if is_folder:
        check_for_files_only(separator=separator, sheet=sheet, groups=groups, report=report)
    else:
        dataset = read_data(data, labels, separator, drop, sheet, drop_label, unknown, groups)
    from rarelabels.cli._terminal import Page
    from rarelabels.cli._views import show_description
    from rarelabels.report import data_summary, measures_summary, render_page

    search = "approximate" if approximate else None
    if is_folder:
        from rarelabels._dask.connection import connected

        with connected(scheduler):
            samples = read_folder(data, labels, drop, drop_label, unknown)
            description = measured_folder(samples, k, metric, search)
    elif report is None:
        description = measures_summary(dataset, n_neighbors=k, metric=metric, neighbors=search)
    else:
        description = data_summary(dataset, n_neighbors=k, metric=metric, neighbors=search)
        write_text(report, render_page(description))
    if as_json:
        write_json({key: description[key] for key in ("name", "summary", "labels", "advice")})
    else:
        n_labels = len(description["labels"]) if everything else SHOWN
        typed = as_typed(
            data,
            labels=labels,
            separator=separator,
            drop=drop,
            sheet=sheet,
            unknown=unknown,
            groups=groups,
            **{"drop-label": drop_label},
        )
        show_description(description, n_labels, typed, page=Page(error=report == STDOUT, wide=wide))
    if report not in (None, STDOUT):
        say(f"page: {report}")
