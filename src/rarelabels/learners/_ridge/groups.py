"""Leave one group out: the samples of a group are predicted by a model fitted without the group."""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array


def larger_groups(groups: Array) -> list[Array]:
    """Return the positions of the samples of each group with more than one sample.

    >>> larger_groups(np.array([0, 0, 1, 2, 2, 2]))
    [array([0, 1]), array([3, 4, 5])]
    """
    order = np.argsort(groups, kind="stable")
    _, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    pairs = zip(starts.tolist(), sizes.tolist(), strict=True)
    return [order[start : start + size] for start, size in pairs if size > 1]


def solve_groups(systems: Array, errors: Array) -> Array:
    """Solve the small systems of one group, (g, g) for all labels or (n_labels, g, g)."""
    if systems.ndim == 2:
        solution: Array = np.linalg.lstsq(systems, errors, rcond=None)[0]
        return solution
    return np.column_stack(
        [
            np.linalg.lstsq(system, error, rcond=None)[0]
            for system, error in zip(systems, errors.T, strict=True)
        ]
    )
