"""Compute sample weights by local imbalance, as MLSOL and MLUL do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_pair
from rarelabels.measures.neighborhoods import warned_local


@dataclass(frozen=True, eq=False)
class LocalWeights:
    """Weights of the samples, from the neighborhoods of minority class samples.

    Attributes
    ----------
    weights : ndarray of shape (n_samples,)
        Difficulty w: how hard the neighborhood of the sample is for the minority classes it belongs
        to. MLSOL draws its seeds in proportion to it.
    influence : ndarray of shape (n_samples,)
        Influence u of each sample on the samples of which it is a neighbor; negative if it harms
        them.
    importance : ndarray of shape (n_samples,)
        Importance v = w + u − min(w + u). MLUL draws the samples to keep in proportion to it.
    """

    weights: Array
    influence: Array
    importance: Array

    @property
    def sample_weight(self) -> Array:
        """Weights 1 + n·w / Σw for learners: 2 on average, 1 for samples that are not difficult."""
        total = self.weights.sum()
        return 1 + self.weights * (self.weights.size / total if total else 0.0)

    @property
    def probabilities(self) -> Array:
        """Importance divided by its sum, for data loaders; uniform if no sample is important."""
        total = self.importance.sum()
        size = self.importance.size
        return self.importance / total if total else np.full(size, 1 / size)


@shared_parameters
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
    """Return sample weights by the local imbalance of the labels.

    Parameters
    ----------
    {X}
    {y}
    {n_neighbors}
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    {allow_missing_labels}

    Returns
    -------
    LocalWeights
        ``.weights``, ``.influence`` and ``.importance`` have one value per sample.
        ``.sample_weight`` for learners and ``.probabilities`` for data loaders are computed from
        them. Only the influence can be negative. The first three are all 0 if no sample is
        informative.

    See Also
    --------
    rarelabels.sampling.MLSOL, rarelabels.sampling.MLUL : Samplers that use these weights.

    Notes
    -----
    The difficulty w is not suitable as `sample_weight`, because it is 0 for every sample without a
    minority class. `importance` can be passed directly to PyTorch's ``WeightedRandomSampler``.

    References
    ----------
    Liu, Blekas and Tsoumakas, "Multi-Label Sampling based on Local Label Imbalance", Pattern
    Recognition 122, 2022.

    Examples
    --------
    >>> from rarelabels.weights import local_weights
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> local = local_weights(X, [[1], [1], [0], [0], [0]], n_neighbors=2)
    >>> local.weights
    array([0.5, 0.5, 0. , 0. , 0. ])
    >>> local.importance
    array([1.25, 1.  , 0.  , 0.25, 0.25])
    >>> local.sample_weight
    array([3.5, 3.5, 1. , 1. , 1. ])
    """
    features, labels = check_pair(X, y, categorical_features, n_neighbors, allow_missing_labels)
    local = warned_local(features, labels, n_neighbors, scale_features, metric, neighbors, n_jobs)
    return LocalWeights(local.weights, local.influence, local.importance)
