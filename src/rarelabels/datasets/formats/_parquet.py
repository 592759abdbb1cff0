"""Parquet files: columns with names and types."""

from __future__ import annotations

import inspect
import io
import json
from collections.abc import Sequence
from importlib.util import find_spec
from typing import IO, Any

import narwhals as nw

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import MAX_SIZE, replacing, too_large
from rarelabels.datasets.formats._frames import dataset_from_frame, frame_of, read_frame
from rarelabels.datasets.formats._label_choice import Labels
from rarelabels.datasets.formats._parquet_footer import MAGIC, Footer, read_footer
from rarelabels.datasets.formats._remembered import Remembered, as_json, from_json, remembered_of
from rarelabels.datasets.formats._table import Library, backend
from rarelabels.datasets.formats._written import check_distinct_names

_KEY = "rarelabels"


def load_parquet(
    path: FilePath,
    labels: Labels | None = None,
    *,
    separator: str | None = None,
    categorical_features: Sequence[str] = (),
    drop: Sequence[str] = (),
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
    """Read a Parquet file.

    Columns of numbers, booleans, dates and points in time are numeric; those of text and of
    categories are categorical, with the categories in the order of the file or, where it has none,
    sorted. The file is read by polars, pyarrow or pandas, whichever is installed.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six). By default those that the file's metadata name, as
        `save_parquet` writes them.
    separator : str, optional
        What separates the labels' names in a single column of tags, as in `load_csv`.
    categorical_features : list of str, default=()
        Columns that are categorical although they hold numbers, or texts that are mostly distinct.
    drop : list of str, default=()
        Columns to leave out.
    max_size : int, default=2**32
        Bytes that the table may take: eight for each cell.

    Returns
    -------
    MultiLabelDataset
        With X and Y as arrays.

    Raises
    ------
    DataFormatError
        With the file and what is wrong.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_parquet, make_local_imbalance, save_parquet
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.parquet"
    >>> save_parquet(make_local_imbalance(60, random_state=0), path)
    >>> load_parquet(path, labels=-3).label_names
    ('label_0', 'label_1', 'label_2')
    """
    # pandas makes Python objects of dates.
    library = backend("polars", "pyarrow", "pandas")
    footer = _footer(path)
    if 8 * footer.n_rows * footer.n_columns > max_size:
        raise too_large(path, max_size)
    frame = read_frame(lambda: nw.read_parquet(str(path), backend=library), library, path)
    return dataset_from_frame(
        frame,
        labels,
        path,
        _remembered(footer),
        separator=separator,
        categorical_features=categorical_features,
        drop=drop,
    )


def save_parquet(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set as a Parquet file, features first.

    Numbers, dates and categories read back the same, and the columns have their types; a sparse
    data set becomes dense. The file is written by polars or pandas, whichever is installed.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    path : path-like
        The file to write.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_parquet, make_multilabel, save_parquet
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.parquet"
    >>> save_parquet(make_multilabel(50, 20, 4, random_state=0), path)
    >>> load_parquet(path)
    MultiLabelDataset('made': 50 samples, 20 features, 4 labels)
    """
    check_distinct_names(dataset)
    library = _writing_library()
    content = io.BytesIO()
    _write(frame_of(dataset, library), content, as_json(remembered_of(dataset)), library)
    with replacing(path) as file:
        file.write(content.getvalue())


def _writing_library() -> Library:
    """Return polars or, where it is too old to write metadata and there is another, pandas."""
    library = backend("polars", "pandas")
    if library == "polars" and not _keeps_metadata() and find_spec("pyarrow"):
        return "pandas" if find_spec("pandas") else library
    return library


def _keeps_metadata() -> bool:
    import polars

    return "metadata" in inspect.signature(polars.DataFrame.write_parquet).parameters


def _write(frame: nw.DataFrame[Any], file: IO[bytes], remembered: str, library: Library) -> None:
    native = frame.to_native()
    if library == "pandas":
        # pandas writes these into the file's metadata as JSON.
        native.attrs[_KEY] = remembered
        native.to_parquet(file)
    elif _keeps_metadata():
        native.write_parquet(file, metadata={_KEY: remembered})
    else:
        native.write_parquet(file)


def _remembered(footer: Footer) -> Remembered:
    """Read what the metadata remembers, by pandas or polars; nothing where there is none."""
    for key in (_KEY, "PANDAS_ATTRS"):
        text = footer.metadata.get(key, "")
        try:
            values = json.loads(text)
            return from_json(values.get(_KEY, text))
        except (ValueError, TypeError, AttributeError):
            continue
    return Remembered()


def _footer(path: FilePath) -> Footer:
    with open(path, "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise DataFormatError("this is not a Parquet file", path)
    try:
        return read_footer(path)
    except ValueError as error:
        raise DataFormatError(f"the Parquet file is damaged ({error})", path) from error
