"""SCUMBLE: how far frequent and rare labels share their samples.

From Charte, Rivera, del Jesus and Herrera, "Dealing with difficult minority labels in imbalanced
mutilabel data sets", Neurocomputing 326-327, 2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._validation import check_labels
from rarelabels.measures.counts import warned_irlbl


def scumble_per_instance(y: Any, *, allow_missing_labels: bool = False) -> Array:
    """Return the concurrence of frequent and rare labels in each sample (SCUMBLEIns).

    One less the ratio of geometric to arithmetic mean of IRLbl over the sample's labels.

    Parameters
    ----------
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The labels, 0 or 1.
    allow_missing_labels : bool, default=False
        Whether NaN is a label that is not known, and left out of the counts, or an error.

    Returns
    -------
    ndarray of shape (n_samples,)
        From 0 (labels equally frequent, or none) to 1.

    Examples
    --------
    >>> from rarelabels.measures import scumble_per_instance
    >>> scumble_per_instance([[1, 1], [1, 0], [1, 0], [1, 0]])
    array([0.2, 0. , 0. , 0. ])
    """
    labels = check_labels(y, allow_missing_labels)
    return scumble_of_samples(labels.matrix, warned_irlbl(labels))


def scumble(y: Any, *, allow_missing_labels: bool = False) -> float:
    """Return the mean concurrence of frequent and rare labels in a sample (SCUMBLE).

    Parameters
    ----------
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The labels, 0 or 1.
    allow_missing_labels : bool, default=False
        Whether NaN is a label that is not known, and left out of the counts, or an error.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from rarelabels.measures import scumble
    >>> round(scumble([[1, 1], [1, 0], [1, 0], [1, 0]]), 4)
    0.05
    """
    return float(scumble_per_instance(y, allow_missing_labels=allow_missing_labels).mean())


def scumble_of_samples(Y: sparse.csr_array, ratios: Array) -> Array:
    """Return SCUMBLE of each sample from the labels' IRLbl, Eq. (SCUMBLEins)."""
    held = np.diff(Y.indptr)
    # A label without positives is in no sample, but 0 · inf would be NaN.
    ratios = np.where(np.isfinite(ratios), ratios, 1.0)
    n_held = np.maximum(held, 1)
    geometric = np.exp((Y @ np.log(ratios)) / n_held)
    arithmetic = (Y @ ratios) / n_held
    # One label alone has equal means; only rounding would tell them apart.
    several = held > 1
    quotient = np.divide(geometric, arithmetic, out=np.ones(held.size), where=several)
    return np.clip(1 - quotient, 0.0, 1.0)
