"""Decide for 64 samples in one word: a node's set joins those of its branches.

Parameters
----------
scratch : (n_words,) uint64
    Scratch for a set.
first, second : (n_trees,) int64
    The two labels that each tree decides between.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.bitsets import (
    ALL,
    ONE,
    ZERO,
    bits_equal,
    fill_words,
    set_bit,
    words_for,
)
from rarelabels.trees._kernels.compilation import allocating, entry
from rarelabels.trees._kernels.predict.paths import add_shares, leaf_below
from rarelabels.trees._kernels.predict.threshold_sets import (
    cut_of,
    has_threshold_set,
    new_threshold_sets,
)
from rarelabels.trees._kernels.structures import longest_part


@allocating
def decide_tree(trees, root, end, n_categories, samples, threshold_sets, sets, scratch):
    """Fill in `sets[0]`: the samples for which a tree says yes, children before their parents."""
    columns, n_words = samples.columns, sets.shape[1]
    for node in range(end - 1, root - 1, -1):
        node_set = sets[node - root]
        feature = np.int64(trees.feature[node])
        if feature < 0:
            fill_words(node_set, ALL if trees.probability[node, 1] >= 0.5 else ZERO)
            continue
        first, cut = trees.child[node], cut_of(trees.threshold[node])
        if np.isnan(trees.threshold[node]) and n_categories[feature] > 2:
            fill_words(node_set, ZERO)
            for b in range(n_categories[feature]):
                bits_equal(columns[feature], np.float64(b), scratch)
                for w in range(n_words):
                    node_set[w] |= scratch[w] & sets[first + b, w]
        else:
            has_threshold_set(threshold_sets, columns, feature, cut, columns.shape[1])
            bits = threshold_sets.bits[feature]
            for w in range(n_words):
                node_set[w] = (bits[w] & sets[first + 1, w]) | (~bits[w] & sets[first, w])
    decide_others(trees, root, n_categories, samples, threshold_sets, sets[0])


@allocating
def decide_others(trees, root, n_categories, samples, threshold_sets, out):
    """Correct the bits of samples with missing values or unknown categories."""
    for j in range(samples.missing.size):
        p = add_shares(trees, root, n_categories, samples.missing_rows[j], 1)
        set_bit(out, samples.missing[j], p >= 0.5)
    for i in samples.unknown:
        node = leaf_below(trees, root, root, samples.columns, threshold_sets.bits, i)
        set_bit(out, i, trees.probability[node, 1] >= 0.5)


@entry
def fill_wins(trees, roots, n_categories, samples, first, second, out):
    """Add each tree's decisions to the votes of its two labels; `out` is by label."""
    n = samples.columns.shape[1]
    n_words = words_for(n)
    threshold_sets = new_threshold_sets(n_categories.size, n)
    sets = np.empty((longest_part(roots), n_words), np.uint64)
    scratch = np.empty(n_words, np.uint64)
    yes = np.empty(64 * n_words, np.int32)
    for tree in range(roots.size - 1):
        decide_tree(
            trees, roots[tree], roots[tree + 1], n_categories, samples, threshold_sets, sets,
            scratch,
        )  # fmt: skip
        for w in range(n_words):
            word = sets[0, w]
            for b in range(64):
                yes[64 * w + b] = np.int32((word >> np.uint64(b)) & ONE)
        ours, theirs = out[first[tree]], out[second[tree]]
        for i in range(n):
            ours[i] += yes[i]
            theirs[i] += 1 - yes[i]
