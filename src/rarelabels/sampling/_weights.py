"""Weights instead of rows: what MLSOL and MLUL draw by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rarelabels._containers import Array
from rarelabels._validation import check_pair
from rarelabels.measures.neighborhoods import warned_local


@dataclass(frozen=True, eq=False)
class LocalWeights:
    """What each row weighs, by the neighbourhoods of the minority rows.

    Attributes
    ----------
    weights : ndarray of shape (n_samples,)
        Difficulty w: how hard the row's own neighbourhood is for the minority classes it holds.
        What MLSOL draws its seeds by.
    influence : ndarray of shape (n_samples,)
        Influence u on the rows it is a neighbour of, negative where it harms them.
    importance : ndarray of shape (n_samples,)
        Importance v = w + u − min(w + u). What MLUL draws the rows it keeps by.
    """

    weights: Array
    influence: Array
    importance: Array


def local_weights(
    X: Any,
    Y: Any,
    *,
    n_neighbors: int = 5,
    scale_features: bool = True,
    categorical_features: Any = None,
    neighbors: Any = None,
    n_jobs: int | None = None,
    allow_missing_labels: bool = False,
) -> LocalWeights:
    """Weigh rows by the local imbalance of their labels, for who would rather weight than resample.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        The features.
    Y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The labels, 0 or 1.
    n_neighbors : int, default=5
        Neighbours of each row.
    scale_features, categorical_features, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`.
    allow_missing_labels : bool, default=False
        Whether NaN in Y is a label that is not known, and left out of counts and comparisons, or
        an error.

    Returns
    -------
    LocalWeights
        ``.weights``, ``.influence`` and ``.importance``, one of each for a row. None of them is
        negative but the influence; they may all be 0 where nothing is informative, and are in no
        particular unit.

    See Also
    --------
    MLSOL, MLUL : The samplers that draw by them.

    Notes
    -----
    A learner's `sample_weight` is better served by ``1 + n_samples * w / w.sum()`` than by w
    itself, which is 0 for every row that holds no minority class; PyTorch's
    ``WeightedRandomSampler`` takes `importance` as it is.

    References
    ----------
    Liu, Blekas and Tsoumakas, "Multi-Label Sampling based on Local Label Imbalance", Pattern
    Recognition 122, 2022.

    Examples
    --------
    >>> from rarelabels.sampling import local_weights
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> found = local_weights(X, [[1], [1], [0], [0], [0]], n_neighbors=2)
    >>> found.weights
    array([0.5, 0.5, 0. , 0. , 0. ])
    >>> found.importance
    array([1.25, 1.  , 0.  , 0.25, 0.25])
    """
    features, labels = check_pair(X, Y, categorical_features, n_neighbors, allow_missing_labels)
    local = warned_local(features, labels, n_neighbors, scale_features, neighbors, n_jobs)
    return LocalWeights(local.weights, local.influence, local.importance)
