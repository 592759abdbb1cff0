"""Find the leaves of many samples at once: at a node, a set of samples is split into two.

Parameters
----------
above : (n_words,) uint64
    The samples above a threshold.
first, second : (n_words,) uint64
    The samples of the two children, which are filled in.
child : int64
    The first child, counted from the root.
sizes : (n_nodes,) int64
    How many samples each node has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.bitsets import (
    ALL,
    ONE,
    ZERO,
    count_bits,
    lowest_bit,
    set_bit,
    words_for,
)
from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.predict.paths import add_shares, leaf_below
from rarelabels.trees._kernels.predict.threshold_sets import (
    ThresholdSets,
    cut_of,
    has_threshold_set,
    new_threshold_sets,
)
from rarelabels.trees._kernels.structures import longest_part


class LeafSearch(NamedTuple):
    """Scratch arrays of the search for leaves, and its results."""

    everyone: Array  # uint64 (n_words,): the samples that sets are right for
    sets: Array  # uint64 (nodes of the largest tree, n_words)
    sizes: Array  # int64 (nodes of the largest tree,)
    threshold_sets: ThresholdSets
    leaf: Array  # int64 (n_samples,)
    probability: Array  # float64 (n_samples,)


@allocating
def new_leaf_search(roots, n_categories, samples):
    """Return the scratch for a block of samples."""
    n_samples = samples.columns.shape[1]
    n_words, most = words_for(n_samples), longest_part(roots)
    everyone = np.empty(n_words, np.uint64)
    for w in range(n_words):
        n_bits = min(64, n_samples - 64 * w)
        everyone[w] = ALL if n_bits == 64 else (ONE << np.uint64(n_bits)) - ONE
    for i in samples.missing:
        set_bit(everyone, i, False)
    for i in samples.unknown:
        set_bit(everyone, i, False)
    return LeafSearch(
        everyone,
        np.empty((most, n_words), np.uint64),
        np.empty(most, np.int64),
        new_threshold_sets(n_categories.size, n_samples),
        np.zeros(n_samples, np.int64),
        np.empty(n_samples),
    )


@compiled
def split_set(node_set, above, first, second):
    """Write the samples that go to each of two branches; return how many go to the second."""
    n = 0
    for w in range(node_set.size):
        goes = node_set[w] & above[w]
        first[w] = node_set[w] & ~above[w]
        second[w] = goes
        n += count_bits(goes)
    return n


@compiled
def send_to_categories(node_set, column, child, n, sets, sizes):
    """Send a set to as many branches as a feature has categories."""
    for b in range(child, child + n):
        sizes[b] = 0
        for w in range(node_set.size):
            sets[b, w] = ZERO
    for w in range(node_set.size):
        word = node_set[w]
        while word != ZERO:
            bit = lowest_bit(word)
            word &= word - ONE
            b = child + np.int64(column[64 * w + bit])
            sets[b, w] |= ONE << np.uint64(bit)
            sizes[b] += 1


@compiled
def write_leaf_of_set(node_set, node, leaf):
    """Write the leaf of a set of samples."""
    for w in range(node_set.size):
        word = node_set[w]
        while word != ZERO:
            leaf[64 * w + lowest_bit(word)] = node
            word &= word - ONE


@compiled
def walk_set(node_set, trees, root, node, columns, bits, leaf):
    """Send each sample of a set down from a node."""
    for w in range(node_set.size):
        word = node_set[w]
        while word != ZERO:
            i = 64 * w + lowest_bit(word)
            leaf[i] = leaf_below(trees, root, node, columns, bits, i)
            word &= word - ONE


@compiled
def find_leaves(trees, root, end, n_categories, samples, search):
    """Write the leaf of every sample without missing values: nodes come before their children."""
    columns, sets, sizes, threshold_sets = (
        samples.columns,
        search.sets,
        search.sizes,
        search.threshold_sets,
    )
    leaf, bits = search.leaf, threshold_sets.bits
    for w in range(search.everyone.size):
        sets[0, w] = search.everyone[w]
    for at in range(end - root):
        sizes[at] = 0
    sizes[0] = leaf.size
    for node in range(root, end):
        at = node - root
        size, feature = sizes[at], np.int64(trees.feature[node])
        if size == 0:
            continue
        if feature < 0:
            write_leaf_of_set(sets[at], node, leaf)
            continue
        child, cut = np.int64(trees.child[node]), cut_of(trees.threshold[node])
        if np.isnan(trees.threshold[node]) and n_categories[feature] > 2:
            column, n = columns[feature], n_categories[feature]
            send_to_categories(sets[at], column, child, n, sets, sizes)
        elif 8 * size < sets.shape[1] or not has_threshold_set(
            threshold_sets, columns, feature, cut, size
        ):
            walk_set(sets[at], trees, root, node, columns, bits, leaf)
        else:
            n_second = split_set(sets[at], bits[feature], sets[child], sets[child + 1])
            sizes[child], sizes[child + 1] = size - n_second, n_second
    for i in samples.unknown:
        leaf[i] = leaf_below(trees, root, root, columns, bits, i)


@allocating
def find_probability(trees, root, end, n_categories, samples, k, search):
    """Write the probability of class k for every sample."""
    find_leaves(trees, root, end, n_categories, samples, search)
    leaf, probability = search.leaf, search.probability
    for i in range(leaf.size):
        probability[i] = trees.probability[leaf[i], k]
    for j in range(samples.missing.size):
        shares = add_shares(trees, root, n_categories, samples.missing_rows[j], k)
        probability[samples.missing[j]] = shares
