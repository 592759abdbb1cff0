"""MLSMOTE as in Mulan: the synthetic samples of one label are seeds for the labels after it."""

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
# Each label may double the samples, so that a hundred labels could request more than memory holds.
MOST_GROWTH = 100
# Ties are part of a neighborhood: if all distances are equal, it holds every sample.
MOST_ENTRIES = 2**25


@dataclass(frozen=True)
class Population:
    """Samples that may be seeds: those of the input, followed by the synthetic ones.

    Attributes
    ----------
    matrix : (m, d) ndarray or csr_array
        The features in numbers.
    labels : LabelMatrix of shape (m, q)
        The labels.
    origins : (m,) ndarray
        The input sample that each is, or that it was generated from.
    """

    matrix: Matrix
    labels: LabelMatrix
    origins: Array

    def with_samples(self, synthetic: Synthetic) -> Population:
        """Return the population followed by new samples, whose seeds are members of it."""
        origins = np.concatenate([self.origins, self.origins[synthetic.grown_from]])
        labels = self.labels.stack(LabelMatrix.of(synthetic.labels))
        return Population(stack_matrices(self.matrix, synthetic.values), labels, origins)


@dataclass(frozen=True)
class MulanMLSMOTE:
    """Mulan's MLSMOTE, on arrays.

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
        """Generate synthetic samples label by label; None if none are needed."""
        n_samples = X.n_samples
        population = Population(X.numbers, Y, np.arange(n_samples))
        labels = labels_from_mean(Y.positives)
        for label, amount in zip(labels, self.amounts(Y.positives, labels), strict=True):
            bag = carriers(population.labels.positives, np.array([label]))[label]
            n_new = bag.size if amount is None else amount
            if bag.size > 1 and n_new:
                check_growth(population.labels.n_samples + n_new, n_samples)
                places = spread_over_places(bag.size, n_new, rng)
                synthetic = self.samples_of_label(population, X.categorical, bag, places, rng)
                population = population.with_samples(synthetic)
        if population.origins.size == n_samples:
            return None
        new = np.arange(n_samples, population.origins.size)
        return Synthetic(
            population.matrix[new], population.labels.take(new), population.origins[new]
        )

    def amounts(self, Y: sparse.csr_array, labels: list[int]) -> list[int | None]:
        """Return how many samples each label gets; None means one per carrier."""
        if self.sampling_ratio is None:
            return [None] * len(labels)
        n_new = samples_to_add(self.sampling_ratio, Y.shape[0])
        sizes = np.array(
            [samples.size for samples in carriers(Y, np.array(labels, int)).values()], int
        )
        return in_proportion(n_new, np.where(sizes > 1, sizes, 0)).tolist()

    def samples_of_label(
        self,
        population: Population,
        categorical: Array,
        bag: Array,
        places: Array,
        rng: np.random.Generator,
    ) -> Synthetic:
        """Generate a sample for each of some places in the bag of one label's carriers."""
        # Features are rescaled again for each label, over its bag.
        features = check_features(population.matrix[bag], categorical)
        space = feature_space(
            features, scale_features=self.scale_features, metric=self.metric, quiet=True
        )
        hoods = nearest_with_ties(space, self.n_neighbors, self.neighbors, self.n_jobs)
        synthetic = neighborhood_samples(
            features,
            population.labels.take(bag),
            places,
            hoods[places],
            self.label_generation,
            rng,
            with_seed=True,
        )
        return replace(synthetic, grown_from=bag[places])


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
    """Refuse neighborhoods that would not fit in memory."""
    if n_samples * width > MOST_ENTRIES:
        raise ValueError(
            f"mulan_compatible=True counts ties as neighbors, as Mulan does, and among {n_samples} "
            f"samples of one label some have {width} or more at the same distance; use "
            "mulan_compatible=False."
        )


def check_growth(n_grown: int, n_samples: int) -> None:
    """Refuse to let the number of samples grow without limit."""
    if n_grown > MOST_GROWTH * n_samples:
        raise ValueError(
            f"mulan_compatible=True would add {n_grown - n_samples} samples or more to "
            f"{n_samples}: each label may double them. Set sampling_ratio, the number of samples "
            "to add."
        )
