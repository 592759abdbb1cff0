"""Base classes of samplers: derived classes implement one private method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from rarelabels._containers import AddedSamples, Array, Matrix
from rarelabels._distances import EUCLIDEAN, takes_missing_values
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
from rarelabels._parameter_docs import shared_parameters
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
        Their features, as numbers like those of `Features.matrix`.
    labels : LabelMatrix, or (m, q) array or sparse matrix of 0, 1 and NaN for unknown
        Their labels.
    grown_from : (m,) ndarray
        The input sample from which each one was generated.

    Examples
    --------
    A sampler that adds the mean of all samples, with the labels of the first:

    >>> import numpy as np
    >>> from rarelabels.base import BaseSampler, Resample, Synthetic
    >>> class WithMean(BaseSampler):
    ...     def _resample(self, X, Y, rng):
    ...         mean = Synthetic(X.matrix.mean(axis=0)[None], Y.take([0]), np.array([0]))
    ...         return Resample(kept=np.arange(Y.shape[0]), synthetic=mean)
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
    """Result of a sampler: the output is `kept`, then `clones`, then `synthetic`.

    Parameters
    ----------
    kept : (m,) ndarray
        Input samples to keep, in the order of the output.
    clones : (c,) ndarray
        Input samples to repeat.
    synthetic : Synthetic, optional
        Samples that are not in the input.
    labels : LabelMatrix, or (m + c, q) array or sparse matrix, optional
        The labels of kept samples and clones, if they differ from those of the input.
    """

    kept: Array
    clones: Array = field(default_factory=_no_samples)
    synthetic: Synthetic | None = None
    labels: LabelMatrix | Matrix | None = None

    @property
    def copied(self) -> Array:
        """Input samples that are part of the output."""
        return np.concatenate([self.kept, self.clones]).astype(np.intp, copy=False)


class SamplerMemory(DocumentationLinkMixin, BaseEstimator):
    """Attributes that every sampler sets in a call, and its scikit-learn tags."""

    @shared_parameters
    def fit(self, X: Any, y: Any) -> Self:
        """Resample the data, and set the attributes without returning the samples.

        This is for tools that call `fit` of every estimator; `fit_resample` returns the samples.

        Parameters
        ----------
        {X}
        {y, or label sets}

        Returns
        -------
        sampler
            The sampler itself.
        """
        self.fit_resample(X, y)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Resample the data; implemented by every sampler."""
        raise NotImplementedError

    def _remember(self, features: Features, labels: Labels, resample: Resample) -> None:
        copied, synthetic = resample.copied, resample.synthetic
        origins = _no_samples() if synthetic is None else synthetic.grown_from
        self.sample_indices_ = np.concatenate([copied, origins]).astype(np.intp, copy=False)
        self.is_synthetic_ = np.arange(self.sample_indices_.size) >= copied.size
        self.n_features_in_ = features.container.shape[1]
        self.n_labels_in_ = labels.values.shape[1]
        names = features.container.names
        if names is not None and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    # Whether the sampler supports missing values in the features that it reads as numbers.
    _takes_missing_values = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        metric = getattr(self, "metric", EUCLIDEAN.name)
        tags.input_tags.allow_nan = self._takes_missing_values and takes_missing_values(metric)
        # A sampler that does not use the features accepts any: it has no parameter for categories.
        tags.input_tags.string = "categorical_features" not in self.get_params(deep=False)
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


@shared_parameters
class BaseSampler(SamplerMemory, ABC):
    """Base of all samplers.

    The constructor of a sampler stores its parameters, and `_resample` implements the method. This
    class does everything else: checks, containers, names, dtypes, seeds and attributes.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_samples_new,)
        Index of the input sample that each output sample is or was generated from.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        Which samples are synthetic; a clone is not.
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    rarelabels.testing.check_sampler : Check that a sampler follows the contract.

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

    # Whether the sampler searches `n_neighbors` among all samples of X, so that several samplers
    # can share one search through their parameter `neighbors`.
    _shares_neighbors = False
    # Whether X may be a Dask collection: `_resample` only uses `grow` and feature spaces.
    _works_on_blocks = False

    @shared_parameters
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Resample the data.

        Parameters
        ----------
        {X}
        {y, or label sets}

        Returns
        -------
        X_resampled, y_resampled
            The resampled data in the containers of X and y; Dask collections if the sampler
            supports them (MLSOL, MLUL, MLSMOTE, MLROS, MLRUS, REMEDIAL). A row of a pandas
            dataframe keeps its label in the index; clones and synthetic samples get new consecutive
            labels. ``sample_indices_`` has their origin. Synthetic values of integer, boolean and
            time columns of a dataframe are rounded to valid values.
        """
        return self._resample_checked(*self._check(X, y))

    def _check(self, X: Any, y: Any) -> tuple[Features, Labels]:
        """Check X and y with the parameters of the sampler."""
        return check_pair(
            X,
            y,
            categorical_features=getattr(self, "categorical_features", None),
            allow_missing_labels=getattr(self, "allow_missing_labels", False),
            works_on_blocks=self._works_on_blocks,
        )

    def _resample_checked(self, features: Features, labels: Labels) -> tuple[Any, Any]:
        """Resample the data that `_check` returned, which several samplers may share."""
        _warn_single_class(labels)
        rng = as_generator(getattr(self, "random_state", None))
        resample = self._resample(features, labels.values, rng)
        self._remember(features, labels, resample)
        values = None if resample.synthetic is None else resample.synthetic.values
        return features.stack(resample.copied, values), _resampled_labels(labels, resample)

    @abstractmethod
    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        """Determine the output.

        Parameters
        ----------
        X : Features
            ``X.matrix`` has the numbers, which are checked on first access. A sampler that does not
            access them supports features of any type.
        Y : LabelMatrix of shape (n_samples, n_labels)
            The labels: ``Y.positives`` is their CSR indicator, and ``Y.unknown`` is the indicator
            of unknown labels, or None if all are known. Labels can be unknown only if the sampler
            has a parameter `allow_missing_labels`.
        rng : Generator
            The only source of randomness.
        """


class NeighborSampler(BaseSampler):
    """Base of the samplers that use the neighbors of all samples.

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

    @shared_parameters
    def fit_resample(self, X: Any, y: Any, *, groups: Any = None) -> tuple[Any, Any]:
        """Resample the data.

        Parameters
        ----------
        {X}
        {y, or label sets}
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, for example a patient. Only samples of other groups are then
            neighbors, as in :func:`rarelabels.find_neighbors`. If None, all samples can be
            neighbors. The group of a resampled sample is ``groups[sample_indices_]``.

        Returns
        -------
        X_resampled, y_resampled
            See :meth:`rarelabels.base.BaseSampler.fit_resample`.
        """
        if groups is None:
            return super().fit_resample(X, y)
        given = self.neighbors
        check_not_found_before(given, type(self).__name__, "among samples of other groups")
        neighbors = find_neighbors(
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
            self.neighbors = neighbors
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


def _resampled_labels(labels: Labels, resample: Resample) -> Any:
    copied, parts = resample.copied, []
    if resample.labels is not None:
        copied, parts = _no_samples(), [resample.labels]
    if resample.synthetic is not None:
        parts.append(resample.synthetic.labels)
    if not parts:
        return labels.container.stack(copied)
    seen_before = np.ones(labels.values.shape[1], dtype=bool)
    values = [LabelMatrix.of(part).with_nan() for part in parts]
    new = AddedSamples(sparse.vstack(values, format="csr"), exact=seen_before, sources={})
    return labels.container.stack(copied, new, grown_from=resample.copied)
