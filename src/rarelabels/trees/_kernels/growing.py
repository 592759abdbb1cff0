"""Grow many trees in one call, and put them one after the other."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.choosing import midpoint, new_candidates
from rarelabels.trees._kernels.compiling import compiled, entry
from rarelabels.trees._kernels.dense import grow_dense, new_lists, plant
from rarelabels.trees._kernels.pruning import collapse, prune
from rarelabels.trees._kernels.rooms import mark_samples, new_room
from rarelabels.trees._kernels.sparse import grow_sparse, new_tally
from rarelabels.trees._kernels.structures import (
    Trees,
    code_at,
    n_branches,
    n_children,
    new_nodes,
)
from rarelabels.trees._kernels.walking import add_shares
from rarelabels.trees._kernels.weighted import (
    collapse_weighted,
    grow_weighted,
    prune_weighted,
)


@compiled
def new_trees(capacity, n_classes):
    """Return room for finished trees."""
    return Trees(
        np.empty(capacity, np.int32),
        np.empty(capacity),
        np.empty(capacity, np.int32),
        np.empty((capacity, n_classes)),
        np.empty((capacity, n_classes)),
    )


@compiled
def resized_trees(trees, used, capacity):
    """Return the first `used` nodes in arrays of another size."""
    n_classes = trees.counts.shape[1]
    made = new_trees(capacity, n_classes)
    for i in range(used):
        made.feature[i] = trees.feature[i]
        made.threshold[i] = trees.threshold[i]
        made.child[i] = trees.child[i]
        for k in range(n_classes):
            made.counts[i, k] = trees.counts[i, k]
            made.probability[i, k] = trees.probability[i, k]
    return made


@compiled
def write_shares(trees, at, parent, rules, n_present):
    """Write a node's class probabilities, its parent's where it has no samples."""
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
    start, end = codes.column_starts[feature], codes.column_starts[feature + 1]
    best = low
    i = end - 1
    while i >= start and codes.column_codes[i] > code:
        i -= 1
    while i >= start and codes.column_codes[i] > low:
        if mark[codes.column_samples[i]] == task:
            best = codes.column_codes[i]
            break
        i -= 1
    base = codes.base[feature]
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
    for i in range(codes.column_starts[feature], codes.column_starts[feature + 1]):
        n_stored += mark[codes.column_samples[i]] == task
    n_marked = 0
    for sample in range(mark.size):
        n_marked += mark[sample] == task
    return n_stored < n_marked


@compiled
def threshold_of(nodes, node, codes, rules, mark, task):
    """Return the value up to which samples go to the first child."""
    feature = nodes.feature[node]
    if feature >= codes.base.size:
        return 0.5
    start = codes.value_starts[feature]
    low, high = nodes.low[node], nodes.high[node]
    if rules.actual:
        code = marked_code(codes, feature, low, nodes.code[node], mark, task)
        return codes.values[start + code]
    return midpoint(codes.values[start + low], codes.values[start + high])


@compiled
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
        feature = nodes.feature[node]
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
                old[n_old], parent[n_old] = nodes.child[node] + b, at
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


@compiled
def n_entries(codes, positions, rows):
    """Return the number of stored codes of a task."""
    total = 0
    for p in rows:
        sample = positions.sample[p]
        total += codes.row_starts[sample + 1] - codes.row_starts[sample]
    return total


@compiled
def grow_one(
    codes, positions, n_links, rules, rows, classes, weights, nodes, lists, tally, found, room
):
    """Grow and prune a tree; return its nodes, their number and that of the classes."""
    plant(nodes, classes)
    n_present = count_present(nodes.counts[0])
    if weights.size > 0:
        nodes, n_nodes, pool, used = grow_weighted(
            codes, positions, n_links, rules, rows, classes, weights, n_present, nodes, found, room
        )  # fmt: skip
        if rules.collapse:
            collapse_weighted(nodes, n_nodes, codes, rules)
        if rules.prune:
            prune_weighted(nodes, n_nodes, pool, used, codes, positions, rules)
        return nodes, n_nodes, n_present
    if codes.is_sparse:
        nodes, n_nodes = grow_sparse(
            codes, positions, n_links, rules, rows, classes, n_present, nodes, tally, found, room
        )
    else:
        nodes, n_nodes = grow_dense(
            codes, positions, n_links, rules, rows, classes, n_present, nodes, lists, found, room
        )
    if rules.collapse and n_nodes > 1:
        collapse(nodes, n_nodes, codes, rules)
    if rules.prune and n_nodes > 1:
        prune(nodes, n_nodes, codes, positions, rules, rows, classes, room)
    return nodes, n_nodes, n_present


@compiled
def most_stored(codes, positions, starts, samples, is_shared):
    """Return the most stored codes that a task's samples have."""
    most = 0
    if not codes.is_sparse or codes.all_two_valued:
        return most
    for task in range(starts.size - 1):
        begin = 0 if is_shared else starts[task]
        n = starts[task + 1] - starts[task]
        most = max(most, n_entries(codes, positions, samples[begin : begin + n]))
        if is_shared:
            break
    return most


@entry
def grow_many(
    codes, positions, mode, rules, starts, samples, classes, weights, is_shared, n_classes, seeds
):
    """Grow a tree for each task; return where each begins, and the trees.

    `mode` 0: a forest. Else task t is link t of a chain, and sees features that the links before
    it added: 1, what they decide; 2, what `positions.fed` has. `weights` are empty, or one for
    each sample of the coding; then missing values are allowed.
    """
    n_tasks = starts.size - 1
    most = 1
    for task in range(n_tasks):
        most = max(most, starts[task + 1] - starts[task])
    n_links = positions.fed.shape[1]
    room = new_room(codes, most, n_links, n_classes)
    lists = new_lists(codes, most, n_classes)
    stored = most_stored(codes, positions, starts, samples, is_shared)
    tally = new_tally(codes, n_classes, most, stored, lists.class_bits)
    found = new_candidates(codes.base.size + n_links)
    nodes = new_nodes(min(2 * most + 1, 4096), n_classes)
    trees = new_trees(max(16, 4 * n_tasks), n_classes)
    roots = np.zeros(n_tasks + 1, np.int64)
    for task in range(n_tasks):
        begin = 0 if is_shared else starts[task]
        rows = samples[begin : begin + starts[task + 1] - starts[task]].copy()
        own = classes[starts[task] : starts[task + 1]].copy()
        room.state[1] = seeds[task]
        mark_samples(room.mark, positions, rows, task)
        n_before = task if n_links > 0 else 0
        nodes, n_nodes, n_present = grow_one(
            codes, positions, n_before, rules, rows, own, weights, nodes, lists, tally, found, room
        )
        trees, roots[task + 1] = append_tree(
            trees, roots[task], nodes, n_nodes, codes, rules, n_present, room.mark, task
        )
        if mode == 1 and weights.size > 0:
            decide_link_by_shares(trees, roots[task], codes, positions, task)
        elif mode == 1:
            decide_link(trees, roots[task], codes, positions, task)
        if mode > 0:
            list_link(positions, task)
    return roots, resized_trees(trees, roots[n_tasks], roots[n_tasks])


@compiled
def decide_link(trees, root, codes, positions, link):
    """Write what a link decides for all positions, as a feature of the links after it."""
    for p in range(positions.sample.size):
        node = root
        while trees.feature[node] >= 0:
            feature = trees.feature[node]
            code = code_at(codes, positions, p, feature)
            if np.isnan(trees.threshold[node]):
                branch = np.int64(code)
            elif feature >= codes.base.size:
                branch = np.int64(code > 0)
            else:
                value = codes.values[codes.value_starts[feature] + code]
                branch = np.int64(value > trees.threshold[node])
            node = root + trees.child[node] + branch
        positions.fed[p, link] = trees.probability[node, 1] >= 0.5


@compiled
def decide_link_by_shares(trees, root, codes, positions, link):
    """Do as `decide_link` where values may be missing."""
    n_features = codes.base.size
    x = np.empty(n_features + link)
    for p in range(positions.sample.size):
        for feature in range(n_features + link):
            code = code_at(codes, positions, p, feature)
            if feature >= n_features:
                x[feature] = code
            elif code < 0:
                x[feature] = np.nan
            else:
                x[feature] = codes.values[codes.value_starts[feature] + code]
        share = add_shares(trees, root, codes.n_categories, x, 1)
        positions.fed[p, link] = share >= 0.5


@compiled
def list_link(positions, link):
    """Add a link to the lists of the positions where it is 1."""
    for p in range(positions.sample.size):
        if positions.fed[p, link] != 0:
            positions.yes[p, positions.n_yes[p]] = link
            positions.n_yes[p] += 1
