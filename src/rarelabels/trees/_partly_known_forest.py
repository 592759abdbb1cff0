"""Trees for labels that are partly unknown, or whose samples have different weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels.trees.label_forest import Bag, Grower, KnownEntries, TreeNodes


class PartlyKnownGrower:
    """Grow trees on labels filled at random; their leaves have the shares of known labels."""

    def __init__(
        self, grower: Grower, numbers: Any, Y: sparse.csr_array, known: KnownEntries
    ) -> None:
        self.grower, self.numbers, self.Y, self.known = grower, numbers, Y, known
        table = known.table
        self.positive_weights = Y.toarray() * table
        self.means = self.positive_weights.sum(axis=0) / table.sum(axis=0)
        self.unknown = np.nonzero(table == 0)

    def grow(self, bag: Bag) -> Any:
        """Return one tree."""
        tree = self.grower.grow(bag, self._filled(bag.seed))
        nodes = self.grower.nodes_of(tree, self.numbers)
        weight = self.known.sample_weight
        counts = bag.weight / np.where(weight > 0, weight, 1.0)
        in_leaf = sparse.csr_array(
            (counts, (nodes.of_samples, np.arange(counts.size))),
            shape=(nodes.left.size, counts.size),
        )
        totals, positives = in_leaf @ self.known.table, in_leaf @ self.positive_weights
        return self.grower.with_shares(tree, node_shares(nodes, totals, positives, self.means))

    def join(self, trees: list[Any]) -> Any:
        """Return the forest of some trees."""
        return self.grower.join(trees)

    def _filled(self, seed: int) -> sparse.csr_array:
        """Return the labels, unknown ones drawn from the share of the label."""
        rows, columns = self.unknown
        is_positive = np.random.default_rng(seed).random(rows.size) < self.means[columns]
        drawn = (rows[is_positive], columns[is_positive])
        ones = np.ones(drawn[0].size, dtype=self.Y.dtype)
        filled = self.Y + sparse.csr_array((ones, drawn), shape=self.Y.shape)
        return sparse.csr_array(filled).sorted_indices()


def node_shares(nodes: TreeNodes, totals: Array, positives: Array, means: Array) -> Array:
    """Return the share of each label in each node, (n_nodes, n_labels).

    Parameters
    ----------
    nodes : TreeNodes
        The nodes.
    totals, positives : (n_nodes, n_labels) float64
        The weight of the samples that know a label, and of those that have it, in each leaf. The
        rows of inner nodes are overwritten.
    means : (n_labels,) float64
        What a label has if no sample of the tree knows it.

    Examples
    --------
    The second leaf does not know the label, so it has the share of the root:

    >>> nodes = TreeNodes(np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([1, 1, 2]))
    >>> totals, positives = np.array([[0.0], [2.0], [0.0]]), np.array([[0.0], [1.0], [0.0]])
    >>> node_shares(nodes, totals, positives, np.array([0.1])).ravel()
    array([0.5, 0.5, 0.5])
    """
    levels = _levels(nodes)
    for level in reversed(levels):
        inner = level[nodes.left[level] >= 0]
        for table in (totals, positives):
            table[inner] = table[nodes.left[inner]] + table[nodes.right[inner]]
    shares = np.where(totals > 0, positives / np.where(totals > 0, totals, 1.0), np.nan)
    shares[0] = np.where(np.isnan(shares[0]), means, shares[0])
    for level in levels:
        inner = level[nodes.left[level] >= 0]
        for children in (nodes.left[inner], nodes.right[inner]):
            child_shares = shares[children]
            shares[children] = np.where(np.isnan(child_shares), shares[inner], child_shares)
    return shares


def _levels(nodes: TreeNodes) -> list[Array]:
    """Return the nodes of each level, the root first."""
    levels = [np.zeros(1, dtype=np.int64)]
    while True:
        inner = levels[-1][nodes.left[levels[-1]] >= 0]
        if not inner.size:
            return levels
        levels.append(np.concatenate([nodes.left[inner], nodes.right[inner]]).astype(np.int64))
