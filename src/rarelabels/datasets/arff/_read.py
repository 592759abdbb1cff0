"""Read an ARFF file as a data set."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import FilePath
from rarelabels.datasets.arff._columns import Columns
from rarelabels.datasets.arff._header import Header, read_header
from rarelabels.datasets.arff._rows import read_rows
from rarelabels.datasets.files import MAX_SIZE, decoding, read_blocks

LabelChooser: TypeAlias = Callable[[Header], npt.NDArray[np.bool_]]


def read_arff(
    path: FilePath,
    is_label: LabelChooser,
    name: str,
    max_size: int = MAX_SIZE,
    unknown: str | None = None,
) -> MultiLabelDataset:
    """Read a file; `is_label` returns the mask of the labels among the attributes of a header."""
    if unknown not in (None, "", "?"):
        raise ValueError(
            f"unknown labels of an ARFF file are written as ?, got unknown={unknown!r}; pass "
            "unknown='?'."
        )
    options = max_size, unknown is not None
    return decoding(lambda encoding: _read(path, is_label, name, encoding, *options))


def arff_header(path: FilePath) -> Header:
    """Read only the header of a file."""
    return decoding(lambda encoding: read_header(read_blocks(path), path, encoding)[0])


def _read(
    path: FilePath,
    is_label: LabelChooser,
    name: str,
    encoding: str,
    max_size: int,
    allows_unknown: bool,
) -> MultiLabelDataset:
    header, blocks = read_header(read_blocks(path, max_size), path, encoding)
    columns = Columns(header.attributes, is_label(header), allows_unknown)
    X, Y = read_rows(blocks, columns, path, encoding)
    features = [header.attributes[j] for j in columns.features]
    categories = {j: f.categories for j, f in enumerate(features) if f.categories is not None}
    return MultiLabelDataset(
        X,
        Y,
        feature_names=tuple(feature.name for feature in features),
        label_names=tuple(header.attributes[j].name for j in columns.labels),
        categorical_features=tuple(categories),
        name=name,
        categories=categories,
    )
