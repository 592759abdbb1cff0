"""Read and write comma-separated values with a header."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence

from rarelabels._formats import without_compression
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import FilePath
from rarelabels.datasets.files import MAX_SIZE, decoding
from rarelabels.datasets.formulas import escape_formula
from rarelabels.datasets.label_columns import Labels
from rarelabels.datasets.sidecar import read_sidecar, replacing_with_sidecar, sidecar_of
from rarelabels.datasets.tables._columns import ColumnChoice
from rarelabels.datasets.tables._csv_rows import TextTable, delimiter_of
from rarelabels.datasets.tables._text_columns import read_table
from rarelabels.datasets.writing import (
    check_distinct_names,
    check_texts,
    number_text,
    rows_as_lists,
    written_categories,
    written_dates,
)


def load_csv(
    path: FilePath,
    labels: Labels | None = None,
    *,
    separator: str | None = None,
    delimiter: str | None = None,
    categorical_features: Sequence[str] = (),
    drop: Sequence[str] = (),
    unknown: str | None = None,
    groups: str | None = None,
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
    r"""Read a table of comma-separated values whose first line has the names of the columns.

    A column of numbers is numeric, any other column is categorical. Its categories are the values
    that occur, sorted. Dates and points in time are recognized if they are written as
    ``2024-01-31`` or ``2024-01-31T10:30:00``, with or without a time zone. A column of text whose
    values are mostly distinct, such as notes, raises an error. An empty field is a missing value,
    and so are ``?``, ``NA``, ``nan`` and ``null`` in a column of numbers. Labels are 0 and 1, true
    and false, or yes and no.

    Parameters
    ----------
    path : path-like
        The file, compressed or not, in UTF-8 or Latin-1.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six). By default, those that ``data.labels.json`` names, the
        file that `save_csv` writes next to ``data.csv``.
    separator : str, optional
        Separator of the label names in a single column of tags: ``labels="tags", separator=";"``
        creates a label for each name in the column ``tags``.
    delimiter : str, optional
        Separator of the columns. By default, it is the most frequent of comma, semicolon and tab in
        the first line, and tab for ``.tsv``.
    categorical_features : list of str, default=()
        Columns that are categorical although they look like numbers, or are mostly distinct.
    drop : list of str, default=()
        Columns to leave out.
    unknown : str, optional
        The marker of an unknown label, such as ``"-1"``. Empty cells of labels are then unknown
        too; pass ``""`` if only empty cells are unknown. Unknown labels are NaN. By default, they
        are an error.
    groups : str, optional
        The column with the group of each sample, for example a patient. It is not a feature.
    max_size : int, default=2**32
        Maximum size of the decompressed file in bytes.

    Returns
    -------
    MultiLabelDataset
        The data set, with X and Y as arrays.

    Raises
    ------
    DataFormatError
        If the content is not valid. The error names the file, the line and the wrong text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_csv
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.csv"
    >>> _ = path.write_text("size,color,is_round,is_heavy\n1.5,red,1,0\n,green,0,1\n")
    >>> dataset = load_csv(path, labels="is_")
    >>> dataset.X
    array([[1.5, 1. ],
           [nan, 0. ]])
    >>> dataset.categories[1]
    ('green', 'red')
    """
    sidecar = read_sidecar(path)
    categorical_features = sidecar.categorical_columns(labels, categorical_features)
    choice = ColumnChoice(labels, separator, categorical_features, drop, unknown, groups)
    between = delimiter or sidecar.delimiter or delimiter_of(path)
    return decoding(
        lambda encoding: read_table(
            TextTable(path, max_size, sidecar, None, encoding, between), choice
        )
    )


def save_csv(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set as comma-separated values, features first, with a header.

    Numbers read back the same to the last bit. Categories are written by name, missing values as
    empty fields, and dates as ``2024-01-31`` (points in time with a time zone are in UTC). A sparse
    data set becomes dense. The label columns and categorical columns are listed in a second file,
    ``data.labels.json`` next to ``data.csv``. Texts that a spreadsheet would run as formulas are
    prefixed by an apostrophe, which `load_csv` removes.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    path : path-like
        The file to write. ``.tsv`` files have tabs instead of commas; ``.gz``, ``.bz2`` and ``.xz``
        files are compressed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_csv, make_local_imbalance, save_csv
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.csv"
    >>> save_csv(make_local_imbalance(60, random_state=0), path)
    >>> load_csv(path)
    MultiLabelDataset('made': 60 samples, 2 features, 3 labels)
    """
    check_distinct_names(dataset)
    categories = written_categories(dataset)
    check_texts(dataset, categories, "CSV")
    delimiter = "\t" if without_compression(path).suffix.lower() == ".tsv" else ","
    sidecar = sidecar_of(dataset, has_escapes=True, delimiter=delimiter)
    with replacing_with_sidecar(sidecar, path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(map(escape_formula, [*dataset.feature_names, *dataset.label_names]))
        writer.writerows(_rows(dataset, categories))
        text.flush()
        text.detach()


def _rows(dataset: MultiLabelDataset, categories: dict[int, Sequence[str]]) -> Iterator[list[str]]:
    spelled = {j: [escape_formula(value) for value in values] for j, values in categories.items()}
    dates = written_dates(dataset)
    rows = zip(rows_as_lists(dataset.X), rows_as_lists(dataset.Y), strict=True)
    for i, (x, y) in enumerate(rows):
        features = [
            dates[j][i] if j in dates else _text(value, spelled.get(j)) for j, value in enumerate(x)
        ]
        yield features + ["" if value != value else "1" if value else "0" for value in y]


def _text(value: float, categories: Sequence[str] | None) -> str:
    if value != value:
        return ""
    if value in (math.inf, -math.inf):
        raise ValueError("CSV files cannot have infinity: replace it, or make it missing (NaN).")
    return number_text(value) if categories is None else categories[int(value)]
