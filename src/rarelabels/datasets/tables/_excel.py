"""Read and write Excel workbooks: a sheet whose first row has the names of the columns."""

from __future__ import annotations

import gc
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import FilePath
from rarelabels.datasets.files import MAX_SIZE
from rarelabels.datasets.label_columns import Labels
from rarelabels.datasets.sidecar import (
    EXCEL_SUFFIX,
    read_sidecar,
    replacing_with_sidecar,
    sidecar_of,
)
from rarelabels.datasets.tables._columns import ColumnChoice
from rarelabels.datasets.tables._sheet import opened_sheet
from rarelabels.datasets.tables._sheet_writer import written_workbook
from rarelabels.datasets.tables._text_columns import read_table


def load_excel(
    path: FilePath,
    labels: Labels | None = None,
    *,
    sheet: str | None = None,
    separator: str | None = None,
    categorical_features: Sequence[str] = (),
    drop: Sequence[str] = (),
    unknown: str | None = None,
    groups: str | None = None,
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
    """Read a sheet of an Excel workbook (``.xlsx``).

    The first row that is not empty has the names of the columns. Columns are read in the same way
    as those of a CSV file: numbers and dates are numeric, texts and booleans are categorical. A
    column with values of several types, such as numbers and texts, raises an error unless it is
    named in `categorical_features`. Empty cells and ``#N/A`` are missing values. For a formula, the
    value that Excel saved is read. This requires openpyxl: ``pip install "rarelabels[excel]"``.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six). By default, those that ``data.xlsx.labels.json`` names,
        the file that `save_excel` writes next to ``data.xlsx``.
    sheet : str, optional
        The name of the sheet; by default, the first one.
    separator : str, optional
        Separator of the label names in a single column of tags; see `load_csv`.
    categorical_features : list of str, default=()
        Columns that are categorical although they look like numbers, or are mostly distinct.
    drop : list of str, default=()
        Columns to leave out.
    unknown : str, optional
        The marker of an unknown label; see `load_csv`.
    groups : str, optional
        The column with the group of each sample; see `load_csv`.
    max_size : int, default=2**32
        Maximum size of the decompressed workbook in bytes.

    Returns
    -------
    MultiLabelDataset
        The data set, with X and Y as arrays.

    Raises
    ------
    DataFormatError
        If the content is not valid. The error names the file, the sheet, the row and the wrong
        text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_excel, make_local_imbalance, save_excel
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.xlsx"
    >>> save_excel(make_local_imbalance(60, random_state=0), path)
    >>> load_excel(path).label_names
    ('label_0', 'label_1', 'label_2')
    """
    sidecar = read_sidecar(path, EXCEL_SUFFIX)
    categorical_features = sidecar.categorical_columns(labels, categorical_features)
    choice = ColumnChoice(labels, separator, categorical_features, drop, unknown, groups)
    source = opened_sheet(path, sheet, sidecar, max_size)
    dataset = read_table(source, choice)
    source.refuse_formulas(drop)
    return dataset


def save_excel(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set as an Excel workbook (``.xlsx``) of one sheet, features first.

    Numbers read back the same to the last bit. Dates and points in time are preserved; those with a
    time zone, before 1900 or with fractions of a millisecond are written as texts. Categories are
    written by name and never run as formulas, and missing values are empty cells. A sparse data set
    becomes dense. The label columns and categorical columns are listed in a second file,
    ``data.xlsx.labels.json`` next to ``data.xlsx``. This requires openpyxl: ``pip install
    "rarelabels[excel]"``.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    path : path-like
        The file to write.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_excel, make_multilabel, save_excel
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.xlsx"
    >>> save_excel(make_multilabel(50, 20, 4, random_state=0), path)
    >>> load_excel(path)
    MultiLabelDataset('made': 50 samples, 20 features, 4 labels)
    """
    failure: tuple[Any, ...] = ()
    try:
        workbook: Any = written_workbook(dataset)
        with replacing_with_sidecar(sidecar_of(dataset), path, EXCEL_SUFFIX) as file:
            workbook.save(file)
    except OSError as error:
        # openpyxl writes rows into the folder for temporary files first.
        failure = (error.errno, error.strerror, error.filename or tempfile.gettempdir())
    if failure:
        _finish_writing()
        raise OSError(*failure)


def _finish_writing() -> None:
    """Let openpyxl finish writing, which fails again if the disk is full."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        gc.collect()
    finally:
        sys.unraisablehook = hook
