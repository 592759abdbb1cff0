"""Excel workbooks: a sheet whose first row names the columns."""

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

    The first row that is not empty names the columns. They are read as those of a CSV file are:
    numbers and dates are numeric, texts and booleans categorical. A column that holds values of
    several kinds, as numbers and texts, is refused, unless it is named in `categorical_features`.
    An empty cell is a missing value, and so is ``#N/A``; of a formula the value that Excel saved is
    read. This needs openpyxl: ``pip install "rarelabels[excel]"``.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str or int, optional
        The label columns: their names, a prefix of their names, or their count (6 for the first
        six columns, -6 for the last six). By default those that ``data.xlsx.labels.json`` names,
        the file that `save_excel` writes next to ``data.xlsx``.
    sheet : str, optional
        The sheet's name; by default the first one.
    separator : str, optional
        What separates the labels' names in a single column of tags, as in `load_csv`.
    categorical_features : list of str, default=()
        Columns that are categorical although they look like numbers, or are mostly distinct.
    drop : list of str, default=()
        Columns to leave out.
    unknown : str, optional
        The marker of an unknown label, as in `load_csv`.
    groups : str, optional
        The column with the group of each sample, as in `load_csv`.
    max_size : int, default=2**32
        Bytes that the workbook may unpack to.

    Returns
    -------
    MultiLabelDataset
        With X and Y as arrays.

    Raises
    ------
    DataFormatError
        With the file, the sheet, the row and the text that is wrong.

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

    Numbers read back the same to the last bit, dates and points in time as such; those with a time
    zone, before 1900 or with parts of a millisecond are written as texts. Categories are written by
    name and never run as formulas, missing values are empty cells; a sparse data set becomes dense.
    Which columns are labels or hold categories is written to a second file,
    ``data.xlsx.labels.json`` next to ``data.xlsx``. This needs openpyxl: ``pip install
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
        _let_go()
        raise OSError(*failure)


def _let_go() -> None:
    """Let openpyxl end what it was writing, which fails again where the disk is full."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        gc.collect()
    finally:
        sys.unraisablehook = hook
