"""Corrections of the p-values of all pairwise comparisons.

A hypothesis is "method a equals method b". Equality is transitive, so only some sets of hypotheses
can be exactly the true ones: those which state, for some partition of the methods, that the methods
in each block are equal. These are the exhaustive sets. There is one for each set partition, 21,147
for nine methods.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def bergmann_hommel(p_values: Floats, n_methods: int) -> Floats:
    """Adjust p-values by Bergmann and Hommel's dynamic procedure.

    A hypothesis may only be rejected together with every exhaustive set that includes it. Its
    adjusted p-value is therefore the maximum over these sets of the size of the set times its
    smallest p-value.

    Parameters
    ----------
    p_values : ndarray of shape (n_methods · (n_methods − 1) / 2,)
        The p-values in the order of `numpy.triu_indices(n_methods, 1)`.
    n_methods : int
        Number of methods.

    Returns
    -------
    ndarray
        The adjusted p-values, at most 1.
    """
    sets = exhaustive_sets(n_methods)
    smallest = np.where(sets, p_values, np.inf).min(axis=1)
    bounds = np.where(sets, (sets.sum(axis=1) * smallest)[:, None], 0.0)
    return np.minimum(bounds.max(axis=0), 1.0)


def holm(p_values: Any) -> Floats:
    """Adjust p-values by Holm's step-down procedure.

    The i-th smallest of m p-values is multiplied by m − i + 1, and no adjusted p-value is smaller
    than the previous one.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        The p-values.

    Returns
    -------
    ndarray of shape (n_tests,)
        The adjusted p-values, at most 1.

    References
    ----------
    S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of
    Statistics 6, 1979, 65-70.

    Examples
    --------
    >>> from rarelabels.comparison import holm
    >>> holm([0.02, 0.5, 0.01])
    array([0.04, 0.5 , 0.03])
    """
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(p_values.size, 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted


def exhaustive_sets(n_methods: int) -> npt.NDArray[np.bool_]:
    """Return the sets of hypotheses that can be exactly the true ones, one per row.

    Columns are pairs in the order of `numpy.triu_indices(n_methods, 1)`. The empty set, in which
    all methods differ, is left out, because it does not prevent any rejection.
    """
    blocks = set_partitions(n_methods)
    first, second = np.triu_indices(n_methods, 1)
    sets = blocks[:, first] == blocks[:, second]
    return sets[sets.any(axis=1)]


def set_partitions(n: int) -> npt.NDArray[np.int8]:
    """Return all partitions of n items; each row has the block number of each item.

    Blocks are numbered in the order in which they first appear, so each partition appears once.
    """
    partitions: npt.NDArray[Any] = np.zeros((1, 1), dtype=np.int8)
    for _ in range(n - 1):
        n_choices = partitions.max(axis=1) + 2
        block = np.concatenate([np.arange(choices, dtype=np.int8) for choices in n_choices])
        partitions = np.column_stack([np.repeat(partitions, n_choices, axis=0), block])
    return partitions
