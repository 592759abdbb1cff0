"""Functions shared by the writers: texts of numbers, names of categories, rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels._containers import column_of
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets.column_types import (
    BOOLEAN,
    BOOLEANS,
    are_booleans,
    is_datelike,
    rounded_to_type,
)
from rarelabels.datasets.dates import date_texts

BLOCK = 1 << 16  # values that are made dense at once


def number_text(value: Any) -> str:
    """Return the shortest text that reads back as the same float.

    >>> number_text(0.1), number_text(3.0), number_text(-0.0)
    ('0.1', '3', '-0')
    """
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def written_categories(dataset: MultiLabelDataset) -> dict[int, Sequence[str]]:
    """Return the categories of each categorical column, by default the numbers 0, 1, … in use.

    Booleans are written as categories too.

    Raises ValueError if a column has values other than their codes.
    """
    # Selecting single columns of a CSR matrix is slow.
    X = sparse.csc_array(dataset.X) if sparse.issparse(dataset.X) else dataset.X
    categories = {j: _categories(dataset, j, _stored(X, j)) for j in dataset.categorical_features}
    booleans = (j for j, kind in dataset.types.items() if kind == BOOLEAN and j not in categories)
    return categories | {j: BOOLEANS for j in booleans if are_booleans(_stored(X, j))}


def _categories(
    dataset: MultiLabelDataset, j: int, codes: npt.NDArray[np.float64]
) -> Sequence[str]:
    codes = codes[~np.isnan(codes)]
    categories = dataset.categories.get(j)
    if categories is None:
        categories = tuple(map(str, range(int(codes.max(initial=0)) + 1)))
    if not ((codes >= 0) & (codes < len(categories)) & (codes == np.floor(codes))).all():
        raise ValueError(
            f"feature {dataset.feature_names[j]!r} is categorical with {len(categories)} "
            "categories, but has values other than their codes 0, 1, 2, …"
        )
    return categories


def _stored(X: Any, j: int) -> npt.NDArray[np.float64]:
    column = X.data[X.indptr[j] : X.indptr[j + 1]] if sparse.issparse(X) else X[:, j]
    return np.asarray(column, dtype=np.float64)


def rows_as_lists(matrix: Any) -> Iterator[list[Any]]:
    """Return the rows of a matrix; a sparse one is converted some rows at a time."""
    matrix = sparse.csr_array(matrix) if sparse.issparse(matrix) else np.asarray(matrix)
    size = max(1, BLOCK // max(matrix.shape[1], 1))
    for start in range(0, matrix.shape[0], size):
        block = matrix[start : start + size]
        yield from (block.toarray() if sparse.issparse(block) else block).tolist()


def check_distinct_names(dataset: MultiLabelDataset) -> None:
    """Raise ValueError if two columns of a table would have the same name."""
    names = [*dataset.feature_names, *dataset.label_names]
    if len(set(names)) < len(names):
        raise ValueError(
            "the columns of a table need distinct names; rename those with equal names."
        )


def check_texts(
    dataset: MultiLabelDataset, categories: Mapping[int, Sequence[str]], format: str
) -> None:
    """Raise ValueError if a name or category could not be read back from a text format."""
    names = [*dataset.feature_names, *dataset.label_names]
    if any("\r" in name or "\0" in name for name in names):
        raise ValueError(
            f"a column name in {format} cannot contain carriage returns or null characters."
        )
    for j, values in categories.items():
        if any(not value or "\r" in value or "\0" in value for value in values):
            raise ValueError(
                f"a category of {dataset.feature_names[j]!r} is empty or contains a carriage "
                f"return or null character, which {format} cannot distinguish from a missing value "
                "or a line end: rename it."
            )


def written_dates(dataset: MultiLabelDataset) -> dict[int, list[str]]:
    """Return the texts of each column of dates."""
    return {
        j: date_texts(rounded_to_type(column_of(dataset.X, j), kind), kind)
        for j, kind in dataset.types.items()
        if is_datelike(kind)
    }
