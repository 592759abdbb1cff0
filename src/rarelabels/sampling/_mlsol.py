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
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import samples_to_add, warn
from rarelabels.base import NeighborSampler, Resample, Synthetic
from rarelabels.sampling._draw import draw_with_replacement
from rarelabels.sampling._interpolation import interpolate

# Samples are generated in parts that fit in the CPU cache.
ENTRIES_PER_PART = 2**14
# Distance up to which a minority sample passes on its class, as a fraction of the distance
# between seed and reference.
REACH = np.empty(4)
REACH[LabelType.SAFE] = 0.5
REACH[LabelType.BORDERLINE] = 0.75
REACH[LabelType.RARE] = np.inf
REACH[LabelType.OUTLIER] = -np.inf


@shared_parameters
class MLSOL(NeighborSampler):
    """Multi-label synthetic oversampling based on local label imbalance.

    Synthetic samples are added after the original ones. A sample is drawn as a seed more often if
    its neighborhood is harder for the minority classes it belongs to. A reference is drawn from the
    neighbors of the seed, and the synthetic sample lies between the two. If they differ in a label,
    the one in the minority class passes it on up to a distance that depends on its type: a safe
    sample half of the way, a borderline sample three quarters, a rare sample all of the way, and an
    outlier not at all.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.3
        How many samples to add: a fraction of the samples (float) or a number (int).
    {n_neighbors}
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    {random_state}
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label, which is left out of counts and comparisons. A
        synthetic sample takes the value of the parent in which the label is known. If False, NaN in
        y is an error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        Difficulty w of each input sample. The probability of a sample to be drawn as a seed is
        proportional to it.
    {sample_indices_, then synthetic}
    {is_synthetic_}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLUL : The counterpart that removes samples.

    Notes
    -----
    This implementation differs from the paper's code, but not from its text: a rare sample becomes
    borderline if it has a safe *or borderline* neighbor (the code requires a safe one). The paper
    does not mention categorical features; here a category is that of seed or reference with equal
    probability. If no sample is informative (every minority sample is an outlier or surrounded by
    its own class), the data is returned unchanged with a warning.

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

    _works_on_blocks = True

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
        neighbors = neighbors_in_space(space, self.n_neighbors, self.neighbors, self.n_jobs)
        local = local_imbalance_of(Y, neighbors)
        self.weights_ = local.weights
        if not self.weights_.any():
            warn(
                "no sample is informative (each minority sample is an outlier or surrounded by its "
                "own class), so MLSOL adds no samples."
            )
            return Resample(kept=samples)
        seeds = draw_with_replacement(self.weights_, n_new, rng)
        references = random_neighbors(neighbors, seeds, rng)
        values, place = create_features(X, space, seeds, references, rng)
        labels = create_labels(Y, local, seeds, references, place)
        return Resample(kept=samples, synthetic=Synthetic(values, labels, grown_from=seeds))


def random_neighbors(neighbors: Neighbors, samples: Array, rng: np.random.Generator) -> Array:
    """Draw one neighbor of each of the samples."""
    return neighbors.indices[samples, rng.integers(neighbors.n_neighbors, size=samples.size)]


def create_features(
    X: Features, space: FeatureSpace, seeds: Array, references: Array, rng: np.random.Generator
) -> tuple[Any, Array]:
    """Generate samples between seeds and references; return them and cd, their position."""
    # Distances of synthetic samples need the scale of the space, but not its samples.
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
    """Generate a sample between the two members of each row; return it with its position."""
    if sparse.issparse(numbers):
        return _some_between(scale, categorical, numbers, members, rng)
    values = np.empty((members.shape[0], numbers.shape[1]), dtype=numbers.dtype)
    place, step = np.empty(members.shape[0]), max(1, ENTRIES_PER_PART // numbers.shape[1])
    for start in range(0, members.shape[0], step):
        part = slice(start, start + step)
        samples = _some_between(scale, categorical, numbers, members[part], rng)
        values[part], place[part] = samples
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
    """Label synthetic samples with classes that both parents share or that one of them passes on.

    Only minority entries are needed: if both parents, or neither of them, have the minority class
    of a label, they agree. A label that is unknown in one parent is taken from the other.
    """
    reach = with_values(local.entries, REACH[local.types])
    of_seeds, of_references = reach[seeds], reach[references]
    minority = _pattern(of_seeds) * _pattern(of_references)
    minority += _reached(of_seeds, place) + _reached(of_references, 1 - place)
    unknown = None
    if local.unknown is not None:
        unknown_in_seeds, unknown_in_references = (
            local.unknown[samples].astype(bool) for samples in (seeds, references)
        )
        minority += (
            _pattern(of_seeds) * unknown_in_references + _pattern(of_references) * unknown_in_seeds
        )
        unknown = (unknown_in_seeds * unknown_in_references).astype(np.int8)
    minority_labels = LabelMatrix(minority.tocsr().sorted_indices().astype(np.int8), unknown)
    return flip_labels(minority_labels, np.flatnonzero(minority_class(Y) == 0))


def _pattern(matrix: sparse.csr_array) -> sparse.csr_array:
    return with_values(matrix, np.ones(matrix.nnz, dtype=bool))


def _reached(reach: sparse.csr_array, place: Array) -> sparse.csr_array:
    """Return the entries whose reach is at least the position of the sample."""
    reached = with_values(reach, place[row_numbers(reach)] <= reach.data).copy()
    reached.eliminate_zeros()
    return reached
