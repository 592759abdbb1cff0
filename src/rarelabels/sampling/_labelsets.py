"""Labelsets: select entries from them and compare them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, row_sums
from rarelabels._labels import LabelMatrix


def with_entries(Y: sparse.csr_array, chosen: Array) -> sparse.csr_array:
    """Return a matrix that has only the chosen entries."""
    ends = np.concatenate([[0], np.cumsum(chosen)])[Y.indptr]
    return sparse.csr_array((Y.data[chosen], Y.indices[chosen], ends), shape=Y.shape)


def adjusted_hamming(
    Y: LabelMatrix, left: Array, right: Array, *, shared_once: bool = False
) -> Array:
    """Return the fraction of differing labels among those of samples `left[p]` and `right[p]`.

    The values range from 0 (same labels, or no labels at all) to 1 (no label in common). A label of
    both samples counts twice in the denominator, or once with `shared_once`.
    """
    of_left, of_right = Y.positives[left], Y.positives[right]
    in_all = np.diff(of_left.indptr) + np.diff(of_right.indptr)
    if (unknown := Y.unknown) is not None:
        # A label that is unknown in one of the two samples is not compared.
        in_all -= row_sums(of_left.multiply(unknown[right])).astype(in_all.dtype)
        in_all -= row_sums(of_right.multiply(unknown[left])).astype(in_all.dtype)
    shared = row_sums(of_left.multiply(of_right))
    differing = in_all - 2 * shared.astype(np.int64)
    if shared_once:
        in_all = in_all - shared.astype(np.int64)
    return np.divide(differing, in_all, out=np.zeros(in_all.size), where=in_all > 0)


def check_threshold(threshold: Any, alternatives: str = "") -> float:
    """Check the distance above which two labelsets are considered different."""
    is_number = isinstance(threshold, (int, float, np.number)) and not isinstance(threshold, bool)
    if not is_number or not 0 <= threshold <= 1:
        raise ValueError(
            f"threshold must be a number from 0 to 1{alternatives}, got {threshold!r}."
        )
    return float(threshold)
