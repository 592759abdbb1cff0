"""Grow a tree on dense features: lists of codes, sorted once and partitioned at every split."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.choosing import (
    choose,
    keep_categorical,
    keep_numeric,
    least_side,
)
from rarelabels.trees._kernels.compiling import allocating, compiled, inlined
from rarelabels.trees._kernels.curves import fill_curves, score_of_two
from rarelabels.trees._kernels.rooms import sort_range
from rarelabels.trees._kernels.scanning import (
    margin,
    scan_run,
    separable,
)
from rarelabels.trees._kernels.splitting import (
    describe_split,
    is_final,
    leave_children,
    order_by_branch,
)
from rarelabels.trees._kernels.structures import n_children, room_for

FEW = 16  # times fewer samples than the coding has: sort them instead of filtering its order


class Lists(NamedTuple):
    """Each numeric feature's sorted list of packed (code, number in the task, is close, class)."""

    packed: Array  # int64 (n_listed, most samples of a task)
    first_seat: Array  # int64 (n_samples + 1,)
    seats: Array  # int64 (most samples of a task,)
    listed: Array  # int64: which features
    place: Array  # int64: a feature's list, -1 if it has none
    class_bits: int
    code_shift: int


@compiled
def bits_for(n):
    """Return the bits that numbers below n need."""
    bits = 0
    while (1 << bits) < n:
        bits += 1
    return bits


@compiled
def class_bits_for(n_classes):
    """Return the bits that a class needs, at least one."""
    return max(bits_for(n_classes), 1)


@allocating
def new_lists(codes, most, n_classes):
    """Return room for the lists of the features with more than two values."""
    n_features = codes.n_features
    place = np.empty(n_features, np.int64)
    n_listed = 0
    for feature in range(n_features):
        n_values = codes.features[feature + 1].value_start - codes.features[feature].value_start
        place[feature] = -1
        if codes.features[feature].n_categories == 0 and n_values > 2:
            place[feature] = n_listed
            n_listed += 1
    class_bits = class_bits_for(n_classes)
    listed = np.empty(n_listed, np.int64)
    for feature in range(n_features):
        if place[feature] >= 0:
            listed[place[feature]] = feature
    packed = np.empty((n_listed, most), np.int64)
    first_seat = np.empty(codes.table.shape[1] + 1, np.int64)
    seats = np.empty(most, np.int64)
    code_shift = class_bits + 1 + bits_for(most)
    return Lists(packed, first_seat, seats, listed, place, class_bits, code_shift)


@compiled
def fill_lists(lists, codes, positions, rows, classes):
    """Sort the task's positions by every listed feature."""
    n = rows.size
    n_samples = codes.table.shape[1]
    if n * FEW < n_samples:
        for a in range(lists.listed.size):
            feature = lists.listed[a]
            packed, column = lists.packed[a], codes.table[feature]
            is_close = codes.is_close[codes.features[feature].value_start :]
            for i in range(n):
                code = column[positions.sample[rows[i]]]
                packed[i] = packed_word(
                    code, i, is_close[code], classes[i], lists.class_bits, lists.code_shift
                )
            sort_range(packed, 0, n)
        return
    first, seats = lists.first_seat, lists.seats
    for s in range(n_samples + 1):
        first[s] = 0
    for i in range(n):
        first[positions.sample[rows[i]] + 1] += 1
    for s in range(n_samples):
        first[s + 1] += first[s]
    for i in range(n):
        s = positions.sample[rows[i]]
        seats[first[s]] = i
        first[s] += 1
    for a in range(lists.listed.size):
        feature = lists.listed[a]
        is_close = codes.is_close[codes.features[feature].value_start :]
        filter_order(
            lists.packed[a], codes.order[feature], codes.table[feature], is_close, classes, first,
            seats, lists.class_bits, lists.code_shift,
        )  # fmt: skip


@compiled
def filter_order(packed, order, column, is_close, classes, ends, seats, class_bits, code_shift):
    """Fill a list from the coding's order; `ends` are those of each sample's seats."""
    at = 0
    for j in range(order.size):
        s = order[j]
        code = column[s]
        is_near = is_close[code]
        for seat in range(ends[s - 1] if s > 0 else 0, ends[s]):
            i = seats[seat]
            packed[at] = packed_word(code, i, is_near, classes[i], class_bits, code_shift)
            at += 1


@compiled
def packed_word(code, i, is_close, k, class_bits, code_shift):
    """Return a code, a number, whether the next value may be too close, and a class as one."""
    low = (np.int64(is_close) << class_bits) | np.int64(k)
    return (np.int64(code) << code_shift) | (np.int64(i) << (class_bits + 1)) | low


@compiled
def partition_in_two(lists, start, end, branch_of, items):
    """Order every list's range by branch, stably."""
    shift = lists.class_bits + 1
    mask = (np.int64(1) << (lists.code_shift - shift)) - 1
    packed = lists.packed
    for a in range(packed.shape[0]):
        partition_row(packed[a], start, end, branch_of, items, shift, mask)


@compiled
def partition_row(row, start, end, branch_of, items, shift, mask):
    """Order one list's range by branch, stably."""
    to = start
    n_right = 0
    for i in range(start, end):
        item = row[i]
        goes_right = np.int64(branch_of[(item >> shift) & mask])
        row[to] = item
        items[n_right] = item
        to += 1 - goes_right
        n_right += goes_right
    for i in range(n_right):
        row[to + i] = items[i]


@allocating
def partition_in_many(lists, start, end, branch_of, first, nodes, n, items):
    """Order every list's range by branch, stably."""
    shift = lists.class_bits + 1
    mask = (np.int64(1) << (lists.code_shift - shift)) - 1
    ends = np.empty(n, np.int64)
    for a in range(lists.listed.size):
        row = lists.packed[a]
        for b in range(n):
            ends[b] = nodes.of[first + b].start
        for i in range(start, end):
            items[i] = row[i]
        for i in range(start, end):
            b = branch_of[(items[i] >> shift) & mask]
            row[ends[b]] = items[i]
            ends[b] += 1


@compiled
def try_lists(found, n_found, lists, feature, start, end, codes, room, scales, rules):
    """Add the best thresholds of listed features from one on, up to one that is not listed.

    Return the number of candidates and the feature that is next. Many features in one call: a call
    costs as much as a short list.
    """
    n = end - start
    entropy, least, first = scales
    packed, place, features, shift = lists.packed, lists.place, codes.features, lists.code_shift
    side, table = room.side, room.table
    mask = (np.int64(1) << lists.class_bits) - 1
    bounds = (first, margin(rules, n), least)
    has_room = n >= 2 * least
    while feature < place.size and place[feature] >= 0:
        row = packed[place[feature]]
        value_start = features[feature].value_start
        feature += 1
        if not has_room or (row[start] ^ row[end - 1]) >> shift == 0:
            continue
        for k in range(side.size):
            side[k] = 0
        score, at, tried = scan_run(
            row, start, end, shift, mask, codes, value_start, room, bounds, rules
        )
        if at >= 0:
            left = at + 1 - start
            parts = table[n] - room.sizes[left]
            n_found = keep_numeric(
                found, n_found, feature - 1, n, entropy, score, tried, parts, row[at] >> shift,
                row[at + 1] >> shift, rules,
            )  # fmt: skip
    return n_found, feature


@inlined
def keep_two_valued(found, n_found, feature, is_numeric, score, parts, scales, n, rules):
    """Add the only split of a feature of two values."""
    entropy, _, first = scales
    if not is_numeric:
        return keep_categorical(found, n_found, feature, n, entropy + score, parts)
    if score <= first + margin(rules, n):
        return n_found
    one = np.int64(1)
    return keep_numeric(
        found, n_found, feature, n, entropy, score, one, parts, np.int64(0), one, rules
    )


@compiled
def keep_counted(found, n_found, feature, bags, sizes, counts, table, entropy, n, rules):
    """Add a split into categories, whose class counts are `bags` and sizes `sizes`."""
    n_large = 0
    score = 0.0
    parts = table[n]
    for b in range(sizes.size):
        n_large += sizes[b] >= rules.min_leaf
        score -= table[sizes[b]]
        parts -= table[sizes[b]]
        for k in range(counts.size):
            score += table[bags[b, k]]
    if n_large < 2:
        return n_found
    return keep_categorical(found, n_found, feature, n, entropy + score, parts)


@compiled
def try_two_valued(
    found, n_found, feature, codes, sample, rows, classes, start, end, room, scales, rules
):
    """Add the split of a feature of two values; the last of `room.linked` is zero scratch."""
    n, linked = end - start, room.linked
    at = linked.shape[0] - 1
    column = codes.table[feature]
    n_ones = np.int64(0)
    for i in range(start, end):
        code = column[sample[rows[i]]]
        linked[at, classes[i]] += code
        n_ones += code
    score = score_of_two(room, linked, at, n_ones)
    for k in range(linked.shape[1]):
        linked[at, k] = 0
    is_numeric = codes.features[feature].n_categories == 0
    smallest = scales[1] if is_numeric else np.int64(rules.min_leaf)
    low = codes.features[feature].value_start
    if n_ones < smallest or n - n_ones < smallest:
        return n_found
    if is_numeric and not separable(codes, low, low + 1, rules.gain_ratio):
        return n_found
    parts = room.table[n] - room.sizes[n_ones]
    return keep_two_valued(found, n_found, feature, is_numeric, score, parts, scales, n, rules)


@allocating
def try_counted(
    found, n_found, feature, codes, positions, rows, classes, start, end, room, scales, rules
):
    """Add the split of a feature whose codes are counted: of two values, or of categories."""
    column = codes.table[feature]
    n_values = codes.features[feature + 1].value_start - codes.features[feature].value_start
    if n_values < 2:
        return n_found
    n = end - start
    if n_values == 2:
        return try_two_valued(
            found, n_found, feature, codes, positions.sample, rows, classes, start, end, room,
            scales, rules,
        )  # fmt: skip
    bags = np.zeros((n_values, room.counts.size), np.int64)
    sizes = np.zeros(n_values, np.int64)
    for i in range(start, end):
        code = column[positions.sample[rows[i]]]
        bags[code, classes[i]] += 1
        sizes[code] += 1
    return keep_counted(
        found, n_found, feature, bags, sizes, room.counts, room.table, scales[0], n, rules
    )


@compiled
def try_links(
    found, n_found, codes, positions, n_links, rows, classes, start, end, room, scales, rules
):
    """Add the splits on what earlier links of a chain decided; `room.linked` is zero scratch."""
    if n_links == 0:
        return n_found
    n, linked = end - start, room.linked
    for i in range(start, end):
        p = rows[i]
        for j in range(positions.n_yes[p]):
            linked[positions.yes[p, j], classes[i]] += 1
    is_numeric = not rules.gain_ratio
    smallest = scales[1] if is_numeric else np.int64(rules.min_leaf)
    for link in range(n_links):
        n_ones = np.int64(0)
        for k in range(linked.shape[1]):
            n_ones += linked[link, k]
        if n_ones > 0:
            if n_ones >= smallest and n - n_ones >= smallest:
                score = score_of_two(room, linked, link, n_ones)
                parts = room.table[n] - room.sizes[n_ones]
                n_found = keep_two_valued(
                    found, n_found, codes.n_features + link, is_numeric, score, parts, scales, n,
                    rules,
                )  # fmt: skip
            for k in range(linked.shape[1]):
                linked[link, k] = 0
    return n_found


@compiled
def node_scales(counts, n, n_present, table, rules):
    """Return the node's entropy × size, the least size of a side, and the score to exceed."""
    entropy = table[n]
    for k in range(counts.size):
        entropy -= table[counts[k]]
    least = np.int64(np.ceil(least_side(np.float64(n), n_present, rules) - 1e-6))
    return entropy, least, -entropy if rules.gain_ratio else -np.inf


@compiled
def read_counts(nodes, node, counts):
    """Copy a node's class counts as integers."""
    for k in range(counts.size):
        counts[k] = np.int64(nodes.counts[node, k])


@compiled
def try_dense_features(
    found, lists, codes, positions, rows, classes, start, end, room, scales, rules
):
    """Fill in the candidates of all features."""
    n_found = np.int64(0)
    feature = np.int64(0)
    while feature < codes.n_features:
        if lists.place[feature] >= 0:
            n_found, feature = try_lists(
                found, n_found, lists, feature, start, end, codes, room, scales, rules
            )
        else:
            n_found = try_counted(
                found, n_found, feature, codes, positions, rows, classes, start, end, room, scales,
                rules,
            )  # fmt: skip
            feature += 1
    return n_found


@allocating
def grow_dense(
    codes, positions, n_links, rules, rows, classes, n_present, nodes, lists, found, room
):
    """Grow a tree; `rows` and `classes` end ordered by leaf. Return the nodes and their number."""
    n_all = rows.size
    n_nodes = np.int64(1)
    if is_final(nodes, np.int64(0), rules):
        return nodes, n_nodes
    fill_lists(lists, codes, positions, rows, classes)
    number = np.arange(n_all)
    branch_of = np.empty(n_all, np.int32)
    pending = np.int64(0)
    nodes.of[0].code = -1  # a pending node's code is the node pending before it
    while pending >= 0:
        node = pending
        pending = nodes.of[node].code
        start, end = nodes.of[node].start, nodes.of[node].end
        n = end - start
        read_counts(nodes, node, room.counts)
        fill_curves(room, n)
        scales = node_scales(room.counts, n, n_present, room.table, rules)
        n_found = try_dense_features(
            found, lists, codes, positions, rows, classes, start, end, room, scales, rules
        )
        n_found = try_links(
            found, n_found, codes, positions, n_links, rows, classes, start, end, room, scales,
            rules,
        )  # fmt: skip
        chosen = choose(
            found, n_found, codes, rules, np.float64(n), n_all, nodes.counts[node], room.state
        )
        if chosen < 0:
            continue
        n_new = n_children(codes, rules, found[chosen].feature)
        nodes = room_for(nodes, n_nodes, n_nodes + n_new)
        describe_split(nodes, node, codes, rules, found, chosen, n_nodes)
        order_by_branch(codes, positions, rules, nodes, node, rows, classes, room)
        order_numbers(number, branch_of, room.buffer[0], room.items, nodes, n_nodes, start, end)
        leave_children(nodes, n_nodes, n_new)
        was_pending = pending
        for child in range(n_nodes + n_new - 1, n_nodes - 1, -1):
            if not is_final(nodes, child, rules):
                nodes.of[child].code = pending
                pending = child
        if pending != was_pending and n_new == 2:
            partition_in_two(lists, start, end, branch_of, room.items)
        elif pending != was_pending:
            partition_in_many(lists, start, end, branch_of, n_nodes, nodes, n_new, room.items)
        n_nodes += n_new
    return nodes, n_nodes


@compiled
def order_numbers(number, branch_of, branch, items, nodes, first, start, end):
    """Order the task's numbers as its positions were, and note the branch of each."""
    for i in range(start, end):
        branch_of[number[i]] = branch[i]
        items[i] = number[i]
    for i in range(start, end):
        child = first + branch[i]
        number[nodes.of[child].start] = items[i]
        nodes.of[child].start += 1
    for i in range(start, end):
        nodes.of[first + branch[i]].start -= 1
