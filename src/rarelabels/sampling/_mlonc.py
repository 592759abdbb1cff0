"""MLONC: synthetic samples between natural neighbors that share a rare label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import known_counts
from rarelabels._neighbors import (
    FeatureSpace,
    Neighbors,
    check_not_found_before,
    feature_space,
    neighbors_in_space,
)
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import samples_to_add, warn
from rarelabels.base import BaseSampler, Resample, Synthetic
from rarelabels.sampling._interpolation import interpolate
from rarelabels.sampling._label_groups import carriers, label_groups

# Number of neighbors in the first search, which is doubled until it is large enough.
FIRST_WIDTH = 16
# A quota that should be a whole number may be smaller by the last bit.
ROUNDING = 1e-9


@shared_parameters
class MLONC(BaseSampler):
    """Multi-label oversampling with natural neighbors and label correlation.

    For each minority label (IRLbl above the mean, MeanIR), *natural neighbors* are found among the
    samples that carry it. These are pairs of samples that are mutually among their k nearest
    neighbors, for the k at which no further sample becomes a neighbor of another. A synthetic
    sample lies between a seed and one of its natural neighbors. Seeds take turns, starting with
    those that have the fewest natural neighbors. Samples without natural neighbors are considered
    noise and never used. A label in which the two parents differ follows the label with which it
    occurs most often.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.3
        How many samples to add: a fraction of the samples (float) or a number (int). They are
        divided among the minority labels in proportion to their ImR and rounded down. A label with
        a single carrier, or without natural neighbors, gets no samples.
    scale_features, categorical_features, metric, neighbors, n_jobs
        See :func:`rarelabels.find_neighbors`. `neighbors` may be a search, but not precomputed
        neighbors, because those are neighbors among all samples.
    {random_state}
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label, which is left out of counts and comparisons. A
        synthetic sample takes the value of the parent in which the label is known. If False, NaN in
        y is an error.

    Attributes
    ----------
    related_labels_ : ndarray of shape (n_labels,)
        The label with which each label occurs most often, or the label itself if it occurs with
        no other.
    quotas_ : dict of int to int
        Number of samples to generate for each minority label.
    natural_neighbors_ : dict of int to NaturalNeighbors
        The natural neighbors among the carriers of each minority label that has at least two:
        ``natural_neighbors_[label].of(i)`` returns those of sample i, nearest first.
    {sample_indices_, then synthetic}
    {is_synthetic_}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLSMOTE : Synthetic samples between carriers of a minority label, with a fixed k.
    LSDMLO : A method by some of the same authors, with a separate distance for each label.

    Notes
    -----
    This implementation follows a description of the released code, because the text of the paper
    was not available. The code passes the quota of a label without natural neighbors on to the next
    label; here it is dropped. Distances are those of :func:`rarelabels.find_neighbors`: features
    are rescaled, while the code does not scale them (``scale_features=False``), and differing
    categories have a distance of 1. A category of a synthetic sample is that of either parent with
    equal probability, while the code takes that of the seed. Synthetic samples tend to carry more
    labels than others, because a label in which the parents differ often follows a frequent one.

    References
    ----------
    Liu, Zhou, Wei, Wang and Tsoumakas, "Oversampling multi-label data based on natural neighbor
    and label correlation", Expert Systems with Applications, 2024, 125257.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.sampling import MLONC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (X + rng.normal(size=(100, 2)) > 1.5).astype(int)
    >>> X_new, y_new = MLONC(sampling_ratio=0.3, random_state=0).fit_resample(X, y)
    >>> X_new.shape, y.sum(axis=0), y_new.sum(axis=0)
    ((130, 2), array([ 8, 18]), array([38, 33]))
    """

    _takes_missing_values = True

    def __init__(
        self,
        *,
        sampling_ratio: float = 0.3,
        scale_features: bool = True,
        categorical_features: Any = "auto",
        metric: str = "euclidean",
        neighbors: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.sampling_ratio = sampling_ratio
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        samples, n_new = np.arange(X.n_samples), samples_to_add(self.sampling_ratio, X.n_samples)
        self.related_labels_ = most_related_labels(Y.positives)
        self.quotas_ = label_quotas(Y, n_new)
        self.natural_neighbors_ = self._natural_neighbors(X, Y.positives)
        parents = [
            seeds_and_references(self.natural_neighbors_[label], quota, rng)
            for label, quota in self.quotas_.items()
            if label in self.natural_neighbors_
        ]
        seeds, references = (
            np.concatenate([samples[:0], *[pair[side] for pair in parents]]) for side in (0, 1)
        )
        if not seeds.size:
            if n_new:
                warn(
                    "no minority label has both natural neighbors and a quota of samples to add, "
                    "so MLONC adds no samples."
                )
            return Resample(kept=samples)
        values = interpolate(X.numbers[seeds], X.numbers[references], X.categorical, rng)
        labels = correlated_labels(Y, seeds, references, self.related_labels_)
        return Resample(kept=samples, synthetic=Synthetic(values, labels, grown_from=seeds))

    def _natural_neighbors(self, X: Features, Y: sparse.csr_array) -> dict[int, NaturalNeighbors]:
        """Find the natural neighbors of each minority label among its carriers."""
        how = "among the samples of one label at a time"
        check_not_found_before(self.neighbors, "MLONC", how)
        groups = carriers(Y, np.array(list(self.quotas_), dtype=np.intp))
        groups = {label: samples for label, samples in groups.items() if samples.size > 1}
        if not groups:
            return {}
        space = feature_space(X, scale_features=self.scale_features, metric=self.metric)
        return {
            label: natural_neighbors_among(space, samples, self.neighbors, self.n_jobs)
            for label, samples in groups.items()
        }


def most_related_labels(Y: sparse.csr_array) -> Array:
    """Return the label with which each label occurs most often, or itself if there is none.

    A tie goes to the label that occurs first in the samples; within a sample, to the lowest label.
    """
    together = (Y.T @ Y.astype(np.int32)).tocsr()
    together.setdiag(0)
    together.eliminate_zeros()
    samples_of = carriers(Y, np.arange(Y.shape[1]))
    related = np.arange(Y.shape[1])
    is_candidate = np.zeros(Y.shape[1], dtype=bool)
    for label in np.flatnonzero(np.diff(together.indptr)).tolist():
        span = slice(together.indptr[label], together.indptr[label + 1])
        labels, counts = together.indices[span], together.data[span]
        best = labels[counts == counts.max()]
        is_candidate[best] = True
        labels_met = Y[samples_of[label]].indices if best.size > 1 else best
        related[label] = labels_met[is_candidate[labels_met].argmax()]
        is_candidate[best] = False
    return related


def label_quotas(Y: LabelMatrix, n_new: int) -> dict[int, int]:
    """Divide an amount among the minority labels in proportion to their ImR, rounded down."""
    groups = label_groups(Y.positives)
    minority = np.flatnonzero(groups.is_minority)
    positive = groups.counts[minority]
    negative = known_counts(Y)[minority] - positive
    smaller = np.minimum(positive, negative)
    # A label without negatives has a single class and gets no samples.
    ratios = np.maximum(positive, negative) / np.maximum(smaller, 1) * (smaller > 0)
    quotas = (ratios * n_new / max(ratios.sum(), 1) + ROUNDING).astype(int)
    return dict(zip(minority.tolist(), quotas.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class NaturalNeighbors:
    """Natural neighbors among the samples that carry a label.

    Attributes
    ----------
    samples : (m,) ndarray
        The samples, in ascending order.
    ranks : (m, m) csr_array
        Rank of each natural neighbor: 1 for the nearest, 2 for the next and so on. Rows and columns
        are positions in `samples`.
    """

    samples: Array
    ranks: sparse.csr_array

    def of(self, sample: int) -> Array:
        """Return the natural neighbors of a sample, nearest first."""
        place = np.searchsorted(self.samples, sample)
        span = slice(self.ranks.indptr[place], self.ranks.indptr[place + 1])
        return self.samples[self.ranks.indices[span][np.argsort(self.ranks.data[span])]]


def natural_neighbors_among(
    space: FeatureSpace, samples: Array, neighbors: Any = None, n_jobs: int | None = None
) -> NaturalNeighbors:
    """Find the natural neighbors of samples among themselves."""
    part = space.take(samples)
    most = samples.size - 1
    width = min(FIRST_WIDTH, most)
    while True:
        nearest = neighbors_in_space(part, width, neighbors, n_jobs).indices
        size = natural_size(nearest)
        if size is not None or width == most:
            break
        width = min(2 * width, most)
    return NaturalNeighbors(samples, mutual_neighbors(nearest[:, : size or most]))


def natural_size(nearest: Array) -> int | None:
    """Return the first k ≥ 2 at which no sample becomes a neighbor for the first time.

    Return None if there is no such k up to the number of neighbors given.
    """
    n_samples, width = nearest.shape
    first = np.full(n_samples, width)
    np.minimum.at(first, nearest.ravel(), np.tile(np.arange(width), n_samples))
    newcomers = np.bincount(first, minlength=width + 1)[1:width]
    return int(np.argmin(newcomers)) + 2 if newcomers.size and newcomers.min() == 0 else None


def mutual_neighbors(nearest: Array) -> sparse.csr_array:
    """Return the ranks, from 1, of samples that are each other's neighbors."""
    n_samples, width = nearest.shape
    ranks = np.tile(np.arange(1, width + 1), n_samples)
    ends = np.arange(n_samples + 1) * width
    shape = (n_samples, n_samples)
    ranked = sparse.csr_array((ranks, nearest.ravel(), ends), shape=shape)
    is_neighbor = Neighbors(nearest).adjacency()
    return ranked.multiply(is_neighbor.T).tocsr()


def seeds_and_references(
    natural: NaturalNeighbors, n_new: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw seeds in turn among the samples with natural neighbors, and a neighbor for each."""
    ranks = natural.ranks
    sizes = np.diff(ranks.indptr)
    turns = np.flatnonzero(sizes)[np.argsort(sizes[sizes > 0], kind="stable")]
    places = np.resize(turns, n_new if turns.size else 0)
    entries = ranks.indptr[places] + rng.integers(sizes[places])
    return natural.samples[places], natural.samples[ranks.indices[entries]]


def correlated_labels(
    Y: LabelMatrix, seeds: Array, references: Array, related: Array
) -> LabelMatrix:
    """Label synthetic samples with what both parents carry and what the related labels support.

    Labels are decided in their order. If only one parent carries a label, the new sample gets it if
    the seed carries the related label, or if the new sample already has it. If a label is unknown
    in one parent, the other decides.
    """
    seed_labels, reference_labels = (
        Y.positives[samples].tocsc() for samples in (seeds, references)
    )
    unknown = Y.unknown
    unknown_parts = (
        None if unknown is None else tuple(unknown[samples] for samples in (seeds, references))
    )
    unknown_columns = (
        None if unknown_parts is None else tuple(part.tocsc() for part in unknown_parts)
    )
    columns: list[Array] = []
    for label, related_label in enumerate(related.tolist()):
        supported = _column(seed_labels, related_label)
        if related_label < label:
            supported = np.union1d(supported, columns[related_label])
        in_seed, in_reference = _column(seed_labels, label), _column(reference_labels, label)
        if unknown_columns is not None:
            # A label that is unknown in one parent is taken from the other, so they do not differ.
            in_seed, in_reference = (
                np.union1d(
                    in_seed, np.intersect1d(_column(unknown_columns[0], label), in_reference)
                ),
                np.union1d(
                    in_reference, np.intersect1d(_column(unknown_columns[1], label), in_seed)
                ),
            )
        disputed = np.setxor1d(in_seed, in_reference, assume_unique=True)
        accepted = np.intersect1d(disputed, supported, assume_unique=True)
        columns.append(
            np.union1d(np.intersect1d(in_seed, in_reference, assume_unique=True), accepted)
        )
    labels = _from_columns(columns, seeds.size, np.int8)
    return LabelMatrix(
        labels,
        None if unknown_parts is None else unknown_parts[0].multiply(unknown_parts[1]).tocsr(),
    )


def _column(matrix: sparse.csc_array, j: int) -> Array:
    return matrix.indices[matrix.indptr[j] : matrix.indptr[j + 1]]


def _from_columns(columns: list[Array], n_samples: int, dtype: Any) -> sparse.csr_array:
    ends = np.concatenate([[0], np.cumsum([column.size for column in columns])])
    rows = np.concatenate(columns)
    shape = (n_samples, len(columns))
    matrix = sparse.csc_array((np.ones(rows.size, dtype=dtype), rows, ends), shape=shape)
    return matrix.tocsr().sorted_indices()
