"""Collapse and prune a grown tree by estimated errors, raising subtrees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.prune.error_estimates import SLACK, estimated_errors, training_errors
from rarelabels.trees._kernels.split.partition import order_by_branch
from rarelabels.trees._kernels.structures import branch_at, n_children


@allocating
def collapse(nodes, n_nodes, codes, rules):
    """Make leaves of the nodes whose leaves have no fewer training errors than they have.

    Without fractional weights, from below gives what from above gives.
    """
    below = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        own = training_errors(nodes.counts[node])[1]
        if nodes.of[node].feature < 0:
            below[node] = own
            continue
        first = nodes.of[node].child
        for b in range(n_children(codes, rules, nodes.of[node].feature)):
            below[node] += below[first + b]
        if below[node] >= own - 1e-3:
            nodes.of[node].feature = -1
            below[node] = own


@compiled
def largest_branch(nodes, first, n):
    """Return the child with most weight, the last of equal ones."""
    best = first
    most = -1.0
    for child in range(first, first + n):
        weight = training_errors(nodes.counts[child])[0]
        if weight - most > -1e-6:
            most = weight
            best = child
    return best


@compiled
def branch_errors(nodes, node, branch, codes, positions, rules, rows, classes, estimate, work):
    """Return the estimated errors of a branch if it had all of its parent's samples.

    The leaves' counts are changed and put back.
    """
    n_touched = 0
    for i in range(nodes.of[node].start, nodes.of[node].end):
        if nodes.of[branch].start <= i < nodes.of[branch].end:
            continue
        at = np.int64(branch)
        while nodes.of[at].feature >= 0:
            at = nodes.of[at].child + branch_at(codes, positions, rules, nodes, at, rows[i])
        nodes.counts[at, classes[i]] += 1.0
        if not work.is_touched[at]:
            work.is_touched[at] = True
            work.touched[n_touched] = at
            n_touched += 1
        work.leaf[i] = at
    total = estimate[branch]
    for j in range(n_touched):
        at = work.touched[j]
        total += estimated_errors(nodes.counts[at], rules) - estimate[at]
        work.is_touched[at] = False
    for i in range(nodes.of[node].start, nodes.of[node].end):
        if not nodes.of[branch].start <= i < nodes.of[branch].end:
            nodes.counts[work.leaf[i], classes[i]] -= 1.0
    return total


class PruningWork(NamedTuple):
    """Scratch of pruning a tree."""

    stack: Array  # int64
    touched: Array  # int64 (n_nodes,)
    is_touched: Array  # bool (n_nodes,)
    leaf: Array  # int64 (n_samples,)


@compiled
def raise_branch(nodes, node, branch, codes, positions, rules, rows, classes, room, stack):
    """Put a branch in its parent's place and send all of the parent's samples down again."""
    nodes.of[node].feature = nodes.of[branch].feature
    nodes.of[node].code = nodes.of[branch].code
    nodes.of[node].low = nodes.of[branch].low
    nodes.of[node].high = nodes.of[branch].high
    nodes.of[node].child = nodes.of[branch].child
    stack[0] = node
    top = 1
    while top > 0:
        top -= 1
        at = stack[top]
        if nodes.of[at].feature < 0:
            continue
        order_by_branch(codes, positions, rules, nodes, at, rows, classes, room)
        first = nodes.of[at].child
        for child in range(first, first + n_children(codes, rules, nodes.of[at].feature)):
            stack[top] = child
            top += 1


@allocating
def prune(nodes, n_nodes, codes, positions, rules, rows, classes, room):
    """Replace subtrees by leaves or by their largest branch, from below."""
    estimate = np.zeros(n_nodes)
    stack = np.empty(2 * n_nodes + 2, np.int64)
    work = PruningWork(
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.zeros(n_nodes, np.bool_),
        np.empty(rows.size, np.int64),
    )
    stack[0] = 0
    top = 1
    while top > 0:
        # A node is met before its children as it is, and after them as a negative number.
        top -= 1
        item = stack[top]
        node = item if item >= 0 else -item - 1
        if nodes.of[node].feature < 0:
            estimate[node] = estimated_errors(nodes.counts[node], rules)
            continue
        first = nodes.of[node].child
        n = n_children(codes, rules, nodes.of[node].feature)
        if item >= 0:
            stack[top] = -node - 1
            for b in range(n):
                stack[top + 1 + b] = first + b
            top += n + 1
            continue
        is_raised = prune_node(
            nodes, node, first, n, codes, positions, rules, rows, classes, estimate, room, work
        )
        if is_raised:
            stack[top] = node
            top += 1


@compiled
def prune_node(nodes, node, first, n, codes, positions, rules, rows, classes, estimate, room, work):
    """Decide between a subtree, a leaf and the largest branch; return whether that was raised."""
    own = estimated_errors(nodes.counts[node], rules)
    tree = 0.0
    for child in range(first, first + n):
        tree += estimate[child]
    branch = first
    raised = np.inf
    if rules.raising:
        branch = largest_branch(nodes, first, n)
        raised = branch_errors(
            nodes, node, branch, codes, positions, rules, rows, classes, estimate, work
        )
    if own - tree < SLACK and own - raised < SLACK:
        nodes.of[node].feature = -1
        estimate[node] = own
    elif raised - tree < SLACK:
        raise_branch(nodes, node, branch, codes, positions, rules, rows, classes, room, work.stack)
        return True
    else:
        estimate[node] = tree
    return False
