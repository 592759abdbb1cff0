"""Folders of Parquet files as DATA and OUT: describe, resample and predict with Dask."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarelabels._wording import listed
from rarelabels.cli._data import as_misuse_about_labels, label_choice, names_in
from rarelabels.cli._errors import Failure, Misuse
from rarelabels.cli._files import STDOUT

if TYPE_CHECKING:
    from rarelabels.datasets.tables.parquet_folder import FolderData


def is_folder_of_files(data: str, scheduler: str | None = None) -> bool:
    """Return whether DATA is a folder of Parquet files, which needs the extra "dask"."""
    if not Path(data).is_dir():
        if scheduler is not None:
            raise Misuse("--scheduler is for a folder of Parquet files.")
        return False
    try:
        import dask.dataframe  # noqa: F401

        from rarelabels.datasets.tables.parquet_folder import is_parquet_folder
    except ImportError as error:
        raise Failure(
            f'{data} is a folder, which needs Dask: pip install "rarelabels[dask]".'
        ) from error
    if not is_parquet_folder(data):
        raise Misuse(f"{data} is a folder without Parquet files; name a file in it.")
    return True


def check_for_files_only(**options: Any) -> None:
    """Refuse options that need the whole data in memory."""
    given = [f"--{name}" for name, value in options.items() if value]
    if given:
        raise Misuse(f"{listed(given)} cannot be used with a folder of Parquet files.")


def check_out(out: str, *, force: bool) -> None:
    """Refuse an OUT that cannot become a folder of Parquet files."""
    from rarelabels.datasets.tables.parquet_folder import check_replaceable

    place = Path(out)
    if out == STDOUT:
        raise Misuse("the output of a folder of Parquet files is a folder; name one.")
    if place.exists() and not force:
        raise Failure(f"{out} already exists; use --force to overwrite it.")
    check_replaceable(place)
    if not place.absolute().parent.is_dir():
        raise Failure(f"cannot write {place.name}: the folder {place.parent} does not exist.")


def read_folder(
    data: str,
    labels: str | None,
    drop: str | None,
    drop_label: str | None,
    unknown: str | None,
) -> FolderData:
    """Read the labels of a folder, and how its features are read."""
    from rarelabels.cli._data import reading_options
    from rarelabels.datasets.tables.parquet_folder import load_parquet_folder

    options = reading_options(None, drop, None, unknown)
    with as_misuse_about_labels():
        return load_parquet_folder(
            data, label_choice(labels), drop_labels=names_in(drop_label), **options
        )


def measured_folder(data: FolderData, k: int, metric: str, neighbors: Any) -> dict[str, Any]:
    """Return the measures of a folder as `report.measures_summary` returns them."""
    from rarelabels.measures import describe
    from rarelabels.report import measures_of

    description = describe(
        data.X,
        data.y,
        n_neighbors=k,
        categorical_features="auto",
        metric=metric,
        neighbors=neighbors,
        allow_missing_labels=True,
    )
    summary = measures_of(description, list(data.y.columns), data.name, k)
    # Models are compared on data in memory.
    steps = [step for step in summary["advice"] if "compare" not in step["command"]]
    return {**summary, "advice": steps}


def check_works_on_blocks(sampler: Any) -> None:
    """Refuse samplers that need all data in memory."""
    if not getattr(sampler, "_works_on_blocks", False):
        raise Misuse(f"{type(sampler).__name__} needs the data in memory, so DATA must be a file.")


def resample_folder(data: FolderData, sampler: Any, out: str, neighbors: Any) -> Any:
    """Write a folder as a sampler leaves it, and return its labels."""
    from rarelabels._params import set_where_known
    from rarelabels.datasets.tables.parquet_folder import save_parquet_folder

    set_where_known(sampler, categorical_features="auto", neighbors=neighbors)
    if data.has_unknown_labels:
        set_where_known(sampler, allow_missing_labels=True)
    X, y = sampler.fit_resample(data.X, data.y)
    save_parquet_folder(X, y, out)
    return y


def predict_folder(
    data: str, out: str, model: Any, columns: dict[str, Any], drop: list[str]
) -> list[str]:
    """Write the predictions for a folder, and return notes on its columns."""
    from rarelabels.advisor.columns import predicted_frame
    from rarelabels.datasets.tables.parquet_folder import predict_parquet_folder

    predict = partial(predicted_frame, model, columns)
    categorical = list(columns["categories"])
    return predict_parquet_folder(data, out, predict, categorical_features=categorical, drop=drop)
