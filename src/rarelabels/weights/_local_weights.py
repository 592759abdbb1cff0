"""Weights by local imbalance: what MLSOL and MLUL draw by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._validation import check_pair
from rarelabels.measures.neighborhoods import warned_local


@dataclass(frozen=True, eq=False)
class LocalWeights:
    """Weights of the samples, by the neighbourhoods of the minority classes' samples.

    Attributes
    ----------
    weights : ndarray of shape (n_samples,)
        Difficulty w: how hard the sample's own neighbourhood is for the minority classes it holds.
        What MLSOL draws its seeds by.
    influence : ndarray of shape (n_samples,)
        Influence u on the samples it is a neighbour of, negative where it harms them.
    importance : ndarray of shape (n_samples,)
        Importance v = w + u − min(w + u). What MLUL draws the samples it keeps by.
    """

    weights: Array
    influence: Array
    importance: Array

    @property
    def sample_weight(self) -> Array:
        """1 + n·w / Σw, for a learner: 2 on average, 1 for samples that are not hard."""
        total = self.weights.sum()
        return 1 + self.weights * (self.weights.size / total if total else 0.0)

    @property
    def probabilities(self) -> Array:
        """Importance over its sum, for a loader; all alike if none is important."""
        total = self.importance.sum()
        size = self.importance.size
        return self.importance / total if total else np.full(size, 1 / size)


def local_weights(
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
) -> LocalWeights:
    """Return weights of the samples by the local imbalance of their labels.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        The features.
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
    LocalWeights
        ``.weights``, ``.influence`` and ``.importance``, one of each for a sample, and made of
        them ``.sample_weight`` for learners and ``.probabilities`` for loaders. None of them is
        negative but the influence; they are all 0 where nothing is informative.

    See Also
    --------
    rarelabels.sampling.MLSOL, rarelabels.sampling.MLUL : The samplers that draw by them.

    Notes
    -----
    w itself would be a poor `sample_weight`, since it is 0 for every sample that holds no minority
    class; PyTorch's ``WeightedRandomSampler`` takes `importance` as it is.

    References
    ----------
    Liu, Blekas and Tsoumakas, "Multi-Label Sampling based on Local Label Imbalance", Pattern
    Recognition 122, 2022.

    Examples
    --------
    >>> from rarelabels.weights import local_weights
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> found = local_weights(X, [[1], [1], [0], [0], [0]], n_neighbors=2)
    >>> found.weights
    array([0.5, 0.5, 0. , 0. , 0. ])
    >>> found.importance
    array([1.25, 1.  , 0.  , 0.25, 0.25])
    >>> found.sample_weight
    array([3.5, 3.5, 1. , 1. , 1. ])
    """
    features, labels = check_pair(X, y, categorical_features, n_neighbors, allow_missing_labels)
    local = warned_local(features, labels, n_neighbors, scale_features, metric, neighbors, n_jobs)
    return LocalWeights(local.weights, local.influence, local.importance)
