"""Grow a tree on dense features: lists of codes, sorted once and partitioned at every split.

Parameters
----------
chosen : int64
    The place of the chosen candidate.
number : (n,) int64
    The number in the task of each position.
branch_of : (n,) int32
    The branch of each position, by its number in the task.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, inlined
from rarelabels.trees._kernels.criterion import choose_candidate, fill_score_tables, node_limits
from rarelabels.trees._kernels.split.dense_features import try_dense_features
from rarelabels.trees._kernels.split.dense_lists import (
    fill_dense_lists,
    partition_in_many,
    partition_in_two,
)
from rarelabels.trees._kernels.split.link_features import try_links
from rarelabels.trees._kernels.split.partition import (
    is_final,
    make_leaves,
    order_by_branch,
    order_numbers,
    write_split,
)
from rarelabels.trees._kernels.structures import n_children, nodes_with_capacity
from rarelabels.trees._kernels.workspace import read_counts


@inlined
def choose_dense_split(
    node, codes, positions, chain, n_links, many_categories, rules, rows, classes, n_present, nodes,
    lists, candidates, workspace,
):  # fmt: skip
    """Return a node's chosen candidate, -1 for none."""
    start, end = nodes.of[node].start, nodes.of[node].end
    n = end - start
    read_counts(nodes, node, workspace.counts)
    fill_score_tables(workspace, n)
    limits = node_limits(workspace.counts, n, n_present, workspace.table, rules)
    n_candidates = try_dense_features(
        candidates, lists, codes, positions, many_categories, rows, classes, start, end, workspace,
        limits, rules,
    )  # fmt: skip
    if chain is not None:
        n_candidates = try_links(
            candidates, n_candidates, codes, positions, n_links, rows, classes, start, end,
            workspace, limits, rules,
        )  # fmt: skip
    return choose_candidate(
        candidates, n_candidates, codes, rules, np.float64(n), rows.size, nodes.counts[node],
        workspace.state,
    )  # fmt: skip


@inlined
def split_dense_node(
    node, chosen, codes, positions, many_categories, rules, rows, classes, nodes, first, lists,
    candidates, workspace, number, branch_of, pending,
):  # fmt: skip
    """Split a node into children from `first` on; return the last node that is pending."""
    start, end = nodes.of[node].start, nodes.of[node].end
    n_new = n_children(codes, rules, candidates[chosen].feature)
    write_split(nodes, node, codes, rules, candidates, chosen, first)
    order_by_branch(codes, positions, rules, nodes, node, rows, classes, workspace)
    order_numbers(number, branch_of, workspace.buffer[0], workspace.items, nodes, first, start, end)
    make_leaves(nodes, first, n_new)
    was_pending = pending
    for child in range(first + n_new - 1, first - 1, -1):
        if not is_final(nodes, child, rules):
            nodes.of[child].code = pending
            pending = child
    if pending == was_pending:
        return pending
    if n_new == 2:
        grows_first, grows_second = pending == first, not is_final(nodes, first + 1, rules)
        partition_in_two(lists, start, end, branch_of, grows_first, grows_second, workspace.items)
    elif many_categories is not None:
        partition_in_many(lists, start, end, branch_of, first, nodes, n_new, workspace.items)
    return pending


@allocating
def grow_dense(
    codes, positions, chain, n_links, many_categories, rules, rows, classes, n_present, nodes,
    lists, candidates, workspace,
):  # fmt: skip
    """Grow a tree; `rows` and `classes` end ordered by leaf. Return the nodes and their number."""
    n_nodes = np.int64(1)
    if is_final(nodes, np.int64(0), rules):
        return nodes, n_nodes
    fill_dense_lists(lists, codes, positions, rows, classes)
    number = np.arange(rows.size)
    branch_of = np.empty(rows.size, np.int32)
    pending = np.int64(0)
    nodes.of[0].code = -1  # a pending node's code is the node pending before it
    while pending >= 0:
        node = pending
        pending = nodes.of[node].code
        chosen = choose_dense_split(
            node, codes, positions, chain, n_links, many_categories, rules, rows, classes,
            n_present, nodes, lists, candidates, workspace,
        )  # fmt: skip
        if chosen < 0:
            continue
        n_new = n_children(codes, rules, candidates[chosen].feature)
        nodes = nodes_with_capacity(nodes, n_nodes, n_nodes + n_new)
        pending = split_dense_node(
            node, chosen, codes, positions, many_categories, rules, rows, classes, nodes, n_nodes,
            lists, candidates, workspace, number, branch_of, pending,
        )  # fmt: skip
        n_nodes += n_new
    return nodes, n_nodes
