"""Grow a tree on dense features: lists of codes, sorted once and partitioned at every split."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, inlined
from rarelabels.trees._kernels.criterion import choose, fill_curves, node_scales
from rarelabels.trees._kernels.split.dense_features import try_dense_features
from rarelabels.trees._kernels.split.dense_lists import (
    fill_lists,
    partition_in_many,
    partition_in_two,
)
from rarelabels.trees._kernels.split.link_features import try_links
from rarelabels.trees._kernels.split.partition import (
    describe_split,
    is_final,
    leave_children,
    order_by_branch,
    order_numbers,
)
from rarelabels.trees._kernels.structures import n_children, room_for
from rarelabels.trees._kernels.workspace import read_counts


@inlined
def choose_dense(
    node, codes, positions, chain, n_links, rules, rows, classes, n_present, nodes, lists, found,
    room,
):  # fmt: skip
    """Return a node's chosen candidate, -1 for none."""
    start, end = nodes.of[node].start, nodes.of[node].end
    n = end - start
    read_counts(nodes, node, room.counts)
    fill_curves(room, n)
    scales = node_scales(room.counts, n, n_present, room.table, rules)
    n_found = try_dense_features(
        found, lists, codes, positions, rows, classes, start, end, room, scales, rules
    )
    if chain is not None:
        n_found = try_links(
            found, n_found, codes, positions, n_links, rows, classes, start, end, room, scales,
            rules,
        )  # fmt: skip
    return choose(
        found, n_found, codes, rules, np.float64(n), rows.size, nodes.counts[node], room.state
    )


@inlined
def part_dense(
    node, chosen, codes, positions, rules, rows, classes, nodes, first, lists, found, room, number,
    branch_of, pending,
):  # fmt: skip
    """Split a node into children from `first` on; return the last node that is pending."""
    start, end = nodes.of[node].start, nodes.of[node].end
    n_new = n_children(codes, rules, found[chosen].feature)
    describe_split(nodes, node, codes, rules, found, chosen, first)
    order_by_branch(codes, positions, rules, nodes, node, rows, classes, room)
    order_numbers(number, branch_of, room.buffer[0], room.items, nodes, first, start, end)
    leave_children(nodes, first, n_new)
    was_pending = pending
    for child in range(first + n_new - 1, first - 1, -1):
        if not is_final(nodes, child, rules):
            nodes.of[child].code = pending
            pending = child
    if pending == was_pending:
        return pending
    if n_new == 2:
        grows_first, grows_second = pending == first, not is_final(nodes, first + 1, rules)
        partition_in_two(lists, start, end, branch_of, grows_first, grows_second, room.items)
    else:
        partition_in_many(lists, start, end, branch_of, first, nodes, n_new, room.items)
    return pending


@allocating
def grow_dense(
    codes, positions, chain, n_links, rules, rows, classes, n_present, nodes, lists, found, room
):
    """Grow a tree; `rows` and `classes` end ordered by leaf. Return the nodes and their number."""
    n_nodes = np.int64(1)
    if is_final(nodes, np.int64(0), rules):
        return nodes, n_nodes
    fill_lists(lists, codes, positions, rows, classes)
    number = np.arange(rows.size)
    branch_of = np.empty(rows.size, np.int32)
    pending = np.int64(0)
    nodes.of[0].code = -1  # a pending node's code is the node pending before it
    while pending >= 0:
        node = pending
        pending = nodes.of[node].code
        chosen = choose_dense(
            node, codes, positions, chain, n_links, rules, rows, classes, n_present, nodes, lists,
            found, room,
        )  # fmt: skip
        if chosen < 0:
            continue
        n_new = n_children(codes, rules, found[chosen].feature)
        nodes = room_for(nodes, n_nodes, n_nodes + n_new)
        pending = part_dense(
            node, chosen, codes, positions, rules, rows, classes, nodes, n_nodes, lists, found,
            room, number, branch_of, pending,
        )  # fmt: skip
        n_nodes += n_new
    return nodes, n_nodes
