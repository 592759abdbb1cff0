"""The decisions of a link of a chain, as a feature of later links.

Parameters
----------
node_set : (n_words,) uint64
    The samples for which the subtree of a node decides 1.
children : (n_children, n_words) uint64
    The same for its children.
p : int32
    A position.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.bitsets import ALL, ONE, ZERO, has_bit, set_bit, words_for
from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.predict.paths import add_shares
from rarelabels.trees._kernels.structures import code_at

MOST_WORDS = 2**22  # in the sets of a tree's nodes; larger trees are walked position by position


@allocating
def new_decisions(codes, positions, chain):
    """Return an array for the decisions of the links; it is empty if they are not used."""
    if chain is None or chain != 1 or not codes.is_sparse:
        return np.empty((0, 0), np.uint64)
    return np.empty((positions.fed.shape[1], words_for(codes.row_starts.size - 1)), np.uint64)


@allocating
def decide_link(trees, root, end, codes, positions, decisions, link):
    """Write what a link decides for all positions, and for all samples if `decisions` is used."""
    sample, fed = positions.sample, positions.fed
    if decisions.size > 0 and (end - root) * decisions.shape[1] <= MOST_WORDS:
        write_positive_samples(trees, root, end, codes, decisions, link)
        for p in range(sample.size):
            fed[p, link] = has_bit(decisions[link], sample[p])
        return
    for p in range(sample.size):
        if p > 0 and sample[p] == sample[p - 1]:
            fed[p, link] = fed[p - 1, link]
        else:
            fed[p, link] = is_positive(trees, root, codes, positions, np.int32(p))
        if decisions.size > 0:
            set_bit(decisions[link], sample[p], fed[p, link])


@allocating
def write_positive_samples(trees, root, end, codes, decisions, link):
    """Write the samples for which a link's tree on sparse features decides 1, as bits.

    Children come after their parents. A node's set is that of the branch of the base, except for
    the samples with a stored code that takes another one.
    """
    sets = np.empty((end - root, decisions.shape[1]), np.uint64)
    for node in range(end - 1, root - 1, -1):
        node_set, feature = sets[node - root], np.int64(trees.feature[node])
        if feature < 0:
            word = ALL if trees.probability[node, 1] >= 0.5 else ZERO
            for w in range(node_set.size):
                node_set[w] = word
            continue
        children = sets[trees.child[node] :]
        if feature >= codes.n_features:
            bits = decisions[feature - codes.n_features]
            for w in range(node_set.size):
                node_set[w] = (bits[w] & children[1, w]) | (~bits[w] & children[0, w])
        else:
            join_children(node_set, children, codes, feature, trees.threshold[node])
    for w in range(decisions.shape[1]):
        decisions[link, w] = sets[0, w]


@compiled
def join_children(node_set, children, codes, feature, threshold):
    """Write the set of a node on a sparse feature from those of its children."""
    usual = branch_of_code(codes, feature, codes.features[feature].base_code, threshold)
    for w in range(node_set.size):
        node_set[w] = children[usual, w]
    for j in range(codes.features[feature].column_start, codes.features[feature + 1].column_start):
        branch = branch_of_code(codes, feature, codes.column[j].code, threshold)
        if branch != usual:
            i = codes.column[j].sample
            bit, w = ONE << np.uint64(i & 63), i >> 6
            node_set[w] = (node_set[w] & ~bit) | (children[branch, w] & bit)


@compiled
def branch_of_code(codes, feature, code, threshold):
    """Return the branch that a code of a feature takes; categories have no threshold."""
    if np.isnan(threshold):
        return np.int64(code)
    return np.int64(codes.values[codes.features[feature].value_start + code] > threshold)


@compiled
def is_positive(trees, root, codes, positions, p):
    """Whether a position ends in a leaf that decides 1."""
    node = root
    while trees.feature[node] >= 0:
        feature = np.int64(trees.feature[node])
        code = code_at(codes, positions, p, feature)
        if feature >= codes.n_features:
            branch = np.int64(code > 0)
        else:
            branch = branch_of_code(codes, feature, code, trees.threshold[node])
        node = root + trees.child[node] + branch
    return trees.probability[node, 1] >= 0.5


@compiled
def list_link(positions, link):
    """Add a link to the lists of the positions for which it decides 1."""
    for p in range(positions.sample.size):
        if positions.fed[p, link] != 0:
            positions.positive[p, positions.n_positive[p]] = link
            positions.n_positive[p] += 1


@allocating
def decide_link_by_shares(trees, root, codes, positions, link):
    """Do what `decide_link` does if values may be missing."""
    n_features = codes.n_features
    x = np.empty(n_features + link)
    n_categories = np.empty(n_features, np.int32)
    for feature in range(n_features):
        n_categories[feature] = codes.features[feature].n_categories
    for p in range(positions.sample.size):
        for feature in range(n_features + link):
            code = code_at(codes, positions, np.int32(p), feature)
            if feature >= n_features:
                x[feature] = code
            elif code < 0:
                x[feature] = np.nan
            else:
                x[feature] = codes.values[codes.features[feature].value_start + code]
        share = add_shares(trees, root, n_categories, x, 1)
        positions.fed[p, link] = share >= 0.5
