"""Parquet files: columns with names and types."""

from __future__ import annotations

import inspect
import io
import json
from collections.abc import Sequence
from importlib.util import find_spec
from typing import IO, Any

import narwhals as nw
import numpy as np
from scipy import sparse

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import MAX_SIZE, replacing, stem, too_large
from rarelabels.datasets.formats._label_choice import Labels, by_name, labels_in_file
from rarelabels.datasets.formats._parquet_footer import MAGIC, Footer, read_footer
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
    tag_labels,
    tags_of,
    text_problem,
)
from rarelabels.datasets.formats._written import check_distinct_names, written_categories

_KEY = "rarelabels"


def load_parquet(
    path: FilePath,
    labels: Labels | None = None,
    *,
    separator: str | None = None,
    drop: Sequence[str] = (),
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
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
    separator : str, optional
        What separates the labels' names in a single column of tags, as in `load_csv`.
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
    library = backend("polars", "pandas", "pyarrow")
    footer = _footer(path)
    if 8 * footer.n_rows * footer.n_columns > max_size:
        raise too_large(path, max_size)
    frame = _read(path, library)
    if labels is None:
        labels = _remembered(footer).labels
    return dataset_from_frame(frame, labels, path, separator, drop)


def dataset_from_frame(
    frame: nw.DataFrame[Any],
    labels: Labels | None,
    path: FilePath,
    separator: str | None = None,
    drop: Sequence[str] = (),
) -> MultiLabelDataset:
    """Return a dataframe that was read from a file as a data set."""
    if separator is not None and isinstance(labels, str):
        labels = [labels]
    is_label = labels_in_file(frame.columns, labels, path)
    is_feature = ~(is_label | by_name(frame.columns, drop))
    labelled = [
        label
        for j in np.flatnonzero(is_label).tolist()
        for label in _labels(frame[:, j], path, separator)
    ]
    features = [_feature(frame[:, j], path) for j in np.flatnonzero(is_feature).tolist()]
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
    library = _writing_library()
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


def _dense(matrix: Any) -> Any:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _series(
    name: str, values: Floats, categories: Sequence[str] | None, library: Library
) -> nw.Series[Any]:
    if categories is None:
        return nw.new_series(name, values.astype(np.float64), nw.Float64, backend=library)
    texts = [None if code != code else categories[int(code)] for code in values.tolist()]
    return nw.new_series(name, texts, nw.Enum(categories), backend=library)


def _footer(path: FilePath) -> Footer:
    with open(path, "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise DataFormatError("this is not a Parquet file", path)
    try:
        return read_footer(path)
    except ValueError as error:
        raise DataFormatError(f"the Parquet file is damaged ({error})", path) from error


def _read(path: FilePath, library: Library) -> nw.DataFrame[Any]:
    try:
        return nw.read_parquet(str(path), backend=library)
    except (KeyboardInterrupt, SystemExit, ImportError, MemoryError, TypeError):
        raise
    except BaseException as error:
        # Each library has its own errors, and polars' worst are not even Exceptions.
        raise DataFormatError(f"{library} cannot read it ({error})", path) from error


def _labels(series: nw.Series[Any], path: FilePath, separator: str | None) -> list[Label]:
    """Return the label of a column, or those that its cells name."""
    if separator is None or not isinstance(series.dtype, (nw.String, nw.Categorical, nw.Enum)):
        return [_label(series, path)]
    rows = [tags_of(text or "", separator) for text in series.cast(nw.String).to_list()]
    codes: dict[str, int] = {}
    found = [codes.setdefault(tag, len(codes)) for row in rows for tag in sorted(row)]
    return tag_labels(codes, np.array([len(row) for row in rows]), np.array(found, dtype=np.intp))


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
    if isinstance(series.dtype, nw.String):
        known = [text for text in texts if text is not None]
        problem = text_problem(series.name, len(set(known)), len(known))
        if problem is not None:
            raise DataFormatError(problem, path)
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
