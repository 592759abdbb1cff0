"""MLkNN: what the labels of the neighbours tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from rarelabels._containers import Array, ArrayContainer, Matrix, SparseContainer, is_missing
from rarelabels._features import Features
from rarelabels._labels import Labels
from rarelabels._local import label_counts
from rarelabels._neighbors import local_neighbors, query_neighbors
from rarelabels._validation import check_features, check_number
from rarelabels.learners._frames import is_frame
from rarelabels.learners.base import MultiLabelClassifier, checked_numbers

ENTRIES_AT_ONCE = 2**22


class MLkNN(MultiLabelClassifier):
    """Multi-label k nearest neighbours: Bayes' rule on the number of neighbours with a label.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours of each sample.
    smoothing : float, default=1.0
        Added to each count; 1 is Laplace's.
    scale_features, categorical_features, neighbors, n_jobs
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
        neighbors: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.neighbors = neighbors
        self.n_jobs = n_jobs

    def _read(self, X: Any, *, reset: bool) -> Features:
        is_open = self.categorical_features is None or isinstance(self.categorical_features, str)
        if is_open and not is_frame(X):
            numbers = checked_numbers(self, X, reset=reset, at_least=1 + reset)
            return check_features(numbers, self.categorical_features)
        validate_data(self, X, reset=reset, skip_check_array=True)
        # What is a category was decided at fit: the values of a few samples say less.
        features = check_features(X, self.categorical_features if reset else self._categorical)
        if reset:
            self._categorical: Array = features.categorical
            self._codes = codes_of_values(features)
        return encoded(features, self._codes)

    def _fit(self, X: Features, labels: Labels, rng: np.random.Generator) -> None:
        smoothing, Y = check_number("smoothing", self.smoothing, above=0), labels.matrix
        found = local_neighbors(
            X,
            n_neighbors=self.n_neighbors,
            scale_features=self.scale_features,
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
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
        )
        posterior, labels = (
            posteriors(self.priors_, self.likelihoods_),
            np.arange(self.n_labels_in_),
        )
        return posterior[labels, neighbors_with_label(self._labels, found)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


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


def codes_of_values(features: Features) -> dict[int, dict[Any, int]]:
    """Remember the code of each value of the columns that are not numbers."""
    columns = {j: features.container.column(j) for j in features.sources}
    return {
        j: {value: code for code, value in enumerate(columns[j][samples]) if not is_missing(value)}
        for j, samples in features.sources.items()
    }


def encoded(features: Features, codes: dict[int, dict[Any, int]]) -> Features:
    """Return the features in numbers, coded as in training; a new value has a code of its own."""
    names = features.container.names
    if not codes:
        return Features(_container_of(features.floats, names), features.categorical)
    matrix = np.array(features.floats, dtype=np.float64)
    for j, known in codes.items():
        matrix[:, j] = [
            np.nan if is_missing(value) else known.get(value, len(known))
            for value in features.container.column(j)
        ]
    return Features(NamedArray(matrix, names), features.categorical)


@dataclass(frozen=True)
class NamedArray(ArrayContainer):
    """An array whose columns keep the names that they had in a dataframe, for messages."""

    column_names: tuple[Any, ...] | None = None

    @property
    def names(self) -> tuple[Any, ...] | None:
        return self.column_names


def _container_of(matrix: Matrix, names: tuple[Any, ...] | None) -> Any:
    return SparseContainer(matrix) if sparse.issparse(matrix) else NamedArray(matrix, names)
