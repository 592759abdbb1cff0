"""Tell a file's format from the file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._arff_header import Header
from rarelabels.datasets._arff_read import arff_header, read_arff
from rarelabels.datasets._csv import load_csv
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets._files import read_start, stem, without_compression
from rarelabels.datasets._label_choice import Labels, labels_in_file
from rarelabels.datasets._meka import label_count, load_meka
from rarelabels.datasets._mulan import beside, load_mulan
from rarelabels.datasets._parquet import load_parquet
from rarelabels.datasets._xmc import load_xmc

_BY_SUFFIX = {
    ".arff": "arff",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "xmc",
    ".svm": "xmc",
}
_ARFF_START = re.compile(rb"\s*(?:%[^\n]*\s*)*@relation", re.IGNORECASE)
_XMC_START = re.compile(rb"[ \t]*\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n")


def load(path: FilePath, labels: Labels | os.PathLike[str] | None = None) -> MultiLabelDataset:
    """Read a data set, telling its format from the file.

    ``.arff`` is Mulan's format where an XML file lies beside it and MEKA's where the relation says
    ``-C n``; ``.csv`` and ``.parquet`` are tables; ``.txt`` and ``.svm`` the Extreme Classification
    Repository's sparse text. A file of another name is told by how it begins. ``.gz``, ``.bz2``
    and ``.xz`` are decompressed.

    Parameters
    ----------
    path : path-like
        The file.
    labels : list of str, str, int or path-like, optional
        Which columns are labels, where the file does not say: their names, a prefix of their names
        or their count (6 for the first six columns, -6 for the last six). For an ARFF file also
        the place of its XML file.

    Returns
    -------
    MultiLabelDataset
        The data set.

    See Also
    --------
    load_mulan, load_meka, load_xmc, load_csv, load_parquet : Read one format.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load, make_local_imbalance, save_meka
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.arff.gz"
    >>> save_meka(make_local_imbalance(60, random_state=0), path)
    >>> load(path)
    MultiLabelDataset('made': 60 samples, 2 features, 3 labels)
    """
    return _READERS[_format(path)](path, labels)


def _format(path: FilePath) -> str:
    known = _BY_SUFFIX.get(without_compression(path).suffix.lower())
    return known if known is not None else _format_by_content(path)


def _format_by_content(path: FilePath) -> str:
    start = read_start(path)
    if start.startswith(b"PAR1"):
        return "parquet"
    if _ARFF_START.match(start):
        return "arff"
    if _XMC_START.match(start):
        return "xmc"
    raise DataFormatError(
        "the format cannot be told from the name or the first lines; name the file .arff, .csv, "
        ".parquet or .txt (XMC), or call load_mulan, load_csv, … yourself",
        path,
        1,
        start[:200].partition(b"\n")[0].decode("latin-1"),
    )


def _load_arff(path: FilePath, labels: Any) -> MultiLabelDataset:
    if isinstance(labels, os.PathLike) or str(labels).lower().endswith(".xml"):
        return load_mulan(path, labels)
    if labels is not None:
        return read_arff(path, lambda header: _chosen(header, labels, path), stem(path))
    if beside(path).is_file():
        return load_mulan(path)
    header = arff_header(path)
    if label_count(header.relation) is not None:
        return load_meka(path)
    raise DataFormatError(
        f"nothing says which attributes are labels: there is no {beside(path).name} beside the "
        "file and no -C n in its relation; pass labels=",
        path,
        header.relation_line,
        header.relation,
    )


def _chosen(header: Header, labels: Any, path: FilePath) -> npt.NDArray[np.bool_]:
    return labels_in_file([attribute.name for attribute in header.attributes], labels, path)


def _load_csv(path: FilePath, labels: Any) -> MultiLabelDataset:
    return load_csv(path, _given(labels, path))


def _load_parquet(path: FilePath, labels: Any) -> MultiLabelDataset:
    return load_parquet(path, _given(labels, path))


def _load_xmc(path: FilePath, labels: Any) -> MultiLabelDataset:
    if labels is not None:
        raise ValueError("XMC text says itself what its labels are: leave labels out.")
    return load_xmc(path)


def _given(labels: Any, path: FilePath) -> Any:
    if labels is None:
        raise ValueError(
            f"{Path(path).name} does not say which columns are labels: pass labels=, a list of "
            "names, a prefix of their names or a count (-6 for the last six columns)."
        )
    return labels


_READERS: dict[str, Callable[[FilePath, Any], MultiLabelDataset]] = {
    "arff": _load_arff,
    "csv": _load_csv,
    "parquet": _load_parquet,
    "xmc": _load_xmc,
}
