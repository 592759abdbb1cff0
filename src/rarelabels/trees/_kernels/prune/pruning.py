"""Collapse and prune a grown tree by estimated errors, raising subtrees.

Pruning asks two things of the samples of a tree: how many errors are estimated for a branch that
gets all of its parent's samples, and to send these samples down that branch. Samples of weight 1
answer by counting, weighted samples by their weights (``weighted.py``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating, compiled, entry, with_kernels
from rarelabels.trees._kernels.split.partition import order_by_branch
from rarelabels.trees._kernels.structures import branch_at, n_children

SLACK = 0.1 + 1e-6  # errors by which a simpler tree may be worse


@entry
def added_errors(weight, errors, cf, z):
    """Return how many errors to add to those observed, at confidence `cf`."""
    if cf > 0.5:
        return 0.0
    if errors < 1.0:
        base = weight * (1.0 - cf ** (1.0 / weight))
        if errors == 0.0:
            return base
        return base + errors * (errors_above_one(weight, 1.0, z) - base)
    return errors_above_one(weight, errors, z)


@compiled
def errors_above_one(weight, errors, z):
    """Return the same for at least one error: the upper limit of a normal approximation."""
    if errors + 0.5 >= weight:
        return max(weight - errors, 0.0)
    f = (errors + 0.5) / weight
    square = z * z
    root = np.sqrt(f / weight - f * f / weight + square / (4.0 * weight * weight))
    upper = (f + square / (2.0 * weight) + z * root) / (1.0 + square / weight)
    return upper * weight - errors


@compiled
def training_errors(counts):
    """Return total and training errors of a leaf with these class weights."""
    total = 0.0
    largest = 0.0
    for k in range(counts.size):
        total += counts[k]
        largest = max(largest, counts[k])
    return total, total - largest


@compiled
def estimated_errors(counts, rules):
    """Return the estimated errors of a leaf with these class weights."""
    total, errors = training_errors(counts)
    if total <= 0.0:
        return 0.0
    return errors + added_errors(total, errors, rules.cf, rules.z)


class CountedSamples(NamedTuple):
    """Samples of weight 1, ordered by leaf, and scratch arrays."""

    rows: Array  # int32 (n_samples,)
    classes: Array  # int32 (n_samples,)
    stack: Array  # int64 (n_nodes,)
    touched: Array  # int64 (n_nodes,): the leaves that other samples reach
    is_touched: Array  # bool (n_nodes,)
    leaf: Array  # int64 (n_samples,)


@allocating
def new_counted_samples(n_nodes, rows, classes):
    """Return the samples of a tree of so many nodes."""
    return CountedSamples(
        rows,
        classes,
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.zeros(n_nodes, np.bool_),
        np.empty(rows.size, np.int64),
    )


@allocating
def errors_if_raised(nodes, node, branch, samples, estimates, codes, positions, rules):
    """Return the samples, and the estimated errors of a branch with all of its parent's samples."""
    return samples, branch_errors(nodes, node, branch, samples, estimates, codes, positions, rules)


@compiled
def branch_errors(nodes, node, branch, samples, estimates, codes, positions, rules):
    """Return the estimated errors of a branch if it had all of its parent's samples.

    The leaves' counts are changed and put back.
    """
    rows, classes, is_touched, leaf = (
        samples.rows,
        samples.classes,
        samples.is_touched,
        samples.leaf,
    )
    n_touched = 0
    for i in range(nodes.of[node].start, nodes.of[node].end):
        if nodes.of[branch].start <= i < nodes.of[branch].end:
            continue
        below = np.int64(branch)
        while nodes.of[below].feature >= 0:
            child = nodes.of[below].child
            below = child + branch_at(codes, positions, rules, nodes, below, rows[i])
        nodes.counts[below, classes[i]] += 1.0
        if not is_touched[below]:
            is_touched[below] = True
            samples.touched[n_touched] = below
            n_touched += 1
        leaf[i] = below
    errors = estimates[branch]
    for j in range(n_touched):
        below = samples.touched[j]
        errors += estimated_errors(nodes.counts[below], rules) - estimates[below]
        is_touched[below] = False
    for i in range(nodes.of[node].start, nodes.of[node].end):
        if not nodes.of[branch].start <= i < nodes.of[branch].end:
            nodes.counts[leaf[i], classes[i]] -= 1.0
    return errors


@allocating
def send_down_again(nodes, node, samples, codes, positions, rules, workspace):
    """Send all samples of a node down the branches that it has now; return the samples."""
    order_below(nodes, node, samples, codes, positions, rules, workspace)
    return samples


@compiled
def order_below(nodes, node, samples, codes, positions, rules, workspace):
    """Order the samples of a node by the leaves below it."""
    stack = samples.stack
    stack[0] = node
    height = 1
    while height > 0:
        height -= 1
        below = stack[height]
        if nodes.of[below].feature < 0:
            continue
        order_by_branch(
            codes, positions, rules, nodes, below, samples.rows, samples.classes, workspace
        )
        first = nodes.of[below].child
        for child in range(first, first + n_children(codes, rules, nodes.of[below].feature)):
            stack[height] = child
            height += 1


@allocating
def collapse(nodes, n_nodes, codes, rules):
    """Make leaves of nodes whose leaves have no fewer training errors, from the root down."""
    below = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        if nodes.of[node].feature < 0:
            below[node] = training_errors(nodes.counts[node])[1]
            continue
        first = nodes.of[node].child
        for b in range(n_children(codes, rules, nodes.of[node].feature)):
            below[node] += below[first + b]
    for node in range(n_nodes):
        errors = training_errors(nodes.counts[node])[1]
        if nodes.of[node].feature >= 0 and below[node] >= errors - 1e-3:
            nodes.of[node].feature = -1


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
def copy_split(nodes, branch, node):
    """Give a node the split of one of its children."""
    nodes.of[node].feature = nodes.of[branch].feature
    nodes.of[node].code = nodes.of[branch].code
    nodes.of[node].low = nodes.of[branch].low
    nodes.of[node].high = nodes.of[branch].high
    nodes.of[node].child = nodes.of[branch].child


def prune_tree(nodes, n_nodes, samples, codes, positions, rules, workspace):
    """Replace subtrees by leaves or by their largest branch, from below.

    Parameters
    ----------
    samples : CountedSamples or UsedSamples
        The samples of the tree.
    workspace : Workspace or None
        Scratch arrays to order counted samples; None for weighted samples.
    """
    estimates = np.zeros(n_nodes)
    stack = np.empty(2 * n_nodes + 2, np.int64)
    stack[0] = 0
    height = 1
    while height > 0:
        # A node is met as its number before its children, and as a negative number after them.
        height -= 1
        item = stack[height]
        node = item if item >= 0 else -item - 1
        if nodes.of[node].feature < 0:
            estimates[node] = estimated_errors(nodes.counts[node], rules)
            continue
        first = nodes.of[node].child
        n = n_children(codes, rules, nodes.of[node].feature)
        if item >= 0:
            stack[height] = -node - 1
            for b in range(n):
                stack[height + 1 + b] = first + b
            height += n + 1
            continue
        leaf_errors, tree_errors = estimated_errors(nodes.counts[node], rules), 0.0
        for child in range(first, first + n):
            tree_errors += estimates[child]
        branch = first
        raised_errors = np.inf
        if rules.raising:
            branch = largest_branch(nodes, first, n)
            samples, raised_errors = errors_if_raised(
                nodes, node, branch, samples, estimates, codes, positions, rules
            )
        if leaf_errors - tree_errors < SLACK and leaf_errors - raised_errors < SLACK:
            nodes.of[node].feature = -1
            estimates[node] = leaf_errors
        elif raised_errors - tree_errors < SLACK:
            copy_split(nodes, branch, node)
            samples = send_down_again(nodes, node, samples, codes, positions, rules, workspace)
            stack[height] = node
            height += 1
        else:
            estimates[node] = tree_errors


prune_counted = allocating(with_kernels(prune_tree, "prune_counted"))
