"""A folder of Parquet files as one data set, whose features are a Dask dataframe.

Only the labels are in memory. Dask reads the features in the tasks that need them.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from rarelabels._dask.parquet_files import (
    SUFFIXES,
    ParquetFiles,
    parquet_files_in,
    part_path,
    write_parts,
    write_table,
)
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.label_columns import NO_LABELS, Labels, by_name
from rarelabels.datasets.sidecar import Sidecar, as_json
from rarelabels.datasets.tables._columnar import PARQUET_KEY, stored_sidecar
from rarelabels.datasets.tables._columns import ColumnChoice
from rarelabels.datasets.tables._typed_columns import dataset_from_frame


@dataclass(frozen=True, eq=False)
class FolderData:
    """The samples of a folder of Parquet files.

    Attributes
    ----------
    name : str
        The name of the folder.
    X : dask.dataframe.DataFrame
        The features.
    y : pandas.DataFrame
        The labels, with missing values for those that are unknown.
    """

    name: str
    X: Any
    y: Any

    @property
    def has_unknown_labels(self) -> bool:
        """Whether some labels are unknown."""
        return bool(self.y.isna().to_numpy().any())


def is_parquet_folder(path: FilePath) -> bool:
    """Return whether a path is a folder with Parquet files."""
    return Path(path).is_dir() and bool(parquet_files_in(path))


def load_parquet_folder(
    folder: FilePath,
    labels: Labels | None = None,
    *,
    drop: Sequence[str] = (),
    drop_labels: Sequence[str] = (),
    unknown: str | None = None,
) -> FolderData:
    """Read the labels of a folder of Parquet files, and how its features are read.

    Parameters
    ----------
    folder : path-like
        The folder. Its files are the parts of one table, in the order of their names.
    labels : list of str, str or int, optional
        The label columns, as in :func:`rarelabels.datasets.load_parquet`.
    drop : list of str, default=()
        Features to leave out.
    drop_labels : list of str, default=()
        Labels to leave out.
    unknown : str, optional
        The marker of an unknown label.

    Returns
    -------
    FolderData
        The features as a Dask dataframe, and the labels.
    """
    import pandas as pd

    files = ParquetFiles(folder)
    choice = ColumnChoice(labels, None, (), drop, unknown)
    roles = choice.roles(files.names, stored_sidecar(files.metadata), folder)
    names = [files.names[j] for j in roles.labels]
    unwanted = by_name(names, drop_labels)
    kept = [name for name, is_unwanted in zip(names, unwanted, strict=True) if not is_unwanted]
    features = [files.names[j] for j in roles.features]
    _check_types(files, features)
    parts = files.tables_of_files(_LabelReader(tuple(kept), unknown), kept)
    y = pd.DataFrame(np.concatenate(parts), columns=kept)
    return FolderData(Path(folder).resolve().name, files.dataframe(features), y)


def _check_types(files: ParquetFiles, names: Sequence[str]) -> None:
    """Raise an error for columns that are neither numbers nor categories."""
    import pyarrow.types as kinds

    accepted = (
        kinds.is_integer,
        kinds.is_floating,
        kinds.is_boolean,
        kinds.is_null,
        kinds.is_string,
        kinds.is_large_string,
        kinds.is_dictionary,
    )
    for name in names:
        kind = files.schema.field(name).type
        if not any(is_kind(kind) for is_kind in accepted):
            raise DataFormatError(
                f"column {name!r} has type {kind}; the columns of a folder must have numbers, text "
                f"or categories: leave it out (drop=[{name!r}], or --drop), or convert it",
                files.folder,
            )


@dataclass(frozen=True)
class _LabelReader:
    """Reads the labels of a file, as numbers of few bytes."""

    names: tuple[str, ...]
    unknown: str | None

    def __call__(self, table: Any, path: str) -> npt.NDArray[Any]:
        choice = ColumnChoice(list(self.names), None, (), (), self.unknown)
        labels = dataset_from_frame(_wrapped(table), path, Sidecar(), choice).Y
        return labels.astype(np.float32 if np.isnan(labels).any() else np.int8)


def _wrapped(table: Any) -> nw.DataFrame[Any]:
    return nw.from_native(table, eager_only=True)


def save_parquet_folder(X: Any, y: Any, folder: FilePath) -> None:
    """Write features and labels as a folder of Parquet files, a file for each block of X.

    The folder appears when all files are complete. If it exists, it is replaced.

    Parameters
    ----------
    X : dask.dataframe.DataFrame
        The features.
    y : pandas.DataFrame
        The labels, with the row labels of X.
    folder : path-like
        The folder. All workers must be able to write to the folder that contains it.
    """
    sidecar = as_json(Sidecar(labels=tuple(y.columns)))
    with replacing_folder(folder) as place:
        write_parts(X, _written_labels(y), place, PARQUET_KEY, sidecar)


def _written_labels(y: Any) -> Any:
    """Return labels with the types that `save_parquet` gives them."""
    has_gaps = y.isna().any()
    return y.astype({name: "float64" if has_gaps[name] else "int8" for name in y.columns})


def predict_parquet_folder(
    folder: FilePath,
    out: FilePath,
    predict: Callable[[MultiLabelDataset], tuple[Any, list[str]]],
    *,
    categorical_features: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> list[str]:
    """Write predictions for each file of a folder to a file of another folder.

    Parameters
    ----------
    folder : path-like
        The folder.
    out : path-like
        The folder to write. It appears when all files are complete. If it exists, it is replaced.
    predict : callable
        It gets the samples of a file and returns a dataframe of pandas and a list of notes.
    categorical_features : list of str, default=()
        Columns that are categorical although they look like numbers.
    drop : list of str, default=()
        Columns to leave out.

    Returns
    -------
    list of str
        The distinct notes.
    """
    files = ParquetFiles(folder)
    by_name(files.names, drop)
    with replacing_folder(out) as place:
        paths = {
            str(path.resolve()): part_path(place, number) for number, path in enumerate(files.paths)
        }
        writer = _PredictionWriter(predict, tuple(categorical_features), tuple(drop), paths)
        notes = files.tables_of_files(writer, files.names)
    return list(dict.fromkeys(note for of_file in notes for note in of_file))


@dataclass(frozen=True)
class _PredictionWriter:
    """Predicts the samples of a file and writes the predictions to another."""

    predict: Callable[[MultiLabelDataset], tuple[Any, list[str]]]
    categorical_features: tuple[str, ...]
    drop: tuple[str, ...]
    paths: dict[str, str]

    def __call__(self, table: Any, path: str) -> list[str]:
        choice = ColumnChoice(NO_LABELS, None, self.categorical_features, self.drop)
        samples = dataset_from_frame(_wrapped(table), path, Sidecar(), choice)
        predictions, notes = self.predict(samples)
        write_table(predictions, self.paths[path], {})
        return notes


@contextmanager
def replacing_folder(folder: FilePath) -> Iterator[Path]:
    """Write to a temporary folder next to the folder, and rename it once it is complete.

    A previous folder is replaced only if it holds nothing but Parquet files.
    """
    place = Path(folder)
    check_replaceable(place)
    temporary, previous = (
        place.with_name(f".{place.name}.{secrets.token_hex(4)}.{end}") for end in ("part", "old")
    )
    temporary.mkdir()
    try:
        yield temporary.resolve()
        if place.exists():
            os.replace(place, previous)
        os.replace(temporary, place)
    finally:
        for leftover in (temporary, previous):
            shutil.rmtree(leftover, ignore_errors=True)


def check_replaceable(folder: Path) -> None:
    """Raise an error if a path is something else than a folder with Parquet files alone."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise FileExistsError(f"{folder} is not a folder, so it is not replaced.")
    others = (
        [p.name for p in folder.iterdir() if p.suffix not in SUFFIXES] if folder.is_dir() else []
    )
    if others:
        raise FileExistsError(
            f"the folder {folder} holds more than Parquet files, such as {others[0]!r}, so it is "
            "not replaced."
        )
