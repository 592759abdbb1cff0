"""Measures of label counts: IRLbl, ImR, their means and variation, cardinality and density.

IRLbl and its mean and variation are from Charte, Rivera, del Jesus and Herrera, "Addressing
imbalance in multilabel classification: Measures and random resampling algorithms",
Neurocomputing 163, 2015; ImR from Zhang, Li and Liu, "Towards class-imbalance aware multi-label
learning", IJCAI 2015.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._local import known_counts, label_counts
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_labels, warn_constant


@shared_parameters
def irlbl(y: Any, *, allow_missing_labels: bool = False) -> Array:
    """Return the imbalance ratio of each label: the largest label count over its count (IRLbl).

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_labels,)
        At least 1; infinite for a label without positives, which is named in a warning.

    Examples
    --------
    >>> from rarelabels.measures import irlbl
    >>> irlbl([[1, 1], [1, 0], [1, 0], [1, 0]])
    array([1., 4.])
    """
    return warned_irlbl(check_labels(y, allow_missing_labels))


@shared_parameters
def imr(y: Any, *, allow_missing_labels: bool = False) -> Array:
    """Return the class imbalance ratio of each label: majority over minority samples (ImR).

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_labels,)
        At least 1; infinite for a label with a single class, which is named in a warning.

    Examples
    --------
    >>> from rarelabels.measures import imr
    >>> imr([[1, 1], [1, 0], [1, 0], [0, 0]])
    array([3., 3.])
    """
    return warned_imr(check_labels(y, allow_missing_labels))


@shared_parameters
def mean_ir(y: Any, *, allow_missing_labels: bool = False) -> float:
    """Return the mean of IRLbl over the labels that have positives (MeanIR).

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    float
        At least 1; NaN if no label has positives.

    Examples
    --------
    >>> from rarelabels.measures import mean_ir
    >>> mean_ir([[1, 1], [1, 0], [1, 0], [1, 0]])
    2.5
    """
    return finite_mean(irlbl(y, allow_missing_labels=allow_missing_labels))


@shared_parameters
def mean_imr(y: Any, *, allow_missing_labels: bool = False) -> float:
    """Return the mean of ImR over the labels that have both classes (MeanImR).

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    float
        At least 1; NaN if no label has both classes.

    Examples
    --------
    >>> from rarelabels.measures import mean_imr
    >>> mean_imr([[1, 1], [1, 0], [0, 0], [0, 0]])
    2.0
    """
    return finite_mean(imr(y, allow_missing_labels=allow_missing_labels))


@shared_parameters
def cvir(y: Any, *, allow_missing_labels: bool = False) -> float:
    """Return the coefficient of variation of IRLbl: standard deviation over mean (CVIR).

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    float
        0 if the labels are equally frequent or there is only one; NaN if none has positives.

    Examples
    --------
    >>> from rarelabels.measures import cvir
    >>> round(cvir([[1, 1], [1, 0], [1, 0], [1, 0]]), 4)
    0.8485
    """
    return finite_variation(irlbl(y, allow_missing_labels=allow_missing_labels))


@shared_parameters
def cvimr(y: Any, *, allow_missing_labels: bool = False) -> float:
    """Return the coefficient of variation of ImR: standard deviation over mean (CVImR).

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    float
        0 if the labels are equally imbalanced or there is only one; NaN if none has both classes.

    Examples
    --------
    >>> from rarelabels.measures import cvimr
    >>> round(cvimr([[1, 1], [1, 0], [0, 0], [0, 0]]), 4)
    0.7071
    """
    return finite_variation(imr(y, allow_missing_labels=allow_missing_labels))


@shared_parameters
def label_cardinality(y: Any, *, allow_missing_labels: bool = False) -> float:
    """Return the mean number of labels of a sample.

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    float
        Number of labels per sample.

    Examples
    --------
    >>> from rarelabels.measures import label_cardinality
    >>> label_cardinality([[1, 1], [1, 0]])
    1.5
    """
    matrix = check_labels(y, allow_missing_labels).matrix
    return matrix.nnz / matrix.shape[0]


@shared_parameters
def label_density(y: Any, *, allow_missing_labels: bool = False) -> float:
    """Return the mean fraction of labels that a sample has: cardinality over number of labels.

    If some labels are unknown, this is the fraction of known entries that are positive.

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    float
        Value between 0 and 1.

    Examples
    --------
    >>> from rarelabels.measures import label_density
    >>> label_density([[1, 1], [1, 0]])
    0.75
    """
    return density_of(check_labels(y, allow_missing_labels).values)


def warned_irlbl(labels: Labels) -> Array:
    """Return IRLbl; warn of labels without positives."""
    counts = label_counts(labels.matrix)
    warn_constant(labels.names, counts == 0, "no positives", "its IRLbl is infinite")
    return irlbl_of_counts(counts)


def warned_imr(labels: Labels) -> Array:
    """Return ImR; warn of labels with a single class."""
    counts, n_known = label_counts(labels.matrix), known_counts(labels.values)
    is_constant = (counts == 0) | (counts == n_known)
    warn_constant(labels.names, is_constant, "a single class", "its ImR is infinite")
    return imr_of_counts(counts, n_known)


def irlbl_of_counts(counts: Array) -> Array:
    """Return IRLbl from the positives of each label, Eq. (IRLbl)."""
    return np.divide(counts.max(), counts, out=np.full(counts.size, np.inf), where=counts > 0)


def imr_of_counts(counts: Array, n_known: Array) -> Array:
    """Return ImR from the numbers of positives and known entries of each label, Eq. (ImR)."""
    rarer = np.minimum(counts, n_known - counts)
    return np.divide(n_known - rarer, rarer, out=np.full(counts.size, np.inf), where=rarer > 0)


def density_of(Y: LabelMatrix) -> float:
    """Return the fraction of known entries that are positive."""
    return float(Y.positives.nnz / known_counts(Y).sum())


def finite_mean(ratios: Array) -> float:
    """Return the mean of the finite ratios, NaN if there are none."""
    finite = ratios[np.isfinite(ratios)]
    return float(finite.mean()) if finite.size else float("nan")


def finite_variation(ratios: Array) -> float:
    """Return the coefficient of variation of the finite ratios, 0 for a single one."""
    finite = ratios[np.isfinite(ratios)]
    spread = finite.std(ddof=1) if finite.size > 1 else 0.0
    return float(spread / finite.mean()) if finite.size else float("nan")
