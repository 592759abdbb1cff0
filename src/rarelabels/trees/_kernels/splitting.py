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
def order_by_branch(codes, positions, rules, nodes, node, rows, classes, branch, buffer):
    """Order a node's rows by branch, stably, and set its children's ranges and counts.

    `branch` gets the branch of each row in the old order, `buffer` is (2, n) scratch.
    """
    start, end, first = nodes.start[node], nodes.end[node], nodes.child[node]
    n = n_children(codes, rules, nodes.feature[node])
    for b in range(n):
        nodes.end[first + b] = 0
        nodes.counts[first + b, :] = 0.0
    for i in range(start, end):
        b = branch_at(codes, positions, rules, nodes, node, rows[i])
        branch[i] = b
        nodes.end[first + b] += 1
        nodes.counts[first + b, classes[i]] += 1.0
        buffer[0, i] = rows[i]
        buffer[1, i] = classes[i]
    at = start
    for b in range(n):
        nodes.start[first + b] = at
        at += nodes.end[first + b]
        nodes.end[first + b] = nodes.start[first + b]
    for i in range(start, end):
        child = first + branch[i]
        to = nodes.end[child]
        nodes.end[child] = to + 1
        rows[to] = np.int32(buffer[0, i])
        classes[to] = np.int32(buffer[1, i])


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
