"""Grow a tree on sparse features, by counts and sorted lists of stored codes."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.criterion import choose_candidate, fill_score_tables, node_limits
from rarelabels.trees._kernels.split.code_counts import (
    clear_code_counts,
    count_codes,
    subtract_code_counts,
)
from rarelabels.trees._kernels.split.link_features import try_links
from rarelabels.trees._kernels.split.partition import (
    is_final,
    make_leaves,
    order_by_branch,
    order_by_known_branch,
    write_split,
)
from rarelabels.trees._kernels.split.sparse_features import try_sparse_features
from rarelabels.trees._kernels.split.sparse_lists import (
    fill_sparse_lists,
    find_listed_branches,
    locate_lists,
    partition_lists,
    partition_lists_in_many,
)
from rarelabels.trees._kernels.structures import n_children, nodes_with_capacity
from rarelabels.trees._kernels.workspace import read_counts


@allocating
def grow_sparse(
    codes, positions, chain, n_links, many_categories, rules, rows, classes, n_present, nodes,
    code_counts, lists, candidates, workspace,
):  # fmt: skip
    """Grow a tree; `rows` and `classes` end ordered by leaf. Return the nodes and their number."""
    n_nodes = np.int64(1)
    if is_final(nodes, np.int64(0), rules):
        return nodes, n_nodes
    # A pending node's code is the node pending before it, its low the level of its counts: those
    # are stacked, too, and a node that splits into many has its children counted one by one.
    count_codes(code_counts, np.int64(0), codes, positions, rows, classes, np.int64(0), rows.size)
    if lists is not None:
        fill_sparse_lists(
            lists, code_counts, np.int64(0), codes, positions, rows, classes, workspace
        )
    pending = push(nodes, np.int64(0), np.int64(-1), np.int64(0))
    while pending >= 0:
        node = pending
        pending, level = nodes.of[node].code, nodes.of[node].low
        start, end = nodes.of[node].start, nodes.of[node].end
        n = end - start
        if many_categories is not None and level < 0:
            level = -1 - level
            count_codes(code_counts, level, codes, positions, rows, classes, start, end)
            locate_lists(lists, code_counts, level, nodes, node, rows, workspace)
        read_counts(nodes, node, workspace.counts)
        fill_score_tables(workspace, n)
        limits = node_limits(workspace.counts, n, n_present, workspace.table, rules)
        n_candidates = try_sparse_features(
            candidates, code_counts, lists, level, codes, many_categories, workspace, limits, n,
            rules,
        )  # fmt: skip
        if chain is not None:
            n_candidates = try_links(
                candidates, n_candidates, codes, positions, n_links, rows, classes, start, end,
                workspace, limits, rules,
            )  # fmt: skip
        chosen = choose_candidate(
            candidates, n_candidates, codes, rules, np.float64(n), rows.size, nodes.counts[node],
            workspace.state,
        )  # fmt: skip
        if chosen < 0:
            clear_code_counts(code_counts, level)
            continue
        n_new = n_children(codes, rules, candidates[chosen].feature)
        nodes = nodes_with_capacity(nodes, n_nodes, n_nodes + n_new)
        write_split(nodes, node, codes, rules, candidates, chosen, n_nodes)
        order_sparse_node(
            lists, code_counts, level, codes, positions, rules, nodes, node, rows, classes,
            workspace,
        )  # fmt: skip
        make_leaves(nodes, n_nodes, n_new)
        if n_new == 2:
            pending = push_two(
                code_counts, lists, level, pending, nodes, n_nodes, codes, positions, rules, rows,
                classes, workspace,
            )  # fmt: skip
        elif many_categories is not None:
            partition_lists_in_many(
                lists, code_counts, level, nodes, n_nodes, n_new, positions, rows, workspace
            )
            clear_code_counts(code_counts, level)
            for child in range(n_nodes + n_new - 1, n_nodes - 1, -1):
                if not is_final(nodes, child, rules):
                    pending = push(nodes, child, pending, -1 - level)
        n_nodes += n_new
    return nodes, n_nodes


@compiled
def order_sparse_node(
    lists, code_counts, level, codes, positions, rules, nodes, node, rows, classes, workspace
):
    """Order a node's positions by branch; a list has its feature's codes at the node alone."""
    if lists is not None:
        feature = nodes.of[node].feature
        is_listed = feature < codes.n_features and lists.place[level, feature] >= 0
        if is_listed and codes.features[feature].n_categories == 0:
            find_listed_branches(lists, code_counts, level, codes, nodes, node, rows, workspace)
            order_by_known_branch(codes, rules, nodes, node, rows, classes, workspace)
            return
    order_by_branch(codes, positions, rules, nodes, node, rows, classes, workspace)


@compiled
def push(nodes, node, pending, level):
    """Make a node pending, before those that are pending; return it."""
    nodes.of[node].code, nodes.of[node].low = pending, level
    return node


@compiled
def push_two(
    code_counts, lists, level, pending, nodes, first, codes, positions, rules, rows, classes,
    workspace,
):  # fmt: skip
    """Count two children and make them pending, the smaller one on top; return the node next.

    The counts of the smaller one are subtracted from those of their parent, which gives those of
    the larger one.
    """
    larger, smaller = first, first + 1
    if (
        nodes.of[smaller].end - nodes.of[smaller].start
        > nodes.of[larger].end - nodes.of[larger].start
    ):
        larger, smaller = smaller, larger
    grows_larger, grows_smaller = (
        not is_final(nodes, larger, rules),
        not is_final(nodes, smaller, rules),
    )
    start, end = nodes.of[smaller].start, nodes.of[smaller].end
    if lists is not None and (grows_larger or grows_smaller):
        front, behind = (larger, smaller) if grows_larger else (smaller, larger)
        both = grows_larger and grows_smaller
        partition_lists(
            lists, code_counts, level, nodes, front, behind, both, rows, rules, workspace
        )
    if not grows_larger:
        clear_code_counts(code_counts, level)
        if grows_smaller:
            count_codes(code_counts, level, codes, positions, rows, classes, start, end)
            pending = push(nodes, smaller, pending, level)
        return pending
    count_codes(code_counts, level + 1, codes, positions, rows, classes, start, end)
    subtract_code_counts(code_counts, level, level + 1)
    pending = push(nodes, larger, pending, level)
    if grows_smaller:
        pending = push(nodes, smaller, pending, level + 1)
    else:
        clear_code_counts(code_counts, level + 1)
    return pending
