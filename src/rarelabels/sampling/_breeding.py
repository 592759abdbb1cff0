"""MLSMOTE as Mulan has it: the synthetic samples of one label are seeds for the labels after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, stack_matrices
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import FeatureSpace, feature_space, neighbors_in_space
from rarelabels._validation import check_features, samples_to_add
from rarelabels.base import Synthetic
from rarelabels.sampling._amounts import in_proportion
from rarelabels.sampling._label_groups import carriers, label_groups
from rarelabels.sampling._smote import neighborhood_samples, spread_over_places

# IRLbl of equal labels and their mean may differ in the last bit.
ROUNDING = 1e-12
# Each label may double the samples, so that a hundred labels could ask for more than there is.
MOST_GROWTH = 100
# Ties are part of a neighbourhood: where all distances are equal it holds every sample.
MOST_ENTRIES = 2**25


@dataclass(frozen=True)
class Population:
    """Samples that may be seeds: those of the input, and the synthetic ones behind them.

    Attributes
    ----------
    matrix : (m, d) ndarray or csr_array
        The features in numbers.
    labels : LabelMatrix of shape (m, q)
        The labels.
    origins : (m,) ndarray
        The input sample that each is, or goes back to.
    """

    matrix: Matrix
    labels: LabelMatrix
    origins: Array

    def with_samples(self, made: Synthetic) -> Population:
        """Return the population with new samples behind it, whose seeds are members of it."""
        origins = np.concatenate([self.origins, self.origins[made.grown_from]])
        labels = self.labels.stack(LabelMatrix.of(made.labels))
        return Population(stack_matrices(self.matrix, made.values), labels, origins)


@dataclass(frozen=True)
class Breeding:
    """MLSMOTE with breeding, on arrays.

    Parameters
    ----------
    n_neighbors, label_generation, sampling_ratio, scale_features, metric, neighbors, n_jobs
        As in `MLSMOTE`.
    """

    n_neighbors: int
    label_generation: str
    sampling_ratio: Any
    scale_features: bool
    metric: str
    neighbors: Any
    n_jobs: int | None

    def samples(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Synthetic | None:
        """Make the synthetic samples label by label; None if there are none."""
        n_samples = X.n_samples
        found = Population(X.numbers, Y, np.arange(n_samples))
        labels = labels_from_mean(Y.positives)
        for label, amount in zip(labels, self.amounts(Y.positives, labels), strict=True):
            bag = carriers(found.labels.positives, np.array([label]))[label]
            wanted = bag.size if amount is None else amount
            if bag.size > 1 and wanted:
                check_growth(found.labels.n_samples + wanted, n_samples)
                places = spread_over_places(bag.size, wanted, rng)
                found = found.with_samples(self.offspring(found, X.categorical, bag, places, rng))
        if found.origins.size == n_samples:
            return None
        new = np.arange(n_samples, found.origins.size)
        return Synthetic(found.matrix[new], found.labels.take(new), found.origins[new])

    def amounts(self, Y: sparse.csr_array, labels: list[int]) -> list[int | None]:
        """Return how many samples each label gets; None stands for one per carrier."""
        if self.sampling_ratio is None:
            return [None] * len(labels)
        n_new = samples_to_add(self.sampling_ratio, Y.shape[0])
        sizes = np.array(
            [samples.size for samples in carriers(Y, np.array(labels, int)).values()], int
        )
        return in_proportion(n_new, np.where(sizes > 1, sizes, 0)).tolist()

    def offspring(
        self,
        found: Population,
        categorical: Array,
        bag: Array,
        places: Array,
        rng: np.random.Generator,
    ) -> Synthetic:
        """Make a sample for each of some places in the bag of one label's carriers."""
        # Rescaled over the bag, anew for each label.
        features = check_features(found.matrix[bag], categorical)
        space = feature_space(
            features, scale_features=self.scale_features, metric=self.metric, quiet=True
        )
        hoods = nearest_with_ties(space, self.n_neighbors, self.neighbors, self.n_jobs)
        made = neighborhood_samples(
            features,
            found.labels.take(bag),
            places,
            hoods[places],
            self.label_generation,
            rng,
            with_seed=True,
        )
        return replace(made, grown_from=bag[places])


def labels_from_mean(Y: sparse.csr_array) -> list[int]:
    """Return the labels whose IRLbl is at least the mean."""
    groups = label_groups(Y)
    is_rare = groups.ratios >= groups.mean_ratio * (1 - ROUNDING)
    return np.flatnonzero((groups.counts > 0) & is_rare).tolist()


def nearest_with_ties(
    space: FeatureSpace, n_neighbors: int, neighbors: Any = None, n_jobs: int | None = None
) -> Array:
    """Find the nearest samples and all that tie with the last of them, padded with −1."""
    most = space.n_samples - 1
    n_neighbors, width = min(n_neighbors, most), min(n_neighbors + 4, most)
    while True:
        hoods = neighbors_in_space(space, width, neighbors, n_jobs).indices
        samples = np.repeat(np.arange(space.n_samples), width)
        keys = space.distance_keys(samples, hoods.ravel()).reshape(hoods.shape)
        belongs = keys <= keys[:, [n_neighbors - 1]]
        if width == most or not belongs[:, -1].any():
            return np.where(belongs, hoods, -1)[:, : belongs.sum(axis=1).max()]
        width = min(4 * width, most)
        check_ties(space.n_samples, width)


def check_ties(n_samples: int, width: int) -> None:
    """Refuse neighbourhoods that would not fit in memory."""
    if n_samples * width > MOST_ENTRIES:
        raise ValueError(
            f"breed=True counts ties as neighbours, as Mulan does, and among {n_samples} samples "
            f"of one label some have {width} or more at the same distance; use breed=False."
        )


def check_growth(n_grown: int, n_samples: int) -> None:
    """Refuse to let the samples multiply without end."""
    if n_grown > MOST_GROWTH * n_samples:
        raise ValueError(
            f"breed=True would make {n_grown - n_samples} samples or more of {n_samples}: each "
            "label may double them. Set sampling_ratio, the number of samples to add."
        )
