"""Read and write data sets in any format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rarelabels._formats import (
    Format,
    format_named,
    format_of_content,
    format_of_suffix,
    format_suffixes,
    format_to_write,
)
from rarelabels._parameter_docs import shared_parameters
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import read_start
from rarelabels.datasets.label_columns import NO_LABELS, Labels


@shared_parameters
def load(
    path: FilePath,
    labels: Labels | os.PathLike[str] | None = None,
    *,
    format: str | None = None,
    **options: Any,
) -> MultiLabelDataset:
    """Read a data set in any format.

    ``.arff`` is Mulan's format if there is an XML file next to it, and MEKA's format if its
    relation contains ``-C n``. The format of a file with an unknown suffix is recognized by its
    first bytes. Text formats may be compressed as ``.gz``, ``.bz2`` or ``.xz``.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str, int or path-like, optional
        The label columns, if the file does not declare them: their names, a prefix of their names
        or their count (6 for the first six columns, -6 for the last six). For an ARFF file, this
        can also be the path of its XML file.
    {format}
    **options
        Parameters of the reader of the format, such as `categorical_features` of `load_csv`.

    Returns
    -------
    MultiLabelDataset
        The data set.

    See Also
    --------
    load_mulan, load_meka, load_xmc, load_csv, load_parquet : Read one format.
    load_feather, load_excel : Read one format.
    load_features : Read samples without labels.
    save : Write any format.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load, make_local_imbalance, save
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.arff.gz"
    >>> save(make_local_imbalance(60, random_state=0), path)
    >>> load(path)
    MultiLabelDataset('made': 60 samples, 2 features, 3 labels)
    """
    chosen = format_named(format) if format is not None else _recognized(path)
    if "sheet" in options and chosen.name != "excel":
        raise ValueError(f"{chosen.name} files have no sheets, so sheet must not be passed.")
    if not chosen.is_table and {"separator", "drop", "groups"} & options.keys():
        raise ValueError(
            f"{chosen.name} files have no columns to drop, no column of tags and no column of "
            "groups, so separator, drop and groups must not be passed."
        )
    if chosen.name == "xmc" and "unknown" in options:
        raise ValueError("xmc files have no unknown labels, so unknown must not be passed.")
    if labels is None:
        return chosen.load(path, **options)
    if not chosen.takes_labels:
        raise ValueError(f"{chosen.name} files declare their labels, so labels must not be passed.")
    return chosen.load(path, labels, **options)


def load_features(
    path: FilePath,
    *,
    categorical_features: Sequence[str] = (),
    drop: Sequence[str] = (),
    sheet: str | None = None,
) -> MultiLabelDataset:
    r"""Read samples without labels, for example to predict them.

    Parameters
    ----------
    path : path-like
        A table: CSV, Parquet, Feather or Excel. A file in another format is read with its labels,
        as `load` does.
    categorical_features : list of str, default=()
        Columns that are categorical although they look like numbers. Names of columns that do not
        exist are ignored.
    drop : list of str, default=()
        Columns to leave out.
    sheet : str, optional
        The sheet of an Excel workbook; by default the first.

    Returns
    -------
    MultiLabelDataset
        The data set, with all columns except those of `drop` as features. A table has no labels.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_features
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "new.csv"
    >>> _ = path.write_text("size,color\n1.5,red\n2.5,green\n")
    >>> load_features(path)
    MultiLabelDataset('new': 2 samples, 2 features (1 categorical), 0 labels)
    """
    chosen = _recognized(path)
    if not chosen.is_table:
        return load(path)
    options: dict[str, Any] = {} if sheet is None else {"sheet": sheet}
    return load(path, NO_LABELS, categorical_features=categorical_features, drop=drop, **options)


@shared_parameters
def save(dataset: MultiLabelDataset, path: FilePath, *, format: str | None = None) -> None:
    """Write a data set in any format. By default, ``.arff`` is Mulan's format.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    path : path-like
        The file to write. It is compressed if it ends in ``.gz``, ``.bz2`` or ``.xz``.
    {format}

    See Also
    --------
    save_mulan, save_meka, save_xmc, save_csv, save_parquet : Write one format.
    save_feather, save_excel : Write one format.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load, make_local_imbalance, save
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.arff"
    >>> save(make_local_imbalance(60, random_state=0), path, format="meka")
    >>> load(path)
    MultiLabelDataset('made': 60 samples, 2 features, 3 labels)
    """
    chosen = format_named(format) if format is not None else format_to_write(path)
    chosen.save(dataset, path)


def _recognized(path: FilePath) -> Format:
    by_suffix = format_of_suffix(path)
    if by_suffix is not None:
        return by_suffix
    start = read_start(path)
    by_content = format_of_content(start)
    if by_content is not None:
        return by_content
    raise DataFormatError(
        "the format cannot be recognized by the name or the first lines; end the name in "
        f"{', '.join(format_suffixes())}, or pass format=",
        path,
        1,
        start[:200].partition(b"\n")[0].decode("latin-1"),
    )
