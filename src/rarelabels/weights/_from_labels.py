"""Compute weights from labels alone, for losses and data loaders."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from rarelabels._containers import Array, row_sums
from rarelabels._labels import LabelMatrix
from rarelabels._local import known_counts, label_counts, row_numbers, with_values
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_labels, warn_constant

# How the weight of a sample is computed from the weights or the counts of its labels.
SAMPLE_RULES = ("average_w", "average_n", "min_n")


@shared_parameters
def positive_weights(y: Any, *, allow_missing_labels: bool = False) -> Array:
    """Return the weight of the positive class of each label: negatives per positive.

    With these weights as ``pos_weight`` of a binary cross-entropy, the positives of a label have
    the same total weight as its negatives.

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_labels,)
        The weights; 0 for a label without positives, which is named in a warning.

    See Also
    --------
    class_balanced_weights : Weights of labels.

    Examples
    --------
    >>> from rarelabels.weights import positive_weights
    >>> positive_weights([[1, 1], [1, 0], [0, 0], [0, 0], [0, 0]])
    array([1.5, 4. ])
    """
    counts, known = _counts(y, allow_missing_labels)
    return _quotient(known - counts, counts)


@shared_parameters
def inverse_frequency_weights(
    y: Any, *, power: float = 1.0, allow_missing_labels: bool = False
) -> Array:
    """Return the inverse frequency of each label, or a power of it.

    Parameters
    ----------
    {y}
    power : float, default=1.0
        Exponent: 1 for n / c, 0.5 for its square root.
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_labels,)
        The weights; 0 for a label without positives, which is named in a warning.

    Examples
    --------
    >>> from rarelabels.weights import inverse_frequency_weights
    >>> inverse_frequency_weights([[1, 1], [1, 0], [0, 0], [0, 0]], power=0.5)
    array([1.41421356, 2.        ])
    """
    counts, known = _counts(y, allow_missing_labels)
    return np.where(counts > 0, _quotient(known, counts) ** power, 0.0)


@shared_parameters
def class_balanced_weights(
    y: Any, *, beta: float = 0.9, normalize: bool = False, allow_missing_labels: bool = False
) -> Array:
    """Return the class-balanced weight of each label: the inverse of its effective number.

    The effective number of c samples is (1 − βᶜ) / (1 − β). It is 1 if β is 0 and approaches c as β
    approaches 1.

    Parameters
    ----------
    {y}
    beta : float, default=0.9
        A number from 0, for equal weights of all labels, to less than 1.
    normalize : bool, default=False
        Whether to rescale the weights so that they add up to `n_labels`, as the authors' code does.
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_labels,)
        The weights; 0 for a label without positives, which is named in a warning.

    See Also
    --------
    class_balanced_sample_weights : Weights of samples, from the weights of their labels.

    References
    ----------
    Cui, Jia, Lin, Song and Belongie, "Class-Balanced Loss Based on Effective Number of Samples",
    CVPR 2019.

    Examples
    --------
    >>> from rarelabels.weights import class_balanced_weights
    >>> class_balanced_weights([[1, 1], [1, 0], [1, 0]], beta=0.5)
    array([0.57142857, 1.        ])
    """
    counts, _ = _counts(y, allow_missing_labels)
    weights = _one_over_effective(counts, beta)
    total = weights.sum()
    return weights * (weights.size / total) if normalize and total else weights


@shared_parameters
def class_balanced_sample_weights(
    y: Any, *, beta: float = 0.9, how: str = "average_w", allow_missing_labels: bool = False
) -> Array:
    """Return a class-balanced weight of each sample, from the weights of its labels.

    Parameters
    ----------
    {y}
    beta : float, default=0.9
        A number from 0, for equal weights of all samples, to less than 1.
    how : {"average_w", "average_n", "min_n"}, default="average_w"
        The mean of the weights of the labels ("average_w"), the weight for their mean count
        ("average_n"), or the weight of the rarest label ("min_n").
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_samples,)
        The weights. A sample without labels gets the mean weight of the others, or 1 − β with
        "min_n", which is the limit of the weight for infinitely many samples.

    See Also
    --------
    class_balanced_weights : Weights of the labels.

    Notes
    -----
    The paper on the class-balanced loss assumes one label per sample. The variants for several
    labels are from the code of Wu, Huang, Liu, Wang and Lin, "Distribution-Balanced Loss for
    Multi-Label Classification in Long-Tailed Datasets", ECCV 2020. In that code, a sample without
    labels causes a division by zero in the two averages.

    Examples
    --------
    >>> from rarelabels.weights import class_balanced_sample_weights
    >>> class_balanced_sample_weights([[1, 1], [1, 0], [0, 0]], beta=0.5, how="min_n")
    array([1.        , 0.66666667, 0.5       ])
    """
    if how not in SAMPLE_RULES:
        raise ValueError(f"how must be one of {', '.join(map(repr, SAMPLE_RULES))}, got {how!r}.")
    labels = check_labels(y, allow_missing_labels)
    Y, counts = labels.values.positives, label_counts(labels.values.positives)
    n_carried = np.diff(Y.indptr)
    if how == "min_n":
        return _one_over_effective(_smallest(Y, counts), beta)
    values = counts if how == "average_n" else _one_over_effective(counts, beta)
    means = _quotient(Y @ values.astype(float), n_carried)
    weights = _one_over_effective(means, beta) if how == "average_n" else means
    weights[n_carried == 0] = weights[n_carried > 0].mean() if n_carried.any() else 1.0
    return weights


@shared_parameters
def class_aware_probabilities(y: Any, *, allow_missing_labels: bool = False) -> Array:
    """Return the probability of each sample if a label is drawn first, then one of its samples.

    Use it with a loader that draws samples with replacement, such as PyTorch's
    ``WeightedRandomSampler``.

    Parameters
    ----------
    {y}
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_samples,)
        Probabilities that add up to 1. A sample without labels is never drawn.

    See Also
    --------
    distribution_balanced_weights : Weights of the loss for samples that are drawn this way.

    References
    ----------
    Wu, Huang, Liu, Wang and Lin, "Distribution-Balanced Loss for Multi-Label Classification in
    Long-Tailed Datasets", ECCV 2020.

    Examples
    --------
    >>> from rarelabels.weights import class_aware_probabilities
    >>> class_aware_probabilities([[1, 1], [1, 0], [0, 0]])
    array([0.75, 0.25, 0.  ])
    """
    chances = _sums_of_inverses(check_labels(y, allow_missing_labels).values)
    if not chances.any():
        raise ValueError("y has no positive labels, so samples cannot be drawn by their labels.")
    return chances / chances.sum()


@shared_parameters
def distribution_balanced_weights(
    y: Any,
    *,
    alpha: float = 0.1,
    beta: float = 10.0,
    mu: float = 0.2,
    samples: Any = None,
    positives_only: bool = False,
    allow_missing_labels: bool = False,
) -> Any:
    """Return the re-balanced weight r̂ of each label of each sample (distribution-balanced loss).

    Class-aware sampling draws a sample with several labels more often than each single label
    requires. r is the ratio of the two probabilities, (1/c_j) / Σ 1/c_k over the labels of the
    sample, and r̂ = α + 1 / (1 + exp(−β(r − μ))) is a bounded version of it. Multiply both terms of
    a binary cross-entropy by r̂ if samples are drawn by :func:`class_aware_probabilities`.

    Parameters
    ----------
    {y}
    alpha, beta, mu : float, default=0.1, 10.0, 0.2
        Offset, steepness and center of the smoothing function.
    samples : array-like of int, default=None
        Indices of the samples of a mini-batch. Only their weights are returned, with counts over
        all samples.
    positives_only : bool, default=False
        Whether to return only the weights of the positives, as a sparse matrix.
    {allow_missing_labels}

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_labels)
        The weights; the limit α + 1 for samples without labels and labels without positives.

    See Also
    --------
    logit_bias : The other part of this loss that is computed from the labels.

    References
    ----------
    Wu, Huang, Liu, Wang and Lin, "Distribution-Balanced Loss for Multi-Label Classification in
    Long-Tailed Datasets", ECCV 2020.

    Examples
    --------
    >>> from rarelabels.weights import distribution_balanced_weights
    >>> distribution_balanced_weights([[1, 1], [1, 0], [1, 0]]).round(3)
    array([[0.722, 1.096],
           [1.1  , 1.1  ],
           [1.1  , 1.1  ]])
    """
    labels = check_labels(y, allow_missing_labels).values
    inverses, chances = _inverses(labels), _sums_of_inverses(labels)
    if samples is not None:
        labels, chances = labels.take(samples), chances[samples]
    if positives_only:
        rows, columns = row_numbers(labels.positives), labels.positives.indices
        ratios = inverses[columns] / chances[rows]
        return with_values(labels.positives, alpha + expit(beta * (ratios - mu)))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(inverses > 0, inverses, np.inf) / chances[:, None]
    return alpha + expit(beta * (ratios - mu))


@shared_parameters
def logit_bias(y: Any, *, scale: float = 1.0, allow_missing_labels: bool = False) -> Array:
    """Return the logit bias of each label: −scale · ln(n/c − 1), its log odds times `scale`.

    Parameters
    ----------
    {y}
    scale : float, default=1.0
        The ratio κ/λ of the distribution-balanced loss. With 1, the bias alone predicts the
        frequencies.
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_labels,)
        Bias to add to the logits; 0 for a label with a single class, which is named in a warning.

    References
    ----------
    Wu, Huang, Liu, Wang and Lin, "Distribution-Balanced Loss for Multi-Label Classification in
    Long-Tailed Datasets", ECCV 2020.

    Examples
    --------
    >>> from rarelabels.weights import logit_bias
    >>> logit_bias([[1, 1], [1, 0], [0, 0], [0, 0]])
    array([ 0.        , -1.09861229])
    """
    labels = check_labels(y, allow_missing_labels)
    positive = label_counts(labels.values.positives)
    negative = known_counts(labels.values) - positive
    is_constant = (positive == 0) | (negative == 0)
    warn_constant(labels.names, is_constant, "a single class", "its bias is 0")
    odds = np.where(is_constant, 1.0, negative / np.maximum(positive, 1))
    return -scale * np.log(odds) + 0.0


def _counts(y: Any, allow_missing_labels: bool) -> tuple[Array, Array]:
    """Count the positives and known samples of each label; warn of labels without positives."""
    labels = check_labels(y, allow_missing_labels)
    counts = label_counts(labels.values.positives)
    warn_constant(labels.names, counts == 0, "no positives", "its weight is 0")
    return counts, known_counts(labels.values)


def _quotient(numerator: Array, denominator: Array) -> Array:
    """Divide; return 0 if the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros(denominator.size), where=denominator > 0)


def _one_over_effective(counts: Array, beta: float) -> Array:
    if not 0 <= beta < 1:
        raise ValueError(f"beta must be a number from 0 to less than 1, got {beta!r}.")
    return _quotient(np.full(counts.size, 1 - beta), 1 - np.power(float(beta), counts))


def _smallest(Y: sparse.csr_array, counts: Array) -> Array:
    """Return the count of the rarest label of each sample, infinite for a sample without labels."""
    smallest = np.full(Y.shape[0], np.inf)
    np.minimum.at(smallest, row_numbers(Y), counts[Y.indices].astype(float))
    return smallest


def _inverses(labels: LabelMatrix) -> Array:
    """Return 1/c of each label; 0 for a label without positives."""
    counts = label_counts(labels.positives)
    return _quotient(np.ones(counts.size), counts)


def _sums_of_inverses(labels: LabelMatrix) -> Array:
    """Return Σ 1/c over the labels of each sample."""
    Y = labels.positives
    return row_sums(with_values(Y, _inverses(labels)[Y.indices]))
