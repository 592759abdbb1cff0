"""SCUMBLE: the concurrence of frequent and rare labels in the same samples.

From Charte, Rivera, del Jesus and Herrera, "Dealing with difficult minority labels in imbalanced
mutilabel data sets", Neurocomputing 326-327, 2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_labels
from rarelabels.measures.counts import warned_irlbl


@shared_parameters
def scumble_per_instance(y: Any, *, allow_missing_labels: bool = False) -> Array:
    """Return the concurrence of frequent and rare labels in each sample (SCUMBLEIns).

    The value is 1 minus the ratio of the geometric to the arithmetic mean of IRLbl over the labels
    of the sample.

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_samples,)
        Values from 0 (labels are equally frequent, or there are none) to 1.

    Examples
    --------
    >>> from rarelabels.measures import scumble_per_instance
    >>> scumble_per_instance([[1, 1], [1, 0], [1, 0], [1, 0]])
    array([0.2, 0. , 0. , 0. ])
    """
    labels = check_labels(y, allow_missing_labels)
    return scumble_of_samples(labels.matrix, warned_irlbl(labels))


@shared_parameters
def scumble(y: Any, *, allow_missing_labels: bool = False) -> float:
    """Return the mean concurrence of frequent and rare labels in a sample (SCUMBLE).

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    float
        Value from 0 to 1.

    Examples
    --------
    >>> from rarelabels.measures import scumble
    >>> round(scumble([[1, 1], [1, 0], [1, 0], [1, 0]]), 4)
    0.05
    """
    return float(scumble_per_instance(y, allow_missing_labels=allow_missing_labels).mean())


def scumble_of_samples(Y: sparse.csr_array, ratios: Array) -> Array:
    """Return SCUMBLE of each sample from the IRLbl of the labels, Eq. (SCUMBLEins)."""
    n_labels = np.diff(Y.indptr)
    # A label without positives occurs in no sample, but 0 · inf would be NaN.
    ratios = np.where(np.isfinite(ratios), ratios, 1.0)
    divisor = np.maximum(n_labels, 1)
    geometric = np.exp((Y @ np.log(ratios)) / divisor)
    arithmetic = (Y @ ratios) / divisor
    # With a single label, both means are equal except for rounding.
    several = n_labels > 1
    quotient = np.divide(geometric, arithmetic, out=np.ones(n_labels.size), where=several)
    return np.clip(1 - quotient, 0.0, 1.0)
