"""Grow a tree on dense features: lists of codes, sorted once and partitioned at every split."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.choosing import (
    choose,
    keep_categorical,
    keep_numeric,
    least_side,
)
from rarelabels.trees._kernels.compiling import allocating, compiled, inlined
from rarelabels.trees._kernels.curves import fill_curves, score_of_two
from rarelabels.trees._kernels.dense_lists import (
    fill_lists,
    is_constant,
    partition_in_many,
    partition_in_two,
)
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


@inlined
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
        if not has_room or is_constant(row, start, end, shift):
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


@inlined
def n_values_of(codes, feature):
    """Return how many values a feature has."""
    return codes.features[feature + 1].value_start - codes.features[feature].value_start


@inlined
def count_ones(column, sample, rows, classes, start, end, by_class):
    """Count the classes of a node's samples whose code is 1; return how many samples these are."""
    n_ones = np.int64(0)
    if by_class.size == 2:
        # Two counts stay in registers, which is quicker than in an array.
        n_second = np.int64(0)
        for i in range(start, end):
            code = column[np.uintp(sample[np.uintp(rows[np.uintp(i)])])]
            n_ones += code
            n_second += code & classes[np.uintp(i)]
        by_class[0], by_class[1] = n_ones - n_second, n_second
        return n_ones
    for k in range(by_class.size):
        by_class[k] = 0
    for i in range(start, end):
        code = column[sample[rows[i]]]
        by_class[classes[i]] += code
        n_ones += code
    return n_ones


@inlined
def try_pair(
    found, n_found, feature, codes, sample, rows, classes, start, end, room, scales, rules
):
    """Add the split of a feature of up to two values; the last of `room.linked` is scratch."""
    n, at = end - start, room.linked.shape[0] - 1
    low = codes.features[feature].value_start
    is_numeric = codes.features[feature].n_categories == 0
    smallest = scales[1] if is_numeric else np.int64(rules.min_leaf)
    if n_values_of(codes, feature) < 2:
        return n_found
    if is_numeric and not separable(codes, low, low + 1, rules.gain_ratio):
        return n_found
    n_ones = count_ones(codes.table[feature], sample, rows, classes, start, end, room.linked[at])
    if n_ones < smallest or n - n_ones < smallest:
        return n_found
    score = score_of_two(room, room.linked, at, n_ones)
    parts = room.table[n] - room.sizes[n_ones]
    return keep_two_valued(found, n_found, feature, is_numeric, score, parts, scales, n, rules)


@inlined
def try_two_valued(
    found, n_found, lists, feature, codes, sample, rows, classes, start, end, room, scales, rules
):
    """Add the splits of features of two values from one on, up to one that has more or is listed.

    Return as `try_lists`.
    """
    sides = room.linked
    at = sides.shape[0] - 1
    while feature < codes.n_features and lists.place[feature] < 0:
        if n_values_of(codes, feature) > 2:
            break
        n_found = try_pair(
            found, n_found, feature, codes, sample, rows, classes, start, end, room, scales, rules
        )
        feature += 1
    for k in range(sides.shape[1]):
        sides[at, k] = 0
    return n_found, feature


@allocating
def try_dense_categories(
    found, n_found, feature, codes, positions, rows, classes, start, end, room, scales, rules
):
    """Add the split of a feature of more than two categories."""
    column, n_values = codes.table[feature], n_values_of(codes, feature)
    bags = np.zeros((n_values, room.counts.size), np.int64)
    sizes = np.zeros(n_values, np.int64)
    for i in range(start, end):
        code = column[positions.sample[rows[i]]]
        bags[code, classes[i]] += 1
        sizes[code] += 1
    return keep_counted(
        found, n_found, feature, bags, sizes, room.counts, room.table, scales[0], end - start,
        rules,
    )  # fmt: skip


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


@inlined
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
        elif n_values_of(codes, feature) > 2:
            n_found = try_dense_categories(
                found, n_found, feature, codes, positions, rows, classes, start, end, room, scales,
                rules,
            )  # fmt: skip
            feature += 1
        else:
            n_found, feature = try_two_valued(
                found, n_found, lists, feature, codes, positions.sample, rows, classes, start, end,
                room, scales, rules,
            )  # fmt: skip
    return n_found


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
