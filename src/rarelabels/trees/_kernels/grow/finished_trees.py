"""Append grown trees to those that are finished.

Parameters
----------
at : int64
    The number of a node in `trees`.
parent : int64
    The number of its parent there, -1 for the root.
order, table : (n_samples,) int32
    The samples sorted by a feature, and the code of each.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.split.partition import midpoint
from rarelabels.trees._kernels.structures import Trees, n_branches, n_children


@allocating
def new_trees(capacity, n_classes):
    """Return arrays for finished trees."""
    return Trees(
        np.empty(capacity, np.int32),
        np.empty(capacity),
        np.empty(capacity, np.int32),
        np.empty((capacity, n_classes)),
        np.empty((capacity, n_classes)),
    )


@allocating
def resized_trees(trees, used, capacity):
    """Return the first `used` nodes in arrays of another size."""
    n_classes = trees.counts.shape[1]
    resized = new_trees(capacity, n_classes)
    for i in range(used):
        resized.feature[i] = trees.feature[i]
        resized.threshold[i] = trees.threshold[i]
        resized.child[i] = trees.child[i]
        for k in range(n_classes):
            resized.counts[i, k] = trees.counts[i, k]
            resized.probability[i, k] = trees.probability[i, k]
    return resized


@compiled
def write_shares(trees, at, parent, rules, n_present):
    """Write a node's class probabilities, or its parent's if it has no samples."""
    n_classes = trees.counts.shape[1]
    total = 0.0
    for k in range(n_classes):
        total += trees.counts[at, k]
    for k in range(n_classes):
        if total <= 0.0 and parent >= 0:
            trees.probability[at, k] = trees.probability[parent, k]
        elif rules.laplace:
            trees.probability[at, k] = (trees.counts[at, k] + 1.0) / (total + n_present)
        else:
            trees.probability[at, k] = trees.counts[at, k] / total if total > 0.0 else 0.0


@compiled
def marked_code(codes, feature, low, code, mark, task):
    """Return the highest code from `low` to `code` that a sample of the task has."""
    if code == low:
        return low
    if not codes.is_sparse:
        order, table = codes.order[feature], codes.table[feature]
        i = last_up_to(order, table, code)
        while mark[order[i]] != task:
            i -= 1
        return max(low, table[order[i]])
    start, end = codes.features[feature].column_start, codes.features[feature + 1].column_start
    best = low
    i = end - 1
    while i >= start and codes.column[i].code > code:
        i -= 1
    while i >= start and codes.column[i].code > low:
        if mark[codes.column[i].sample] == task:
            best = codes.column[i].code
            break
        i -= 1
    base = codes.features[feature].base_code
    if best < base <= code and has_base(codes, feature, mark, task):
        return base
    return best


@compiled
def last_up_to(order, table, code):
    """Return the last place in a feature's order whose code is at most `code`."""
    low, high = 0, order.size
    while high - low > 1:
        middle = (low + high) >> 1
        if table[order[middle]] <= code:
            low = middle
        else:
            high = middle
    return low


@compiled
def has_base(codes, feature, mark, task):
    """Whether a sample of the task has the feature's base code."""
    n_stored = 0
    for i in range(codes.features[feature].column_start, codes.features[feature + 1].column_start):
        n_stored += mark[codes.column[i].sample] == task
    n_marked = 0
    for sample in range(mark.size):
        n_marked += mark[sample] == task
    return n_stored < n_marked


@compiled
def threshold_of(nodes, node, codes, rules, mark, task):
    """Return the value up to which samples go to the first child."""
    feature = nodes.of[node].feature
    if feature >= codes.n_features:
        return 0.5
    start = codes.features[feature].value_start
    low, high = nodes.of[node].low, nodes.of[node].high
    if rules.actual:
        code = marked_code(codes, feature, low, nodes.of[node].code, mark, task)
        return codes.values[start + code]
    return midpoint(codes.values[start + low], codes.values[start + high])


@allocating
def append_tree(trees, used, nodes, n_nodes, codes, rules, n_present, mark, task):
    """Copy the nodes that are still in the tree; return the trees and how many nodes they use."""
    old = np.empty(n_nodes, np.int64)
    parent = np.empty(n_nodes, np.int64)
    old[0], parent[0] = 0, -1
    n_old = 1
    if used + n_nodes > trees.feature.size:
        trees = resized_trees(trees, used, 2 * (used + n_nodes))
    i = 0
    while i < n_old:
        node, at = old[i], used + i
        feature = nodes.of[node].feature
        for k in range(trees.counts.shape[1]):
            trees.counts[at, k] = nodes.counts[node, k]
        write_shares(trees, at, parent[i], rules, n_present)
        trees.feature[at] = feature
        trees.child[at] = n_old if feature >= 0 else -1
        trees.threshold[at] = np.nan
        if feature >= 0:
            if n_branches(codes, rules, feature) == 0:
                trees.threshold[at] = threshold_of(nodes, node, codes, rules, mark, task)
            for b in range(n_children(codes, rules, feature)):
                old[n_old], parent[n_old] = nodes.of[node].child + b, at
                n_old += 1
        i += 1
    return trees, used + n_old


@compiled
def count_present(counts):
    """Return how many of the classes occur."""
    n_present = 0
    for k in range(counts.size):
        n_present += counts[k] > 0
    return n_present


@allocating
def rows_of(task, starts, samples, is_shared):
    """Return the positions of a task's samples, to be ordered."""
    begin = 0 if is_shared else starts[task]
    return samples[begin : begin + starts[task + 1] - starts[task]].copy()
