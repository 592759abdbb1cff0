"""Grow one tree for all labels: the entries for dense and sparse codes, random and best splits.

Each has a separate entry, so that only what the data needs is compiled. All of them take the same
arguments and return the tree, the gain of each of its inner nodes, and the leaf of each sample that
is out of the bag.

Parameters
----------
depth : int64
    The depth of the node.
place : int64
    Where the next label of a leaf is written.
name, kernels : str, kernels
    The name of the copy, and what it uses.
row : (n_features,) int32
    The codes of one sample, if they are stored.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import (
    allocating,
    compiled,
    entry,
    unsigned,
    with_kernels,
)
from rarelabels.trees._kernels.criterion import score_bounds, whole_score
from rarelabels.trees._kernels.generator import random_below
from rarelabels.trees._kernels.multilabel.best_splits import try_best_dense, try_best_sparse
from rarelabels.trees._kernels.multilabel.label_counts import (
    clear_counts,
    count_node,
    find_active,
    is_pure,
    remove_samples,
)
from rarelabels.trees._kernels.multilabel.random_splits import (
    goes_first,
    pick_dense,
    pick_sparse,
    prepare_dense,
    prepare_sparse,
    try_dense,
    try_sparse,
)
from rarelabels.trees._kernels.multilabel.structures import (
    LEAF,
    TREE_NODE,
    label_range,
    new_label_workspace,
)

# What tries a split on a feature, what picks one that is not constant, and what is done before:
# `make_grower` replaces them.
try_feature, pick_feature, prepare = try_dense, pick_dense, prepare_dense


def grow_tree(codes, labels, weight, rules, seed):
    """Grow a tree on the samples of positive weight.

    Parameters
    ----------
    codes : Codes
        The features.
    labels : SampleLabels
        The labels of each sample.
    weight : (n_samples,) float64
        Weights; a sample of weight 0 is out of the bag.
    rules : LabelRules
        How to grow.
    seed : uint64
        Seed of the random numbers.

    Returns
    -------
    nodes, leaf_starts, leaf_labels, leaf_shares : arrays
        The tree, as in `LabelTrees`.
    gains : (n_nodes,) float64
        The decrease of impurity at each node, 0 at leaves.
    outside, leaves : (n_outside,) int32
        The samples out of the bag, and their leaves.
    """
    workspace = new_label_workspace(codes, labels, weight, seed)
    n, most_entries = workspace.rows.size, np.int64(0)
    for i in range(n):
        most_entries += labels.starts[workspace.rows[i] + 1] - labels.starts[workspace.rows[i]]
    nodes, gains = np.empty(2 * n, TREE_NODE), np.zeros(2 * n)
    cuts = np.empty(2 * n, np.int32)
    leaf_starts = np.empty(n + 1, np.int64)
    leaf_labels, leaf_shares = np.empty(most_entries, np.int32), np.empty(most_entries, np.float32)
    leaf_starts[0] = 0
    # The smaller child of each split waits until the larger one is grown.
    waiting, n_waiting = np.empty((n, 4), np.int64), 0
    node, start, end, depth = np.int64(0), np.int64(0), np.int64(n), np.int64(0)
    n_nodes, n_leaves = np.int64(1), np.int64(0)
    count_node(labels, workspace, start, end)
    while True:
        n_active = find_split(codes, labels, workspace, start, end, depth, rules)
        if workspace.best[0].feature < 0:
            nodes[node].feature, nodes[node].child = LEAF, n_leaves
            nodes[node].threshold = 0.0
            leaf_starts[n_leaves + 1] = write_leaf(
                labels, workspace, start, end, leaf_starts[n_leaves], leaf_labels, leaf_shares
            )
            n_leaves += 1
            if n_waiting == 0:
                break
            n_waiting -= 1
            node, start = waiting[n_waiting, 0], waiting[n_waiting, 1]
            end, depth = waiting[n_waiting, 2], waiting[n_waiting, 3]
            count_node(labels, workspace, start, end)
            continue
        best = workspace.best[0]
        gains[node] = max(0.0, best.score - whole_score(workspace, n_active, rules.entropy))
        middle = partition_rows(workspace, start, end)
        if best.n_missing == 0:
            best.missing_first = middle - start >= end - middle
        nodes[node].feature = 2 * best.feature + best.missing_first
        nodes[node].child, nodes[node].threshold = n_nodes, best.threshold
        cuts[node] = best.code
        is_first_smaller = middle - start < end - middle
        depth += 1
        waiting[n_waiting, 3] = depth
        if is_first_smaller:
            waiting[n_waiting, 0], waiting[n_waiting, 1] = n_nodes, start
            waiting[n_waiting, 2] = middle
            node, small_start, small_end, start = n_nodes + 1, start, middle, middle
        else:
            waiting[n_waiting, 0], waiting[n_waiting, 1] = n_nodes + 1, middle
            waiting[n_waiting, 2] = end
            node, small_start, small_end, end = n_nodes, middle, end, middle
        n_waiting += 1
        n_nodes += 2
        if rules.is_exact:
            remove_samples(labels, workspace, small_start, small_end)
        else:
            clear_counts(labels, workspace, small_start, small_end)
            clear_counts(labels, workspace, start, end)
            count_node(labels, workspace, start, end)
    outside, leaves = find_outside(codes, workspace, nodes, cuts)
    n_entries = leaf_starts[n_leaves]
    return (
        nodes[:n_nodes].copy(),
        leaf_starts[: n_leaves + 1].copy(),
        leaf_labels[:n_entries].copy(),
        leaf_shares[:n_entries].copy(),
        gains[:n_nodes].copy(),
        outside,
        leaves,
    )


def find_split(codes, labels, workspace, start, end, depth, rules):
    """Find the best split of a node; its feature is -1 if there is none.

    As many features are drawn as the rules say. Constant ones count, but if all are constant,
    another one is drawn from those that are not. Return the number of labels of both kinds, which
    is only counted for the entropy.
    """
    best, n = workspace.best[0], end - start
    best.feature, best.score = -1, -np.inf
    if n < 2 * rules.min_leaf or n < 2 or depth >= rules.max_depth or is_pure(workspace, n):
        return 0
    n_active = find_active(workspace, n) if rules.entropy else 0
    goal, best.step = score_bounds(workspace, n_active, rules.entropy)
    n_features, all_constant = workspace.features.size, True
    prepare(codes, workspace, start, end, rules)
    for i in range(rules.max_features + 1):
        if i < rules.max_features:
            j = i + random_below(workspace.random, n_features - i)
            feature = np.int64(workspace.features[j])
            workspace.features[j] = workspace.features[i]
            workspace.features[i] = feature
        elif all_constant and i < n_features:
            feature = pick_feature(codes, workspace, start, end)
        else:
            break
        if feature < 0:
            break
        is_constant = try_feature(codes, labels, workspace, feature, start, end, n_active, rules)
        all_constant = all_constant and is_constant
        if best.score >= goal - best.step:
            break
    return n_active


@compiled
def partition_rows(workspace, start, end):
    """Move the samples of the first child before those of the second; return where these begin."""
    best, rows, place = workspace.best[0], workspace.rows, workspace.place
    step = 1 if best.lists_first else -1
    to = start if best.lists_first else end - 1
    for i in range(best.n_listed):
        sample, other = workspace.best_listed[i], rows[to]
        from_place = place[sample]
        rows[to], rows[from_place] = sample, other
        place[sample], place[other] = to, from_place
        to += step
    return to if best.lists_first else to + 1


@compiled
def write_leaf(labels, workspace, start, end, place, leaf_labels, leaf_shares):
    """Write the labels of a leaf and their shares, and set its counts to zero."""
    for i in range(start, end):
        sample = workspace.rows[i]
        for item in label_range(labels, sample):
            label = labels.labels[item]
            count = workspace.counts[unsigned(label)]
            if count.n == 0:
                continue
            leaf_labels[place] = label
            leaf_shares[place] = count.total / workspace.totals[0].weight
            place += 1
            count.total, count.n = 0.0, 0
    return place


@allocating
def find_outside(codes, workspace, nodes, cuts):
    """Return the samples out of the bag and their leaves."""
    n_outside = workspace.place.size - workspace.rows.size
    outside, leaves = np.empty(n_outside, np.int32), np.empty(n_outside, np.int32)
    # The codes of one sample by feature, of stored codes.
    row = np.empty(codes.n_features if codes.is_sparse else 0, np.int32)
    for feature in range(row.size):
        row[feature] = codes.features[feature].base_code
    i = 0
    for sample in range(workspace.place.size):
        if workspace.place[sample] >= 0:
            continue
        outside[i] = sample
        first, last = np.int64(0), np.int64(0)
        if codes.is_sparse:
            first, last = codes.row_starts[sample], codes.row_starts[sample + 1]
        for item in range(first, last):
            row[codes.stored[item].feature] = codes.stored[item].code
        leaves[i] = leaf_of(codes, row, sample, nodes, cuts)
        for item in range(first, last):
            feature = codes.stored[item].feature
            row[feature] = codes.features[feature].base_code
        i += 1
    return outside, leaves


@compiled
def leaf_of(codes, row, sample, nodes, cuts):
    """Return the leaf of a coded sample; `row` has its codes if they are stored."""
    node = 0
    while nodes[node].feature >= 0:
        feature = nodes[node].feature >> 1
        code = row[feature] if codes.is_sparse else codes.table[feature, sample]
        is_first = goes_first(
            code,
            cuts[node],
            nodes[node].threshold,
            codes.features[feature].n_categories > 0,
            nodes[node].feature & 1 == 1,
        )
        node = nodes[node].child + (0 if is_first else 1)
    return nodes[node].child


def make_grower(name, **kernels):
    """Return `grow_tree` with these kernels for those of the same names."""
    search = allocating(with_kernels(find_split, f"find_split_{name}", **kernels))
    return allocating(with_kernels(grow_tree, f"grow_tree_{name}", find_split=search))


ON_SPARSE = {"pick_feature": pick_sparse, "prepare": prepare_sparse}
grow_on_dense = make_grower("dense_random")
grow_on_sparse = make_grower("sparse_random", try_feature=try_sparse, **ON_SPARSE)
grow_best_on_dense = make_grower("dense_best", try_feature=try_best_dense)
grow_best_on_sparse = make_grower("sparse_best", try_feature=try_best_sparse, **ON_SPARSE)


@entry
def grow_dense_random(codes, labels, weight, rules, seed):
    """Grow a tree with random splits on a dense table of codes."""
    return grow_on_dense(codes, labels, weight, rules, seed)


@entry
def grow_sparse_random(codes, labels, weight, rules, seed):
    """Grow a tree with random splits on stored codes."""
    return grow_on_sparse(codes, labels, weight, rules, seed)


@entry
def grow_dense_best(codes, labels, weight, rules, seed):
    """Grow a tree with the best splits of random features on a dense table of codes."""
    return grow_best_on_dense(codes, labels, weight, rules, seed)


@entry
def grow_sparse_best(codes, labels, weight, rules, seed):
    """Grow a tree with the best splits of random features on stored codes."""
    return grow_best_on_sparse(codes, labels, weight, rules, seed)
