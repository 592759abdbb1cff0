"""Parquet files: columns with names and types."""

from __future__ import annotations

import inspect
import io
import json
import os
from collections.abc import Iterator, Sequence
from typing import IO, Any

import narwhals as nw
import numpy as np
from scipy import sparse

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import replacing, stem
from rarelabels.datasets.formats._label_choice import Labels, labels_in_file
from rarelabels.datasets.formats._remembered import Remembered, as_json, from_json, remembered_of
from rarelabels.datasets.formats._table import (
    Feature,
    Floats,
    Label,
    Library,
    backend,
    dataset_of,
    first_wrong_label,
    in_order,
)
from rarelabels.datasets.formats._written import check_distinct_names, written_categories

_KEY = "rarelabels"
_MOST_METADATA = 1 << 24


def load_parquet(path: FilePath, labels: Labels | None = None) -> MultiLabelDataset:
    """Read a Parquet file.

    Columns of numbers and of true and false are numeric; those of text and of categories are
    categorical, with the categories in the order of the file or, where it has none,
    sorted. The file is read by polars, pandas or pyarrow, whichever is installed.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six). By default those that the file's metadata name, as
        `save_parquet` writes them.

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
    frame = _read(path)
    if labels is None:
        labels = _remembered(path).labels
    is_label = labels_in_file(frame.columns, labels, path)
    labelled = [_label(frame[:, j], path) for j in np.flatnonzero(is_label).tolist()]
    features = [_feature(frame[:, j], path) for j in np.flatnonzero(~is_label).tolist()]
    return dataset_of(features, labelled, len(frame), stem(path))


def save_parquet(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set as a Parquet file, features first.

    Numbers and categories read back the same; a sparse data set becomes dense. The file is written
    by polars or pandas, whichever is installed.

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
    library = backend("polars", "pandas")
    X, Y = _dense(dataset.X), _dense(dataset.Y)
    categories = written_categories(dataset)
    columns = [
        _series(name, X[:, j], categories.get(j), library)
        for j, name in enumerate(dataset.feature_names)
    ]
    columns += [
        nw.new_series(name, Y[:, j].astype(np.int8), nw.Int8, backend=library)
        for j, name in enumerate(dataset.label_names)
    ]
    content = io.BytesIO()
    frame = columns[0].to_frame().with_columns(*columns[1:])
    _write(frame, content, as_json(remembered_of(dataset)), library)
    with replacing(path) as file:
        file.write(content.getvalue())


def _write(frame: nw.DataFrame[Any], file: IO[bytes], remembered: str, library: Library) -> None:
    native = frame.to_native()
    if library == "pandas":
        # pandas writes these into the file's metadata as JSON.
        native.attrs[_KEY] = remembered
        native.to_parquet(file)
    elif "metadata" in inspect.signature(native.write_parquet).parameters:
        native.write_parquet(file, metadata={_KEY: remembered})
    else:
        native.write_parquet(file)


def _remembered(path: FilePath) -> Remembered:
    """Read what the metadata remembers, by pandas or polars; nothing where there is none."""
    for text in _metadata_texts(path):
        try:
            values = json.loads(text)
            return from_json(values.get(_KEY, text))
        except (ValueError, TypeError, AttributeError):
            continue
    return Remembered()


def _metadata_texts(path: FilePath) -> Iterator[str]:
    """Return the values of the two metadata keys that may remember the labels.

    The metadata stand at the end of the file in Thrift's compact encoding: a string is its length,
    seven bits in each byte, and its bytes; a key is followed by its value. Not every library that
    reads Parquet shows them.
    """
    with open(path, "rb") as file:
        file.seek(-min(os.path.getsize(path), _MOST_METADATA), os.SEEK_END)
        end = file.read()
    for key in (_KEY, "PANDAS_ATTRS"):
        mark = b"\x18" + bytes([len(key)]) + key.encode() + b"\x18"
        place = end.rfind(mark)
        if place >= 0:
            yield _thrift_string(end, place + len(mark))


def _thrift_string(content: bytes, place: int) -> str:
    length = shift = 0
    while place < len(content):
        byte = content[place]
        length |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            break
    return content[place : place + length].decode("utf-8", "replace")


def _dense(matrix: Any) -> Any:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _series(
    name: str, values: Floats, categories: Sequence[str] | None, library: Library
) -> nw.Series[Any]:
    if categories is None:
        return nw.new_series(name, values.astype(np.float64), nw.Float64, backend=library)
    texts = [None if code != code else categories[int(code)] for code in values.tolist()]
    return nw.new_series(name, texts, nw.Enum(categories), backend=library)


def _read(path: FilePath) -> nw.DataFrame[Any]:
    library = backend("polars", "pandas", "pyarrow")
    with open(path, "rb") as file:
        if file.read(4) != b"PAR1":
            raise DataFormatError("this is not a Parquet file", path)
    try:
        return nw.read_parquet(str(path), backend=library)
    except (KeyboardInterrupt, SystemExit, ImportError, MemoryError, TypeError):
        raise
    except BaseException as error:
        # Each library has its own errors, and polars' worst are not even Exceptions.
        raise DataFormatError(f"{library} cannot read it ({error})", path) from error


def _label(series: nw.Series[Any], path: FilePath) -> Label:
    if not _is_number(series):
        problem = f"label {series.name!r} holds {series.dtype}; a label is 0 or 1"
        raise DataFormatError(problem, path)
    values = _numbers(series)
    row = first_wrong_label(values)
    if row is not None:
        problem = f"label {series.name!r} is neither 0 nor 1 in row {row}"
        raise DataFormatError(problem, path, text=str(values[row]))
    return Label(series.name, values)


def _feature(series: nw.Series[Any], path: FilePath) -> Feature:
    if _is_number(series):
        return Feature(series.name, _numbers(series))
    if not isinstance(series.dtype, (nw.String, nw.Categorical, nw.Enum)):
        raise DataFormatError(
            f"column {series.name!r} holds {series.dtype}; expected numbers, text or categories: "
            "remove it, or turn it into one of them",
            path,
        )
    # pandas 2 makes the text "nan" of a missing category.
    is_missing = series.is_null().to_list()
    texts = [
        None if missing else text
        for text, missing in zip(series.cast(nw.String).to_list(), is_missing, strict=True)
    ]
    categories = _categories(series, texts)
    codes = {text: float(code) for code, text in enumerate(categories)}
    values = np.array([np.nan if text is None else codes[text] for text in texts])
    return Feature(series.name, values, categories)


def _categories(series: nw.Series[Any], texts: Sequence[str | None]) -> tuple[str, ...]:
    if isinstance(series.dtype, nw.Enum):
        return tuple(series.dtype.categories)
    if isinstance(series.dtype, nw.Categorical):
        declared = _native_categories(series.to_native())
        if declared is not None:
            return declared
    return in_order({text for text in texts if text is not None})


def _native_categories(column: Any) -> tuple[str, ...] | None:
    """Return the categories in their order, None from polars, which keeps none."""
    if not hasattr(column, "cat"):  # pyarrow
        chunks = column.unify_dictionaries().chunks
        return tuple(chunks[0].dictionary.to_pylist()) if chunks else ()
    if hasattr(column.cat, "categories"):  # pandas
        return tuple(column.cat.categories.tolist())
    return None


def _is_number(series: nw.Series[Any]) -> bool:
    return series.dtype.is_numeric() or series.dtype == nw.Boolean


def _numbers(series: nw.Series[Any]) -> Floats:
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
