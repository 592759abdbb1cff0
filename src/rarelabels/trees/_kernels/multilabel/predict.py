"""Mean shares of the labels over all trees.

Parameters
----------
row : (n_features,) or (n_labels,) float64
    The values of one sample, or its scores.
outside, leaves : (n,) ints
    Samples, and the number of the leaf of each.
scores : (n_samples, n_labels) float64
    What shares are added to.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled, entry
from rarelabels.trees._kernels.multilabel.structures import category_goes_first

TREES_AT_ONCE = 8  # trees that sparse samples go down together: they are to stay in the cache


@entry
def add_label_shares(trees, n_categories, rows, scores):
    """Add the labels' shares in the leaf of each sample, by all trees.

    Parameters
    ----------
    trees : LabelTrees
        The trees.
    n_categories : (n_features,) int32
        Number of categories of each feature, 0 for a numeric one.
    rows : (n_samples, n_features) float64
        The samples: values or indices of categories, NaN if missing, -1 for an unknown category.
    scores : (n_samples, n_labels) float64
        What is added to.
    """
    for tree in range(trees.roots.size - 1):
        root, leaf_root = trees.roots[tree], trees.leaf_roots[tree]
        for i in range(rows.shape[0]):
            leaf = leaf_root + find_leaf(trees.nodes, root, n_categories, rows[i])
            add_leaf(trees, leaf, scores[i])


@entry
def add_sparse_label_shares(trees, n_features, starts, features, values, scores):
    """Add as `add_label_shares`, for numeric features of which few are not zero.

    Parameters
    ----------
    trees : LabelTrees
        The trees.
    n_features : int
        Number of features.
    starts, features, values : (n_samples + 1,) int64, (n_values,) int32, (n_values,) float64
        The samples: where the values of each begin, their features, and the values.
    scores : (n_samples, n_labels) float64
        What is added to.
    """
    row, n_categories = np.zeros(n_features), np.zeros(n_features, np.int32)
    n_trees = trees.roots.size - 1
    for first in range(0, n_trees, TREES_AT_ONCE):
        for i in range(scores.shape[0]):
            for item in range(starts[i], starts[i + 1]):
                row[features[item]] = values[item]
            for tree in range(first, min(first + TREES_AT_ONCE, n_trees)):
                leaf = find_leaf(trees.nodes, trees.roots[tree], n_categories, row)
                add_leaf(trees, trees.leaf_roots[tree] + leaf, scores[i])
            for item in range(starts[i], starts[i + 1]):
                row[features[item]] = 0.0


@entry
def add_outside_shares(leaf_starts, leaf_labels, leaf_shares, outside, leaves, scores):
    """Add the labels' shares in one tree's leaves to the scores of samples out of its bag."""
    for i in range(outside.size):
        row = scores[outside[i]]
        for item in range(leaf_starts[leaves[i]], leaf_starts[leaves[i] + 1]):
            row[leaf_labels[item]] += np.float64(leaf_shares[item])


@entry
def fill_leaves(nodes, n_categories, rows, leaves):
    """Write the number of each sample's leaf in one tree; arguments as in `add_label_shares`."""
    for i in range(rows.shape[0]):
        leaves[i] = find_leaf(nodes, 0, n_categories, rows[i])


@compiled
def find_leaf(nodes, root, n_categories, row):
    """Return the number of a sample's leaf in the tree."""
    node = root
    while nodes[node].feature >= 0:
        code = nodes[node].feature
        feature = code >> 1
        value = row[feature]
        if n_categories[feature] > 0:
            if value >= 0.0:
                is_first = category_goes_first(nodes[node].threshold, np.int64(value))
            else:
                is_first = code & 1 == 1
        elif value <= nodes[node].threshold:
            is_first = True
        else:
            is_first = code & 1 == 1 and np.isnan(value)
        node = root + nodes[node].child + (0 if is_first else 1)
    return np.int64(nodes[node].child)


@compiled
def add_leaf(trees, leaf, row):
    """Add the shares of a leaf's labels."""
    for item in range(trees.leaf_starts[leaf], trees.leaf_starts[leaf + 1]):
        row[trees.leaf_labels[item]] += np.float64(trees.leaf_shares[item])
