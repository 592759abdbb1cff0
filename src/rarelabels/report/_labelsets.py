"""Summarize labelsets, labels per sample, and labels that occur together, with examples."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._equal_rows import equal_row_groups
from rarelabels._local import LocalImbalance
from rarelabels._plain import plain

MOST_SETS = 12
MOST_PARTNERS = 12
MOST_EXAMPLES = 6
N_TYPES = 4


def labelsets_summary(Y: sparse.csr_array, names: list[str]) -> dict[str, Any]:
    """Count the combinations of labels.

    Parameters
    ----------
    Y : csr_array of shape (n_samples, n_labels)
        The labels.
    names : list of str
        Their names.

    Returns
    -------
    dict
        "n_distinct", "n_single" (labelsets of one sample), "frequent" (the most frequent, with
        their labels and counts) and "per_sample" (how many samples carry 0, 1, 2, … labels). JSON
        can hold it.
    """
    numbers = equal_row_groups(Y)
    counts = np.bincount(numbers)
    first = np.unique(numbers, return_index=True)[1]
    order = np.argsort(-counts, kind="stable")[:MOST_SETS]
    frequent = [
        {"labels": [names[j] for j in _labels_of(Y, first[one])], "count": counts[one]}
        for one in order
    ]
    return plain(
        {
            "n_distinct": counts.size,
            "n_single": int((counts == 1).sum()),
            "frequent": frequent,
            "per_sample": np.bincount(np.diff(Y.indptr)),
        }
    )


def partners_of(Y: sparse.csr_array, shown: list[int]) -> list[list[list[int]]]:
    """Return, for each shown label, the labels that occur with it most often, and how often."""
    together = sparse.csr_array(Y[:, shown].T @ Y)
    partners = []
    for place, label in enumerate(shown):
        a, b = together.indptr[place], together.indptr[place + 1]
        shared = Counter(
            dict(zip(together.indices[a:b].tolist(), together.data[a:b].tolist(), strict=True))
        )
        shared.pop(label, None)
        # The most samples first; among equals the label that comes first.
        ranked = sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))
        partners.append([[other, int(count)] for other, count in ranked[:MOST_PARTNERS] if count])
    return partners


def examples_of(local: LocalImbalance, shown: list[int]) -> list[list[list[int]]]:
    """Return the first samples of each type for each shown label."""
    by_label: dict[int, list[list[int]]] = {j: [[] for _ in range(N_TYPES)] for j in shown}
    rows = np.repeat(np.arange(local.entries.shape[0]), np.diff(local.entries.indptr))
    for row, label, kind in zip(
        rows.tolist(), local.entries.indices.tolist(), local.types.tolist(), strict=True
    ):
        if label in by_label and len(by_label[label][kind]) < MOST_EXAMPLES:
            by_label[label][kind].append(row)
    return [by_label[j] for j in shown]


def _labels_of(Y: sparse.csr_array, row: int) -> Array:
    return Y.indices[Y.indptr[row] : Y.indptr[row + 1]]
