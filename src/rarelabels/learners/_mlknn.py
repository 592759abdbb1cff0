"""MLkNN: probabilities from the number of neighbors with a label."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import Labels
from rarelabels._local import label_counts
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_number
from rarelabels.learners._neighbor_learner import NeighborLearner, neighbor_counts

ENTRIES_AT_ONCE = 2**22


@shared_parameters
class MLkNN(NeighborLearner):
    """Multi-label k-nearest neighbors: Bayes' rule applied to the number of neighbors with a label.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors of each sample.
    smoothing : float, default=1.0
        Value that is added to each count; 1 is Laplace smoothing.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`. New samples are scaled like the training data.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. Priors and likelihoods of
        a label are computed from the samples for which it is known. A neighbor for which the label
        is unknown is counted like one without the label, in training and in prediction. Samples
        without a known label are not used.

    Attributes
    ----------
    priors_ : ndarray of shape (n_labels,)
        Probability of each label.
    likelihoods_ : ndarray of shape (2, n_labels, n_neighbors + 1)
        Probability of each number of neighbors with the label, for samples without (0) and with
        (1) the label.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    Notes
    -----
    A training sample is never counted as a neighbor of itself, as in the paper. A label is
    predicted if its posterior is at least one half. The paper does not say how to break ties at the
    k-th distance; here, the sample with the lower index is the neighbor.

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
        allow_missing_labels: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels

    def _fit(
        self,
        X: Features,
        labels: Labels,
        rng: np.random.Generator,
        sample_weight: Array | None = None,
    ) -> None:
        smoothing = check_number("smoothing", self.smoothing, above=0)
        values, weights = self._keep_samples(X, labels, sample_weight)
        Y, neighbors = values.positives, self._training_neighbors()
        if weights is None:
            n_positive, n_known = label_counts(Y), Y.shape[0]
        else:
            table = np.broadcast_to(weights.reshape(Y.shape[0], -1), Y.shape)
            n_positive, n_known = np.asarray(Y.multiply(table).sum(axis=0)), table.sum(axis=0)
        self.priors_ = (smoothing + n_positive) / (2 * smoothing + n_known)
        self.likelihoods_ = likelihoods(Y, neighbors, smoothing, weights)

    def _scores(self, X: Features) -> Array:
        neighbors = self._neighbors_of(X, self.likelihoods_.shape[2] - 1)
        posterior = posteriors(self.priors_, self.likelihoods_)
        labels = np.arange(self.n_labels_in_)
        return posterior[labels, neighbor_counts(self._labels, neighbors).toarray()]


def likelihoods(
    Y: sparse.csr_array, neighbors: Array, smoothing: float, weights: Array | None = None
) -> Array:
    """Return P(number of neighbors with the label | sample without, with the label)."""
    n_samples, n_labels = Y.shape
    n_bins = neighbors.shape[1] + 1
    counts = np.zeros(2 * n_labels * n_bins, dtype=np.int64 if weights is None else np.float64)
    step = max(1, ENTRIES_AT_ONCE // n_labels)
    for start in range(0, n_samples, step):
        part = slice(start, start + step)
        has_label = Y[part].toarray().astype(np.int64)
        bins = (has_label * n_labels + np.arange(n_labels)) * n_bins
        bins += neighbor_counts(Y, neighbors[part]).toarray()
        bin_weights = None
        if weights is not None:
            part_weights = weights[part].reshape(len(bins), -1)
            bin_weights = np.broadcast_to(part_weights, bins.shape).ravel()
        counts += np.bincount(bins.ravel(), bin_weights, minlength=counts.size)
    table = counts.reshape(2, n_labels, n_bins)
    return (smoothing + table) / (smoothing * n_bins + table.sum(axis=2, keepdims=True))


def posteriors(priors: Array, likelihoods: Array) -> Array:
    """Return P(label | number of neighbors with it) for each label and number, by Bayes' rule."""
    without, with_label = (1 - priors)[:, None] * likelihoods[0], priors[:, None] * likelihoods[1]
    return with_label / (with_label + without)
