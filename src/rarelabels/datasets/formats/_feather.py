"""Feather files (Arrow's file format): columns with names and types."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import IO, Any

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import MAX_SIZE, too_large
from rarelabels.datasets.formats._frames import dataset_from_frame, frame_of, read_frame
from rarelabels.datasets.formats._label_choice import Labels
from rarelabels.datasets.formats._remembered import (
    FEATHER_SUFFIX,
    read_beside,
    remembered_of,
    replacing_with,
)
from rarelabels.datasets.formats._table import Library, backend
from rarelabels.datasets.formats._written import check_distinct_names

_MAGIC = (b"ARROW1", b"FEA1")


def load_feather(
    path: FilePath,
    labels: Labels | None = None,
    *,
    separator: str | None = None,
    categorical_features: Sequence[str] = (),
    drop: Sequence[str] = (),
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
    """Read a Feather file.

    Columns are read as those of a Parquet file are. The file is read by pyarrow or polars,
    whichever is installed.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six). By default those that ``data.feather.labels.json``
        names, the file that `save_feather` writes beside ``data.feather``.
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

    See Also
    --------
    load_parquet : Read a Parquet file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_feather, make_local_imbalance, save_feather
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.feather"
    >>> save_feather(make_local_imbalance(60, random_state=0), path)
    >>> load_feather(path).label_names
    ('label_0', 'label_1', 'label_2')
    """
    # polars does not read all that pandas writes, as missing categories.
    library = backend("pyarrow", "polars")
    with open(path, "rb") as file:
        if not file.read(6).startswith(_MAGIC):
            raise DataFormatError("this is not a Feather file", path)

    def read() -> Any:
        return _read(os.fspath(path), library, max_size)

    frame = read_frame(read, library, path)
    return dataset_from_frame(
        frame,
        labels,
        path,
        read_beside(path, FEATHER_SUFFIX),
        separator=separator,
        categorical_features=categorical_features,
        drop=drop,
    )


def save_feather(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set as a Feather file, features first.

    Numbers, dates and categories read back the same, and the columns have their types; a sparse
    data set becomes dense. Which columns are labels is written to a second file,
    ``data.feather.labels.json`` beside ``data.feather``. The file is written by polars or by pandas
    with pyarrow, whichever is installed.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    path : path-like
        The file to write.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_feather, make_multilabel, save_feather
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.feather"
    >>> save_feather(make_multilabel(50, 20, 4, random_state=0), path)
    >>> load_feather(path)
    MultiLabelDataset('made': 50 samples, 20 features, 4 labels)
    """
    check_distinct_names(dataset)
    library = backend("polars", "pandas")
    content = io.BytesIO()
    _write(frame_of(dataset, library).to_native(), content, library)
    with replacing_with(remembered_of(dataset), path, FEATHER_SUFFIX) as file:
        file.write(content.getvalue())


def _write(native: Any, file: IO[bytes], library: Library) -> None:
    if library == "pandas":
        native.to_feather(file)
        return
    import polars

    # So that what reads Arrow's older versions reads it too.
    native.write_ipc(file, compat_level=polars.CompatLevel.oldest())


def _read(path: str, library: Library, max_size: int) -> Any:
    """Read a table whose size, which the file tells, is small enough."""
    if library == "polars":
        import polars

        lazy = polars.scan_ipc(path)
        n_rows = lazy.select(polars.len()).collect().item()
        n_columns = len(polars.read_ipc_schema(path))
    else:
        from pyarrow import dataset, feather

        stored = dataset.dataset(path, format="feather")
        n_rows, n_columns = stored.count_rows(), len(stored.schema)
    if 8 * n_rows * n_columns > max_size:
        raise too_large(path, max_size)
    return (
        polars.read_ipc(path) if library == "polars" else _without_views(feather.read_table(path))
    )


def _without_views(table: Any) -> Any:
    """Return a table of pyarrow whose texts are such that every version of it works on them."""
    import pyarrow

    for j, column in enumerate(table.schema):
        if str(column.type) == "string_view":
            texts = pyarrow.array(table[j].to_pylist(), pyarrow.string())
            table = table.set_column(j, column.name, texts)
    return table
