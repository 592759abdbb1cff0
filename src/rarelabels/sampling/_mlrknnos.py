"""MLRkNNOS: synthetic samples between reverse neighbours, label by label."""

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

# A gigabyte of numbers; a sample counts for so many at least, since every label is predicted.
MOST_VALUES = 2**27
LEAST_VALUES = 100


class MLRkNNOS(BaseSampler):
    """Reverse-nearest-neighbourhood based oversampling.

    Each label by itself is balanced: synthetic samples of its rarer class lie between a sample of
    that class and one of those that count it among their nearest of the class. A sample that is
    nobody's neighbour is never a seed. For a label that most samples carry, samples without it are
    made. The other labels of a synthetic sample are predicted, by one classifier for each label,
    fitted on the samples given and on those made for it.

    Parameters
    ----------
    sampling_ratio : float, int or None, default=None
        Samples to add at most: a share of the samples (float) or their number (int), spread over
        the labels in proportion to what each lacks. None: all that the labels lack, which for q
        rare labels is nearly q times the samples.
    n_neighbors : int, default=3
        Neighbours of each sample among those of the label's rarer class, at most those there are.
    estimator : classifier or None, default=None
        What predicts the other labels. It is given the features as the distance has them,
        rescaled and with categories as indicators. None: scikit-learn's linear support vector
        machine.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`. `neighbors` may be a search, but no neighbours
        found before: those are of all samples.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws, and of the classifiers. The same seed gives the same samples for any
        `n_jobs`.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of counts and of what its
        classifier is fitted on, or an error. Labels of synthetic samples are all known.

    Attributes
    ----------
    quotas_ : ndarray of shape (n_labels,)
        Samples made for each label.
    sample_indices_ : ndarray of shape (n_samples_new,)
        For each sample that came out the input sample it is; for a synthetic one its seed.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        Which samples are synthetic.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.

    See Also
    --------
    MLSMOTE : Synthetic samples for minority labels, whose other labels are those of neighbours.

    Notes
    -----
    The paper gives each label a training set of its own and a linear classifier fitted on it; that
    all synthetic samples are put together, with predicted labels, is how an implementation in R
    makes a sampler of it. Its errors are not repeated here (see the documentation's list of slips).
    Distances are those of the package: features rescaled, and a category that differs counts 1,
    where the paper takes the value difference metric. More samples than fit in a gigabyte are
    refused with their number. Missing values in X are an error, since the classifiers need every
    value.

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
        kept = np.arange(X.n_samples)
        self.quotas_ = capped_quotas(lacking_samples(Y), self.sampling_ratio, X.n_samples)
        if not self.quotas_.any():
            if self.sampling_ratio:
                warn("no label lacks samples of a class that two samples have: MLRkNNOS adds none.")
            return Resample(kept=kept)
        check_amount(int(self.quotas_.sum()), X)
        seeds, references = self._parents(X, Y, rng)
        values = interpolate(X.matrix[seeds], X.matrix[references], X.categorical, rng)
        points = self._space(X, values).euclidean()
        labels = predicted_labels(points, Y, self.quotas_, self._classifier(rng))
        return Resample(kept=kept, synthetic=Synthetic(values, labels, grown_from=seeds))

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
            near = neighbors_among(space, samples, n_neighbors, self.neighbors, self.n_jobs)
            reverse = reverse_neighbors(np.searchsorted(samples, near))
            pairs.append(samples[reverse_pairs(reverse, self.quotas_[label], rng)])
        seeds, references = np.concatenate(pairs, axis=1)
        return seeds, references

    def _space(self, X: Features, values: Matrix | None = None) -> FeatureSpace:
        queries = None if values is None else check_features(values, X.categorical)
        return feature_space(X, queries, scale_features=self.scale_features, metric=self.metric)

    def _classifier(self, rng: np.random.Generator) -> Any:
        """Return an unfitted classifier, seeded if it takes a seed and has none."""
        made = LinearSVC(max_iter=10_000) if self.estimator is None else clone(self.estimator)
        if "random_state" in made.get_params() and made.get_params()["random_state"] is None:
            made.set_params(random_state=int(rng.integers(2**31)))
        return made


def lacking_samples(Y: LabelMatrix) -> Array:
    """Return how many samples each label's rarer class lacks; 0 if fewer than two have it."""
    positive, known = label_counts(Y.positives), known_counts(Y)
    rarer = np.minimum(positive, known - positive)
    return np.where(rarer > 1, known - 2 * rarer, 0)


def capped_quotas(lacking: Array, sampling_ratio: Any, n_samples: int) -> Array:
    """Spread the samples to add, if they are fewer, in proportion to what each label lacks."""
    if sampling_ratio is None:
        return lacking
    most = int(lacking.sum())
    return in_proportion(min(samples_to_add(sampling_ratio, n_samples), most), lacking)


def check_amount(n_new: int, X: Features) -> None:
    """Refuse more samples than fit in memory."""
    matrix = X.matrix
    stored = matrix.nnz // X.n_samples if sparse.issparse(matrix) else matrix.shape[1]
    if n_new * max(stored, LEAST_VALUES) > MOST_VALUES:
        raise ValueError(
            f"MLRkNNOS would make {n_new} samples of {X.n_samples}, to balance each label by "
            "itself; set sampling_ratio to the number, or the share, that may be added."
        )


def reverse_neighbors(nearest: Array) -> sparse.csr_array:
    """Return, for each sample, those that have it among their nearest."""
    return Neighbors(nearest).adjacency().T.tocsr()


def reverse_pairs(reverse: sparse.csr_array, n_new: int, rng: np.random.Generator) -> Array:
    """Draw seeds among those with reverse neighbours, and one of these for each: (2, n_new)."""
    sizes = np.diff(reverse.indptr)
    wanted = np.flatnonzero(sizes)
    seeds = wanted[rng.integers(wanted.size, size=n_new)]
    drawn = reverse.indptr[seeds] + rng.integers(sizes[seeds])
    return np.stack([seeds, reverse.indices[drawn]])


def predicted_labels(points: Matrix, Y: LabelMatrix, quotas: Array, classifier: Any) -> LabelMatrix:
    """Label the synthetic samples: each label's own as made, the others as predicted.

    Parameters
    ----------
    points : (n + m, c) ndarray or csr_array
        The samples given and, behind them, those made for the first label, the second and so on.
    Y : LabelMatrix of shape (n, q)
        Labels of the samples given.
    quotas : (q,) ndarray
        Samples made for each label.
    classifier : classifier
        Cloned and fitted for each label.
    """
    n_samples, n_new = Y.shape[0], int(quotas.sum())
    columns = []
    for fitting, target, own in training_sets(Y, quotas):
        found = predictions(classifier, points, fitting, target, n_samples)
        found[own - n_samples] = target[fitting.size - own.size :]
        columns.append(np.flatnonzero(found))
    ends = np.concatenate([[0], np.cumsum([column.size for column in columns])])
    ones = np.ones(ends[-1], dtype=np.int8)
    made = sparse.csc_array((ones, np.concatenate(columns), ends), shape=(n_new, Y.shape[1]))
    return LabelMatrix(made.tocsr().sorted_indices())


def training_sets(Y: LabelMatrix, quotas: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Yield, for each label, the samples its classifier is fitted on, their class, the new ones.

    Samples whose label is unknown are left out; synthetic ones are numbered behind those of Y.
    """
    n_samples, n_labels = Y.shape
    ends = n_samples + np.concatenate([[0], np.cumsum(quotas)])
    samples_of, made_class = carriers(Y.positives, np.arange(n_labels)), minority_class(Y)
    hidden = None if Y.unknown is None else carriers(Y.unknown, np.arange(n_labels))
    for label in range(n_labels):
        own = np.arange(ends[label], ends[label + 1])
        classes = np.zeros(n_samples, dtype=np.int8)
        classes[samples_of[label]] = 1
        known = np.ones(n_samples, dtype=bool)
        if hidden is not None:
            known[hidden[label]] = False
        samples = np.flatnonzero(known)
        made = np.full(own.size, made_class[label], dtype=np.int8)
        yield np.concatenate([samples, own]), np.concatenate([classes[samples], made]), own


def predictions(
    classifier: Any, points: Matrix, fitting: Array, target: Array, n_samples: int
) -> Array:
    """Predict one label of the synthetic samples; a label with one class is that class."""
    new = points[n_samples:]
    if not target.size or target.min() == target.max():
        return np.full(new.shape[0], bool(target.any()))
    fitted = clone(classifier).fit(points[fitting], target)
    return np.asarray(fitted.predict(new)).astype(bool)
