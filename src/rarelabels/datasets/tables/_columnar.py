"""Parquet and Feather files: columns with names and types."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import MAX_SIZE, replacing, too_large
from rarelabels.datasets.label_columns import Labels
from rarelabels.datasets.sidecar import (
    FEATHER_SUFFIX,
    Sidecar,
    as_json,
    from_json,
    read_sidecar,
    replacing_with_sidecar,
    sidecar_of,
)
from rarelabels.datasets.tables._columns import ColumnChoice
from rarelabels.datasets.tables._library import installed_library
from rarelabels.datasets.tables._typed_columns import (
    Content,
    dataset_from_frame,
    frame_of,
    read_frame,
)
from rarelabels.datasets.writing import check_distinct_names

PARQUET_KEY = "rarelabels"


def load_parquet(
    path: FilePath,
    labels: Labels | None = None,
    *,
    separator: str | None = None,
    categorical_features: Sequence[str] = (),
    drop: Sequence[str] = (),
    unknown: str | None = None,
    groups: str | None = None,
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
    """Read a Parquet file.

    Columns of numbers, booleans, dates and points in time are numeric. Columns of text and of
    categories are categorical, with the categories in the order of the file or, if it has none, in
    sorted order. The file is read by pyarrow or polars, whichever is installed.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six). By default, those in the metadata that `save_parquet`
        writes.
    separator : str, optional
        Separator of the label names in a single column of tags; see `load_csv`.
    categorical_features : list of str, default=()
        Columns that are categorical although they have numbers, or texts that are mostly distinct.
    drop : list of str, default=()
        Columns to leave out.
    unknown : str, optional
        The marker of an unknown label; see `load_csv`.
    groups : str, optional
        The column with the group of each sample; see `load_csv`.
    max_size : int, default=2**32
        Maximum size of the table in bytes, with eight bytes for each cell.

    Returns
    -------
    MultiLabelDataset
        The data set, with X and Y as arrays.

    Raises
    ------
    DataFormatError
        If the content is not valid. The error names the file and the problem.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_parquet, make_local_imbalance, save_parquet
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.parquet"
    >>> save_parquet(make_local_imbalance(60, random_state=0), path)
    >>> load_parquet(path, labels=-3).label_names
    ('label_0', 'label_1', 'label_2')
    """
    library = installed_library("pyarrow", "polars")
    _check_start(path, b"PAR1", "Parquet")
    read = _parquet_by_pyarrow if library == "pyarrow" else _parquet_by_polars
    frame, metadata = read_frame(read, library, path, max_size)
    choice = ColumnChoice(labels, separator, categorical_features, drop, unknown, groups)
    return dataset_from_frame(frame, path, stored_sidecar(metadata), choice)


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
    library = installed_library("polars", "pandas")
    frame, sidecar, content = frame_of(dataset, library), as_json(sidecar_of(dataset)), io.BytesIO()
    if library == "pandas":
        # pandas writes these into the file's metadata as JSON.
        frame.attrs[PARQUET_KEY] = sidecar
        frame.to_parquet(content)
    else:
        frame.write_parquet(content, metadata={PARQUET_KEY: sidecar})
    with replacing(path) as file:
        file.write(content.getvalue())


def load_feather(
    path: FilePath,
    labels: Labels | None = None,
    *,
    separator: str | None = None,
    categorical_features: Sequence[str] = (),
    drop: Sequence[str] = (),
    unknown: str | None = None,
    groups: str | None = None,
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
    """Read a Feather file.

    Columns are read in the same way as those of a Parquet file. The file is read by pyarrow or
    polars, whichever is installed.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six). By default, those that ``data.feather.labels.json``
        names, the file that `save_feather` writes next to ``data.feather``.
    separator : str, optional
        Separator of the label names in a single column of tags; see `load_csv`.
    categorical_features : list of str, default=()
        Columns that are categorical although they have numbers, or texts that are mostly distinct.
    drop : list of str, default=()
        Columns to leave out.
    unknown : str, optional
        The marker of an unknown label; see `load_csv`.
    groups : str, optional
        The column with the group of each sample; see `load_csv`.
    max_size : int, default=2**32
        Maximum size of the table in bytes, with eight bytes for each cell.

    Returns
    -------
    MultiLabelDataset
        The data set, with X and Y as arrays.

    Raises
    ------
    DataFormatError
        If the content is not valid. The error names the file and the problem.

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
    # polars cannot read everything that pandas writes, such as missing categories.
    library = installed_library("pyarrow", "polars")
    _check_start(path, (b"ARROW1", b"FEA1"), "Feather")
    read = _feather_by_pyarrow if library == "pyarrow" else _feather_by_polars
    frame, _ = read_frame(read, library, path, max_size)
    choice = ColumnChoice(labels, separator, categorical_features, drop, unknown, groups)
    return dataset_from_frame(frame, path, read_sidecar(path, FEATHER_SUFFIX), choice)


def save_feather(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set as a Feather file, features first.

    Numbers, dates and categories read back the same, and the columns have their types; a sparse
    data set becomes dense. Which columns are labels is written to a second file,
    ``data.feather.labels.json`` next to ``data.feather``. The file is written by polars or by
    pandas with pyarrow, whichever is installed.

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
    library = installed_library("polars", "pandas")
    frame, content = frame_of(dataset, library), io.BytesIO()
    if library == "pandas":
        frame.to_feather(content)
    else:
        import polars

        # Compatible with readers of older versions of Arrow.
        frame.write_ipc(content, compat_level=polars.CompatLevel.oldest())
    with replacing_with_sidecar(sidecar_of(dataset), path, FEATHER_SUFFIX) as file:
        file.write(content.getvalue())


def _check_start(path: FilePath, start: bytes | tuple[bytes, ...], format: str) -> None:
    with open(path, "rb") as file:
        if not file.read(6).startswith(start):
            raise DataFormatError(f"this is not a {format} file", path)


def _check_cells(n_rows: int, n_columns: int, path: str, max_size: int) -> None:
    """Raise an error if a table needs more than `max_size` bytes, with eight for each cell."""
    if 8 * n_rows * n_columns > max_size:
        raise too_large(path, max_size)


def _parquet_by_pyarrow(path: str, max_size: int) -> Content:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        footer = file.metadata
        # The total may be wrong; the row groups are what is read.
        n_grouped = sum(footer.row_group(i).num_rows for i in range(footer.num_row_groups))
        _check_cells(max(footer.num_rows, n_grouped), footer.num_columns, path, max_size)
        metadata = {
            key.decode(errors="replace"): value.decode(errors="replace")
            for key, value in (footer.metadata or {}).items()
        }
        return _validated(file.read()), metadata


def _parquet_by_polars(path: str, max_size: int) -> Content:
    import polars

    lazy = polars.scan_parquet(path, glob=False)
    n_columns = max(1, len(lazy.collect_schema()))
    _check_cells(lazy.select(polars.len()).collect().item(), n_columns, path, max_size)
    # The number of rows may be wrong.
    frame = lazy.head(max_size // (8 * n_columns)).collect()
    return frame, polars.read_parquet_metadata(path)


def _validated(table: Any) -> Any:
    """Return a pyarrow table after checking its offsets and indices, which pyarrow does not do."""
    table.validate(full=True)
    return table


def stored_sidecar(metadata: Mapping[str, str]) -> Sidecar:
    """Return the metadata that `save_parquet` wrote with polars or pandas, or an empty text."""
    for key in (PARQUET_KEY, "PANDAS_ATTRS"):
        text = metadata.get(key, "")
        try:
            values = json.loads(text)
            return from_json(values.get(PARQUET_KEY, text))
        except (ValueError, TypeError, AttributeError):
            continue
    return Sidecar()


def _feather_by_pyarrow(path: str, max_size: int) -> Content:
    from pyarrow import dataset, feather

    stored = dataset.dataset(path, format="feather")
    _check_cells(stored.count_rows(), len(stored.schema), path, max_size)
    return _without_views(_validated(feather.read_table(path))), {}


def _feather_by_polars(path: str, max_size: int) -> Content:
    import polars

    # Pass the content, because a file name may look like a glob pattern.
    lazy = polars.scan_ipc(Path(path).read_bytes())
    n_rows = lazy.select(polars.len()).collect().item()
    _check_cells(n_rows, len(lazy.collect_schema()), path, max_size)
    return lazy.collect(), {}


def _without_views(table: Any) -> Any:
    """Return a pyarrow table with text types that every version of pyarrow supports."""
    import pyarrow

    for j, column in enumerate(table.schema):
        if str(column.type) == "string_view":
            texts = pyarrow.array(table[j].to_pylist(), pyarrow.string())
            table = table.set_column(j, column.name, texts)
    return table
