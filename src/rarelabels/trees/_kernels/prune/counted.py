"""The samples of a tree to prune, each of weight 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.prune.error_estimates import estimated_errors
from rarelabels.trees._kernels.split.partition import order_by_branch
from rarelabels.trees._kernels.structures import branch_at, n_children
from rarelabels.trees._kernels.workspace import Workspace


class CountedSamples(NamedTuple):
    """Samples of weight 1, ordered by leaf, and scratch arrays."""

    rows: Array  # int32 (n_samples,)
    classes: Array  # int32 (n_samples,)
    workspace: Workspace
    stack: Array  # int64 (n_nodes,)
    touched: Array  # int64 (n_nodes,): the leaves that other samples reach
    is_touched: Array  # bool (n_nodes,)
    leaf: Array  # int64 (n_samples,)


@allocating
def new_counted_samples(n_nodes, rows, classes, workspace):
    """Return the samples of a tree of so many nodes."""
    return CountedSamples(
        rows, classes, workspace, np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64),
        np.zeros(n_nodes, np.bool_), np.empty(rows.size, np.int64),
    )  # fmt: skip


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
def send_down_again(nodes, node, samples, codes, positions, rules):
    """Send all samples of a node down the branches that it has now; return the samples."""
    order_below(nodes, node, samples, codes, positions, rules)
    return samples


@compiled
def order_below(nodes, node, samples, codes, positions, rules):
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
            codes, positions, rules, nodes, below, samples.rows, samples.classes, samples.workspace
        )
        first = nodes.of[below].child
        for child in range(first, first + n_children(codes, rules, nodes.of[below].feature)):
            stack[height] = child
            height += 1
