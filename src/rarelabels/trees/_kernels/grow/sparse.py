"""Grow a tree on sparse features: by counts and sorted lists of stored codes, or by sample sets."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.bitsets import words_for
from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.criterion import choose, fill_curves, node_scales
from rarelabels.trees._kernels.split.code_counts import count_codes, forget_counts, subtract_counts
from rarelabels.trees._kernels.split.histograms import fill_bins, is_binned, part_bins
from rarelabels.trees._kernels.split.link_features import try_links
from rarelabels.trees._kernels.split.partition import (
    describe_split,
    is_final,
    leave_children,
    order_by_branch,
    order_by_known_branch,
)
from rarelabels.trees._kernels.split.sample_sets import (
    empty_sets,
    fill_sets,
    order_by_leaf,
    split_set_of,
    try_sets,
)
from rarelabels.trees._kernels.split.sparse_features import try_sparse_features
from rarelabels.trees._kernels.split.sparse_lists import (
    fill_code_lists,
    find_listed_branches,
    find_lists,
    part_lists,
    part_lists_in_many,
)
from rarelabels.trees._kernels.structures import n_children, room_for
from rarelabels.trees._kernels.workspace import read_counts


@allocating
def grow_sparse(
    codes, positions, chain, n_links, rules, rows, classes, n_present, nodes, tally, bins, lists,
    found, room,
):  # fmt: skip
    """Grow a tree; `rows` and `classes` end ordered by leaf. Return the nodes and their number."""
    n_nodes = np.int64(1)
    if is_final(nodes, np.int64(0), rules):
        return nodes, n_nodes
    # A pending node's code is the node pending before it, its low the level of its counts: those
    # are stacked, too, and a node that splits into many has its children counted one by one. Its
    # high is whether its codes are listed, which they are from the first node that is not binned.
    count_codes(tally, np.int64(0), codes, positions, rows, classes, np.int64(0), rows.size)
    if is_binned(bins, rows.size):
        fill_bins(bins, np.int64(0), codes, positions, rows, classes, np.int64(0), rows.size)
    pending = push(nodes, np.int64(0), np.int64(-1), np.int64(0), codes.all_two_valued)
    while pending >= 0:
        node = pending
        pending, level = nodes.of[node].code, nodes.of[node].low
        start, end = nodes.of[node].start, nodes.of[node].end
        n = end - start
        if level < 0:
            level = -1 - level
            count_codes(tally, level, codes, positions, rows, classes, start, end)
            find_lists(lists, tally, level, nodes, node, rows, room)
        elif nodes.of[node].high == 0 and not is_binned(bins, n):
            fill_code_lists(
                lists, tally, level, codes, positions, rows[start:end], classes[start:end], room
            )
        read_counts(nodes, node, room.counts)
        fill_curves(room, n)
        scales = node_scales(room.counts, n, n_present, room.table, rules)
        n_found = try_sparse_features(
            found, tally, bins, lists, level, codes, room, scales, n, rules
        )
        if chain is not None:
            n_found = try_links(
                found, n_found, codes, positions, n_links, rows, classes, start, end, room, scales,
                rules,
            )  # fmt: skip
        chosen = choose(
            found, n_found, codes, rules, np.float64(n), rows.size, nodes.counts[node], room.state
        )
        if chosen < 0:
            forget_counts(tally, level)
            continue
        n_new = n_children(codes, rules, found[chosen].feature)
        nodes = room_for(nodes, n_nodes, n_nodes + n_new)
        describe_split(nodes, node, codes, rules, found, chosen, n_nodes)
        split_sparse(
            bins, lists, tally, level, codes, positions, rules, nodes, node, rows, classes, room
        )
        leave_children(nodes, n_nodes, n_new)
        if n_new == 2:
            pending = push_two(
                tally, bins, lists, level, pending, nodes, n_nodes, codes, positions, rules, rows,
                classes, n, room,
            )  # fmt: skip
        else:
            part_lists_in_many(lists, tally, level, nodes, n_nodes, n_new, positions, rows, room)
            forget_counts(tally, level)
            for child in range(n_nodes + n_new - 1, n_nodes - 1, -1):
                if not is_final(nodes, child, rules):
                    pending = push(nodes, child, pending, -1 - level, True)
        n_nodes += n_new
    return nodes, n_nodes


@compiled
def split_sparse(
    bins, lists, tally, level, codes, positions, rules, nodes, node, rows, classes, room
):
    """Order a node's positions by branch; a list has its feature's codes at the node alone."""
    feature = nodes.of[node].feature
    is_listed = feature < codes.n_features and lists.place[level, feature] >= 0
    is_listed &= not is_binned(bins, nodes.of[node].end - nodes.of[node].start)
    if is_listed and codes.features[feature].n_categories == 0:
        find_listed_branches(lists, tally, level, codes, nodes, node, rows, room)
        order_by_known_branch(codes, rules, nodes, node, rows, classes, room)
    else:
        order_by_branch(codes, positions, rules, nodes, node, rows, classes, room)


@compiled
def push(nodes, node, pending, level, is_listed):
    """Make a node pending, before another; return it."""
    nodes.of[node].code, nodes.of[node].low, nodes.of[node].high = pending, level, is_listed
    return node


@compiled
def push_two(
    tally, bins, lists, level, pending, nodes, first, codes, positions, rules, rows, classes, n,
    room,
):  # fmt: skip
    """Count two children and make them pending, the smaller one on top; return the node next.

    The counts of the smaller one are taken from those of their parent of n samples, which leaves
    the larger one's.
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
    is_listed = not is_binned(bins, n)
    if not is_listed:
        part_bins(
            bins, level, grows_larger, grows_smaller, codes, positions, rows, classes, start, end, n
        )
    elif not codes.all_two_valued and (grows_larger or grows_smaller):
        front, behind = (larger, smaller) if grows_larger else (smaller, larger)
        both = grows_larger and grows_smaller
        part_lists(lists, tally, level, nodes, front, behind, both, rows, rules, room)
    if not grows_larger:
        forget_counts(tally, level)
        if grows_smaller:
            count_codes(tally, level, codes, positions, rows, classes, start, end)
            pending = push(nodes, smaller, pending, level, is_listed)
        return pending
    count_codes(tally, level + 1, codes, positions, rows, classes, start, end)
    subtract_counts(tally, level, level + 1)
    pending = push(nodes, larger, pending, level, is_listed)
    if grows_smaller:
        pending = push(nodes, smaller, pending, level + 1, is_listed)
    else:
        forget_counts(tally, level + 1)
    return pending


@allocating
def grow_sets(codes, positions, rules, rows, classes, n_present, nodes, sets, found, room):
    """Grow a tree; `rows` and `classes` end ordered by leaf. Return the nodes and their number."""
    n_nodes = np.int64(1)
    if is_final(nodes, np.int64(0), rules):
        return nodes, n_nodes
    n_words = words_for(rows.size)
    n_met, n_features = fill_sets(sets, codes, positions, rules, rows, classes, n_words)
    node = np.int64(0)
    while node < n_nodes:
        n = nodes.of[node].end - nodes.of[node].start
        if not is_final(nodes, node, rules):
            read_counts(nodes, node, room.counts)
            fill_curves(room, n)
            scales = node_scales(room.counts, n, n_present, room.table, rules)
            n_found = try_sets(
                found, sets, n_features, node, n_words, codes, room, scales, n, rules
            )
            chosen = choose(
                found, n_found, codes, rules, np.float64(n), rows.size, nodes.counts[node],
                room.state,
            )  # fmt: skip
            if chosen >= 0:
                nodes = room_for(nodes, n_nodes, n_nodes + 2)
                describe_split(nodes, node, codes, rules, found, chosen, n_nodes)
                split_set_of(nodes, node, sets, codes, n_words)
                n_nodes += 2
        node += 1
    if rules.prune:
        order_by_leaf(nodes, n_nodes, sets, rows, classes, room, n_words)
    empty_sets(sets, n_met, n_words)
    return nodes, n_nodes
