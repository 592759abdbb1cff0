"""MLSOL: synthetic samples where labels are locally imbalanced."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import (
    LabelType,
    LocalImbalance,
    flip_labels,
    local_imbalance_of,
    minority_class,
    row_numbers,
    with_values,
)
from rarelabels._neighbors import FeatureSpace, Neighbors, feature_space, neighbors_in_space
from rarelabels._validation import samples_to_add, warn
from rarelabels.base import NeighborSampler, Resample, Synthetic
from rarelabels.sampling._draw import draw_with_replacement
from rarelabels.sampling._interpolation import interpolate

# Samples are made in parts that stay in the cache.
ENTRIES_PER_PART = 2**14
# How far from a minority sample, as a share of the way to the other, its class still reaches.
REACH = np.empty(4)
REACH[LabelType.SAFE] = 0.5
REACH[LabelType.BORDERLINE] = 0.75
REACH[LabelType.RARE] = np.inf
REACH[LabelType.OUTLIER] = -np.inf


class MLSOL(NeighborSampler):
    """Multi-label synthetic oversampling based on local label imbalance.

    Adds samples after the originals. A seed is drawn the more often, the harder its neighbourhood
    is for the minority classes it holds; a reference is drawn from its neighbours; the new sample
    lies between the two. Where they differ in a label, the one that holds its minority class passes
    it on as far as its type allows: a safe sample half of the way, a borderline one three quarters,
    a rare one all of it, an outlier not at all.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.3
        Samples to add: a share of the samples (float) or their number (int).
    n_neighbors : int, default=5
        Neighbours of each sample.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws. The same seed gives the same samples for any `n_jobs`.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of counts and comparisons, or
        an error. A new sample takes the value of whichever parent knows it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        Difficulty w of each input sample, to which its chance as a seed is proportional.
    sample_indices_ : ndarray of shape (n_samples_new,)
        For each sample that came out the input sample it is; for a new one its seed.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        Which samples are new.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.

    See Also
    --------
    MLUL : Its twin, which removes samples.

    Notes
    -----
    Departures from the paper's code, not from its text: a rare sample becomes borderline for a safe
    *or borderline* neighbour (the code asks for a safe one), and categorical features, of which the
    paper says nothing, are a fair pick of seed and reference. If no sample is informative (every
    minority sample is an outlier, or surrounded by its like), the data comes out as it came, with a
    warning.

    References
    ----------
    Liu, Blekas and Tsoumakas, "Multi-Label Sampling based on Local Label Imbalance", Pattern
    Recognition 122, 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.sampling import MLSOL
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (X + rng.normal(size=(100, 2)) > 1.5).astype(int)
    >>> X_new, y_new = MLSOL(sampling_ratio=0.3, random_state=0).fit_resample(X, y)
    >>> X_new.shape, y.sum(axis=0), y_new.sum(axis=0)
    ((130, 2), array([ 8, 18]), array([23, 31]))
    """

    _supports_dask = True

    def __init__(
        self,
        *,
        sampling_ratio: float = 0.3,
        n_neighbors: int = 5,
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
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_new, samples = samples_to_add(self.sampling_ratio, X.n_samples), np.arange(X.n_samples)
        space = feature_space(X, scale_features=self.scale_features, metric=self.metric)
        found = neighbors_in_space(space, self.n_neighbors, self.neighbors, self.n_jobs)
        local = local_imbalance_of(Y, found)
        self.weights_ = local.weights
        if not self.weights_.any():
            warn(
                "no sample is informative (each minority sample is an outlier or among its like), "
                "so MLSOL adds nothing."
            )
            return Resample(kept=samples)
        seeds = draw_with_replacement(self.weights_, n_new, rng)
        references = random_neighbors(found, seeds, rng)
        values, place = create_features(X, space, seeds, references, rng)
        labels = create_labels(Y, local, seeds, references, place)
        return Resample(kept=samples, synthetic=Synthetic(values, labels, grown_from=seeds))


def random_neighbors(neighbors: Neighbors, samples: Array, rng: np.random.Generator) -> Array:
    """Draw one neighbour of each of the samples."""
    return neighbors.indices[samples, rng.integers(neighbors.n_neighbors, size=samples.size)]


def create_features(
    X: Features, space: FeatureSpace, seeds: Array, references: Array, rng: np.random.Generator
) -> tuple[Any, Array]:
    """Make samples between seeds and references; return them and cd, their place on the way."""
    # Distances of synthetic samples need the scale of the space, and none of its samples.
    scale = space.take(np.empty(0, dtype=np.intp))
    make = partial(samples_between, scale, X.categorical)
    return X.grow(make, np.column_stack([seeds, references]), rng)


def samples_between(
    scale: FeatureSpace,
    categorical: Array,
    numbers: Matrix,
    members: Array,
    rng: np.random.Generator,
) -> tuple[Matrix, Array]:
    """Make a sample between the two members of each row, and say how far on the way it lies."""
    if sparse.issparse(numbers):
        return _some_between(scale, categorical, numbers, members, rng)
    values = np.empty((members.shape[0], numbers.shape[1]), dtype=numbers.dtype)
    place, step = np.empty(members.shape[0]), max(1, ENTRIES_PER_PART // numbers.shape[1])
    for start in range(0, members.shape[0], step):
        part = slice(start, start + step)
        made = _some_between(scale, categorical, numbers, members[part], rng)
        values[part], place[part] = made
    return values, place


def _some_between(
    scale: FeatureSpace,
    categorical: Array,
    numbers: Matrix,
    members: Array,
    rng: np.random.Generator,
) -> tuple[Matrix, Array]:
    start, end = numbers[members[:, 0]], numbers[members[:, 1]]
    values = interpolate(start, end, categorical, rng)
    from_seed = scale.distances_between(values, start)
    total = from_seed + scale.distances_between(values, end)
    return values, np.divide(from_seed, total, out=np.full(total.size, 0.5), where=total > 0)


def create_labels(
    Y: LabelMatrix, local: LocalImbalance, seeds: Array, references: Array, place: Array
) -> LabelMatrix:
    """Label the samples made between seeds and references: what both hold, and what reaches there.

    All of it is done on the minority entries: a label that both or none of the two hold in its
    minority class is equal in them. A label that is unknown in one of them is as in the other.
    """
    reach = with_values(local.entries, REACH[local.types])
    of_seeds, of_references = reach[seeds], reach[references]
    minority = _pattern(of_seeds) * _pattern(of_references)
    minority += _reached(of_seeds, place) + _reached(of_references, 1 - place)
    unknown = None
    if local.unknown is not None:
        not_seeds, not_references = (
            local.unknown[samples].astype(bool) for samples in (seeds, references)
        )
        minority += _pattern(of_seeds) * not_references + _pattern(of_references) * not_seeds
        unknown = (not_seeds * not_references).astype(np.int8)
    made = LabelMatrix(minority.tocsr().sorted_indices().astype(np.int8), unknown)
    return flip_labels(made, np.flatnonzero(minority_class(Y) == 0))


def _pattern(matrix: sparse.csr_array) -> sparse.csr_array:
    return with_values(matrix, np.ones(matrix.nnz, dtype=bool))


def _reached(reach: sparse.csr_array, place: Array) -> sparse.csr_array:
    """Return the entries whose reach goes at least as far as the sample's place."""
    reached = with_values(reach, place[row_numbers(reach)] <= reach.data).copy()
    reached.eliminate_zeros()
    return reached
