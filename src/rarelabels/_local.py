"""Compute C, S, w, u and the types of the minority entries.

An entry (i, j) is a *minority entry* if sample i is in the minority class of label j. These entries
are the pattern of one CSR matrix, `minority_entries(Y)`, and all local quantities are arrays with
one value per entry, in the order of the pattern. The equations are those of Liu, Blekas and
Tsoumakas, "Multi-Label Sampling based on Local Label Imbalance".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, row_sums
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import Neighbors


class LabelType(IntEnum):
    """Type of a sample for a label, by its neighborhood.

    The first four are for samples in the minority class of the label, by the fraction of their
    neighbors in the other class: below 0.3, below 0.7, below 1, and 1.
    """

    SAFE = 0
    BORDERLINE = 1
    RARE = 2
    OUTLIER = 3
    MAJORITY = 4

    @property
    def color(self) -> str:
        """The color of the type in figures and pages, ``#rrggbb``.

        The colors can be distinguished by readers with color vision deficiencies.
        """
        return ("#2b6cb0", "#3fb0d3", "#dc9a00", "#c8344f", "#b4b9c2")[self]


def label_counts(positives: sparse.csr_array) -> Array:
    """Return the number of samples that carry each label."""
    return np.bincount(positives.indices, minlength=positives.shape[1])


def known_counts(Y: LabelMatrix) -> Array:
    """Return the number of samples for which each label is known."""
    n_unknown = label_counts(Y.unknown) if Y.unknown is not None else 0
    return np.full(Y.shape[1], Y.n_samples) - n_unknown


def minority_class(Y: LabelMatrix) -> Array:
    """Return the minority class g_j of each label: the rarer one, or 1 in a tie."""
    return np.where(2 * label_counts(Y.positives) > known_counts(Y), 0, 1)


def minority_entries(Y: LabelMatrix) -> sparse.csr_array:
    """Return the indicator of the minority entries, as CSR with sorted indices."""
    return flip_labels(Y, np.flatnonzero(minority_class(Y) == 0)).positives


def flip_labels(Y: LabelMatrix, flipped: Array) -> LabelMatrix:
    """Swap the classes of some labels; swapping twice restores the original.

    Unknown labels remain unknown.
    """
    if not flipped.size:
        return Y
    # Flipped labels are those that most samples have: no larger than twice their entries.
    positives = Y.positives
    is_zero = positives[:, flipped].toarray() == 0
    if Y.unknown is not None:
        is_zero &= Y.unknown[:, flipped].toarray() == 0
    zeros = sparse.coo_array(is_zero)
    stays = ~np.isin(positives.indices, flipped)
    row = np.concatenate([row_numbers(positives)[stays], zeros.coords[0]])
    column = np.concatenate([positives.indices[stays], flipped[zeros.coords[1]]])
    ones = np.ones(row.size, dtype=positives.dtype)
    positives = sparse.csr_array((ones, (row, column)), shape=Y.shape)
    return LabelMatrix(positives.sorted_indices(), Y.unknown)


@dataclass(frozen=True)
class LocalImbalance:
    """Local imbalance of each minority entry.

    Attributes
    ----------
    entries : csr_array
        The pattern of the minority entries.
    unknown : csr_array or None
        The unknown entries.
    adjacency : csr_array of shape (n, n)
        1 if the column is a neighbor of the row.
    n_known : ndarray
        Number of neighbors with a known class for each entry: k, if all are known.
    opposite : ndarray
        Number of neighbors in the other class for each entry: k·C.
    """

    entries: sparse.csr_array
    unknown: sparse.csr_array | None
    adjacency: sparse.csr_array
    n_known: Array
    opposite: Array

    @property
    def imbalance(self) -> Array:
        """C of each entry, Eq. (Cij); NaN if no neighbor has a known class."""
        unheard = np.full(self.opposite.size, np.nan)
        return np.divide(self.opposite, self.n_known, out=unheard, where=self.n_known > 0)

    @property
    def informative(self) -> Array:
        """Whether an entry is informative and not an outlier: C < 1."""
        return self.opposite < self.n_known

    @cached_property
    def scores(self) -> Array:
        """S of each entry, Eq. (Sij); 0 for outliers."""
        counted = np.where(self.informative, self.imbalance, 0.0)
        totals = np.bincount(self.entries.indices, weights=counted, minlength=self.entries.shape[1])
        totals[totals == 0] = 1.0
        return counted / totals[self.entries.indices]

    @cached_property
    def weights(self) -> Array:
        """Difficulty w of each sample, Eq. (wi)."""
        return row_sums(with_values(self.entries, self.scores))

    @cached_property
    def influence(self) -> Array:
        """Influence u of each sample on those of which it is a neighbor, Eq. (ui)."""
        reverse = self.adjacency.T.tocsr()
        scores = with_values(self.entries, self.scores)
        received = reverse @ scores
        balance = 2 * row_sums(received.multiply(self.entries)) - reverse @ self.weights
        if self.unknown is not None:
            # Unknown labels count neither for nor against.
            balance += row_sums(received.multiply(self.unknown))
        return balance / np.maximum(np.diff(reverse.indptr), 1)

    @property
    def importance(self) -> Array:
        """Importance v of each sample, Eq. (vi); rounding errors around 0 are set to 0."""
        total = self.weights + self.influence
        importance = total - total.min()
        importance[importance < 1e-13 * np.abs(total).max()] = 0.0
        return importance

    @cached_property
    def types(self) -> Array:
        """`LabelType` of each entry."""
        return _types(self)

    def label_means(self) -> Array:
        """Return the mean C of each label over its minority samples; NaN if it has none."""
        heard = self.n_known > 0
        labels, n_labels = self.entries.indices[heard], self.entries.shape[1]
        totals = np.bincount(labels, weights=self.imbalance[heard], minlength=n_labels)
        counts = np.bincount(labels, minlength=n_labels).astype(float)
        counts[counts == 0] = np.nan
        return totals / counts


def local_imbalance_of(Y: LabelMatrix, neighbors: Neighbors) -> LocalImbalance:
    """Count the neighbors in the other class for each minority entry, Eq. (Cij)."""
    entries, adjacency = minority_entries(Y), neighbors.adjacency()
    same = values_at(entries, adjacency @ entries.astype(np.int32))
    n_known = np.full(entries.nnz, neighbors.n_neighbors)
    if Y.unknown is not None:
        n_known -= values_at(entries, adjacency @ Y.unknown.astype(np.int32))
    return LocalImbalance(entries, Y.unknown, adjacency, n_known, n_known - same)


def with_values(pattern: sparse.csr_array, values: Array) -> sparse.csr_array:
    """Return a matrix with the same pattern and other values, including stored zeros."""
    return sparse.csr_array((values, pattern.indices, pattern.indptr), shape=pattern.shape)


def row_numbers(pattern: sparse.csr_array) -> Array:
    """Return the row of each entry of a CSR matrix."""
    return np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))


def values_at(pattern: sparse.csr_array, counts: sparse.csr_array) -> Array:
    """Return the values of a matrix at the entries of a pattern, in the order of the pattern."""
    # Adding the pattern keeps all of its entries, including those with a count of 0.
    ones = with_values(pattern, np.ones(pattern.nnz, dtype=counts.dtype))
    return (counts.multiply(ones) + ones).tocsr().sorted_indices().data - 1


def _types(local: LocalImbalance) -> Array:
    """Type each entry by its fraction of opposite neighbors, then promote rare entries.

    Fractions are compared as counts, because 3/10 < 0.3 depends on rounding.
    """
    opposite, n_known = local.opposite, local.n_known
    bounds = [10 * opposite < 3 * n_known, 10 * opposite < 7 * n_known, opposite < n_known]
    choices = [LabelType.SAFE, LabelType.BORDERLINE, LabelType.RARE]
    types = np.select(bounds, choices, LabelType.OUTLIER).astype(np.int8)
    grown = types <= LabelType.BORDERLINE
    while grown.any():
        near = values_at(local.entries, local.adjacency @ _indicator(local.entries, grown))
        grown = (types == LabelType.RARE) & (near > 0)
        types[grown] = LabelType.BORDERLINE
    return types


def _indicator(pattern: sparse.csr_array, chosen: Array) -> sparse.csr_array:
    """Return the 0/1 matrix of the chosen entries."""
    row, column = row_numbers(pattern)[chosen], pattern.indices[chosen]
    return sparse.csr_array((np.ones(row.size, dtype=np.int32), (row, column)), shape=pattern.shape)
