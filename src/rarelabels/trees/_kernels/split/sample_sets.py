"""Sets of the samples of a small task on sparse features of two values, as bits of a few words.

A feature's counts at a node are the bits that the samples with its stored code have in common with
the node's, so that nothing is counted twice, moved or subtracted.

Parameters
----------
n_met : int64
    How many features some sample of the task has a stored code of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.bitsets import ONE, ZERO, count_bits, lowest_bit, words_for
from rarelabels.trees._kernels.compilation import allocating, compiled, inlined
from rarelabels.trees._kernels.split.sparse_features import has_one_split, try_counts
from rarelabels.trees._kernels.structures import set_leaf
from rarelabels.trees._kernels.workspace import sort_range

SET_WORDS = 8  # in a set
MOST_IN_SETS = 64 * SET_WORDS  # samples; tasks of more are counted


class Sets(NamedTuple):
    """Sets of a task's samples, by their number in it."""

    stored: Array  # uint64 (n_features, n_words): those with a stored code; empty between uses
    n_stored: Array  # int32 (n_features,): how many; 0 between uses
    met: Array  # int64 (n_features,): the features that are stored, in any order
    features: Array  # int64 (n_features,): those stored often enough to be split on, ascending
    of_class: Array  # uint64 (n_classes, n_words)
    of_node: Array  # uint64 (n_nodes, n_words)
    side: Array  # int32 (1, n_classes): the class counts of a feature's stored codes


@allocating
def new_sets(codes, most, n_classes):
    """Return arrays for the sets of tasks that are small enough."""
    n_words = min(words_for(most), SET_WORDS)
    return Sets(
        np.zeros((codes.n_features, n_words), np.uint64),
        np.zeros(codes.n_features, np.int32),
        np.empty(codes.n_features, np.int64),
        np.empty(codes.n_features, np.int64),
        np.empty((n_classes, n_words), np.uint64),
        np.empty((128 * n_words, n_words), np.uint64),
        np.empty((1, n_classes), np.int32),
    )


@compiled
def fits_sets(n_samples):
    """Whether a task has few enough samples."""
    return n_samples <= MOST_IN_SETS


@allocating
def fill_sets(sets, codes, positions, rules, rows, classes, n_words):
    """Fill in the sets of features, classes and the root.

    Return how many features are met, and how many of them may split the task.
    """
    n_met = np.int64(0)
    for w in range(n_words):
        sets.of_node[0, w] = ZERO
        for k in range(sets.of_class.shape[0]):
            sets.of_class[k, w] = ZERO
    for i in range(rows.size):
        w, bit = i >> 6, ONE << np.uint64(i & 63)
        sets.of_node[0, w] |= bit
        sets.of_class[classes[i], w] |= bit
        sample = positions.sample[rows[i]]
        for j in range(codes.row_starts[sample], codes.row_starts[sample + 1]):
            feature = codes.stored[j].feature
            if sets.n_stored[feature] == 0:
                sets.met[n_met] = feature
                n_met += 1
            sets.stored[feature, w] |= bit
            sets.n_stored[feature] += 1
    return n_met, list_features(sets, n_met, codes, rules)


@allocating
def list_features(sets, n_met, codes, rules):
    """List the features stored often enough to be split on, ascending; return how many."""
    is_many = 8 * n_met > sets.met.size
    if not is_many:
        sort_range(sets.met, np.int64(0), n_met)
    n_listed = 0
    for a in range(sets.met.size if is_many else n_met):
        feature = a if is_many else sets.met[a]
        if sets.n_stored[feature] >= rules.min_leaf and has_one_split(codes, feature, rules):
            sets.features[n_listed] = feature
            n_listed += 1
    return n_listed


@compiled
def empty_sets(sets, n_met, n_words):
    """Empty the sets of the features that were met."""
    for a in range(n_met):
        feature = sets.met[a]
        sets.n_stored[feature] = 0
        for w in range(n_words):
            sets.stored[feature, w] = ZERO


@inlined
def count_stored(sets, feature, node_set, n_words):
    """Count a node's samples with a feature's stored code."""
    total = np.int64(0)
    for w in range(n_words):
        total += count_bits(sets.stored[feature, w] & node_set[w])
    return total


@inlined
def count_side(sets, feature, node_set, n_words, n_stored):
    """Count the classes of the same samples."""
    side = sets.side
    side[0, 0] = n_stored
    for k in range(1, side.shape[1]):
        count = np.int64(0)
        for w in range(n_words):
            count += count_bits(sets.stored[feature, w] & node_set[w] & sets.of_class[k, w])
        side[0, k] = count
        side[0, 0] -= count


@compiled
def try_sets(candidates, sets, n_features, node, n_words, codes, workspace, limits, n, rules):
    """Fill in the candidates of all features listed, in the order of the features."""
    n_candidates, node_set = np.int64(0), sets.of_node[node]
    least = np.int64(np.ceil(rules.min_leaf))
    for a in range(n_features):
        feature = sets.features[a]
        n_stored = count_stored(sets, feature, node_set, n_words)
        if least <= n_stored <= n - least:
            count_side(sets, feature, node_set, n_words, n_stored)
            n_candidates = try_counts(
                candidates, n_candidates, feature, n_stored, sets.side, 0, codes, workspace, limits,
                n, rules,
            )  # fmt: skip
    return n_candidates


@compiled
def split_node_set(nodes, node, sets, codes, n_words):
    """Split a node's samples between its two children."""
    feature, first = nodes.of[node].feature, nodes.of[node].child
    # The stored code is 1 where the base is 0, and codes are the branches.
    with_stored = first + (1 - codes.features[feature].base_code)
    others = 2 * first + 1 - with_stored
    for w in range(n_words):
        node_set, stored = sets.of_node[node, w], sets.stored[feature, w]
        sets.of_node[with_stored, w] = node_set & stored
        sets.of_node[others, w] = node_set & ~stored
    at = nodes.of[node].start
    for child in range(first, first + 2):
        n = count_classes(nodes, child, sets, n_words)
        set_leaf(nodes, child, at, at + n)
        at += n


@compiled
def count_classes(nodes, node, sets, n_words):
    """Write the class counts of a node; return how many samples it has."""
    total = np.int64(0)
    for k in range(nodes.counts.shape[1]):
        count = np.int64(0)
        for w in range(n_words):
            count += count_bits(sets.of_node[node, w] & sets.of_class[k, w])
        nodes.counts[node, k] = count
        total += count
    return total


@compiled
def order_by_leaf(nodes, n_nodes, sets, rows, classes, workspace, n_words):
    """Order a task's samples by leaf, stably."""
    buffer = workspace.buffer
    for i in range(rows.size):
        buffer[1, i], buffer[2, i] = rows[i], classes[i]
    for node in range(n_nodes):
        if nodes.of[node].feature >= 0:
            continue
        at = nodes.of[node].start
        for w in range(n_words):
            word = sets.of_node[node, w]
            while word != ZERO:
                i = 64 * w + lowest_bit(word)
                rows[at], classes[at] = buffer[1, i], buffer[2, i]
                at += 1
                word &= word - ONE
