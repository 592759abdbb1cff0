"""Measures of neighborhoods: local imbalance, LImb and the types of samples.

From Liu, Blekas and Tsoumakas, "Multi-Label Sampling based on Local Label Imbalance".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import Labels
from rarelabels._local import (
    LabelType,
    LocalImbalance,
    local_imbalance_of,
    row_numbers,
)
from rarelabels._neighbors import Neighbors, local_neighbors
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_pair, warn_constant


@shared_parameters
def local_imbalance(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 5,
    scale_features: bool = True,
    categorical_features: Any = "auto",
    metric: str = "euclidean",
    neighbors: Any = None,
    n_jobs: int | None = None,
    allow_missing_labels: bool = False,
) -> Array:
    """Return the fraction of neighbors of the other class for the minority samples of each label.

    Parameters
    ----------
    {X, or a Dask collection}
    {y}
    {n_neighbors}
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    {allow_missing_labels}

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        C in [0, 1], NaN if the sample is in the majority class of the label.

    Examples
    --------
    >>> from rarelabels.measures import local_imbalance
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> y = [[1], [1], [0], [0], [0]]
    >>> local_imbalance(X, y, n_neighbors=2).ravel()
    array([0.5, 0.5, nan, nan, nan])
    """
    features, labels = check_pair(
        X, y, categorical_features, n_neighbors, allow_missing_labels, works_on_blocks=True
    )
    local = warned_local(features, labels, n_neighbors, scale_features, metric, neighbors, n_jobs)
    return _dense(local, local.imbalance, np.full(labels.matrix.shape, np.nan))


@shared_parameters
def limb(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 5,
    scale_features: bool = True,
    categorical_features: Any = "auto",
    metric: str = "euclidean",
    neighbors: Any = None,
    n_jobs: int | None = None,
    allow_missing_labels: bool = False,
) -> float:
    """Return the local label imbalance of a data set (LImb).

    This is the mean over labels of the mean local imbalance over the minority samples of the label.
    A higher value means that the data set is harder to learn.

    Parameters
    ----------
    {X, or a Dask collection}
    {y}
    {n_neighbors}
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    {allow_missing_labels}

    Returns
    -------
    float
        Value in [0, 1]; NaN if no label has both classes.

    Notes
    -----
    The values in the paper were computed with the last label among the features, because of an
    off-by-one error in its code. The correct values are 0.3482 instead of 0.2633 for *scene* and
    0.6405 instead of 0.5821 for *yeast*.

    Examples
    --------
    >>> from rarelabels.measures import limb
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> limb(X, [[1], [1], [0], [0], [0]], n_neighbors=2)
    0.5
    """
    features, labels = check_pair(
        X, y, categorical_features, n_neighbors, allow_missing_labels, works_on_blocks=True
    )
    local = warned_local(features, labels, n_neighbors, scale_features, metric, neighbors, n_jobs)
    return mean_over_labels(local)


@shared_parameters
def label_types(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 5,
    scale_features: bool = True,
    categorical_features: Any = "auto",
    metric: str = "euclidean",
    neighbors: Any = None,
    n_jobs: int | None = None,
    allow_missing_labels: bool = False,
) -> Array:
    """Return the type of each sample for each label: safe, borderline, rare, outlier or majority.

    The type depends on the local imbalance C: a sample is safe below 0.3, borderline below 0.7,
    rare below 1 and an outlier at 1. A rare sample that has a safe or borderline neighbor becomes
    borderline; this is repeated until no sample changes.

    Parameters
    ----------
    {X, or a Dask collection}
    {y}
    {n_neighbors}
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    {allow_missing_labels}

    Returns
    -------
    ndarray of int8 of shape (n_samples, n_labels)
        Values of :class:`LabelType`.

    Notes
    -----
    The paper's code makes a rare sample borderline only if it has a *safe* neighbor. This
    implementation follows the text of the paper.

    Examples
    --------
    >>> from rarelabels.measures import label_types
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> label_types(X, [[1], [1], [0], [0], [0]], n_neighbors=2).ravel()
    array([1, 1, 4, 4, 4], dtype=int8)
    """
    features, labels = check_pair(
        X, y, categorical_features, n_neighbors, allow_missing_labels, works_on_blocks=True
    )
    local = warned_local(features, labels, n_neighbors, scale_features, metric, neighbors, n_jobs)
    majority = np.full(labels.matrix.shape, LabelType.MAJORITY, dtype=np.int8)
    return _dense(local, local.types, majority)


def warned_local(
    features: Features,
    labels: Labels,
    n_neighbors: int,
    scale_features: bool,
    metric: str,
    neighbors: Any,
    n_jobs: int | None,
) -> LocalImbalance:
    """Return the local imbalance of the minority entries; warn of labels without such entries."""
    nearest = local_neighbors(
        features,
        n_neighbors=n_neighbors,
        scale_features=scale_features,
        metric=metric,
        neighbors=neighbors,
        n_jobs=n_jobs,
    )
    return warned_local_of(labels, nearest)


def warned_local_of(labels: Labels, neighbors: Neighbors) -> LocalImbalance:
    """Return the local imbalance for given neighbors; warn of labels without minority entries."""
    local = local_imbalance_of(labels.values, neighbors)
    without = np.bincount(local.entries.indices, minlength=labels.matrix.shape[1]) == 0
    warn_constant(labels.names, without, "a single class", "it has no local imbalance")
    return local


def mean_over_labels(local: LocalImbalance) -> float:
    """Return LImb, Eq. (LImb_D), over the labels that have minority samples."""
    means = local.label_means()
    return float(np.nanmean(means)) if np.isfinite(means).any() else float("nan")


def _dense(local: LocalImbalance, values: Array, filled: Array) -> Array:
    filled[row_numbers(local.entries), local.entries.indices] = values
    return filled
