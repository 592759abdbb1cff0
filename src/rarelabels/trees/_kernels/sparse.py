"""Grow a tree on sparse features: counts over the stored codes of a node's samples."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.choosing import choose, keep_numeric
from rarelabels.trees._kernels.compiling import allocating, compiled
from rarelabels.trees._kernels.dense import (
    keep_counted,
    keep_two_valued,
    node_scales,
    read_counts,
    score_of_two,
    try_links,
)
from rarelabels.trees._kernels.placing import place_codes
from rarelabels.trees._kernels.scanning import margin, scan_around_base, separable
from rarelabels.trees._kernels.splitting import (
    describe_split,
    is_final,
    leave_children,
    order_by_branch,
)
from rarelabels.trees._kernels.structures import n_children, room_for, sparse_code
from rarelabels.trees._kernels.tallying import count_codes, forget_counts, subtract_counts


@compiled
def try_placed(found, n_found, feature, tally, level, codes, room, scales, n, rules):
    """Add the best split of a feature with more than two values."""
    start = tally.place[feature]
    end = start + tally.total[level, feature]
    entropy, least, first = scales
    counts, table = room.counts, room.table
    if codes.features[feature].n_categories > 0:
        return try_categories_placed(
            found, n_found, feature, tally, level, counts, table, entropy, n, rules
        )
    mask = (np.int64(1) << tally.class_bits) - 1
    score, low, high, left, tried = scan_around_base(
        tally.packed, start, end, tally.class_bits + 1, mask, codes,
        codes.features[feature].value_start, codes.features[feature].base_code, n - (end - start),
        counts, tally.by_class[level, feature], room.side, table, room.rises,
        (first, margin(rules, n), least), rules,
    )  # fmt: skip
    if low < 0:
        return n_found
    parts = table[n] - table[left] - table[n - left]
    return keep_numeric(found, n_found, feature, n, entropy, score, tried, parts, low, high, rules)


@allocating
def try_categories_placed(found, n_found, feature, tally, level, counts, table, entropy, n, rules):
    """Add the split of a feature with more than two categories."""
    start = tally.place[feature]
    end = start + tally.total[level, feature]
    bits = tally.class_bits + 1
    mask = (np.int64(1) << tally.class_bits) - 1
    bags = np.zeros((end - start + 1, counts.size), np.int64)
    sizes = np.zeros(bags.shape[0], np.int64)
    for k in range(counts.size):
        bags[0, k] = counts[k] - tally.by_class[level, feature, k]
        sizes[0] += bags[0, k]
    at = 0
    for i in range(start, end):
        if i == start or tally.packed[i] >> bits != tally.packed[i - 1] >> bits:
            at += 1
        bags[at, tally.packed[i] & mask] += 1
        sizes[at] += 1
    return keep_counted(found, n_found, feature, bags, sizes, counts, table, entropy, n, rules)


@compiled
def lowest_stored_code(codes, positions, rows, start, end, feature):
    """Return the lowest code above the base that a node's samples have."""
    base = codes.features[feature].base_code
    lowest = np.int64(2**62)
    for i in range(start, end):
        code = np.int64(sparse_code(codes, positions.sample[rows[i]], feature))
        if base < code < lowest:
            lowest = code
    return lowest


@compiled
def try_sparse_features(found, tally, level, codes, room, scales, n, rules):
    """Fill in the candidates of all features met, in the order of the features."""
    n_found = np.int64(0)
    total, by_class, touched = tally.total[level], tally.by_class[level], tally.touched[level]
    place, features = tally.place, codes.features
    counts, table = room.counts, room.table
    for a in range(tally.n_touched[level]):
        feature = touched[a]
        n_stored = np.int64(total[feature])
        if n_stored < rules.min_leaf:
            continue
        low = features[feature].value_start
        n_values = features[feature + 1].value_start - low
        if n_values == 2 or (place[feature] < 0 and not rules.gain_ratio):
            is_numeric = features[feature].n_categories == 0
            smallest = scales[1] if is_numeric else np.int64(rules.min_leaf)
            if n_stored < smallest or n - n_stored < smallest:
                continue
            if is_numeric and not separable(codes, low, low + 1, rules.gain_ratio):
                continue
            score = score_of_two(counts, by_class, feature, table, n, n_stored)
            parts = table[n] - table[n_stored] - table[n - n_stored]
            n_found = keep_two_valued(
                found, n_found, feature, is_numeric, score, parts, scales, n, rules
            )
        elif place[feature] >= 0:
            n_found = try_placed(
                found, n_found, feature, tally, level, codes, room, scales, n, rules
            )
    return n_found


@compiled
def separate_codes(found, chosen, codes, tally, positions, rows, start, end, rules):
    """Find the codes on both sides of a threshold next to the base, where they are not known."""
    feature = found[chosen].feature
    if rules.gain_ratio or feature >= codes.n_features or tally.place[feature] >= 0:
        return
    if codes.features[feature + 1].value_start - codes.features[feature].value_start > 2:
        found[chosen].low = codes.features[feature].base_code
        found[chosen].high = lowest_stored_code(codes, positions, rows, start, end, feature)


@compiled
def count_children(tally, level, spare, nodes, first, codes, positions, rules, rows, classes):
    """Count the smaller of two children and take its counts from their parent's.

    Return the levels of the larger and of the smaller child, -1 for one that stays a leaf.
    """
    larger, smaller = first, first + 1
    if (
        nodes.of[smaller].end - nodes.of[smaller].start
        > nodes.of[larger].end - nodes.of[larger].start
    ):
        larger, smaller = smaller, larger
    if is_final(nodes, larger, rules):
        forget_counts(tally, level)
        if is_final(nodes, smaller, rules):
            return -1, -1
        start, end = nodes.of[smaller].start, nodes.of[smaller].end
        count_codes(tally, level, codes, positions, rows, classes, start, end)
        return -1, level
    start, end = nodes.of[smaller].start, nodes.of[smaller].end
    count_codes(tally, spare, codes, positions, rows, classes, start, end)
    subtract_counts(tally, level, spare)
    if is_final(nodes, smaller, rules):
        forget_counts(tally, spare)
        return level, -1
    return level, spare


@allocating
def grow_sparse(
    codes, positions, n_links, rules, rows, classes, n_present, nodes, tally, found, room
):
    """Grow a tree; `rows` and `classes` end ordered by leaf. Return the nodes and their number."""
    n_nodes = np.int64(1)
    if is_final(nodes, np.int64(0), rules):
        return nodes, n_nodes
    # A pending node's code is the node pending before it, its low the level of its counts: those
    # are stacked, too, and a node that splits into many has its children counted one by one.
    count_codes(tally, np.int64(0), codes, positions, rows, classes, np.int64(0), rows.size)
    pending, level = np.int64(0), np.int64(0)
    nodes.of[0].code, nodes.of[0].low = -1, 0
    while pending >= 0:
        node = pending
        pending, level = nodes.of[node].code, nodes.of[node].low
        start, end = nodes.of[node].start, nodes.of[node].end
        n = end - start
        if level < 0:
            level = -1 - level
            count_codes(tally, level, codes, positions, rows, classes, start, end)
        read_counts(nodes, node, room.counts)
        scales = node_scales(room.counts, n, n_present, room.table, rules)
        if not codes.all_two_valued:
            place_codes(
                tally, level, codes, positions, rows, classes, start, end, scales[1], rules, room
            )
        n_found = try_sparse_features(found, tally, level, codes, room, scales, n, rules)
        n_found = try_links(
            found, n_found, codes, positions, n_links, rows, classes, start, end, room.counts,
            room.linked, room.table, scales, rules,
        )  # fmt: skip
        chosen = choose(
            found, n_found, codes, rules, np.float64(n), rows.size, nodes.counts[node], room.state
        )
        if chosen < 0:
            forget_counts(tally, level)
            continue
        separate_codes(found, chosen, codes, tally, positions, rows, start, end, rules)
        n_new = n_children(codes, rules, found[chosen].feature)
        nodes = room_for(nodes, n_nodes, n_nodes + n_new)
        describe_split(nodes, node, codes, rules, found, chosen, n_nodes)
        order_by_branch(codes, positions, rules, nodes, node, rows, classes, room)
        leave_children(nodes, n_nodes, n_new)
        if n_new == 2:
            pending = push_two(
                tally, level, pending, nodes, n_nodes, codes, positions, rules, rows, classes
            )
        else:
            forget_counts(tally, level)
            for child in range(n_nodes + n_new - 1, n_nodes - 1, -1):
                if not is_final(nodes, child, rules):
                    nodes.of[child].code, nodes.of[child].low = pending, -1 - level
                    pending = child
        n_nodes += n_new
    return nodes, n_nodes


@compiled
def push_two(tally, level, pending, nodes, first, codes, positions, rules, rows, classes):
    """Make two children pending, the smaller one on top; return the node that is next."""
    larger, smaller = first, first + 1
    if (
        nodes.of[smaller].end - nodes.of[smaller].start
        > nodes.of[larger].end - nodes.of[larger].start
    ):
        larger, smaller = smaller, larger
    of_larger, of_smaller = count_children(
        tally, level, level + 1, nodes, first, codes, positions, rules, rows, classes
    )
    if of_larger >= 0:
        nodes.of[larger].code, nodes.of[larger].low = pending, of_larger
        pending = larger
    if of_smaller >= 0:
        nodes.of[smaller].code, nodes.of[smaller].low = pending, of_smaller
        pending = smaller
    return pending
