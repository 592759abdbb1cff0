"""Collapse and prune a grown tree by estimated errors, raising subtrees."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compiling import compiled, entry
from rarelabels.trees._kernels.splitting import order_by_branch
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


@compiled
def collapse(nodes, n_nodes, codes, rules):
    """Make leaves of the nodes whose leaves have no fewer training errors than they have.

    Without fractional weights, from below gives what from above gives.
    """
    below = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        own = training_errors(nodes.counts[node])[1]
        if nodes.feature[node] < 0:
            below[node] = own
            continue
        first = nodes.child[node]
        for b in range(n_children(codes, rules, nodes.feature[node])):
            below[node] += below[first + b]
        if below[node] >= own - 1e-3:
            nodes.feature[node] = -1
            below[node] = own


@compiled
def largest_branch(nodes, first, n):
    """Return the child with most weight, the last of equal ones."""
    best = first
    most = -1.0
    for child in range(first, first + n):
        weight = nodes.counts[child].sum()
        if weight - most > -1e-6:
            most = weight
            best = child
    return best


@compiled
def branch_errors(nodes, node, branch, codes, positions, rules, rows, classes, estimate, added):
    """Return the estimated errors of a branch if it had all of its parent's samples.

    `added` is zero and stays so: what the leaves would get beside what they have.
    """
    touched = [np.int64(-1)]
    touched.clear()
    for i in range(nodes.start[node], nodes.end[node]):
        if nodes.start[branch] <= i < nodes.end[branch]:
            continue
        at = np.int64(branch)
        while nodes.feature[at] >= 0:
            at = nodes.child[at] + branch_at(codes, positions, rules, nodes, at, rows[i])
        if added[at].sum() == 0.0:
            touched.append(at)
        added[at, classes[i]] += 1.0
    total = estimate[branch]
    for at in touched:
        total += estimated_errors(nodes.counts[at] + added[at], rules)
        total -= estimated_errors(nodes.counts[at], rules)
        added[at, :] = 0.0
    return total


@compiled
def raise_branch(nodes, node, branch, codes, positions, rules, rows, classes, scratch, buffer):
    """Put a branch in its parent's place and send all of the parent's samples down again."""
    nodes.feature[node] = nodes.feature[branch]
    nodes.code[node] = nodes.code[branch]
    nodes.low[node] = nodes.low[branch]
    nodes.high[node] = nodes.high[branch]
    nodes.child[node] = nodes.child[branch]
    stack = [np.int64(node)]
    while len(stack) > 0:
        at = stack.pop()
        if nodes.feature[at] < 0:
            continue
        order_by_branch(codes, positions, rules, nodes, at, rows, classes, scratch, buffer)
        first = nodes.child[at]
        for b in range(n_children(codes, rules, nodes.feature[at])):
            stack.append(np.int64(first + b))


@compiled
def prune(nodes, n_nodes, codes, positions, rules, rows, classes, scratch, buffer):
    """Replace subtrees by leaves or by their largest branch, from below."""
    estimate = np.zeros(n_nodes)
    added = np.zeros((n_nodes, nodes.counts.shape[1]))
    stack = [np.int64(0)]
    while len(stack) > 0:
        item = stack.pop()
        node = abs(item) - 1 if item < 0 else item
        if nodes.feature[node] < 0:
            estimate[node] = estimated_errors(nodes.counts[node], rules)
            continue
        first = nodes.child[node]
        n = n_children(codes, rules, nodes.feature[node])
        if item >= 0:
            stack.append(-node - 1)
            for b in range(n):
                stack.append(np.int64(first + b))
            continue
        own = estimated_errors(nodes.counts[node], rules)
        tree = 0.0
        for b in range(n):
            tree += estimate[first + b]
        branch, raised = first, np.inf
        if rules.raising:
            branch = largest_branch(nodes, first, n)
            raised = branch_errors(
                nodes, node, branch, codes, positions, rules, rows, classes, estimate, added
            )
        if own - tree < SLACK and own - raised < SLACK:
            nodes.feature[node] = -1
            estimate[node] = own
        elif raised - tree < SLACK:
            raise_branch(
                nodes, node, branch, codes, positions, rules, rows, classes, scratch, buffer
            )
            stack.append(np.int64(node))
        else:
            estimate[node] = tree
