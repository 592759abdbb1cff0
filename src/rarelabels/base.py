"""The sampler base class: one public method, one private method to write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from rarelabels._containers import AddedSamples, Array, Matrix
from rarelabels._documentation import DocumentationLinkMixin
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._local import known_counts, label_counts
from rarelabels._neighbors import (
    Neighbors,
    check_not_found_before,
    find_neighbors,
    local_neighbors,
)
from rarelabels._random import as_generator
from rarelabels._validation import check_pair, warn_constant

__all__ = [
    "BaseSampler",
    "Features",
    "LabelMatrix",
    "NeighborSampler",
    "Resample",
    "Synthetic",
]


def _no_samples() -> Array:
    return np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class Synthetic:
    """Synthetic samples.

    Parameters
    ----------
    values : (m, d) ndarray or csr_array
        Their features, in the numbers of `Features.matrix`.
    labels : LabelMatrix, or (m, q) array or sparse matrix of 0, 1 and NaN for unknown
        Their labels.
    grown_from : (m,) ndarray
        The input sample that each was made from.

    Examples
    --------
    A sampler that adds the mean of all samples, with the labels of the first:

    >>> import numpy as np
    >>> from rarelabels.base import BaseSampler, Resample, Synthetic
    >>> class WithMean(BaseSampler):
    ...     def _resample(self, X, Y, rng):
    ...         made = Synthetic(X.matrix.mean(axis=0)[None], Y.take([0]), np.array([0]))
    ...         return Resample(kept=np.arange(Y.shape[0]), synthetic=made)
    >>> WithMean().fit_resample(np.array([[1.0], [2.0]]), [[0, 1], [1, 0]])
    (array([[1. ],
           [2. ],
           [1.5]]), [[0, 1], [1, 0], [0, 1]])
    """

    values: Matrix
    labels: LabelMatrix | Matrix
    grown_from: Array


@dataclass(frozen=True)
class Resample:
    """What a sampler decided: the output is `kept`, then `clones`, then `synthetic`.

    Parameters
    ----------
    kept : (m,) ndarray
        Input samples that stay, in the order they come out.
    clones : (c,) ndarray
        Input samples to repeat.
    synthetic : Synthetic, optional
        Samples that were not in the input.
    labels : LabelMatrix, or (m + c, q) array or sparse matrix, optional
        The labels of kept samples and clones, where they are not those of the input.
    """

    kept: Array
    clones: Array = field(default_factory=_no_samples)
    synthetic: Synthetic | None = None
    labels: LabelMatrix | Matrix | None = None

    @property
    def copied(self) -> Array:
        """Input samples that come out as they went in."""
        return np.concatenate([self.kept, self.clones]).astype(np.intp, copy=False)


class SamplerMemory(DocumentationLinkMixin, BaseEstimator):
    """What every sampler remembers of a call, and tells scikit-learn of itself."""

    def fit(self, X: Any, y: Any) -> Self:
        """Resample the data and keep only what is remembered of it.

        For tools that call every estimator's `fit`; the samples come from `fit_resample`.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has.

        Returns
        -------
        sampler
            The sampler itself.
        """
        self.fit_resample(X, y)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Resample the data; every sampler has its own way."""
        raise NotImplementedError

    def _remember(self, features: Features, labels: Labels, made: Resample) -> None:
        grown = made.synthetic.grown_from if made.synthetic is not None else _no_samples()
        self.sample_indices_ = np.concatenate([made.copied, grown]).astype(np.intp, copy=False)
        self.is_synthetic_ = np.arange(self.sample_indices_.size) >= made.copied.size
        self.n_features_in_ = features.container.shape[1]
        self.n_labels_in_ = labels.values.shape[1]
        names = features.container.names
        if names is not None and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    # Whether features may be missing: of itself only where the sampler asks for them as numbers.
    _takes_missing_values = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        is_euclidean = getattr(self, "metric", "euclidean") == "euclidean"
        tags.input_tags.allow_nan = self._takes_missing_values and is_euclidean
        # A sampler that never looks at the features takes any: it has no categories to name.
        tags.input_tags.string = "categorical_features" not in self.get_params(deep=False)
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class BaseSampler(SamplerMemory, ABC):
    """Base of all samplers.

    A sampler's constructor stores its parameters and `_resample` does its work; everything around
    it (checks, containers, names, dtypes, seeds, what is remembered) is done here.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_samples_new,)
        For each sample that came out the input sample it is, or grew from.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        Which samples are synthetic; a clone is not.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.

    See Also
    --------
    rarelabels.testing.check_sampler : Checks that a sampler keeps the contract.

    Examples
    --------
    A sampler that repeats every sample:

    >>> import numpy as np
    >>> from rarelabels.base import BaseSampler, Resample
    >>> class Twice(BaseSampler):
    ...     def _resample(self, X, Y, rng):
    ...         samples = np.arange(Y.shape[0])
    ...         return Resample(kept=samples, clones=samples)
    >>> X_new, y_new = Twice().fit_resample([[1.0], [2.0]], [[0, 1], [1, 0]])
    >>> X_new
    [[1.0], [2.0], [1.0], [2.0]]
    """

    # Whether the sampler searches its `n_neighbors` among all samples of the X it is given, so that
    # several of them can share one search through their parameter `neighbors`.
    _shares_neighbors = False
    # Whether X may be a Dask collection: `_resample` asks for no more of it than `grow` and spaces.
    _supports_dask = False

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Resample the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has.

        Returns
        -------
        X_resampled, y_resampled
            In the containers that X and y came in, Dask collections where the sampler takes them
            (MLSOL, MLUL, MLSMOTE, MLROS, MLRUS, REMEDIAL). A row of a pandas dataframe keeps its
            label in the index; clones and synthetic samples are numbered on. ``sample_indices_``
            tells where they come from. Synthetic values of a dataframe's columns of integers,
            booleans and points in time are rounded to what such a column holds.
        """
        features, labels = check_pair(
            X,
            y,
            categorical_features=getattr(self, "categorical_features", None),
            allow_missing_labels=getattr(self, "allow_missing_labels", False),
            supports_dask=self._supports_dask,
        )
        rng = as_generator(getattr(self, "random_state", None))
        made = self._resample(features, labels.values, rng)
        _warn_single_class(labels)
        self._remember(features, labels, made)
        values = None if made.synthetic is None else made.synthetic.values
        return features.stack(made.copied, values), _resampled_labels(labels, made)

    @abstractmethod
    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        """Decide what comes out.

        Parameters
        ----------
        X : Features
            ``X.matrix`` gives the numbers, checked when they are first read; a sampler that never
            reads them takes features of any kind.
        Y : LabelMatrix of shape (n_samples, n_labels)
            The labels: ``Y.positives`` is their CSR indicator, ``Y.unknown`` that of the labels
            that are not known, None where all are. Some can be unknown only if the sampler has a
            parameter `allow_missing_labels`.
        rng : Generator
            The only source of randomness.
        """


class NeighborSampler(BaseSampler):
    """Base of the samplers that look at the neighbors of all samples.

    They have the parameters `n_neighbors`, `scale_features`, `categorical_features`, `neighbors`,
    `n_jobs` and perhaps `metric` of :func:`rarelabels.find_neighbors`.

    Examples
    --------
    A sampler that keeps the samples that are the nearest neighbor of another:

    >>> import numpy as np
    >>> from rarelabels.base import NeighborSampler, Resample
    >>> class Popular(NeighborSampler):
    ...     n_neighbors, scale_features, neighbors, n_jobs = 1, True, None, None
    ...     def _resample(self, X, Y, rng):
    ...         return Resample(kept=np.unique(self._find_neighbors(X).indices))
    >>> Popular().fit_resample([[0.0], [1.0], [5.0]], [[0], [1], [0]])[0]
    [[0.0], [1.0]]
    """

    neighbors: Any

    _shares_neighbors = True
    _takes_missing_values = True

    def fit_resample(self, X: Any, y: Any, *, groups: Any = None) -> tuple[Any, Any]:
        """Resample the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, for instance a patient. Only samples of other groups are
            then neighbors, as in :func:`rarelabels.find_neighbors`. None: all samples can be
            neighbors. The group of a resampled sample is ``groups[sample_indices_]``.

        Returns
        -------
        X_resampled, y_resampled
            As in :meth:`BaseSampler.fit_resample`.
        """
        if groups is None:
            return super().fit_resample(X, y)
        given = self.neighbors
        check_not_found_before(given, type(self).__name__, "among samples of other groups")
        found = find_neighbors(
            X,
            n_neighbors=self.n_neighbors,
            scale_features=self.scale_features,
            categorical_features=getattr(self, "categorical_features", None),
            metric=getattr(self, "metric", "euclidean"),
            neighbors=given,
            groups=groups,
            n_jobs=self.n_jobs,
        )
        try:
            self.neighbors = found
            return super().fit_resample(X, y)
        finally:
            self.neighbors = given

    def _find_neighbors(self, X: Features) -> Neighbors:
        return local_neighbors(
            X,
            n_neighbors=self.n_neighbors,
            scale_features=self.scale_features,
            metric=getattr(self, "metric", "euclidean"),
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
        )


def _warn_single_class(labels: Labels) -> None:
    counts = label_counts(labels.values.positives)
    is_constant = (counts == 0) | (counts == known_counts(labels.values))
    warn_constant(labels.names, is_constant, "a single class", "left out of the resampling")


def _resampled_labels(labels: Labels, made: Resample) -> Any:
    copied, parts = made.copied, []
    if made.labels is not None:
        copied, parts = _no_samples(), [made.labels]
    if made.synthetic is not None:
        parts.append(made.synthetic.labels)
    if not parts:
        return labels.container.stack(copied)
    seen_before = np.ones(labels.values.shape[1], dtype=bool)
    values = [LabelMatrix.of(part).with_nan() for part in parts]
    new = AddedSamples(sparse.vstack(values, format="csr"), exact=seen_before, sources={})
    return labels.container.stack(copied, new, grown_from=made.copied)
