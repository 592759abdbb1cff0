"""Grow a tree on sparse features: counts over the stored codes of a node's samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.choosing import TIE, choose, keep_numeric
from rarelabels.trees._kernels.compiling import allocating, compiled
from rarelabels.trees._kernels.dense import (
    keep_counted,
    keep_two_valued,
    node_scales,
    read_counts,
    score_of_two,
    try_links,
)
from rarelabels.trees._kernels.rooms import sort_range
from rarelabels.trees._kernels.scanning import margin, scan_around_base, separable
from rarelabels.trees._kernels.splitting import (
    describe_split,
    is_final,
    leave_children,
    order_by_branch,
)
from rarelabels.trees._kernels.structures import n_children, room_for, sparse_code


class Tally(NamedTuple):
    """Counts of the stored codes of some nodes' samples, one level for each node.

    The counts of a node less those of its smaller child are those of the larger one, so that only
    smaller children are counted. Then at most log2(n_samples) nodes wait with their counts.
    """

    total: Array  # int32 (n_levels, n_features)
    by_class: Array  # int32 (n_levels, n_features, n_classes)
    touched: Array  # int64 (n_levels, n_features): the features met, ascending
    n_touched: Array  # int64 (n_levels,)
    place: Array  # int64 (n_features,): where a feature's codes are in `packed`; -1: not needed
    packed: Array  # int64: codes and classes of features with more than two values
    class_bits: int


@allocating
def new_tally(codes, n_classes, most, most_entries, class_bits):
    """Return a tally of nothing."""
    n_features = codes.n_features
    n_levels = 3
    while (1 << n_levels) < 8 * most:
        n_levels += 1
    place = np.empty(n_features, np.int64)
    for feature in range(n_features):
        place[feature] = -1
    return Tally(
        np.zeros((n_levels, n_features), np.int32),
        np.zeros((n_levels, n_features, n_classes), np.int32),
        np.empty((n_levels, n_features), np.int64),
        np.zeros(n_levels, np.int64),
        place,
        np.empty(most_entries, np.int64),
        class_bits,
    )


@compiled
def count_codes(tally, level, codes, positions, rows, classes, start, end):
    """Count the stored codes of a node's samples in a level of zeros."""
    total, by_class, touched = tally.total[level], tally.by_class[level], tally.touched[level]
    row_starts, stored, sample_of = codes.row_starts, codes.stored, positions.sample
    n_touched = 0
    for i in range(start, end):
        sample = sample_of[rows[i]]
        k = classes[i]
        for j in range(row_starts[sample], row_starts[sample + 1]):
            feature = stored[j].feature
            if total[feature] == 0:
                touched[n_touched] = feature
                n_touched += 1
            total[feature] += 1
            by_class[feature, k] += 1
    tally.n_touched[level] = n_touched
    if 8 * n_touched < total.size:
        sort_range(touched, 0, n_touched)
        return
    at = 0
    for feature in range(total.size):
        if total[feature] > 0:
            touched[at] = feature
            at += 1


@compiled
def forget_counts(tally, level):
    """Set the counts of a level to zero."""
    total, by_class, touched = tally.total[level], tally.by_class[level], tally.touched[level]
    for a in range(tally.n_touched[level]):
        feature = touched[a]
        total[feature] = 0
        for k in range(by_class.shape[1]):
            by_class[feature, k] = 0
    tally.n_touched[level] = 0


@compiled
def subtract_counts(tally, level, part):
    """Take the counts of a part away; features that are no longer met are dropped."""
    total, by_class, touched = tally.total[level], tally.by_class[level], tally.touched[level]
    part_total, part_by_class = tally.total[part], tally.by_class[part]
    part_touched = tally.touched[part]
    for a in range(tally.n_touched[part]):
        feature = part_touched[a]
        total[feature] -= part_total[feature]
        for k in range(by_class.shape[1]):
            by_class[feature, k] -= part_by_class[feature, k]
    kept = 0
    for a in range(tally.n_touched[level]):
        feature = touched[a]
        if total[feature] > 0:
            touched[kept] = feature
            kept += 1
    tally.n_touched[level] = kept


@compiled
def is_cut_at_base(tally, level, codes, feature, n_values, gain_ratio):
    """Whether the best threshold is known to lie next to the base: the rest is of one class."""
    if n_values == 2:
        return True
    if (
        gain_ratio
        or codes.features[feature].base_code != 0
        or codes.is_close[codes.features[feature].value_start]
    ):
        return False
    for k in range(tally.by_class.shape[2]):
        if tally.by_class[level, feature, k] == tally.total[level, feature]:
            return True
    return False


@compiled
def highest_score(counts, stored, feature, table, n):
    """Return what no threshold of a feature scores above; `stored` are its class counts.

    The samples without a stored code stay together. The score is convex in the class counts of the
    side without them, so it is highest where that side has all or none of each class. Of many
    classes, it is no higher than with every class apart.
    """
    n_classes = counts.size
    if n_classes > 3:
        score, n_base = 0.0, 0
        for k in range(n_classes):
            score += table[counts[k] - stored[feature, k]]
            n_base += counts[k] - stored[feature, k]
        return score - table[n_base]
    highest = -np.inf
    for classes in range(1, 1 << n_classes):
        score, size = 0.0, 0
        for k in range(n_classes):
            side = stored[feature, k] if (classes >> k) & 1 else 0
            score += table[side] + table[counts[k] - side]
            size += side
        highest = max(highest, score - table[size] - table[n - size])
    return highest


@compiled
def score_at_base(tally, level, codes, feature, room, n, least):
    """Return the score of the threshold next to the base, minus infinity where there is none."""
    n_stored = np.int64(tally.total[level, feature])
    is_lowest = codes.features[feature].base_code == 0
    if (
        not is_lowest
        or min(n_stored, n - n_stored) < least
        or codes.is_close[codes.features[feature].value_start]
    ):
        return -np.inf
    return score_of_two(room.counts, tally.by_class[level], feature, room.table, n, n_stored)


@compiled
def place_codes(tally, level, codes, positions, rows, classes, start, end, least, rules, room):
    """Gather codes and classes of the features that have more than two values, in order.

    Where the gain decides, one that scores less than a feature before it, whatever its threshold,
    is left out: it can be neither chosen nor a tie.
    """
    at = 0
    to_read = 0
    n = end - start
    beaten = -np.inf
    # What rounding may do to scores, and ties.
    slack = 4 * TIE + 1e-9 * room.table[n]
    for a in range(tally.n_touched[level]):
        feature = tally.touched[level, a]
        n_values = codes.features[feature + 1].value_start - codes.features[feature].value_start
        is_numeric = codes.features[feature].n_categories == 0
        smallest = least if is_numeric else np.int64(rules.min_leaf)
        tally.place[feature] = -1
        is_placed = tally.total[level, feature] >= smallest and not is_cut_at_base(
            tally, level, codes, feature, n_values, rules.gain_ratio
        )
        if is_numeric and not rules.gain_ratio:
            if is_placed and beaten > -np.inf:
                highest = highest_score(room.counts, tally.by_class[level], feature, room.table, n)
                is_placed = highest >= beaten
            score = score_at_base(tally, level, codes, feature, room, n, least)
            beaten = max(beaten, score - slack)
        if is_placed:
            tally.place[feature] = at
            at += tally.total[level, feature]
            to_read += (
                codes.features[feature + 1].column_start - codes.features[feature].column_start
            )
    if at == 0:
        return
    # Filtering costs little per code that is read, sorting more per code that is kept.
    if to_read < 2 * at and place_in_order(
        tally, level, codes, positions, rows, classes, start, end, room.code_of
    ):
        return
    place_and_sort(tally, level, codes, positions, rows, classes, start, end, room.items)


@compiled
def count_sort(packed, start, end, class_bits, slots):
    """Sort codes and classes by counting them, one slot for each pair."""
    mask = (np.int64(1) << class_bits) - 1
    for s in range(slots.size):
        slots[s] = 0
    for i in range(start, end):
        slots[((packed[i] >> (class_bits + 1)) << class_bits) | (packed[i] & mask)] += 1
    for s in range(slots.size):
        item = ((np.int64(s) >> class_bits) << (class_bits + 1)) | (np.int64(s) & mask)
        for _ in range(slots[s]):
            packed[start] = item
            start += 1


@compiled
def place_and_sort(tally, level, codes, positions, rows, classes, start, end, slots):
    """Gather them sample by sample, and sort them."""
    shift = tally.class_bits + 1
    for i in range(start, end):
        sample = positions.sample[rows[i]]
        for j in range(codes.row_starts[sample], codes.row_starts[sample + 1]):
            to = tally.place[codes.stored[j].feature]
            if to >= 0:
                tally.packed[to] = (np.int64(codes.stored[j].code) << shift) | classes[i]
                tally.place[codes.stored[j].feature] = to + 1
    for a in range(tally.n_touched[level]):
        feature = tally.touched[level, a]
        end_place = tally.place[feature]
        if end_place >= 0:
            first = end_place - tally.total[level, feature]
            tally.place[feature] = first
            n_values = codes.features[feature + 1].value_start - codes.features[feature].value_start
            n_slots = n_values << tally.class_bits
            if end_place - first > 24 and n_slots <= min(slots.size, 2 * (end_place - first)):
                count_sort(tally.packed, first, end_place, tally.class_bits, slots[:n_slots])
            else:
                sort_range(tally.packed, first, end_place)
            mark_close(tally, codes, feature, first, end_place)


@compiled
def mark_close(tally, codes, feature, first, end):
    """Set the bit of the codes whose next one may be too close."""
    shift, is_close = tally.class_bits + 1, codes.is_close
    value_start = codes.features[feature].value_start
    for i in range(first, end):
        at = value_start + (tally.packed[i] >> shift)
        tally.packed[i] |= np.int64(is_close[at]) << tally.class_bits


@compiled
def place_in_order(tally, level, codes, positions, rows, classes, start, end, class_of):
    """Gather them from the features' sorted codes; return False where a sample is repeated."""
    column, packed, is_close = codes.column, tally.packed, codes.is_close
    bits, shift = tally.class_bits, tally.class_bits + 1
    is_single = True
    for i in range(start, end):
        sample = positions.sample[rows[i]]
        is_single = is_single and class_of[sample] < 0
        class_of[sample] = classes[i]
    for a in range(tally.n_touched[level] if is_single else 0):
        feature = tally.touched[level, a]
        to = tally.place[feature]
        if to >= 0:
            last = to + tally.total[level, feature]
            j = codes.features[feature].column_start
            value_start = codes.features[feature].value_start
            while to < last:
                code = np.int64(column[np.uintp(j)].code)
                k = class_of[np.uintp(column[np.uintp(j)].sample)]
                is_near = np.int64(is_close[np.uintp(value_start + code)])
                # Written over by the next one where the sample is not in the node.
                packed[np.uintp(to)] = (code << shift) | (is_near << bits) | k
                to += k >= 0
                j += 1
    for i in range(start, end):
        class_of[positions.sample[rows[i]]] = -1
    return is_single


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


@compiled
def n_entries(codes, positions, rows):
    """Return the number of stored codes of a task."""
    total = 0
    for p in rows:
        sample = positions.sample[p]
        total += codes.row_starts[sample + 1] - codes.row_starts[sample]
    return total


@compiled
def most_stored(codes, positions, starts, samples, is_shared):
    """Return the most stored codes that a task's samples have."""
    most = 0
    if codes.all_two_valued:
        return most
    for task in range(starts.size - 1):
        begin = 0 if is_shared else starts[task]
        n = starts[task + 1] - starts[task]
        most = max(most, n_entries(codes, positions, samples[begin : begin + n]))
        if is_shared:
            break
    return most
