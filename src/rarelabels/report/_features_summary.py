"""Summarize the features: kinds, missing values, constants, and equal samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._equal_rows import equal_row_groups
from rarelabels._plain import plain
from rarelabels.datasets import MultiLabelDataset
from rarelabels.measures.conflicts import conflicting_samples

MOST_LISTED = 30


def features_summary(dataset: MultiLabelDataset) -> dict[str, Any]:
    """Count kinds of features, missing values, features with one value, and equal samples.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set, its features in numbers.

    Returns
    -------
    dict
        "kinds" (numbers of numeric, binary and categorical features), "n_constant", "n_incomplete"
        (features with missing values), "missing" (their share of all values), "n_repeated" (samples
        that equal another in every feature), "n_conflicting" (those of them with other labels) and
        "listed", the features with missing values or one value, those with the most missing values
        first. It can be written as JSON.
    """
    n_missing, is_constant, is_binary = column_facts(dataset.X)
    n_samples, names = dataset.n_samples, dataset.feature_names
    is_category = np.zeros(dataset.n_features, dtype=bool)
    is_category[list(dataset.categorical_features)] = True
    order = np.argsort(-n_missing, kind="stable")
    odd = [int(j) for j in order if n_missing[j] or is_constant[j]]
    groups = equal_row_groups(dataset.X)
    return plain(
        {
            "kinds": {
                "numeric": int((~is_category & ~is_binary & ~is_constant).sum()),
                "of two values": int((~is_category & is_binary & ~is_constant).sum()),
                "categorical": int((is_category & ~is_constant).sum()),
                "of one value": int(is_constant.sum()),
            },
            "n_constant": int(is_constant.sum()),
            "n_incomplete": int((n_missing > 0).sum()),
            "missing": float(n_missing.mean() / n_samples) if n_missing.size else 0.0,
            "n_repeated": int((np.bincount(groups)[groups] > 1).sum()),
            "n_conflicting": conflicting_samples(dataset.X, dataset.label_matrix),
            "n_listed": len(odd),
            "listed": [
                {
                    "name": str(names[j]),
                    "missing": float(n_missing[j] / n_samples),
                    "constant": bool(is_constant[j]),
                }
                for j in odd[:MOST_LISTED]
            ],
        }
    )


def column_facts(X: Any) -> tuple[Array, Array, Array]:
    """Return for each feature its number of missing values, and whether it has one value, or two.

    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0, 3.0], [1.0, 1.0, np.nan], [1.0, 1.0, 4.0], [1.0, 0.0, 5.0]])
    >>> [fact.tolist() for fact in column_facts(X)]
    [[0, 0, 1], [True, False, False], [False, True, False]]
    """
    if sparse.issparse(X):
        columns = sparse.csc_array(X)
        parts = (
            columns.data[a:b] for a, b in zip(columns.indptr[:-1], columns.indptr[1:], strict=True)
        )
        facts = [_sparse_facts(part, X.shape[0]) for part in parts]
    else:
        facts = [_facts(np.asarray(X[:, j], dtype=float)) for j in range(X.shape[1])]
    n_missing, counts = np.array(facts, dtype=int).reshape(-1, 2).T
    return n_missing, counts <= 1, counts == 2


def _facts(values: Array) -> tuple[int, int]:
    known = values[~np.isnan(values)]
    return values.size - known.size, np.unique(known).size


def _sparse_facts(stored: Array, n_samples: int) -> tuple[int, int]:
    n_missing, n_values = _facts(stored)
    has_zeros = stored.size < n_samples and not (stored == 0).any()
    return n_missing, n_values + has_zeros
