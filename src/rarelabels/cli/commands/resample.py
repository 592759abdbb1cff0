"""rarelabels resample: resample a file of any format."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from rarelabels._formats import Format, format_named, format_names, format_to_write
from rarelabels.cli._data import read_data
from rarelabels.cli._errors import Misuse, as_misuse, ends_with_message, say
from rarelabels.cli._files import STDOUT, check_free
from rarelabels.cli._names import SAMPLER_NAMES, complete
from rarelabels.cli._options import (
    DEFAULT_METRIC,
    Approximate,
    DataOrFolder,
    Drop,
    DropLabel,
    Force,
    Groups,
    Labels,
    Metric,
    Scheduler,
    Separator,
    Sheet,
    Unknown,
)
from rarelabels.cli._parquet_folders import (
    check_for_files_only,
    check_out,
    check_works_on_blocks,
    is_folder_of_files,
    read_folder,
    resample_folder,
)


@ends_with_message
def resample_command(
    data: DataOrFolder,
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file to write; - prints CSV.")],
    sampler: Annotated[
        str,
        typer.Option(
            help=f"One of {', '.join(SAMPLER_NAMES)}.", autocompletion=complete(SAMPLER_NAMES)
        ),
    ] = "mlsol",
    ratio: Annotated[
        float | None,
        typer.Option(help="Share of samples to add or remove; by default the sampler’s."),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("--k", min=1, help="Number of neighbors; by default the sampler’s."),
    ] = None,
    metric: Metric = DEFAULT_METRIC,
    approximate: Approximate = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed; the same seed gives the same samples.")
    ] = 0,
    labels: Labels = None,
    separator: Separator = None,
    drop: Drop = None,
    drop_label: DropLabel = None,
    sheet: Sheet = None,
    unknown: Unknown = None,
    groups: Groups = None,
    format: Annotated[
        str | None,
        typer.Option(
            help=f"{', '.join(format_names())}; by default, the suffix of OUT decides.",
            autocompletion=complete(format_names()),
        ),
    ] = None,
    force: Force = False,
    scheduler: Scheduler = None,
) -> None:
    """Resample a data set, write the result, and print its measures before and after.

    A folder of Parquet files becomes a folder of Parquet files, whose labels are counted.
    """
    chosen = _sampler(sampler, ratio, k, metric, seed)
    search = "approximate" if approximate else None
    if is_folder_of_files(data, scheduler):
        check_for_files_only(separator=separator, sheet=sheet, groups=groups, format=format)
        check_works_on_blocks(chosen)
        check_out(out, force=force)
        from rarelabels._dask.connection import connected

        with connected(scheduler), as_options():
            samples = read_folder(data, labels, drop, drop_label, unknown)
            y = resample_folder(samples, chosen, out, search)
        _show_counts(samples.y, y)
        say(f"written: {out}")
        return
    kind = _format(out, format)
    for place in _places(out, kind):
        check_free(place, force=force)
    before = read_data(data, labels, separator, drop, sheet, drop_label, unknown, groups)
    after = resampled(before, chosen, search)
    if groups is not None:
        of_samples = before.groups[chosen.sample_indices_]
        write(with_group_column(after, groups, of_samples), out, kind)
    else:
        write(after, out, kind)
    _show(before, after, k or 5, metric, search, error=out == STDOUT)
    if out != STDOUT:
        say(f"written: {', '.join(map(str, _places(out, kind)))}")


def resampled(dataset: Any, sampler: Any, neighbors: Any = None) -> Any:
    """Return the data set as a sampler leaves it."""
    from rarelabels._params import set_where_known

    categorical = list(dataset.categorical_features) or None
    set_where_known(sampler, categorical_features=categorical, neighbors=neighbors)
    if dataset.has_unknown_labels:
        set_where_known(sampler, allow_missing_labels=True)
    with as_options():
        X, Y = sampler.fit_resample(dataset.X, dataset.Y)
    return dataset.with_samples(X, Y)


def with_group_column(dataset: Any, name: str, groups: Any) -> Any:
    """Return a table whose last feature is the group of each sample."""
    import numpy as np

    names, codes = np.unique(groups, return_inverse=True)
    place = dataset.n_features
    return replace(
        dataset,
        X=np.column_stack([dataset.X, codes]),
        feature_names=(*dataset.feature_names, name),
        categorical_features=(*dataset.categorical_features, place),
        categories={**dataset.categories, place: tuple(names.tolist())},
    )


def write(dataset: Any, out: str, kind: Format) -> None:
    """Write a data set to a file, or to standard output for ``-``."""
    if out != STDOUT:
        kind.save(dataset, out)
        return
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "out"
        kind.save(dataset, place)
        with place.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def _format(out: str, given: str | None) -> Format:
    with as_misuse(ValueError):
        if given is not None:
            return format_named(given)
        if out == STDOUT:
            return format_named("csv")
        return format_to_write(out)


def _places(out: str, kind: Format) -> list[str | Path]:
    """Return the files that will be written: Mulan's format has two."""
    return [out] if out == STDOUT else [*kind.files(out)]


def _sampler(name: str, ratio: float | None, k: int | None, metric: str, seed: int) -> Any:
    from rarelabels._params import set_where_known
    from rarelabels.sampling import sampler

    given = {
        "sampling_ratio": ratio,
        "n_neighbors": k,
        "metric": None if metric == DEFAULT_METRIC else metric,
    }
    with as_options():
        chosen = sampler(name, **{key: value for key, value in given.items() if value is not None})
    return set_where_known(chosen, random_state=seed)


@contextmanager
def as_options() -> Iterator[None]:
    """Report wrong parameters of a sampler under the names that the options have."""
    try:
        with as_misuse():
            yield
    except Misuse as error:
        text = str(error).replace("parameter 'sampling_ratio'", "option '--ratio'")
        text = text.replace("parameter 'n_neighbors'", "option '--k'")
        text = text.replace("parameter 'metric'", "option '--metric'")
        text = text.replace("sampling_ratio", "--ratio").replace("n_neighbors", "--k")
        # The option is always a share.
        text = re.sub(r" or an int (\(the number of samples\)|below their number, \d+)", "", text)
        raise Misuse(text) from error


def _show_counts(before: Any, after: Any) -> None:
    from rarelabels.cli._terminal import Page
    from rarelabels.cli._views import show_counts

    show_counts((before == 1).sum(), (after == 1).sum(), len(before), len(after), page=Page())


def _show(before: Any, after: Any, k: int, metric: str, neighbors: Any, *, error: bool) -> None:
    from rarelabels.cli._terminal import Page
    from rarelabels.cli._views import show_before_and_after
    from rarelabels.report import measures_summary

    old, new = (
        measures_summary(one, n_neighbors=k, metric=metric, neighbors=neighbors)
        for one in (before, after)
    )
    show_before_and_after(old, new, page=Page(error=error))
