"""Generate synthetic samples from a sample and its neighborhood, as SMOTE and MLSMOTE do."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import row_numbers, values_at
from rarelabels.base import Synthetic
from rarelabels.sampling._interpolation import interpolate
from rarelabels.sampling._labelsets import with_entries
from rarelabels.sampling._mode import set_modes

# Whether a synthetic sample gets a label, by how many of seed and neighbors carry it.
RULES = {
    "ranking": lambda n_carriers, n_members: 2 * n_carriers >= n_members,
    "majority": lambda n_carriers, n_members: 2 * n_carriers > n_members,
    "union": lambda n_carriers, n_members: n_carriers >= 1,
    "intersection": lambda n_carriers, n_members: n_carriers == n_members,
}


def spread_over_places(n_places: int, amount: int, rng: np.random.Generator) -> Array:
    """Use every place equally often, and random ones once more for the remainder."""
    rounds = np.tile(np.arange(n_places), amount // n_places)
    return np.concatenate([rounds, np.sort(rng.permutation(n_places)[: amount % n_places])])


def stack_padded(hoods: list[Array]) -> Array:
    """Stack neighborhoods of different widths, padded with −1."""
    width = max(hood.shape[1] for hood in hoods)
    pads = [np.full((hood.shape[0], width - hood.shape[1]), -1) for hood in hoods]
    return np.concatenate(
        [np.hstack([hood, pad]) for hood, pad in zip(hoods, pads, strict=True)]
    ).astype(np.intp, copy=False)


def neighborhood_samples(
    X: Features,
    Y: LabelMatrix,
    seeds: Array,
    hoods: Array,
    label_generation: str,
    rng: np.random.Generator,
    *,
    with_seed: bool = False,
) -> Synthetic:
    """Generate a sample from each seed and its neighborhood, given as indices padded with −1.

    Numeric features are interpolated between the seed and a random neighbor. Categories are the
    most frequent value of the neighbors. With `with_seed`, the seed counts too and a tie goes to
    the lowest value.
    """
    places = rng.integers((hoods >= 0).sum(axis=1))
    references = hoods[np.arange(seeds.size), places]
    members = np.column_stack([seeds, references])
    if X.categorical.any():
        voters = np.column_stack([seeds, hoods]) if with_seed else hoods
        members = np.column_stack([members, voters])
    values, _ = X.grow(partial(_samples_of_members, X.categorical, with_seed), members, rng)
    labels = neighborhood_labels(Y, seeds, hoods, label_generation)
    return Synthetic(values, labels, grown_from=seeds)


def _samples_of_members(
    categorical: Array, lowest: bool, numbers: Matrix, members: Array, rng: np.random.Generator
) -> tuple[Matrix, Array]:
    """Generate a sample from each row of members: seed, reference and voters on categories."""
    values = interpolate(numbers[members[:, 0]], numbers[members[:, 1]], categorical, rng)
    if categorical.any():
        values = set_modes(values, numbers, categorical, members[:, 2:], lowest=lowest)
    return values, np.zeros(members.shape[0])


def neighborhood_labels(
    Y: LabelMatrix, seeds: Array, hoods: Array, label_generation: str
) -> LabelMatrix:
    """Return the labels that enough samples among seed and neighbors carry."""
    members = np.column_stack([seeds, hoods])
    n_members = (members >= 0).sum(axis=1)
    ends = np.concatenate([[0], np.cumsum(n_members)])
    ones = np.ones(ends[-1], dtype=np.int32)
    shape = (seeds.size, Y.n_samples)
    belongs = sparse.csr_array((ones, members[members >= 0], ends), shape=shape)
    counts = (belongs @ Y.positives).sorted_indices()
    n_known, unknown = n_members[row_numbers(counts)], None
    if Y.unknown is not None:
        n_unknown = (belongs @ Y.unknown).sorted_indices()
        n_known = n_known - values_at(counts, n_unknown)
        unknown = with_entries(n_unknown, n_unknown.data == n_members[row_numbers(n_unknown)])
    labels = with_entries(counts, RULES[label_generation](counts.data, n_known))
    labels.data = np.ones(labels.nnz, dtype=np.int8)
    return LabelMatrix(labels, unknown)
