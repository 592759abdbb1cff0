"""Measures of the neighbourhoods: local imbalance, LImb and the types of samples.

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
from rarelabels._validation import check_pair, warn_constant


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
    """Return the share of neighbours of the other class, for each label's minority samples.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        The features, also as a Dask array or dataframe.
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The labels, 0 or 1.
    n_neighbors : int, default=5
        Neighbours of each sample.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, and left out of counts and comparisons, or
        an error.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        C in [0, 1], NaN where the sample holds the label's majority class.

    Examples
    --------
    >>> from rarelabels.measures import local_imbalance
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> y = [[1], [1], [0], [0], [0]]
    >>> local_imbalance(X, y, n_neighbors=2).ravel()
    array([0.5, 0.5, nan, nan, nan])
    """
    features, labels = check_pair(
        X, y, categorical_features, n_neighbors, allow_missing_labels, supports_dask=True
    )
    local = warned_local(features, labels, n_neighbors, scale_features, metric, neighbors, n_jobs)
    return _dense(local, local.imbalance, np.full(labels.matrix.shape, np.nan))


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

    Mean over the labels of the mean local imbalance over the label's minority samples. The higher,
    the harder the data set is to learn.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        The features, also as a Dask array or dataframe.
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The labels, 0 or 1.
    n_neighbors : int, default=5
        Neighbours of each sample.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, and left out of counts and comparisons, or
        an error.

    Returns
    -------
    float
        In [0, 1]; NaN if no label has both classes.

    Notes
    -----
    The values printed in the paper were computed with the last label left among the features, an
    off-by-one in its code. The right ones differ: 0.3482 and not 0.2633 for *scene*, 0.6405 and
    not 0.5821 for *yeast*.

    Examples
    --------
    >>> from rarelabels.measures import limb
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> limb(X, [[1], [1], [0], [0], [0]], n_neighbors=2)
    0.5
    """
    features, labels = check_pair(
        X, y, categorical_features, n_neighbors, allow_missing_labels, supports_dask=True
    )
    local = warned_local(features, labels, n_neighbors, scale_features, metric, neighbors, n_jobs)
    return mean_over_labels(local)


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

    By the local imbalance C: below 0.3 safe, below 0.7 borderline, below 1 rare, 1 outlier. A rare
    sample with a safe or borderline one among its neighbours becomes borderline, until none is left
    to change.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        The features, also as a Dask array or dataframe.
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The labels, 0 or 1.
    n_neighbors : int, default=5
        Neighbours of each sample.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, and left out of counts and comparisons, or
        an error.

    Returns
    -------
    ndarray of int8 of shape (n_samples, n_labels)
        Values of :class:`LabelType`.

    Notes
    -----
    The paper's code promotes a rare sample only for a *safe* neighbour; this follows its text.

    Examples
    --------
    >>> from rarelabels.measures import label_types
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> label_types(X, [[1], [1], [0], [0], [0]], n_neighbors=2).ravel()
    array([1, 1, 4, 4, 4], dtype=int8)
    """
    features, labels = check_pair(
        X, y, categorical_features, n_neighbors, allow_missing_labels, supports_dask=True
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
    """Return the local imbalance of the minority entries; warn of labels without any."""
    found = local_neighbors(
        features,
        n_neighbors=n_neighbors,
        scale_features=scale_features,
        metric=metric,
        neighbors=neighbors,
        n_jobs=n_jobs,
    )
    return warned_local_of(labels, found)


def warned_local_of(labels: Labels, neighbors: Neighbors) -> LocalImbalance:
    """Return the local imbalance by neighbours that were found; warn of labels without any."""
    local = local_imbalance_of(labels.values, neighbors)
    without = np.bincount(local.entries.indices, minlength=labels.matrix.shape[1]) == 0
    warn_constant(labels.names, without, "a single class", "nothing local is said of it")
    return local


def mean_over_labels(local: LocalImbalance) -> float:
    """Return LImb, Eq. (LImb_D), over the labels that have minority samples."""
    means = local.label_means()
    return float(np.nanmean(means)) if np.isfinite(means).any() else float("nan")


def _dense(local: LocalImbalance, values: Array, filled: Array) -> Array:
    filled[row_numbers(local.entries), local.entries.indices] = values
    return filled
