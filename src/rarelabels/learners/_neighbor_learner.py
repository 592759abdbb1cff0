"""Base class of learners that use the labels of the nearest training samples."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, contain
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._neighbors import local_neighbors, query_neighbors
from rarelabels._parameter_docs import shared_parameters
from rarelabels.learners._category_reader import CategoryReader
from rarelabels.learners.known_labels import known_weights


class NeighborLearner(CategoryReader):
    """Base class of the learners with the parameters of the neighbor search.

    `_keep_samples` stores the training samples, among which the two searches find neighbors.
    """

    n_neighbors: int
    scale_features: bool
    metric: str
    neighbors: Any
    n_jobs: int | None
    _features: Features
    _labels: sparse.csr_array

    @shared_parameters
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to the data.

        Parameters
        ----------
        {X}
        {y, or label sets, perhaps unknown}
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Weights of the samples, or of samples and labels. An entry of weight 0 is treated as an
            unknown label. Neighbors are counted without weights.

        Returns
        -------
        self
        """
        return self._fit_data(X, y, sample_weight)

    def _keep_samples(
        self, X: Features, labels: Labels, sample_weight: Array | None
    ) -> tuple[LabelMatrix, Array | None]:
        """Store the samples with a known label, and return their labels and weights.

        Weights are None if all entries are known and have the same weight. Unknown entries have
        weight 0.
        """
        values, weights = labels.values, known_weights(labels.values, sample_weight)
        if weights is not None:
            used = np.flatnonzero(weights.reshape(len(weights), -1).any(axis=1))
            X = Features(contain(X.numbers[used]), X.categorical)
            values, weights = values.take(used), weights[used]
        self._features, self._labels = X, values.positives
        return values, weights

    def _training_neighbors(self) -> Array:
        """Return the neighbors of each training sample, without the sample itself."""
        return local_neighbors(
            self._features,
            n_neighbors=self.n_neighbors,
            scale_features=self.scale_features,
            metric=self.metric,
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
        ).indices

    def _neighbors_of(self, X: Features, n_neighbors: int) -> Array:
        """Return the neighbors of new samples among the training samples."""
        return query_neighbors(
            self._features,
            X,
            n_neighbors,
            scale_features=self.scale_features,
            metric=self.metric,
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
        )


def neighbor_counts(indicator: sparse.csr_array, neighbors: Array) -> sparse.csr_array:
    """Count the neighbors of each sample that have each label."""
    n_queries, k = neighbors.shape
    ones, ends = np.ones(n_queries * k, dtype=np.int64), np.arange(n_queries + 1) * k
    shape = (n_queries, indicator.shape[0])
    return sparse.csr_array((ones, neighbors.ravel(), ends), shape=shape) @ indicator
