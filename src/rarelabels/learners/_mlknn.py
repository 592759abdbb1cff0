"""MLkNN: what the labels of the neighbours tell."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import Labels
from rarelabels._local import label_counts
from rarelabels._neighbors import local_neighbors, query_neighbors
from rarelabels._validation import check_number
from rarelabels.learners._category_reader import CategoryReader

ENTRIES_AT_ONCE = 2**22


class MLkNN(CategoryReader):
    """Multi-label k nearest neighbours: Bayes' rule on the number of neighbours with a label.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours of each sample.
    smoothing : float, default=1.0
        Added to each count; 1 is Laplace's.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`. New samples are scaled as the training data was.

    Attributes
    ----------
    priors_ : ndarray of shape (n_labels,)
        Probability of each label.
    likelihoods_ : ndarray of shape (2, n_labels, n_neighbors + 1)
        Probability of each number of neighbours with the label, for samples without (0) and with
        (1) the label.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    Notes
    -----
    A training sample is never counted as a neighbour of itself, as the paper has it. A label is
    predicted where its posterior is above one half. Where the paper leaves ties at the k-th
    distance open, the sample with the lower number is the neighbour.

    References
    ----------
    M.-L. Zhang, Z.-H. Zhou. ML-KNN: A lazy learning approach to multi-label learning. Pattern
    Recognition 40(7), 2007, 2038-2048.

    Examples
    --------
    >>> from rarelabels.learners import MLkNN
    >>> X, y = [[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]], [[0], [0], [0], [1], [1], [1]]
    >>> learner = MLkNN(n_neighbors=2).fit(X, y)
    >>> learner.predict([[0.15], [0.95]]), learner.predict_proba([[0.15], [0.95]])
    (array([[0],
           [1]]), array([[0.2],
           [0.8]]))
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        smoothing: float = 1.0,
        scale_features: bool = True,
        categorical_features: Any = "auto",
        metric: str = "euclidean",
        neighbors: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs

    def _fit(self, X: Features, labels: Labels, rng: np.random.Generator) -> None:
        smoothing, Y = check_number("smoothing", self.smoothing, above=0), labels.matrix
        found = local_neighbors(
            X,
            n_neighbors=self.n_neighbors,
            scale_features=self.scale_features,
            metric=self.metric,
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
        )
        self.priors_ = (smoothing + label_counts(Y)) / (2 * smoothing + Y.shape[0])
        self.likelihoods_ = likelihoods(Y, found.indices, smoothing)
        self._features, self._labels = X, Y

    def _scores(self, X: Features) -> Array:
        found = query_neighbors(
            self._features,
            X,
            self.likelihoods_.shape[2] - 1,
            scale_features=self.scale_features,
            metric=self.metric,
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
        )
        posterior, labels = (
            posteriors(self.priors_, self.likelihoods_),
            np.arange(self.n_labels_in_),
        )
        return posterior[labels, neighbors_with_label(self._labels, found)]


def likelihoods(Y: sparse.csr_array, neighbors: Array, smoothing: float) -> Array:
    """Return P(number of neighbours with the label | sample without, with the label)."""
    n_samples, n_labels = Y.shape
    n_bins = neighbors.shape[1] + 1
    counts = np.zeros(2 * n_labels * n_bins, dtype=np.int64)
    step = max(1, ENTRIES_AT_ONCE // n_labels)
    for start in range(0, n_samples, step):
        part = slice(start, start + step)
        has_label = Y[part].toarray().astype(np.int64)
        bins = (has_label * n_labels + np.arange(n_labels)) * n_bins
        bins += neighbors_with_label(Y, neighbors[part])
        counts += np.bincount(bins.ravel(), minlength=counts.size)
    table = counts.reshape(2, n_labels, n_bins)
    return (smoothing + table) / (smoothing * n_bins + table.sum(axis=2, keepdims=True))


def posteriors(priors: Array, likelihoods: Array) -> Array:
    """Return P(label | number of neighbours with it) for each label and number, by Bayes' rule."""
    without, with_label = (1 - priors)[:, None] * likelihoods[0], priors[:, None] * likelihoods[1]
    return with_label / (with_label + without)


def neighbors_with_label(Y: sparse.csr_array, neighbors: Array) -> Array:
    """Count the neighbours of each sample that have each label."""
    n_queries, k = neighbors.shape
    ones, ends = np.ones(n_queries * k, dtype=np.int64), np.arange(n_queries + 1) * k
    chosen = sparse.csr_array((ones, neighbors.ravel(), ends), shape=(n_queries, Y.shape[0]))
    return (chosen @ Y).toarray()
