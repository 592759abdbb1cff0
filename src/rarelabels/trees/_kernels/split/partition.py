"""Carry out a split: order a node's positions by branch, and make its children.

Parameters
----------
first_child : int64
    The number of the node's first child.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled
from rarelabels.trees._kernels.structures import branch_at, n_branches, n_children, set_leaf


@compiled
def highest_code_up_to(codes, feature, low, high):
    """Return the highest code whose value is at most the middle of two codes' values."""
    start = codes.features[feature].value_start
    middle = midpoint(codes.values[start + low], codes.values[start + high])
    while high - low > 1:
        between = (low + high) >> 1
        if codes.values[start + between] <= middle:
            low = between
        else:
            high = between
    return low


@compiled
def midpoint(low, high):
    """Return the middle of two values, the lower one where rounding gives the higher."""
    middle = low / 2.0 + high / 2.0
    return middle if middle < high else low


@compiled
def write_split(nodes, node, codes, rules, candidates, chosen, first_child):
    """Write the chosen candidate into its node."""
    feature = candidates[chosen].feature
    nodes.of[node].feature = feature
    nodes.of[node].low = candidates[chosen].low
    nodes.of[node].high = candidates[chosen].high
    nodes.of[node].child = first_child
    is_numeric = n_branches(codes, rules, feature) == 0
    if is_numeric and feature < codes.n_features:
        code = highest_code_up_to(codes, feature, candidates[chosen].low, candidates[chosen].high)
        nodes.of[node].code = code
    else:
        nodes.of[node].code = 0


@compiled
def find_branches(codes, positions, rules, nodes, node, rows, branch, code_of):
    """Write the branch of each of a node's positions; `code_of` is -1 before and after."""
    start, end, feature = nodes.of[node].start, nodes.of[node].end, nodes.of[node].feature
    is_wide = codes.is_sparse and feature < codes.n_features
    if is_wide:
        first, last = codes.features[feature].column_start, codes.features[feature + 1].column_start
        # Reading the feature once is quicker than a bisection for each of many samples.
        is_wide = last - first < 4 * (end - start)
    if not is_wide:
        for i in range(start, end):
            branch[i] = branch_at(codes, positions, rules, nodes, node, rows[i])
        return
    for j in range(first, last):
        code_of[codes.column[j].sample] = codes.column[j].code
    base = codes.features[feature].base_code
    is_numeric = codes.features[feature].n_categories == 0
    for i in range(start, end):
        code = code_of[positions.sample[rows[i]]]
        if code < 0:
            code = base
        branch[i] = np.int32(code > nodes.of[node].code) if is_numeric else code
    for j in range(first, last):
        code_of[codes.column[j].sample] = -1


@compiled
def order_by_branch(codes, positions, rules, nodes, node, rows, classes, workspace):
    """Order a node's positions by branch, stably, and set its children's ranges and counts."""
    find_branches(
        codes, positions, rules, nodes, node, rows, workspace.buffer[0], workspace.code_of
    )
    order_by_known_branch(codes, rules, nodes, node, rows, classes, workspace)


@compiled
def order_by_known_branch(codes, rules, nodes, node, rows, classes, workspace):
    """Order a node's positions by the branches in the first buffer."""
    start, end, first = nodes.of[node].start, nodes.of[node].end, nodes.of[node].child
    branch, buffer = workspace.buffer[0], workspace.buffer
    n = n_children(codes, rules, nodes.of[node].feature)
    if n == 2:
        order_in_two(nodes, node, rows, classes, workspace)
        return
    for child in range(first, first + n):
        nodes.of[child].end = 0
        for k in range(nodes.counts.shape[1]):
            nodes.counts[child, k] = 0.0
    for i in range(start, end):
        child = first + branch[i]
        nodes.of[child].end += 1
        nodes.counts[child, classes[i]] += 1.0
        buffer[1, i] = rows[i]
        buffer[2, i] = classes[i]
    at = start
    for child in range(first, first + n):
        nodes.of[child].start = at
        at += nodes.of[child].end
        nodes.of[child].end = nodes.of[child].start
    for i in range(start, end):
        child = first + branch[i]
        to = nodes.of[child].end
        nodes.of[child].end = to + 1
        rows[to] = buffer[1, i]
        classes[to] = buffer[2, i]


@compiled
def order_in_two(nodes, node, rows, classes, workspace):
    """Order a node's positions by two branches; what the second has not, the first one has."""
    start, end, first = nodes.of[node].start, nodes.of[node].end, nodes.of[node].child
    branch, second_rows, second_classes = (
        workspace.buffer[0],
        workspace.buffer[1],
        workspace.buffer[2],
    )
    to, n_second = start, np.int64(0)
    for i in range(start, end):
        row, k, goes_second = rows[i], classes[i], np.int64(branch[i])
        rows[np.uintp(to)], classes[np.uintp(to)] = row, k
        second_rows[np.uintp(n_second)], second_classes[np.uintp(n_second)] = row, k
        to += 1 - goes_second
        n_second += goes_second
    second = nodes.counts[first + 1]
    for k in range(second.size):
        second[k] = 0.0
    for i in range(n_second):
        rows[to + i], classes[to + i] = second_rows[i], second_classes[i]
        second[second_classes[i]] += 1.0
    for k in range(second.size):
        nodes.counts[first, k] = nodes.counts[node, k] - second[k]
    nodes.of[first].start, nodes.of[first].end = start, to
    nodes.of[first + 1].start, nodes.of[first + 1].end = to, end


@compiled
def make_leaves(nodes, first, n):
    """Make new children leaves on the ranges they have."""
    for b in range(n):
        set_leaf(nodes, first + b, nodes.of[first + b].start, nodes.of[first + b].end)


@compiled
def is_final(nodes, node, rules):
    """Whether a node stays a leaf: too small to split, or of one class."""
    size = nodes.of[node].end - nodes.of[node].start
    if size < 2 * rules.min_leaf:
        return True
    largest = 0.0
    for k in range(nodes.counts.shape[1]):
        largest = max(largest, nodes.counts[node, k])
    return largest == size


@compiled
def make_root(nodes, classes):
    """Make the first node a leaf with all samples."""
    set_leaf(nodes, np.int64(0), np.int64(0), classes.size)
    for k in range(nodes.counts.shape[1]):
        nodes.counts[0, k] = 0.0
    for k in classes:
        nodes.counts[0, k] += 1.0


@compiled
def order_numbers(number, branch_of, branch, items, nodes, first, start, end):
    """Order the task's numbers as its positions were, and note the branch of each."""
    for i in range(start, end):
        branch_of[number[i]] = branch[i]
        items[i] = number[i]
    for i in range(start, end):
        child = first + branch[i]
        number[nodes.of[child].start] = items[i]
        nodes.of[child].start += 1
    for i in range(start, end):
        nodes.of[first + branch[i]].start -= 1
