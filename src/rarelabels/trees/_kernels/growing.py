"""Grow many trees in one call, and put them one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.choosing import fill_log_table, midpoint, seed_state
from rarelabels.trees._kernels.compiling import compiled, entry
from rarelabels.trees._kernels.dense import grow_dense, new_lists
from rarelabels.trees._kernels.pruning import collapse, prune
from rarelabels.trees._kernels.sparse import grow_sparse, new_tally
from rarelabels.trees._kernels.structures import (
    Trees,
    n_branches,
    n_children,
    new_nodes,
)


class Room(NamedTuple):
    """Scratch that the trees of a call share."""

    table: Array  # n log2 n
    state: Array  # uint64 (1,)
    first_seat: Array  # int64 (n_samples + 1,)
    seats: Array  # int64 (most,)
    branch: Array  # int64 (most,)
    buffer: Array  # int64 (2, most)
    mark: Array  # int32 (n_samples,): the last task that has the sample
    linked: Array  # int64 (n_links, n_classes)


@compiled
def n_coded_samples(codes):
    """Return the number of samples of the coding."""
    return codes.row_starts.size - 1 if codes.is_sparse else codes.table.shape[1]


@compiled
def new_room(codes, most, n_links, n_classes):
    """Return scratch for tasks of at most `most` samples."""
    n_samples = n_coded_samples(codes)
    return Room(
        fill_log_table(most),
        np.empty(1, np.uint64),
        np.zeros(n_samples + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty((2, most), np.int64),
        np.full(n_samples, -1, np.int32),
        np.zeros((n_links, n_classes), np.int64),
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
    made = new_trees(capacity, trees.counts.shape[1])
    made.feature[:used] = trees.feature[:used]
    made.threshold[:used] = trees.threshold[:used]
    made.child[:used] = trees.child[:used]
    made.counts[:used] = trees.counts[:used]
    made.probability[:used] = trees.probability[:used]
    return made


@compiled
def write_shares(trees, at, parent, rules, n_present):
    """Write a node's class probabilities, its parent's where it has no samples."""
    counts = trees.counts[at]
    total = counts.sum()
    if total <= 0.0 and parent >= 0:
        trees.probability[at] = trees.probability[parent]
        return
    for k in range(counts.size):
        if rules.laplace:
            trees.probability[at, k] = (counts[k] + 1.0) / (total + n_present)
        else:
            trees.probability[at, k] = counts[k] / total if total > 0.0 else 0.0


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
    i = start + np.searchsorted(codes.column_codes[start:end], code, side="right") - 1
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
def append_tree(trees, used, nodes, codes, rules, n_present, mark, task):
    """Copy the nodes that are still in the tree; return the trees and how many nodes they use."""
    old = [np.int64(0)]
    parent = [np.int64(-1)]
    root = used
    i = 0
    while i < len(old):
        node, at = old[i], used + i
        if at >= trees.feature.size:
            trees = resized_trees(trees, at, 2 * trees.feature.size)
        trees.counts[at] = nodes.counts[node]
        write_shares(trees, at, parent[i], rules, n_present)
        feature = nodes.feature[node]
        trees.feature[at] = feature
        trees.child[at] = -1
        trees.threshold[at] = np.nan
        if feature >= 0:
            trees.child[at] = at - root + len(old) - i
            if n_branches(codes, rules, feature) == 0:
                trees.threshold[at] = threshold_of(nodes, node, codes, rules, mark, task)
            for b in range(n_children(codes, rules, feature)):
                old.append(np.int64(nodes.child[node] + b))
                parent.append(np.int64(at))
        i += 1
    return trees, used + i


@compiled
def count_present(classes, n_classes):
    """Return how many of the classes occur."""
    seen = np.zeros(n_classes, np.bool_)
    for k in classes:
        seen[k] = True
    return seen.sum()


@compiled
def n_entries(codes, positions, rows):
    """Return the number of stored codes of a task, and whether it repeats a sample."""
    total = 0
    for p in rows:
        sample = positions.sample[p]
        total += codes.row_starts[sample + 1] - codes.row_starts[sample]
    return total


@compiled
def mark_samples(mark, positions, rows, task):
    """Mark the samples of a task; return whether one of them is repeated."""
    repeats = False
    for p in rows:
        sample = positions.sample[p]
        repeats = repeats or mark[sample] == task
        mark[sample] = task
    return repeats


@compiled
def grow_one(codes, positions, n_links, rules, rows, classes, nodes, lists, tally, room, task):
    """Grow and prune a tree; return its nodes and the number of classes."""
    n_present = count_present(classes, nodes.counts.shape[1])
    repeats = mark_samples(room.mark, positions, rows, task)
    branch, buffer = room.branch, room.buffer
    if codes.is_sparse:
        nodes, n_nodes = grow_sparse(
            codes, positions, n_links, rules, rows, classes, n_present, nodes, tally, room.linked,
            room.table, room.state, repeats, branch, buffer, lists.class_bits,
        )  # fmt: skip
    else:
        nodes, n_nodes = grow_dense(
            codes, positions, n_links, rules, rows, classes, n_present, nodes, lists, room.linked,
            room.table, room.state, (room.first_seat, room.seats), branch, buffer,
        )  # fmt: skip
    if rules.collapse and n_nodes > 1:
        collapse(nodes, n_nodes, codes, rules)
    if rules.prune and n_nodes > 1:
        prune(nodes, n_nodes, codes, positions, rules, rows, classes, branch, buffer)
    return nodes, n_present


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
def grow_many(codes, positions, rules, starts, samples, classes, is_shared, n_classes, seeds):
    """Grow a tree for each task; return where each begins, and the trees."""
    n_tasks = starts.size - 1
    most = 1
    for task in range(n_tasks):
        most = max(most, starts[task + 1] - starts[task])
    room = new_room(codes, most, 0, n_classes)
    lists = new_lists(codes, most, n_classes)
    tally = new_tally(codes, n_classes, most_stored(codes, positions, starts, samples, is_shared))
    nodes = new_nodes(min(2 * most + 1, 4096), n_classes)
    trees = new_trees(max(16, 4 * n_tasks), n_classes)
    roots = np.zeros(n_tasks + 1, np.int64)
    for task in range(n_tasks):
        begin = 0 if is_shared else starts[task]
        rows = samples[begin : begin + starts[task + 1] - starts[task]].copy()
        own = classes[starts[task] : starts[task + 1]].copy()
        seed_state(room.state, seeds[task])
        nodes, n_present = grow_one(
            codes, positions, 0, rules, rows, own, nodes, lists, tally, room, task
        )
        trees, roots[task + 1] = append_tree(
            trees, roots[task], nodes, codes, rules, n_present, room.mark, task
        )
    return roots, resized_trees(trees, roots[n_tasks], roots[n_tasks])
