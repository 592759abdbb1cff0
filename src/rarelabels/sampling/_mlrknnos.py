"""MLRkNNOS: synthetic samples between reverse nearest neighbors, label by label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.svm import LinearSVC

from rarelabels._containers import Array, Matrix
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import (
    known_counts,
    label_counts,
    minority_class,
    minority_entries,
)
from rarelabels._neighbors import (
    FeatureSpace,
    Neighbors,
    check_not_found_before,
    feature_space,
    neighbors_among,
)
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import (
    check_features,
    check_n_neighbors,
    samples_to_add,
    warn,
)
from rarelabels.base import BaseSampler, Resample, Synthetic
from rarelabels.sampling._amounts import in_proportion
from rarelabels.sampling._interpolation import interpolate
from rarelabels.sampling._label_groups import carriers

# A gigabyte of numbers. Every label is predicted, so a sample needs at least LEAST_VALUES.
MOST_VALUES = 2**27
LEAST_VALUES = 100


@shared_parameters
class MLRkNNOS(BaseSampler):
    """Reverse-nearest-neighborhood based oversampling.

    Each label is balanced separately. Synthetic samples of its rarer class lie between a seed of
    that class and one of its reverse neighbors, the samples of the class that have the seed among
    their nearest neighbors. A sample without reverse neighbors is never a seed. For a label that
    most samples carry, samples without the label are generated. The other labels of a synthetic
    sample are predicted by one classifier per label, fitted on the input samples and on the samples
    generated for that label.

    Parameters
    ----------
    sampling_ratio : float, int or None, default=None
        Maximum number of samples to add: a fraction of the samples (float) or a number (int),
        divided among the labels in proportion to the samples that each lacks. None adds all samples
        that the labels lack, which for q rare labels is nearly q times the input.
    n_neighbors : int, default=3
        Number of neighbors of each sample among those of the rarer class of the label. Fewer are
        used if the class has fewer samples.
    estimator : classifier or None, default=None
        Classifier that predicts the other labels. It gets the features that the distance uses,
        rescaled and with one-hot encoded categories. None uses
        ``sklearn.svm.LinearSVC``.
    scale_features, categorical_features, metric, neighbors, n_jobs
        See :func:`rarelabels.find_neighbors`. `neighbors` may be a search, but not precomputed
        neighbors, because those are neighbors among all samples.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random draws and of the classifiers. The same seed gives the same samples for
        any `n_jobs`.
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label. The sample is then left out of the counts and the
        training data of the classifier of that label. All labels of synthetic samples are known.
        If False, NaN in y is an error.

    Attributes
    ----------
    quotas_ : ndarray of shape (n_labels,)
        Number of samples generated for each label.
    {sample_indices_, then synthetic}
    {is_synthetic_}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLSMOTE : Synthetic samples that take their other labels from neighbors.

    Notes
    -----
    In the paper, each label has a separate training set and a linear classifier fitted on it. An
    implementation in R combines all synthetic samples, with predicted labels, to obtain a sampler;
    this class does the same without the errors of that implementation, which the documentation
    lists. Distances are those of :func:`rarelabels.find_neighbors`: features are rescaled, and
    differing categories have a distance of 1, while the paper uses the value difference metric.
    More samples than fit in a gigabyte raise an error that states their number. Missing values in X
    are an error, because the classifiers need every value.

    References
    ----------
    Sadhukhan and Palit, "Reverse-nearest neighborhood based oversampling for imbalanced,
    multi-label datasets", Pattern Recognition Letters 125, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.sampling import MLRkNNOS
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (X + rng.normal(size=(100, 2)) > 1.5).astype(int)
    >>> X_new, y_new = MLRkNNOS(random_state=0).fit_resample(X, y)
    >>> X_new.shape, y.sum(axis=0), y_new.sum(axis=0)
    ((248, 2), array([ 8, 18]), array([114, 135]))
    """

    def __init__(
        self,
        *,
        sampling_ratio: float | None = None,
        n_neighbors: int = 3,
        estimator: Any = None,
        scale_features: bool = True,
        categorical_features: Any = "auto",
        metric: str = "euclidean",
        neighbors: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.sampling_ratio = sampling_ratio
        self.n_neighbors = n_neighbors
        self.estimator = estimator
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        samples = np.arange(X.n_samples)
        self.quotas_ = capped_quotas(lacking_samples(Y), self.sampling_ratio, X.n_samples)
        if not self.quotas_.any():
            if self.sampling_ratio:
                warn(
                    "no label has a rarer class with at least two samples, so MLRkNNOS adds no "
                    "samples."
                )
            return Resample(kept=samples)
        check_amount(int(self.quotas_.sum()), X)
        seeds, references = self._parents(X, Y, rng)
        values = interpolate(X.matrix[seeds], X.matrix[references], X.categorical, rng)
        points = self._space(X, values).euclidean()
        labels = predicted_labels(points, Y, self.quotas_, self._classifier(rng))
        return Resample(kept=samples, synthetic=Synthetic(values, labels, grown_from=seeds))

    def _parents(
        self, X: Features, Y: LabelMatrix, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Draw seeds and references of all labels, one label after another."""
        n_neighbors = check_n_neighbors(self.n_neighbors, np.iinfo(np.intp).max)
        how = "among the samples of one class at a time"
        check_not_found_before(self.neighbors, "MLRkNNOS", how)
        space, used = self._space(X), np.flatnonzero(self.quotas_)
        pairs = []
        for label, samples in carriers(minority_entries(Y), used).items():
            nearest = neighbors_among(space, samples, n_neighbors, self.neighbors, self.n_jobs)
            reverse = reverse_neighbors(np.searchsorted(samples, nearest))
            pairs.append(samples[reverse_pairs(reverse, self.quotas_[label], rng)])
        seeds, references = np.concatenate(pairs, axis=1)
        return seeds, references

    def _space(self, X: Features, values: Matrix | None = None) -> FeatureSpace:
        queries = None if values is None else check_features(values, X.categorical)
        return feature_space(X, queries, scale_features=self.scale_features, metric=self.metric)

    def _classifier(self, rng: np.random.Generator) -> Any:
        """Return an unfitted classifier; set its `random_state` if it is None."""
        classifier = LinearSVC(max_iter=10_000) if self.estimator is None else clone(self.estimator)
        if (
            "random_state" in classifier.get_params()
            and classifier.get_params()["random_state"] is None
        ):
            classifier.set_params(random_state=int(rng.integers(2**31)))
        return classifier


def lacking_samples(Y: LabelMatrix) -> Array:
    """Return how many samples the rarer class of each label lacks; 0 if it has fewer than two."""
    positive, known = label_counts(Y.positives), known_counts(Y)
    rarer = np.minimum(positive, known - positive)
    return np.where(rarer > 1, known - 2 * rarer, 0)


def capped_quotas(lacking: Array, sampling_ratio: Any, n_samples: int) -> Array:
    """Divide the samples to add, at most those lacking, in proportion to what each label lacks."""
    if sampling_ratio is None:
        return lacking
    most = int(lacking.sum())
    return in_proportion(min(samples_to_add(sampling_ratio, n_samples), most), lacking)


def check_amount(n_new: int, X: Features) -> None:
    """Raise an error if the samples would not fit in memory."""
    matrix = X.matrix
    stored = matrix.nnz // X.n_samples if sparse.issparse(matrix) else matrix.shape[1]
    if n_new * max(stored, LEAST_VALUES) > MOST_VALUES:
        raise ValueError(
            f"MLRkNNOS would add {n_new} samples to {X.n_samples} to balance each label "
            "separately, which is too many; set sampling_ratio to the number, or the fraction, of "
            "samples to add."
        )


def reverse_neighbors(nearest: Array) -> sparse.csr_array:
    """Return the samples that have each sample among their nearest neighbors."""
    return Neighbors(nearest).adjacency().T.tocsr()


def reverse_pairs(reverse: sparse.csr_array, n_new: int, rng: np.random.Generator) -> Array:
    """Draw seeds that have reverse neighbors, and one such neighbor for each: (2, n_new)."""
    sizes = np.diff(reverse.indptr)
    candidates = np.flatnonzero(sizes)
    seeds = candidates[rng.integers(candidates.size, size=n_new)]
    entries = reverse.indptr[seeds] + rng.integers(sizes[seeds])
    return np.stack([seeds, reverse.indices[entries]])


def predicted_labels(points: Matrix, Y: LabelMatrix, quotas: Array, classifier: Any) -> LabelMatrix:
    """Label the synthetic samples by the class for which they were generated, else by prediction.

    Parameters
    ----------
    points : (n + m, c) ndarray or csr_array
        The input samples, followed by those generated for the first label, the second and so on.
    Y : LabelMatrix of shape (n, q)
        Labels of the input samples.
    quotas : (q,) ndarray
        Number of samples generated for each label.
    classifier : classifier
        Cloned and fitted for each label.
    """
    n_samples, n_new = Y.shape[0], int(quotas.sum())
    columns = []
    for fitting, target, synthetic in training_sets(Y, quotas):
        predicted = predictions(classifier, points, fitting, target, n_samples)
        predicted[synthetic - n_samples] = target[fitting.size - synthetic.size :]
        columns.append(np.flatnonzero(predicted))
    ends = np.concatenate([[0], np.cumsum([column.size for column in columns])])
    ones = np.ones(ends[-1], dtype=np.int8)
    labels = sparse.csc_array((ones, np.concatenate(columns), ends), shape=(n_new, Y.shape[1]))
    return LabelMatrix(labels.tocsr().sorted_indices())


def training_sets(Y: LabelMatrix, quotas: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Yield the training samples for each label, their classes and the synthetic ones among them.

    Samples whose label is unknown are left out. Synthetic samples are numbered after those of Y.
    """
    n_samples, n_labels = Y.shape
    ends = n_samples + np.concatenate([[0], np.cumsum(quotas)])
    samples_of, rarer_class = carriers(Y.positives, np.arange(n_labels)), minority_class(Y)
    unknown_of = None if Y.unknown is None else carriers(Y.unknown, np.arange(n_labels))
    for label in range(n_labels):
        synthetic = np.arange(ends[label], ends[label + 1])
        classes = np.zeros(n_samples, dtype=np.int8)
        classes[samples_of[label]] = 1
        known = np.ones(n_samples, dtype=bool)
        if unknown_of is not None:
            known[unknown_of[label]] = False
        samples = np.flatnonzero(known)
        synthetic_classes = np.full(synthetic.size, rarer_class[label], dtype=np.int8)
        yield (
            np.concatenate([samples, synthetic]),
            np.concatenate([classes[samples], synthetic_classes]),
            synthetic,
        )


def predictions(
    classifier: Any, points: Matrix, fitting: Array, target: Array, n_samples: int
) -> Array:
    """Predict one label of the synthetic samples; a single class is predicted for all."""
    new = points[n_samples:]
    if not target.size or target.min() == target.max():
        return np.full(new.shape[0], bool(target.any()))
    fitted = clone(classifier).fit(points[fitting], target)
    return np.asarray(fitted.predict(new)).astype(bool)
