"""Collapse and prune a grown tree by estimated errors, raising subtrees.

Pruning asks two things of the samples of a tree: how many errors are estimated for a branch that
gets all of its parent's samples, and to send these samples down that branch. Samples of weight 1
answer by counting (``counted.py``), weighted samples by their weights (``weighted.py``).
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, compiled, with_kernels
from rarelabels.trees._kernels.prune.counted import errors_if_raised, send_down_again
from rarelabels.trees._kernels.prune.error_estimates import (
    SLACK,
    estimated_errors,
    training_errors,
)
from rarelabels.trees._kernels.prune.weighted import (
    send_weighted_down_again,
    weighted_errors_if_raised,
)
from rarelabels.trees._kernels.structures import n_children


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


def prune_tree(nodes, n_nodes, samples, codes, positions, rules):
    """Replace subtrees by leaves or by their largest branch, from below.

    Parameters
    ----------
    samples : CountedSamples or PooledSamples
        The samples of the tree.
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
            samples = send_down_again(nodes, node, samples, codes, positions, rules)
            stack[height] = node
            height += 1
        else:
            estimates[node] = tree_errors


prune_counted = allocating(with_kernels(prune_tree, "prune_counted"))
prune_weighted = allocating(
    with_kernels(
        prune_tree,
        "prune_weighted",
        errors_if_raised=weighted_errors_if_raised,
        send_down_again=send_weighted_down_again,
    )
)
