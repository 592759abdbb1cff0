"""Comma-separated values with a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from scipy import sparse

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import read_bytes, replacing, stem
from rarelabels.datasets.formats._label_choice import Labels, by_name, labels_in_file
from rarelabels.datasets.formats._table import (
    Feature,
    Label,
    backend,
    codes_and_categories,
    dataset_of,
    first_wrong_label,
    numbers_or_none,
    text_options,
)
from rarelabels.datasets.formats._written import (
    check_distinct_names,
    number_text,
    written_categories,
)


def load_csv(
    path: FilePath, labels: Labels | None = None, *, categorical_features: Sequence[str] = ()
) -> MultiLabelDataset:
    r"""Read a table of comma-separated values whose first line names the columns.

    A column of numbers is numeric, any other categorical: a CSV file does not say which categories
    there are, so they are those that occur, sorted. An empty field is a missing value, and so are
    ``?``, ``NA``, ``nan`` and ``null`` in a column of numbers. The table is read by polars, pandas
    or pyarrow, whichever is installed.

    Parameters
    ----------
    path : path-like
        The file, compressed or not, in UTF-8 or Latin-1.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six).
    categorical_features : list of str, default=()
        Columns that are categorical although they look like numbers.

    Returns
    -------
    MultiLabelDataset
        With X and Y as arrays.

    Raises
    ------
    DataFormatError
        With the file, the line and the text that is wrong.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_csv
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.csv"
    >>> _ = path.write_text("size,colour,is_round,is_heavy\n1.5,red,1,0\n,green,0,1\n")
    >>> dataset = load_csv(path, labels="is_")
    >>> dataset.X
    array([[1.5, 1. ],
           [nan, 0. ]])
    >>> dataset.categories[1]
    ('green', 'red')
    """
    content = read_bytes(path)
    text = _decoded(content)
    layout = _layout(text, path)
    is_label = labels_in_file(layout.names, labels, path, 1)
    if categorical_features:
        by_name(layout.names, categorical_features)
    columns = _read_columns(path, content, text, layout)
    labelled = [
        _label(columns[j], layout, j, path, text) for j in np.flatnonzero(is_label).tolist()
    ]
    features = [
        _feature(layout.names[j], columns[j], layout.names[j] in categorical_features)
        for j in np.flatnonzero(~is_label).tolist()
    ]
    return dataset_of(features, labelled, layout.n_rows, stem(path))


def save_csv(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set as comma-separated values, features first, with a header.

    Numbers read back the same to the last bit. Categories are written by name, missing values as
    empty fields; a sparse data set becomes dense.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    path : path-like
        The file to write; ``.gz``, ``.bz2`` and ``.xz`` are compressed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_csv, make_local_imbalance, save_csv
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.csv"
    >>> save_csv(make_local_imbalance(60, random_state=0), path)
    >>> load_csv(path, labels="label_")
    MultiLabelDataset('made': 60 samples, 2 features, 3 labels)
    """
    _check_names(dataset)
    categories = written_categories(dataset)
    for j, values in categories.items():
        _check_categories(values, dataset.feature_names[j])
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*dataset.feature_names, *dataset.label_names])
        writer.writerows(_rows(dataset, categories))
        text.flush()
        text.detach()


class Layout(NamedTuple):
    """The columns' names and the number of rows."""

    names: list[str]
    n_rows: int


def _check_names(dataset: MultiLabelDataset) -> None:
    check_distinct_names(dataset)
    names = [*dataset.feature_names, *dataset.label_names]
    if any("\r" in name or "\0" in name for name in names):
        raise ValueError("a CSV file's names cannot hold carriage returns or the character 0.")


def _check_categories(categories: Sequence[str], name: str) -> None:
    if any(not value or "\r" in value or "\0" in value for value in categories):
        raise ValueError(
            f"a category of {name!r} is empty or holds a carriage return or the character 0, which "
            "CSV cannot tell from a missing value or a line end: rename it."
        )


def _rows(dataset: MultiLabelDataset, categories: dict[int, Sequence[str]]) -> Iterator[list[str]]:
    X = sparse.csr_array(dataset.X) if sparse.issparse(dataset.X) else dataset.X
    Y = sparse.csr_array(dataset.Y) if sparse.issparse(dataset.Y) else dataset.Y
    for i in range(dataset.n_samples):
        x, y = _row(X, i), _row(Y, i)
        features = [_text(value, categories.get(j)) for j, value in enumerate(x)]
        yield features + ["1" if value else "0" for value in y]


def _row(matrix: Any, i: int) -> list[float]:
    # One row at a time is made dense: the whole may not fit.
    row = matrix[[i]].toarray()[0] if sparse.issparse(matrix) else matrix[i]
    return row.tolist()


def _text(value: float, categories: Sequence[str] | None) -> str:
    if value != value:
        return ""
    return number_text(value) if categories is None else categories[int(value)]


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _layout(text: str, path: FilePath) -> Layout:
    """Check that every row has as many fields as the header; the libraries would fill it up."""
    if not text.strip():
        raise DataFormatError("the file is empty", path, 1, "")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataFormatError("a CSV file cannot hold the byte 0: is it binary?", path, line)
    names: list[str] = []
    n_rows = 0
    for line, fields in _fields(text, path):
        if not names:
            names = _distinct(fields, path)
        elif len(fields) != len(names):
            problem = f"expected {len(names)} values, one per column, got {len(fields)}"
            raise DataFormatError(problem, path, line, ",".join(fields))
        else:
            n_rows += 1
    if n_rows == 0:
        raise DataFormatError("no rows below the header: the file was cut off", path, 1)
    return Layout(names, n_rows)


def _fields(text: str, path: FilePath) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text.rstrip("\r\n"), newline=""), strict=True)
    start = 1
    try:
        for fields in reader:
            yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataFormatError(f"not a CSV file ({error})", path, start) from None


def _distinct(names: list[str], path: FilePath) -> list[str]:
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise DataFormatError("two columns have the same name", path, 1, twice)
    return names


def _read_columns(path: FilePath, content: bytes, text: str, layout: Layout) -> list[list[str]]:
    library = backend("polars", "pandas", "pyarrow")
    with _plain_copy(path, content, text) as plain:
        try:
            frame = nw.read_csv(str(plain), backend=library, **text_options(library, layout.names))
        except (ImportError, MemoryError, TypeError):
            raise
        except Exception as error:
            # Each library has its own errors; what they have in common is the file.
            raise DataFormatError(f"{library} cannot read it ({error})", path) from error
    if frame.shape != (layout.n_rows, len(layout.names)):
        raise DataFormatError(
            f"expected {layout.n_rows} rows, {library} finds {frame.shape[0]}: is there a quote in "
            "the middle of a value?",
            path,
        )
    return [_texts(frame[:, j]) for j in range(frame.shape[1])]


def _texts(series: nw.Series[Any]) -> list[str]:
    # Some libraries read an empty field as no value at all, whatever they are told.
    return [text or "" for text in series.to_list()]


@contextmanager
def _plain_copy(path: FilePath, content: bytes, text: str) -> Iterator[Path]:
    """Return a file in plain UTF-8, uncompressed: the given one, where it is that already."""
    path = Path(path)
    if '"' not in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = text.rstrip("\r\n").encode() + b"\n"
    if path.stat().st_size == len(plain) and content == plain:
        yield path
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "plain.csv"
        copy.write_bytes(plain)
        yield copy


def _feature(name: str, column: list[str], is_categorical: bool) -> Feature:
    numbers = None if is_categorical else numbers_or_none(column)
    if numbers is not None:
        return Feature(name, numbers)
    return Feature(name, *codes_and_categories(column))


def _label(column: list[str], layout: Layout, j: int, path: FilePath, text: str) -> Label:
    values = numbers_or_none(column)
    if values is not None and first_wrong_label(values) is None:
        return Label(layout.names[j], values)
    row = next(i for i, value in enumerate(column) if not _is_label(value))
    line = next(line for i, (line, _) in enumerate(_fields(text, path)) if i == row + 1)
    raise DataFormatError(f"label {layout.names[j]!r} is neither 0 nor 1", path, line, column[row])


def _is_label(text: str) -> bool:
    number = numbers_or_none([text])
    return number is not None and first_wrong_label(number) is None
