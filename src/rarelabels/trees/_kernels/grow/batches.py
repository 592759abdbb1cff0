"""Grow many trees in one call: on dense features, on sparse ones, or on weighted samples.

Each has a separate entry, so that nobody waits for the compilation of what they do not use. All of
them take the same arguments and return where each tree begins, and the trees.

Some arguments are None or a number: numba does not compile what depends on them if they are None.

Parameters
----------
seeds : (n_tasks,) uint64
    The seed of each tree, for ties.
pruning : None or 1
    None if no tree is pruned or collapsed.
many_categories : None or 1
    None if no feature has more than two categories.
with_lists : None or 1
    None if no sparse feature has more than two values.
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
from rarelabels.trees._kernels.grow.sparse import grow_sparse
from rarelabels.trees._kernels.grow.weighted import grow_weighted
from rarelabels.trees._kernels.prune.pruning import collapse, new_counted_samples, prune_counted
from rarelabels.trees._kernels.prune.weighted import UsedSamples, prune_weighted
from rarelabels.trees._kernels.split.candidates import CANDIDATE
from rarelabels.trees._kernels.split.code_counts import most_stored, new_code_counts
from rarelabels.trees._kernels.split.dense_lists import new_dense_lists
from rarelabels.trees._kernels.split.partition import make_root
from rarelabels.trees._kernels.split.sparse_lists import new_sparse_lists
from rarelabels.trees._kernels.structures import longest_part, new_nodes
from rarelabels.trees._kernels.workspace import mark_samples, minus_ones, new_workspace


@allocating
def simplify(nodes, n_nodes, codes, positions, rules, rows, classes, workspace):
    """Collapse and prune a tree, as the rules say."""
    if rules.collapse and n_nodes > 1:
        collapse(nodes, n_nodes, codes, rules)
    if rules.prune and n_nodes > 1:
        samples = new_counted_samples(n_nodes, rows, classes)
        prune_counted(nodes, n_nodes, samples, codes, positions, rules, workspace)


@allocating
def begin_task(task, starts, samples, classes, is_shared, positions, mark, nodes):
    """Make a task's root; return its positions and classes, to be ordered, and how many occur."""
    rows = rows_of(task, starts, samples, is_shared)
    task_classes = classes[starts[task] : starts[task + 1]].copy()
    mark_samples(mark, positions, rows, task)
    make_root(nodes, task_classes)
    return rows, task_classes, count_present(nodes.counts[0])


@allocating
def add_link(trees, roots, codes, positions, chain, decisions, task):
    """Write what the link of a chain decides, or what is given instead, for later links."""
    if chain == 1:
        decide_link(trees, roots[task], roots[task + 1], codes, positions, decisions, task)
    list_link(positions, task)


@entry
def grow_dense_trees(
    codes, positions, rules, starts, samples, classes, weights, is_shared, n_classes, seeds, chain,
    pruning, many_categories, with_lists,
):  # fmt: skip
    """Grow a tree for each task on dense features."""
    most = longest_part(starts)
    workspace = new_workspace(codes, positions, most, n_classes)
    mark = minus_ones(codes.table.shape[1])
    lists = new_dense_lists(codes, most, n_classes)
    candidates = np.empty(codes.n_features + positions.fed.shape[1], CANDIDATE)
    if chain is not None:
        decisions = new_decisions(codes, positions, chain)
    nodes = new_nodes(min(2 * most + 1, 4096), n_classes)
    trees = new_trees(max(16, 4 * seeds.size), n_classes)
    roots = np.zeros(starts.size, np.int64)
    for task in range(starts.size - 1):
        workspace.state[1] = seeds[task]
        rows, task_classes, n_present = begin_task(
            task, starts, samples, classes, is_shared, positions, mark, nodes
        )
        nodes, n_nodes = grow_dense(
            codes, positions, chain, task, many_categories, rules, rows, task_classes, n_present,
            nodes, lists, candidates, workspace,
        )  # fmt: skip
        if pruning is not None:
            simplify(nodes, n_nodes, codes, positions, rules, rows, task_classes, workspace)
        trees, roots[task + 1] = append_tree(
            trees, roots[task], nodes, n_nodes, codes, rules, n_present, mark, task
        )
        if chain is not None:
            add_link(trees, roots, codes, positions, chain, decisions, task)
    return roots, resized_trees(trees, roots[-1], roots[-1])


@entry
def grow_sparse_trees(
    codes, positions, rules, starts, samples, classes, weights, is_shared, n_classes, seeds, chain,
    pruning, many_categories, with_lists,
):  # fmt: skip
    """Grow a tree for each task on sparse features."""
    most = longest_part(starts)
    workspace = new_workspace(codes, positions, most, n_classes)
    mark = minus_ones(codes.row_starts.size - 1)
    code_counts = new_code_counts(codes, n_classes, most)
    if with_lists is None:
        lists = None
    else:
        stored = most_stored(codes, positions, starts, samples, is_shared)
        lists = new_sparse_lists(positions, code_counts, n_classes, stored)
    candidates = np.empty(codes.n_features + positions.fed.shape[1], CANDIDATE)
    if chain is not None:
        decisions = new_decisions(codes, positions, chain)
    nodes = new_nodes(min(2 * most + 1, 4096), n_classes)
    trees = new_trees(max(16, 4 * seeds.size), n_classes)
    roots = np.zeros(starts.size, np.int64)
    for task in range(starts.size - 1):
        workspace.state[1] = seeds[task]
        rows, task_classes, n_present = begin_task(
            task, starts, samples, classes, is_shared, positions, mark, nodes
        )
        nodes, n_nodes = grow_sparse(
            codes, positions, chain, task, many_categories, rules, rows, task_classes, n_present,
            nodes, code_counts, lists, candidates, workspace,
        )  # fmt: skip
        if pruning is not None:
            simplify(nodes, n_nodes, codes, positions, rules, rows, task_classes, workspace)
        trees, roots[task + 1] = append_tree(
            trees, roots[task], nodes, n_nodes, codes, rules, n_present, mark, task
        )
        if chain is not None:
            add_link(trees, roots, codes, positions, chain, decisions, task)
    return roots, resized_trees(trees, roots[-1], roots[-1])


@entry
def grow_weighted_trees(
    codes, positions, rules, starts, samples, classes, weights, is_shared, n_classes, seeds, chain,
    pruning, many_categories, with_lists,
):  # fmt: skip
    """Grow a tree for each task on weighted samples, with missing values."""
    most = longest_part(starts)
    code_of, mark = minus_ones(weights.size), minus_ones(weights.size)
    state = np.empty(2, np.uint64)
    candidates = np.empty(codes.n_features + positions.fed.shape[1], CANDIDATE)
    nodes = new_nodes(min(2 * most + 1, 4096), n_classes)
    trees = new_trees(max(16, 4 * seeds.size), n_classes)
    roots = np.zeros(starts.size, np.int64)
    for task in range(starts.size - 1):
        state[1] = seeds[task]
        rows, task_classes, n_present = begin_task(
            task, starts, samples, classes, is_shared, positions, mark, nodes
        )
        n_links = 0 if chain is None else task
        nodes, n_nodes, weighted, used = grow_weighted(
            codes, positions, n_links, rules, rows, task_classes, weights, n_present, nodes,
            candidates, code_of, state,
        )  # fmt: skip
        if pruning is not None:
            if rules.collapse and n_nodes > 1:
                collapse(nodes, n_nodes, codes, rules)
            if rules.prune and n_nodes > 1:
                samples_of_tree = UsedSamples(weighted, used)
                prune_weighted(nodes, n_nodes, samples_of_tree, codes, positions, rules, None)
        trees, roots[task + 1] = append_tree(
            trees, roots[task], nodes, n_nodes, codes, rules, n_present, mark, task
        )
        if chain is not None:
            if chain == 1:
                decide_link_by_shares(trees, roots[task], codes, positions, task)
            list_link(positions, task)
    return roots, resized_trees(trees, roots[-1], roots[-1])
