"""MLONC: synthetic samples between natural neighbours that share a rare label."""

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
from rarelabels._validation import samples_to_add, warn
from rarelabels.base import BaseSampler, Resample, Synthetic
from rarelabels.sampling._interpolation import interpolate
from rarelabels.sampling._label_groups import carriers, label_groups

# Neighbourhoods are searched this wide first, and twice as wide as often as that is too narrow.
FIRST_WIDTH = 16
# A share that should be whole may come out a last bit below.
ROUNDING = 1e-9


class MLONC(BaseSampler):
    """Multi-label oversampling with natural neighbours and label correlation.

    For each minority label (IRLbl above the mean, MeanIR) the samples that carry it are searched
    for *natural neighbours*: pairs that are mutually among their k nearest, for the k at which no
    further sample becomes a neighbour of another. A synthetic sample lies between a seed and one of
    its natural neighbours; seeds take turns, those with the fewest natural neighbours first, and
    samples without any are noise and never used. A label in which the two differ follows the label
    it most often occurs with.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.3
        Samples to add: a share of the samples (float) or their number (int). Each minority label
        gets a part in proportion to its ImR, rounded down; a label with a single carrier, or
        without natural neighbours, gets none.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`. `neighbors` may be a search, but no neighbours
        found before: those are of all samples.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws. The same seed gives the same samples for any `n_jobs`.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of counts and comparisons, or
        an error. A synthetic sample takes the value of whichever parent knows it.

    Attributes
    ----------
    related_labels_ : ndarray of shape (n_labels,)
        The label that each label most often occurs with; itself, if it occurs with none.
    quotas_ : dict of int to int
        Samples to make for each minority label.
    natural_neighbors_ : dict of int to NaturalNeighbors
        For each minority label with at least two carriers the natural neighbours among these:
        ``natural_neighbors_[label].of(i)`` are those of sample i, nearest first.
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
    MLSMOTE : Synthetic samples between carriers of a minority label, with a fixed k.
    LSDMLO : By the same authors, with distances of each label's own.

    Notes
    -----
    Written from a description of the released code, since the paper's text was not at hand. Where
    the code moves the quota of a label without natural neighbours on to the next, each label has
    its own here. Distances are those of the package (:func:`rarelabels.find_neighbors`): features
    rescaled, where the code takes them as they are (``scale_features=False``), and a category that
    differs counts 1; a category of a synthetic sample is a fair pick of the two parents, where the
    code takes the seed's. Synthetic samples tend to carry more labels than others, since a label in
    dispute often follows a frequent one.

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
                    "no minority label has natural neighbours and a part of the samples to add: "
                    "MLONC adds none."
                )
            return Resample(kept=samples)
        values = interpolate(X.numbers[seeds], X.numbers[references], X.categorical, rng)
        labels = correlated_labels(Y, seeds, references, self.related_labels_)
        return Resample(kept=samples, synthetic=Synthetic(values, labels, grown_from=seeds))

    def _natural_neighbors(self, X: Features, Y: sparse.csr_array) -> dict[int, NaturalNeighbors]:
        """Search the natural neighbours of each minority label among its carriers."""
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
    """Return the label that each label most often occurs with, itself if it occurs with none.

    Of several the one that is met first, from the first sample on; within a sample the lowest.
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
        held = Y[samples_of[label]].indices if best.size > 1 else best
        related[label] = held[is_candidate[held].argmax()]
        is_candidate[best] = False
    return related


def label_quotas(Y: LabelMatrix, n_new: int) -> dict[int, int]:
    """Divide an amount among the minority labels in proportion to their ImR, rounded down."""
    groups = label_groups(Y.positives)
    minority = np.flatnonzero(groups.is_minority)
    positive = groups.counts[minority]
    negative = known_counts(Y)[minority] - positive
    smaller = np.minimum(positive, negative)
    # A label that is never denied has a single class, which is left out.
    ratios = np.maximum(positive, negative) / np.maximum(smaller, 1) * (smaller > 0)
    quotas = (ratios * n_new / max(ratios.sum(), 1) + ROUNDING).astype(int)
    return dict(zip(minority.tolist(), quotas.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class NaturalNeighbors:
    """Samples that carry a label, and which of them are natural neighbours.

    Attributes
    ----------
    samples : (m,) ndarray
        The samples, in ascending order.
    ranks : (m, m) csr_array
        1 where the one is the nearest of the other, 2 for the next and so on, for those that are
        natural neighbours; places, not samples.
    """

    samples: Array
    ranks: sparse.csr_array

    def of(self, sample: int) -> Array:
        """Return the natural neighbours of a sample, nearest first."""
        place = np.searchsorted(self.samples, sample)
        span = slice(self.ranks.indptr[place], self.ranks.indptr[place + 1])
        return self.samples[self.ranks.indices[span][np.argsort(self.ranks.data[span])]]


def natural_neighbors_among(
    space: FeatureSpace, samples: Array, neighbors: Any = None, n_jobs: int | None = None
) -> NaturalNeighbors:
    """Find the natural neighbours of some samples among themselves."""
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
    """Return the first k ≥ 2 at which no sample becomes a neighbour for the first time.

    None if there is no such k in the width given.
    """
    n_samples, width = nearest.shape
    first = np.full(n_samples, width)
    np.minimum.at(first, nearest.ravel(), np.tile(np.arange(width), n_samples))
    newcomers = np.bincount(first, minlength=width + 1)[1:width]
    return int(np.argmin(newcomers)) + 2 if newcomers.size and newcomers.min() == 0 else None


def mutual_neighbors(nearest: Array) -> sparse.csr_array:
    """Return which samples are each other's neighbours, with their rank from 1 on."""
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
    """Draw a natural neighbour for each seed; samples that have any take turns as seeds."""
    ranks = natural.ranks
    sizes = np.diff(ranks.indptr)
    turns = np.flatnonzero(sizes)[np.argsort(sizes[sizes > 0], kind="stable")]
    places = np.resize(turns, n_new if turns.size else 0)
    drawn = ranks.indptr[places] + rng.integers(sizes[places])
    return natural.samples[places], natural.samples[ranks.indices[drawn]]


def correlated_labels(
    Y: LabelMatrix, seeds: Array, references: Array, related: Array
) -> LabelMatrix:
    """Label synthetic samples: what both parents carry, and what the related labels support.

    A label in dispute is given where the seed carries its related label, or the new sample does
    already, labels being decided in their order. Where one parent does not know a label, the other
    decides.
    """
    own, other = (Y.positives[samples].tocsc() for samples in (seeds, references))
    unknown = Y.unknown
    gaps = None if unknown is None else tuple(unknown[samples] for samples in (seeds, references))
    hidden = None if gaps is None else tuple(part.tocsc() for part in gaps)
    made: list[Array] = []
    for label, kin in enumerate(related.tolist()):
        supported = _column(own, kin)
        if kin < label:
            supported = np.union1d(supported, made[kin])
        mine, theirs = _column(own, label), _column(other, label)
        if hidden is not None:
            # What one does not know is as in the other: no dispute.
            mine, theirs = (
                np.union1d(mine, np.intersect1d(_column(hidden[0], label), theirs)),
                np.union1d(theirs, np.intersect1d(_column(hidden[1], label), mine)),
            )
        disputed = np.setxor1d(mine, theirs, assume_unique=True)
        given = np.intersect1d(disputed, supported, assume_unique=True)
        made.append(np.union1d(np.intersect1d(mine, theirs, assume_unique=True), given))
    labels = _from_columns(made, seeds.size, np.int8)
    return LabelMatrix(labels, None if gaps is None else gaps[0].multiply(gaps[1]).tocsr())


def _column(matrix: sparse.csc_array, j: int) -> Array:
    return matrix.indices[matrix.indptr[j] : matrix.indptr[j + 1]]


def _from_columns(columns: list[Array], n_samples: int, dtype: Any) -> sparse.csr_array:
    ends = np.concatenate([[0], np.cumsum([column.size for column in columns])])
    rows = np.concatenate(columns)
    shape = (n_samples, len(columns))
    made = sparse.csc_array((np.ones(rows.size, dtype=dtype), rows, ends), shape=shape)
    return made.tocsr().sorted_indices()
