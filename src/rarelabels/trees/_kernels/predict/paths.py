"""Send single samples down a tree.

Parameters
----------
x : (n_features + n_links,) float64
    The values of one sample, NaN if missing.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.bitsets import bit_at
from rarelabels.trees._kernels.compilation import allocating, compiled


@compiled
def leaf_below(trees, root, node, columns, bits, i):
    """Return where a sample ends below a node: a leaf, or a node that does not know its category.

    Features after those of the samples are decisions of links, and in `bits`.
    """
    feature = np.int64(trees.feature[node])
    while feature >= 0:
        x = columns[feature, i] if feature < columns.shape[0] else bit_at(bits[feature], i)
        threshold = trees.threshold[node]
        if np.isnan(threshold):
            branch = np.int64(x)
            if branch < 0:
                return node
        else:
            branch = np.int64(x > threshold)
        node = root + trees.child[node] + branch
        feature = np.int64(trees.feature[node])
    return node


@allocating
def add_shares(trees, root, n_categories, x, k):
    """Return the probability of class k for a sample that may have missing values."""
    total = 0.0
    nodes = [np.int64(root)]
    shares = [1.0]
    while len(nodes) > 0:
        node, share = nodes.pop(), shares.pop()
        feature = trees.feature[node]
        if feature < 0:
            total += share * trees.probability[node, k]
            continue
        first = root + trees.child[node]
        is_numeric = not np.isnan(trees.threshold[node])
        n = 2
        if not is_numeric and feature < n_categories.size:
            n = n_categories[feature]
        if np.isnan(x[feature]):
            weights = np.empty(n)
            for b in range(n):
                weights[b] = trees.counts[first + b].sum()
            weight = weights.sum()
            for b in range(n):
                if weights[b] > 0.0:
                    nodes.append(np.int64(first + b))
                    shares.append(share * weights[b] / weight)
            continue
        branch = (
            np.int64(x[feature] > trees.threshold[node]) if is_numeric else np.int64(x[feature])
        )
        if branch < 0:
            total += share * trees.probability[node, k]
        else:
            nodes.append(np.int64(first + branch))
            shares.append(share)
    return total
