"""Decide for 64 samples in one word: a node's set joins those of its branches."""

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
from rarelabels.trees._kernels.predict.threshold_sets import cut_of, has_cut, new_above
from rarelabels.trees._kernels.structures import longest_part


@allocating
def decide_tree(trees, root, end, n_categories, samples, above, sets, scratch):
    """Fill in `sets[0]`: the samples for which a tree says yes, children before their parents."""
    columns, n_words = samples.columns, sets.shape[1]
    for node in range(end - 1, root - 1, -1):
        own = sets[node - root]
        feature = np.int64(trees.feature[node])
        if feature < 0:
            fill_words(own, ALL if trees.probability[node, 1] >= 0.5 else ZERO)
            continue
        first, cut = trees.child[node], cut_of(trees.threshold[node])
        if np.isnan(trees.threshold[node]) and n_categories[feature] > 2:
            fill_words(own, ZERO)
            for b in range(n_categories[feature]):
                bits_equal(columns[feature], np.float64(b), scratch)
                for w in range(n_words):
                    own[w] |= scratch[w] & sets[first + b, w]
        else:
            has_cut(above, columns, feature, cut, columns.shape[1])
            bits = above.bits[feature]
            for w in range(n_words):
                own[w] = (bits[w] & sets[first + 1, w]) | (~bits[w] & sets[first, w])
    decide_others(trees, root, n_categories, samples, above, sets[0])


@allocating
def decide_others(trees, root, n_categories, samples, above, out):
    """Correct the bits of samples with missing values or unknown categories."""
    for j in range(samples.missing.size):
        p = add_shares(trees, root, n_categories, samples.missing_rows[j], 1)
        set_bit(out, samples.missing[j], p >= 0.5)
    for i in samples.unknown:
        node = leaf_below(trees, root, root, samples.columns, above.bits, i)
        set_bit(out, i, trees.probability[node, 1] >= 0.5)


@entry
def fill_decision_bits(trees, roots, n_categories, samples, out):
    """Fill in the decisions of every tree, as bits."""
    above = new_above(n_categories.size, samples.columns.shape[1])
    sets = np.empty((longest_part(roots), out.shape[1]), np.uint64)
    scratch = np.empty(out.shape[1], np.uint64)
    for tree in range(roots.size - 1):
        decide_tree(
            trees, roots[tree], roots[tree + 1], n_categories, samples, above, sets, scratch
        )
        for w in range(out.shape[1]):
            out[tree, w] = sets[0, w]


@entry
def fill_wins(trees, roots, n_categories, samples, first, second, out):
    """Add each tree's decisions to the votes of its two labels; `out` is by label."""
    n = samples.columns.shape[1]
    n_words = words_for(n)
    above = new_above(n_categories.size, n)
    sets = np.empty((longest_part(roots), n_words), np.uint64)
    scratch = np.empty(n_words, np.uint64)
    yes = np.empty(64 * n_words, np.int32)
    for tree in range(roots.size - 1):
        decide_tree(
            trees, roots[tree], roots[tree + 1], n_categories, samples, above, sets, scratch
        )
        for w in range(n_words):
            word = sets[0, w]
            for b in range(64):
                yes[64 * w + b] = np.int32((word >> np.uint64(b)) & ONE)
        ours, theirs = out[first[tree]], out[second[tree]]
        for i in range(n):
            ours[i] += yes[i]
            theirs[i] += 1 - yes[i]
