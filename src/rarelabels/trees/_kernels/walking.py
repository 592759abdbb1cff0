"""Send new samples down trees."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compiling import compiled, entry

# New samples are floats by sample: values, or category indices; NaN is missing, and a category
# that the coding does not have is -1. Rows with a missing value are marked in `has_missing`.


@compiled
def leaf_of(trees, root, x):
    """Return the node where a sample ends: a leaf, or one that does not know its category."""
    node = root
    feature = trees.feature[node]
    while feature >= 0:
        threshold = trees.threshold[node]
        if np.isnan(threshold):
            branch = np.int64(x[feature])
            if branch < 0:
                return node
        else:
            branch = np.int64(x[feature] > threshold)
        node = root + trees.child[node] + branch
        feature = trees.feature[node]
    return node


@compiled
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


@compiled
def probability_at(trees, root, n_categories, x, is_missing, k):
    """Return the probability of class k for a sample."""
    if is_missing:
        return add_shares(trees, root, n_categories, x, k)
    return trees.probability[leaf_of(trees, root, x), k]


@compiled
def class_at(trees, root, n_categories, x, is_missing):
    """Return the most probable class: the lowest of equal ones, but 1 of two."""
    n_classes = trees.probability.shape[1]
    if n_classes == 2:
        return np.int64(probability_at(trees, root, n_categories, x, is_missing, 1) >= 0.5)
    best = 0
    most = -1.0
    node = root if is_missing else leaf_of(trees, root, x)
    for k in range(n_classes):
        if is_missing:
            p = add_shares(trees, root, n_categories, x, k)
        else:
            p = trees.probability[node, k]
        if p > most:
            best, most = k, p
    return best


@entry
def fill_probability(trees, roots, n_categories, X, has_missing, k, out):
    """Fill in the probability of class k by each tree."""
    for tree in range(roots.size - 1):
        for i in range(X.shape[0]):
            out[i, tree] = probability_at(trees, roots[tree], n_categories, X[i], has_missing[i], k)


@entry
def fill_all_probabilities(trees, root, n_categories, X, has_missing, out):
    """Fill in the probabilities of all classes by one tree."""
    for i in range(X.shape[0]):
        if has_missing[i]:
            for k in range(out.shape[1]):
                out[i, k] = add_shares(trees, root, n_categories, X[i], k)
        else:
            out[i] = trees.probability[leaf_of(trees, root, X[i])]


@entry
def fill_mean_probability(trees, roots, n_categories, X, has_missing, k, groups, out):
    """Fill in the mean probability of class k over the trees of each group."""
    sizes = np.zeros(out.shape[1])
    for tree in range(roots.size - 1):
        sizes[groups[tree]] += 1.0
        for i in range(X.shape[0]):
            out[i, groups[tree]] += probability_at(
                trees, roots[tree], n_categories, X[i], has_missing[i], k
            )
    for i in range(X.shape[0]):
        for group in range(out.shape[1]):
            if sizes[group] > 0.0:
                out[i, group] /= sizes[group]


@entry
def fill_classes(trees, roots, n_categories, X, has_missing, out):
    """Fill in the most probable class by each tree."""
    for tree in range(roots.size - 1):
        for i in range(X.shape[0]):
            out[i, tree] = class_at(trees, roots[tree], n_categories, X[i], has_missing[i])


@entry
def fill_chain(trees, roots, n_categories, X, has_missing, out):
    """Fill in each link's probability of class 1, and its decision as a feature of later links."""
    n_features = X.shape[1] - (roots.size - 1)
    for link in range(roots.size - 1):
        for i in range(X.shape[0]):
            p = probability_at(trees, roots[link], n_categories, X[i], has_missing[i], 1)
            out[i, link] = p
            X[i, n_features + link] = 1.0 if p >= 0.5 else 0.0
