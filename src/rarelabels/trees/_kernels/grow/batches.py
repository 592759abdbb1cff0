"""Grow many trees in one call: on dense features, on sparse ones, or on weighted samples.

Each has its own entry, so that nobody waits for the compilation of what they do not use. They take
the same arguments and return where each tree begins, and the trees.

Some arguments are None or a value: numba leaves out what would be done with a value where there is
None. `chain` is None for a forest. Else task t is link t of a chain, and sees features that the
links before it added: 1, what they decide; 2, what `positions.fed` has. `pruning` is None where no
tree is pruned or collapsed. `in_sets` and `by_counts` say which ways to grow trees on sparse
features are used: on sets of samples, for small tasks on features of two values, and by counts.

Parameters of the entries
-------------------------
codes : Codes
    The features.
positions : Positions
    What the tasks' samples stand for.
rules : Rules
    How to grow and prune.
starts : (n_tasks + 1,) int64
    Where the samples of each task begin.
samples, classes : (starts[-1],) ints
    The position and the class of each of them; `samples` once for all tasks if `is_shared`.
weights : (n_samples,) float64
    The samples' weights, empty where all are 1.
n_classes : int
    The number of classes.
seeds : (n_tasks,) uint64
    What breaks ties.
chain, pruning, in_sets, by_counts : None, or a number
    Which parts are used.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, entry
from rarelabels.trees._kernels.grow.chain_links import (
    decide_link,
    decide_link_by_shares,
    list_link,
    new_decisions,
)
from rarelabels.trees._kernels.grow.dense import grow_dense
from rarelabels.trees._kernels.grow.finished_trees import (
    append_tree,
    count_present,
    new_trees,
    resized_trees,
    rows_of,
)
from rarelabels.trees._kernels.grow.sparse import grow_sets, grow_sparse
from rarelabels.trees._kernels.grow.weighted import grow_weighted
from rarelabels.trees._kernels.prune.pruning import collapse, prune
from rarelabels.trees._kernels.prune.weighted import collapse_weighted, prune_weighted
from rarelabels.trees._kernels.split.candidates import CANDIDATE
from rarelabels.trees._kernels.split.code_counts import most_stored, new_tally
from rarelabels.trees._kernels.split.dense_lists import new_lists
from rarelabels.trees._kernels.split.histograms import new_bins
from rarelabels.trees._kernels.split.partition import plant
from rarelabels.trees._kernels.split.sample_sets import fits_sets, new_sets
from rarelabels.trees._kernels.split.sparse_lists import new_code_lists
from rarelabels.trees._kernels.structures import longest_part, new_nodes
from rarelabels.trees._kernels.workspace import mark_samples, new_room, unset


@allocating
def simplify(nodes, n_nodes, codes, positions, rules, rows, classes, room):
    """Collapse and prune a tree, as the rules say."""
    if rules.collapse and n_nodes > 1:
        collapse(nodes, n_nodes, codes, rules)
    if rules.prune and n_nodes > 1:
        prune(nodes, n_nodes, codes, positions, rules, rows, classes, room)


@allocating
def begin_task(task, starts, samples, classes, is_shared, positions, mark, nodes):
    """Plant a task's root; return its positions and classes, to be ordered, and how many occur."""
    rows = rows_of(task, starts, samples, is_shared)
    own = classes[starts[task] : starts[task + 1]].copy()
    mark_samples(mark, positions, rows, task)
    plant(nodes, own)
    return rows, own, count_present(nodes.counts[0])


@allocating
def add_link(trees, roots, codes, positions, chain, said, task):
    """Write what the link of a chain decides, or what is given instead, for later links."""
    if chain == 1:
        decide_link(trees, roots[task], roots[task + 1], codes, positions, said, task)
    list_link(positions, task)


@entry
def grow_dense_trees(
    codes, positions, rules, starts, samples, classes, weights, is_shared, n_classes, seeds, chain,
    pruning, in_sets, by_counts,
):  # fmt: skip
    """Grow a tree for each task on dense features."""
    most = longest_part(starts)
    room = new_room(codes, positions, most, n_classes)
    mark = unset(codes.table.shape[1])
    lists = new_lists(codes, most, n_classes)
    found = np.empty(codes.n_features + positions.fed.shape[1], CANDIDATE)
    said = new_decisions(codes, positions, chain)
    nodes = new_nodes(min(2 * most + 1, 4096), n_classes)
    trees = new_trees(max(16, 4 * seeds.size), n_classes)
    roots = np.zeros(starts.size, np.int64)
    for task in range(starts.size - 1):
        room.state[1] = seeds[task]
        rows, own, n_present = begin_task(
            task, starts, samples, classes, is_shared, positions, mark, nodes
        )
        nodes, n_nodes = grow_dense(
            codes, positions, chain, task, rules, rows, own, n_present, nodes, lists, found, room
        )
        if pruning is not None:
            simplify(nodes, n_nodes, codes, positions, rules, rows, own, room)
        trees, roots[task + 1] = append_tree(
            trees, roots[task], nodes, n_nodes, codes, rules, n_present, mark, task
        )
        if chain is not None:
            add_link(trees, roots, codes, positions, chain, said, task)
    return roots, resized_trees(trees, roots[-1], roots[-1])


@entry
def grow_sparse_trees(
    codes, positions, rules, starts, samples, classes, weights, is_shared, n_classes, seeds, chain,
    pruning, in_sets, by_counts,
):  # fmt: skip
    """Grow a tree for each task on sparse features."""
    most = longest_part(starts)
    room = new_room(codes, positions, most, n_classes)
    mark = unset(codes.row_starts.size - 1)
    if by_counts is not None:
        tally = new_tally(codes, n_classes, most)
        bins = new_bins(codes, tally, most)
        stored = most_stored(codes, positions, starts, samples, is_shared)
        lists = new_code_lists(positions, tally, n_classes, stored)
    if in_sets is not None:
        sets = new_sets(codes, most, n_classes)
    found = np.empty(codes.n_features + positions.fed.shape[1], CANDIDATE)
    said = new_decisions(codes, positions, chain)
    nodes = new_nodes(min(2 * most + 1, 4096), n_classes)
    trees = new_trees(max(16, 4 * seeds.size), n_classes)
    roots = np.zeros(starts.size, np.int64)
    for task in range(starts.size - 1):
        room.state[1] = seeds[task]
        rows, own, n_present = begin_task(
            task, starts, samples, classes, is_shared, positions, mark, nodes
        )
        n_nodes = np.int64(0)
        if in_sets is not None and fits_sets(rows.size):
            nodes, n_nodes = grow_sets(
                codes, positions, rules, rows, own, n_present, nodes, sets, found, room
            )
        elif by_counts is not None:
            nodes, n_nodes = grow_sparse(
                codes, positions, chain, task, rules, rows, own, n_present, nodes, tally, bins,
                lists, found, room,
            )  # fmt: skip
        if pruning is not None:
            simplify(nodes, n_nodes, codes, positions, rules, rows, own, room)
        trees, roots[task + 1] = append_tree(
            trees, roots[task], nodes, n_nodes, codes, rules, n_present, mark, task
        )
        if chain is not None:
            add_link(trees, roots, codes, positions, chain, said, task)
    return roots, resized_trees(trees, roots[-1], roots[-1])


@entry
def grow_weighted_trees(
    codes, positions, rules, starts, samples, classes, weights, is_shared, n_classes, seeds, chain,
    pruning, in_sets, by_counts,
):  # fmt: skip
    """Grow a tree for each task on weighted samples, with missing values."""
    most = longest_part(starts)
    code_of, mark = unset(weights.size), unset(weights.size)
    state = np.empty(2, np.uint64)
    found = np.empty(codes.n_features + positions.fed.shape[1], CANDIDATE)
    nodes = new_nodes(min(2 * most + 1, 4096), n_classes)
    trees = new_trees(max(16, 4 * seeds.size), n_classes)
    roots = np.zeros(starts.size, np.int64)
    for task in range(starts.size - 1):
        state[1] = seeds[task]
        rows, own, n_present = begin_task(
            task, starts, samples, classes, is_shared, positions, mark, nodes
        )
        n_links = 0 if chain is None else task
        nodes, n_nodes, pool, used = grow_weighted(
            codes, positions, n_links, rules, rows, own, weights, n_present, nodes, found, code_of,
            state,
        )  # fmt: skip
        if pruning is not None:
            if rules.collapse:
                collapse_weighted(nodes, n_nodes, codes, rules)
            if rules.prune:
                prune_weighted(nodes, n_nodes, pool, used, codes, positions, rules)
        trees, roots[task + 1] = append_tree(
            trees, roots[task], nodes, n_nodes, codes, rules, n_present, mark, task
        )
        if chain is not None:
            if chain == 1:
                decide_link_by_shares(trees, roots[task], codes, positions, task)
            list_link(positions, task)
    return roots, resized_trees(trees, roots[-1], roots[-1])
