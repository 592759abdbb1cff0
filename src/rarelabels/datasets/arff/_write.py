"""Write a data set as ARFF, so that it reads back the same to the last bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO

import numpy as np
from scipy import sparse

from rarelabels._containers import canonical_csr
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets.arff._words import quoted
from rarelabels.datasets.writing import (
    number_text,
    rows_as_lists,
    written_categories,
)


def write_arff(
    file: IO[bytes], dataset: MultiLabelDataset, relation: str, *, labels_first: bool
) -> None:
    """Write a file, with sparse rows if X is sparse."""
    categories = written_categories(dataset)
    _write_header(file, dataset, relation, categories, labels_first)
    spelled = {j: [quoted(value) for value in values] for j, values in categories.items()}
    rows = _sparse_rows if sparse.issparse(dataset.X) else _dense_rows
    for row in rows(dataset, spelled, labels_first):
        file.write(row.encode() + b"\n")


def _write_header(
    file: IO[bytes],
    dataset: MultiLabelDataset,
    relation: str,
    categories: dict[int, Sequence[str]],
    labels_first: bool,
) -> None:
    features = [
        f"@attribute {quoted(name)} {_kind(categories.get(j))}"
        for j, name in enumerate(dataset.feature_names)
    ]
    labels = [f"@attribute {quoted(name)} {{0,1}}" for name in dataset.label_names]
    attributes = labels + features if labels_first else features + labels
    lines = [f"@relation {quoted(relation or 'data')}", "", *attributes, "", "@data", ""]
    file.write("\n".join(lines).encode())


def _kind(categories: Sequence[str] | None) -> str:
    return "numeric" if categories is None else "{" + ",".join(map(quoted, categories)) + "}"


def _dense_rows(
    dataset: MultiLabelDataset, spelled: dict[int, list[str]], labels_first: bool
) -> Iterator[str]:
    for x, y in zip(rows_as_lists(dataset.X), rows_as_lists(dataset.Y), strict=True):
        features = [_text(value, spelled.get(j)) for j, value in enumerate(x)]
        labels = ["?" if value != value else "1" if value else "0" for value in y]
        yield ",".join(labels + features if labels_first else features + labels)


def _sparse_rows(
    dataset: MultiLabelDataset, spelled: dict[int, list[str]], labels_first: bool
) -> Iterator[str]:
    X, Y = canonical_csr(dataset.X), canonical_csr(dataset.Y)
    feature_start = dataset.n_labels if labels_first else 0
    label_start = 0 if labels_first else dataset.n_features
    for i in range(dataset.n_samples):
        features = [
            f"{j + feature_start} {_text(value, spelled.get(j))}" for j, value in _entries(X, i)
        ]
        labels = [f"{j + label_start} {'?' if v != v else 1}" for j, v in _entries(Y, i)]
        yield "{" + ",".join(labels + features if labels_first else features + labels) + "}"


def _entries(matrix: sparse.csr_array, i: int) -> Iterator[tuple[int, float]]:
    span = slice(matrix.indptr[i], matrix.indptr[i + 1])
    return zip(matrix.indices[span].tolist(), matrix.data[span].tolist(), strict=True)


def _text(value: float, spelled: list[str] | None) -> str:
    if value != value:
        return "?"
    if spelled is not None:
        return spelled[int(value)]
    if value in (np.inf, -np.inf):
        raise ValueError("ARFF cannot represent infinity: replace it, or make it missing (NaN).")
    return number_text(value)
