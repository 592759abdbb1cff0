"""Decide for 64 samples in one word: a node's set joins those of its branches."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compiling import compiled, entry
from rarelabels.trees._kernels.walking import add_shares

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled
def bits_above(column, threshold, out):
    """Set the bits of the values above a threshold."""
    n = column.size
    for word in range(out.size):
        first = 64 * word
        bits = np.uint64(0)
        for b in range(min(64, n - first)):
            bits |= np.uint64(column[first + b] > threshold) << np.uint64(b)
        out[word] = bits


@compiled
def bits_equal(column, value, out):
    """Set the bits of the values equal to one."""
    n = column.size
    for word in range(out.size):
        first = 64 * word
        bits = np.uint64(0)
        for b in range(min(64, n - first)):
            bits |= np.uint64(column[first + b] == value) << np.uint64(b)
        out[word] = bits


@compiled
def category_bits(columns, n_categories):
    """Return the bits of the second category, and of unknown ones, of two-valued features."""
    n_words = (columns.shape[1] + 63) // 64
    second = np.zeros((n_categories.size, n_words), np.uint64)
    unknown = np.zeros((n_categories.size, n_words), np.uint64)
    for feature in range(n_categories.size):
        if n_categories[feature] == 2:
            bits_equal(columns[feature], 1.0, second[feature])
            bits_equal(columns[feature], -1.0, unknown[feature])
    return second, unknown


@compiled
def decide_tree(trees, root, end, n_categories, columns, ready, sets, scratch):
    """Fill in `sets[0]`: the samples for which a tree says yes."""
    second, unknown = ready
    n_words = sets.shape[1]
    for node in range(end - 1, root - 1, -1):
        own = sets[node - root]
        feature = trees.feature[node]
        says = ALL if trees.probability[node, 1] >= 0.5 else np.uint64(0)
        if feature < 0:
            own[:] = says
            continue
        first = trees.child[node]
        if not np.isnan(trees.threshold[node]):
            bits_above(columns[feature], trees.threshold[node], scratch)
            for w in range(n_words):
                own[w] = (scratch[w] & sets[first + 1, w]) | (~scratch[w] & sets[first, w])
        elif n_categories[feature] == 2:
            for w in range(n_words):
                one, none = second[feature, w], unknown[feature, w]
                own[w] = (
                    (one & sets[first + 1, w]) | (~one & ~none & sets[first, w]) | (none & says)
                )
        else:
            bits_equal(columns[feature], -1.0, scratch)
            for w in range(n_words):
                own[w] = scratch[w] & says
            for b in range(n_categories[feature]):
                bits_equal(columns[feature], np.float64(b), scratch)
                for w in range(n_words):
                    own[w] |= scratch[w] & sets[first + b, w]


@compiled
def largest_tree(roots):
    """Return the number of nodes of the largest tree."""
    most = 1
    for tree in range(roots.size - 1):
        most = max(most, roots[tree + 1] - roots[tree])
    return most


@compiled
def decide_missing(trees, root, n_categories, columns, missing, out):
    """Correct the bits of samples with missing values."""
    one = np.uint64(1)
    for i in missing:
        p = add_shares(trees, root, n_categories, columns[:, i], 1)
        bit = one << np.uint64(i % 64)
        if p >= 0.5:
            out[i // 64] |= bit
        else:
            out[i // 64] &= ~bit


@entry
def fill_decision_bits(trees, roots, n_categories, columns, missing, out):
    """Fill in the decisions of every tree, as bits; columns are by feature."""
    ready = category_bits(columns, n_categories)
    sets = np.empty((largest_tree(roots), out.shape[1]), np.uint64)
    scratch = np.empty(out.shape[1], np.uint64)
    for tree in range(roots.size - 1):
        root, end = roots[tree], roots[tree + 1]
        decide_tree(trees, root, end, n_categories, columns, ready, sets, scratch)
        out[tree] = sets[0]
        decide_missing(trees, root, n_categories, columns, missing, out[tree])


@entry
def fill_wins(trees, roots, n_categories, columns, missing, first, second, out):
    """Add each tree's decisions to the votes of its two labels; `out` is by label."""
    n = columns.shape[1]
    n_words = (n + 63) // 64
    ready = category_bits(columns, n_categories)
    sets = np.empty((largest_tree(roots), n_words), np.uint64)
    scratch = np.empty(n_words, np.uint64)
    yes = np.empty(64 * n_words, np.int32)
    for tree in range(roots.size - 1):
        root, end = roots[tree], roots[tree + 1]
        decide_tree(trees, root, end, n_categories, columns, ready, sets, scratch)
        decide_missing(trees, root, n_categories, columns, missing, sets[0])
        for w in range(n_words):
            word = sets[0, w]
            for b in range(64):
                yes[64 * w + b] = np.int32((word >> np.uint64(b)) & np.uint64(1))
        ours, theirs = out[first[tree]], out[second[tree]]
        for i in range(n):
            ours[i] += yes[i]
            theirs[i] += 1 - yes[i]
