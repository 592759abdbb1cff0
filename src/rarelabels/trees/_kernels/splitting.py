"""Split a node: order its positions by branch, and make its children."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.choosing import highest_code_up_to
from rarelabels.trees._kernels.compiling import compiled
from rarelabels.trees._kernels.structures import branch_at, n_branches, n_children, set_leaf


@compiled
def describe_split(nodes, node, codes, rules, found, chosen, first_child):
    """Write the chosen candidate into its node."""
    feature = found.feature[chosen]
    nodes.feature[node] = feature
    nodes.low[node] = found.low[chosen]
    nodes.high[node] = found.high[chosen]
    nodes.child[node] = first_child
    is_numeric = n_branches(codes, rules, feature) == 0
    if is_numeric and feature < codes.base.size:
        code = highest_code_up_to(codes, feature, found.low[chosen], found.high[chosen])
        nodes.code[node] = code
    else:
        nodes.code[node] = 0


@compiled
def find_branches(codes, positions, rules, nodes, node, rows, branch, code_of):
    """Write the branch of each of a node's rows; `code_of` is -1 for all samples, and stays so."""
    start, end, feature = nodes.start[node], nodes.end[node], nodes.feature[node]
    is_wide = codes.is_sparse and feature < codes.base.size
    if is_wide:
        first, last = codes.column_starts[feature], codes.column_starts[feature + 1]
        # Reading the feature once is quicker than a bisection for each of many rows.
        is_wide = last - first < 4 * (end - start)
    if not is_wide:
        for i in range(start, end):
            branch[i] = branch_at(codes, positions, rules, nodes, node, rows[i])
        return
    for j in range(first, last):
        code_of[codes.column_samples[j]] = codes.column_codes[j]
    base = codes.base[feature]
    is_numeric = codes.n_categories[feature] == 0
    for i in range(start, end):
        code = code_of[positions.sample[rows[i]]]
        if code < 0:
            code = base
        branch[i] = np.int32(code > nodes.code[node]) if is_numeric else code
    for j in range(first, last):
        code_of[codes.column_samples[j]] = -1


@compiled
def order_by_branch(codes, positions, rules, nodes, node, rows, classes, room):
    """Order a node's rows by branch, stably, and set its children's ranges and counts."""
    start, end, first = nodes.start[node], nodes.end[node], nodes.child[node]
    branch, buffer = room.branch, room.buffer
    n = n_children(codes, rules, nodes.feature[node])
    find_branches(codes, positions, rules, nodes, node, rows, branch, room.code_of)
    for child in range(first, first + n):
        nodes.end[child] = 0
        for k in range(nodes.counts.shape[1]):
            nodes.counts[child, k] = 0.0
    for i in range(start, end):
        child = first + branch[i]
        nodes.end[child] += 1
        nodes.counts[child, classes[i]] += 1.0
        buffer[0, i] = rows[i]
        buffer[1, i] = classes[i]
    at = start
    for child in range(first, first + n):
        nodes.start[child] = at
        at += nodes.end[child]
        nodes.end[child] = nodes.start[child]
    for i in range(start, end):
        child = first + branch[i]
        to = nodes.end[child]
        nodes.end[child] = to + 1
        rows[to] = buffer[0, i]
        classes[to] = buffer[1, i]


@compiled
def leave_children(nodes, first, n):
    """Make new children leaves on the ranges they have."""
    for b in range(n):
        set_leaf(nodes, first + b, nodes.start[first + b], nodes.end[first + b])


@compiled
def is_final(nodes, node, rules):
    """Whether a node stays a leaf: too small to split, or of one class."""
    size = nodes.end[node] - nodes.start[node]
    if size < 2 * rules.min_leaf:
        return True
    largest = 0.0
    for k in range(nodes.counts.shape[1]):
        largest = max(largest, nodes.counts[node, k])
    return largest == size
