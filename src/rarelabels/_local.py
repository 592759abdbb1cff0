"""C, S, w, u and the types, on the minority entries alone.

An entry (i, j) is a *minority entry* if sample i holds the minority class of label j. They are kept
as the pattern of one CSR matrix, `minority_entries(Y)`, and everything local is an array of one
value per entry, in the pattern's order. Equations are those of Liu, Blekas and Tsoumakas,
"Multi-Label Sampling based on Local Label Imbalance".
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
    """How a sample's neighborhood treats its label.

    The first four are for samples that hold the label's minority class, by the share of their
    neighbors that hold the other class: below 0.3, below 0.7, below 1, and 1.
    """

    SAFE = 0
    BORDERLINE = 1
    RARE = 2
    OUTLIER = 3
    MAJORITY = 4

    @property
    def color(self) -> str:
        """The color of the type in pictures and pages, ``#rrggbb``.

        Readers who see fewer colors can tell them apart, too.
        """
        return ("#2b6cb0", "#3fb0d3", "#dc9a00", "#c8344f", "#b4b9c2")[self]


def label_counts(positives: sparse.csr_array) -> Array:
    """Return the number of samples that carry each label."""
    return np.bincount(positives.indices, minlength=positives.shape[1])


def known_counts(Y: LabelMatrix) -> Array:
    """Return the number of samples of which each label is known."""
    n_unknown = label_counts(Y.unknown) if Y.unknown is not None else 0
    return np.full(Y.shape[1], Y.n_samples) - n_unknown


def minority_class(Y: LabelMatrix) -> Array:
    """Return the minority class g_j of each label: the rarer one, 1 on a tie."""
    return np.where(2 * label_counts(Y.positives) > known_counts(Y), 0, 1)


def minority_entries(Y: LabelMatrix) -> sparse.csr_array:
    """Return the indicator of the minority entries, as CSR with sorted indices."""
    return flip_labels(Y, np.flatnonzero(minority_class(Y) == 0)).positives


def flip_labels(Y: LabelMatrix, flipped: Array) -> LabelMatrix:
    """Swap the classes of some labels; done twice, it returns the first again.

    Unknown labels stay unknown.
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
    made = sparse.csr_array((ones, (row, column)), shape=Y.shape)
    return LabelMatrix(made.sorted_indices(), Y.unknown)


@dataclass(frozen=True)
class LocalImbalance:
    """What the neighborhoods say of each minority entry.

    Attributes
    ----------
    entries : csr_array
        The minority entries' pattern.
    unknown : csr_array or None
        The cells that are not known.
    adjacency : csr_array of shape (n, n)
        1 where the column is a neighbor of the row.
    n_known : ndarray
        For each entry the number of neighbors whose class is known: k, where all are.
    opposite : ndarray
        For each entry the number of neighbors that hold the other class: k·C.
    """

    entries: sparse.csr_array
    unknown: sparse.csr_array | None
    adjacency: sparse.csr_array
    n_known: Array
    opposite: Array

    @property
    def imbalance(self) -> Array:
        """C of each entry, Eq. (Cij); NaN where the class of no neighbor is known."""
        unheard = np.full(self.opposite.size, np.nan)
        return np.divide(self.opposite, self.n_known, out=unheard, where=self.n_known > 0)

    @property
    def informative(self) -> Array:
        """Whether the entry is no outlier: C < 1."""
        return self.opposite < self.n_known

    @cached_property
    def scores(self) -> Array:
        """S of each entry, Eq. (Sij); 0 for outliers, which have none."""
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
        """Influence u of each sample on those it is a neighbor of, Eq. (ui)."""
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
        """Importance v of each sample, Eq. (vi); what rounding leaves of a 0 is 0."""
        total = self.weights + self.influence
        importance = total - total.min()
        importance[importance < 1e-13 * np.abs(total).max()] = 0.0
        return importance

    @cached_property
    def types(self) -> Array:
        """`LabelType` of each entry."""
        return _types(self)

    def label_means(self) -> Array:
        """Return the mean C of each label over its minority samples, NaN where it has none."""
        heard = self.n_known > 0
        labels, n_labels = self.entries.indices[heard], self.entries.shape[1]
        totals = np.bincount(labels, weights=self.imbalance[heard], minlength=n_labels)
        counts = np.bincount(labels, minlength=n_labels).astype(float)
        counts[counts == 0] = np.nan
        return totals / counts


def local_imbalance_of(Y: LabelMatrix, neighbors: Neighbors) -> LocalImbalance:
    """Count, for each minority entry, the neighbors that hold the other class, Eq. (Cij)."""
    entries, adjacency = minority_entries(Y), neighbors.adjacency()
    same = values_at(entries, adjacency @ entries.astype(np.int32))
    n_known = np.full(entries.nnz, neighbors.n_neighbors)
    if Y.unknown is not None:
        n_known -= values_at(entries, adjacency @ Y.unknown.astype(np.int32))
    return LocalImbalance(entries, Y.unknown, adjacency, n_known, n_known - same)


def with_values(pattern: sparse.csr_array, values: Array) -> sparse.csr_array:
    """Return a matrix of the same pattern with other values, zeros stored."""
    return sparse.csr_array((values, pattern.indices, pattern.indptr), shape=pattern.shape)


def row_numbers(pattern: sparse.csr_array) -> Array:
    """Return the row of each entry of a CSR matrix."""
    return np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))


def values_at(pattern: sparse.csr_array, counts: sparse.csr_array) -> Array:
    """Return a matrix's values at the entries of a pattern, in the pattern's order."""
    # Adding the pattern keeps every entry of it, also where there is nothing to count.
    ones = with_values(pattern, np.ones(pattern.nnz, dtype=counts.dtype))
    return (counts.multiply(ones) + ones).tocsr().sorted_indices().data - 1


def _types(local: LocalImbalance) -> Array:
    """Type each entry by its share of opposite neighbors, then promote what is near the border.

    Shares are compared as counts, since 3/10 < 0.3 is a matter of rounding.
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
    """Return the 0/1 matrix of the chosen entries alone."""
    row, column = row_numbers(pattern)[chosen], pattern.indices[chosen]
    return sparse.csr_array((np.ones(row.size, dtype=np.int32), (row, column)), shape=pattern.shape)
