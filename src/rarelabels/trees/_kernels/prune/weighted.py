"""Collapse and prune a tree on weighted samples."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating
from rarelabels.trees._kernels.prune.error_estimates import SLACK, estimated_errors, training_errors
from rarelabels.trees._kernels.prune.pruning import largest_branch
from rarelabels.trees._kernels.split.weighted_samples import send_items, weigh_classes
from rarelabels.trees._kernels.structures import n_children


@allocating
def collapse_weighted(nodes, n_nodes, codes, rules):
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
        own = training_errors(nodes.counts[node])[1]
        if nodes.of[node].feature >= 0 and below[node] >= own - 1e-3:
            nodes.of[node].feature = -1


@allocating
def send_down(pool, used, top_start, top_end, nodes, top, codes, positions, rules, writes):
    """Send items down a subtree; return the pool, its use and the leaves' estimated errors.

    Where `writes`, the nodes get these items, and their counts.
    """
    counts = np.empty(nodes.counts.shape[1])
    capacity = 64
    stack = np.empty((capacity, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = top, top_start, top_end
    height = 1
    errors = 0.0
    while height > 0:
        height -= 1
        node, start, end = stack[height, 0], stack[height, 1], stack[height, 2]
        weigh_classes(pool, start, end, counts)
        if writes:
            nodes.of[node].start, nodes.of[node].end = start, end
            for k in range(counts.size):
                nodes.counts[node, k] = counts[k]
        if nodes.of[node].feature < 0:
            errors += estimated_errors(counts, rules)
            continue
        pool, begins = send_items(pool, used, start, end, codes, positions, rules, nodes, node)
        n = begins.size - 1
        used = begins[n]
        if height + n > capacity:
            capacity = 2 * (height + n)
            larger = np.empty((capacity, 3), np.int64)
            for i in range(height):
                for j in range(3):
                    larger[i, j] = stack[i, j]
            stack = larger
        for b in range(n):
            stack[height, 0] = nodes.of[node].child + b
            stack[height, 1], stack[height, 2] = begins[b], begins[b + 1]
            height += 1
    return pool, used, errors


@allocating
def prune_weighted(nodes, n_nodes, pool, used, codes, positions, rules):
    """Replace subtrees by leaves or by their largest branch, from below."""
    estimate = np.zeros(n_nodes)
    stack = np.empty(2 * n_nodes + 2, np.int64)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        item = stack[top]
        node = item if item >= 0 else -item - 1
        own = estimated_errors(nodes.counts[node], rules)
        if nodes.of[node].feature < 0:
            estimate[node] = own
            continue
        first = nodes.of[node].child
        n = n_children(codes, rules, nodes.of[node].feature)
        if item >= 0:
            stack[top] = -node - 1
            for b in range(n):
                stack[top + 1 + b] = first + b
            top += n + 1
            continue
        tree = 0.0
        for child in range(first, first + n):
            tree += estimate[child]
        branch = first
        raised = np.inf
        start, end = nodes.of[node].start, nodes.of[node].end
        if rules.raising:
            branch = largest_branch(nodes, first, n)
            pool, _, raised = send_down(
                pool, used, start, end, nodes, branch, codes, positions, rules, False
            )
        if own - tree < SLACK and own - raised < SLACK:
            nodes.of[node].feature = -1
            estimate[node] = own
        elif raised - tree < SLACK:
            nodes.of[node].feature = nodes.of[branch].feature
            nodes.of[node].code = nodes.of[branch].code
            nodes.of[node].low = nodes.of[branch].low
            nodes.of[node].high = nodes.of[branch].high
            nodes.of[node].child = nodes.of[branch].child
            pool, used, _ = send_down(
                pool, used, start, end, nodes, node, codes, positions, rules, True
            )
            stack[top] = node
            top += 1
        else:
            estimate[node] = tree
