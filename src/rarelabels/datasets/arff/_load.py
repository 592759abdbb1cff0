"""Read an ARFF file in either dialect."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.arff._header import Header
from rarelabels.datasets.arff._meka import label_count, load_meka
from rarelabels.datasets.arff._mulan import label_file, load_mulan
from rarelabels.datasets.arff._read import arff_header, read_arff
from rarelabels.datasets.files import MAX_SIZE, stem
from rarelabels.datasets.label_columns import labels_in_file


def load_arff(
    path: FilePath,
    labels: Any = None,
    *,
    unknown: str | None = None,
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
    """Read an ARFF file whose labels are given by the caller, an XML file or the relation."""
    if isinstance(labels, os.PathLike) or str(labels).lower().endswith(".xml"):
        return load_mulan(path, labels, unknown=unknown, max_size=max_size)
    if labels is not None:
        options = stem(path), max_size, unknown
        return read_arff(path, lambda header: _chosen(header, labels, path), *options)
    if label_file(path).is_file():
        return load_mulan(path, unknown=unknown, max_size=max_size)
    header = arff_header(path)
    if label_count(header.relation) is not None:
        return load_meka(path, unknown=unknown, max_size=max_size)
    raise DataFormatError(
        f"cannot determine which attributes are labels: {label_file(path).name} does not exist, "
        "and the relation has no -C n; pass labels=",
        path,
        header.relation_line,
        header.relation,
    )


def _chosen(header: Header, labels: Any, path: FilePath) -> npt.NDArray[np.bool_]:
    return labels_in_file([attribute.name for attribute in header.attributes], labels, path)
