"""Probabilities and classes of new samples by many trees.

Parameters
----------
groups : (n_trees,) int64
    The group of each tree.
probability : (n_classes,) float64
    The probability of each class.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.bitsets import bits_above
from rarelabels.trees._kernels.compilation import compiled, entry
from rarelabels.trees._kernels.predict.leaves import find_leaves, find_probability, new_leaf_search
from rarelabels.trees._kernels.predict.paths import add_shares
from rarelabels.trees._kernels.structures import longest_part


@entry
def fill_probability(trees, roots, n_categories, samples, k, out):
    """Fill in the probability of class k by each tree."""
    search = new_leaf_search(roots, n_categories, samples)
    for tree in range(roots.size - 1):
        find_probability(trees, roots[tree], roots[tree + 1], n_categories, samples, k, search)
        for i in range(out.shape[0]):
            out[i, tree] = search.probability[i]


@entry
def fill_all_probabilities(trees, roots, n_categories, samples, out):
    """Fill in the probabilities of all classes by the first tree."""
    search = new_leaf_search(roots, n_categories, samples)
    find_leaves(trees, roots[0], roots[1], n_categories, samples, search)
    for i in range(out.shape[0]):
        # Not the row at once: the error for rows of another size takes a second to compile.
        for k in range(out.shape[1]):
            out[i, k] = trees.probability[search.leaf[i], k]
    for j in range(samples.missing.size):
        for k in range(out.shape[1]):
            x = samples.missing_rows[j]
            out[samples.missing[j], k] = add_shares(trees, roots[0], n_categories, x, k)


@entry
def fill_mean_probability(trees, roots, n_categories, samples, k, groups, out):
    """Fill in the mean probability of class k over the trees of each group; `out` is by group."""
    search = new_leaf_search(roots, n_categories, samples)
    sizes = np.zeros(out.shape[0])
    for tree in range(roots.size - 1):
        find_probability(trees, roots[tree], roots[tree + 1], n_categories, samples, k, search)
        group = groups[tree]
        sizes[group] += 1.0
        for i in range(out.shape[1]):
            out[group, i] += search.probability[i]
    for group in range(out.shape[0]):
        if sizes[group] > 0.0:
            for i in range(out.shape[1]):
                out[group, i] /= sizes[group]


@compiled
def most_probable(probability):
    """Return the most probable class: the lowest of equal ones, but 1 of two."""
    if probability.size == 2:
        return np.int64(probability[1] >= 0.5)
    best = 0
    for k in range(1, probability.size):
        if probability[k] > probability[best]:
            best = k
    return best


@entry
def fill_classes(trees, roots, n_categories, samples, out):
    """Fill in the most probable class by each tree."""
    search = new_leaf_search(roots, n_categories, samples)
    chosen = np.empty(longest_part(roots), np.int64)
    class_shares = np.empty(trees.probability.shape[1])
    for tree in range(roots.size - 1):
        root, end = roots[tree], roots[tree + 1]
        find_leaves(trees, root, end, n_categories, samples, search)
        for node in range(root, end):
            chosen[node - root] = most_probable(trees.probability[node])
        for j in range(samples.missing.size):
            search.leaf[samples.missing[j]] = root
        for i in range(out.shape[0]):
            out[i, tree] = chosen[search.leaf[i] - root]
        for j in range(samples.missing.size):
            for k in range(class_shares.size):
                class_shares[k] = add_shares(trees, root, n_categories, samples.missing_rows[j], k)
            out[samples.missing[j], tree] = most_probable(class_shares)


@entry
def fill_chain(trees, roots, n_categories, samples, out):
    """Fill in each link's probability of class 1, and its decision as a feature of later links."""
    search = new_leaf_search(roots, n_categories, samples)
    n_features, threshold_sets = samples.columns.shape[0], search.threshold_sets
    for link in range(roots.size - 1):
        find_probability(trees, roots[link], roots[link + 1], n_categories, samples, 1, search)
        for i in range(out.shape[0]):
            out[i, link] = search.probability[i]
            search.probability[i] = np.float64(search.probability[i] >= 0.5)
        bits_above(search.probability, 0.5, threshold_sets.bits[n_features + link])
        threshold_sets.cuts[n_features + link] = 0.5
        for j in range(samples.missing.size):
            decision = search.probability[samples.missing[j]]
            samples.missing_rows[j, n_features + link] = decision
