"""Grow a tree on sparse features: counts over the stored codes of a node's samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.choosing import choose, keep_numeric, new_candidates
from rarelabels.trees._kernels.compiling import compiled
from rarelabels.trees._kernels.dense import (
    keep_counted,
    keep_two_valued,
    node_scales,
    try_links,
)
from rarelabels.trees._kernels.scanning import margin, scan_around_base
from rarelabels.trees._kernels.splitting import (
    describe_split,
    is_final,
    leave_children,
    order_by_branch,
)
from rarelabels.trees._kernels.structures import (
    n_children,
    room_for,
    set_leaf,
    sparse_code,
)

MANY = 3  # a node with more than 1/MANY of all samples reads the sorted features instead of sorting


class Tally(NamedTuple):
    """Counts of a node's stored codes; zero between nodes."""

    total: Array  # int64 (n_features,)
    by_class: Array  # int64 (n_features, n_classes)
    touched: Array  # int64: the features met
    place: Array  # int64: where a feature's codes are in `packed`, -1 if they are not needed
    packed: Array  # int64: codes and classes of features with more than two values
    class_of: Array  # int32 (n_samples,): -1 for samples that are not in the node


@compiled
def new_tally(codes, n_classes, most_entries):
    """Return a tally of nothing."""
    n_features = codes.base.size if codes.is_sparse else 0
    n_samples = codes.row_starts.size - 1 if codes.is_sparse and not codes.all_two_valued else 0
    return Tally(
        np.zeros(n_features, np.int64),
        np.zeros((n_features, n_classes), np.int64),
        np.empty(n_features, np.int64),
        np.full(n_features, -1, np.int64),
        np.empty(most_entries if not codes.all_two_valued else 0, np.int64),
        np.full(n_samples, -1, np.int32),
    )


@compiled
def count_codes(tally, codes, positions, rows, classes, start, end):
    """Count the stored codes of a node's samples; return the number of features met."""
    n_touched = 0
    for i in range(start, end):
        sample = positions.sample[rows[i]]
        k = classes[i]
        for j in range(codes.row_starts[sample], codes.row_starts[sample + 1]):
            feature = codes.row_features[j]
            if tally.total[feature] == 0:
                tally.touched[n_touched] = feature
                n_touched += 1
            tally.total[feature] += 1
            tally.by_class[feature, k] += 1
    return n_touched


@compiled
def forget_counts(tally, n_touched):
    """Set the counts to zero."""
    for a in range(n_touched):
        feature = tally.touched[a]
        tally.total[feature] = 0
        tally.by_class[feature, :] = 0


@compiled
def is_cut_at_base(tally, codes, feature, n_values, gain_ratio):
    """Whether the best threshold is known to lie next to the base: the rest is of one class."""
    if n_values == 2:
        return True
    if gain_ratio or codes.base[feature] != 0 or codes.is_close[feature]:
        return False
    for k in range(tally.by_class.shape[1]):
        if tally.by_class[feature, k] == tally.total[feature]:
            return True
    return False


@compiled
def place_codes(
    tally, n_touched, codes, positions, rows, classes, start, end, least, filters, rules, bits
):
    """Gather codes and classes of the features that have more than two values."""
    at = 0
    for a in range(n_touched):
        feature = tally.touched[a]
        n_values = codes.value_starts[feature + 1] - codes.value_starts[feature]
        smallest = least if codes.n_categories[feature] == 0 else np.int64(rules.min_leaf)
        tally.place[feature] = -1
        if tally.total[feature] >= smallest and not is_cut_at_base(
            tally, codes, feature, n_values, rules.gain_ratio
        ):
            tally.place[feature] = at
            at += tally.total[feature]
    if at == 0:
        return
    if filters:
        place_by_feature(tally, n_touched, codes, positions, rows, classes, start, end, bits)
        return
    for i in range(start, end):
        sample = positions.sample[rows[i]]
        for j in range(codes.row_starts[sample], codes.row_starts[sample + 1]):
            to = tally.place[codes.row_features[j]]
            if to >= 0:
                tally.packed[to] = (np.int64(codes.row_codes[j]) << bits) | classes[i]
                tally.place[codes.row_features[j]] = to + 1
    for a in range(n_touched):
        feature = tally.touched[a]
        if tally.place[feature] >= 0:
            tally.place[feature] -= tally.total[feature]
            first = tally.place[feature]
            tally.packed[first : first + tally.total[feature]].sort()


@compiled
def place_by_feature(tally, n_touched, codes, positions, rows, classes, start, end, bits):
    """Gather them in order, from the features' sorted codes."""
    for i in range(start, end):
        tally.class_of[positions.sample[rows[i]]] = classes[i]
    for a in range(n_touched):
        feature = tally.touched[a]
        to = tally.place[feature]
        if to >= 0:
            for j in range(codes.column_starts[feature], codes.column_starts[feature + 1]):
                k = tally.class_of[codes.column_samples[j]]
                if k >= 0:
                    tally.packed[to] = (np.int64(codes.column_codes[j]) << bits) | k
                    to += 1
    for i in range(start, end):
        tally.class_of[positions.sample[rows[i]]] = -1


@compiled
def try_placed(found, n_found, feature, tally, codes, counts, side, table, scales, n, rules, bits):
    """Add the best split of a feature with more than two values."""
    start = tally.place[feature]
    end = start + tally.total[feature]
    stored = tally.by_class[feature]
    n_base = n - tally.total[feature]
    entropy, least, first = scales
    if codes.n_categories[feature] > 0:
        bags, sizes = count_categories(tally, feature, codes, counts, bits)
        return keep_counted(found, n_found, feature, bags, sizes, counts, table, entropy, n, rules)
    mask = (np.int64(1) << bits) - 1
    score, low, high, left, tried = scan_around_base(
        tally.packed, start, end, bits, mask, codes, feature, n_base, counts, stored, side, table,
        least, first, margin(rules, n), rules,
    )  # fmt: skip
    if low < 0:
        return n_found
    parts = table[n] - table[left] - table[n - left]
    return keep_numeric(found, n_found, feature, n, entropy, score, tried, parts, low, high, rules)


@compiled
def count_categories(tally, feature, codes, counts, bits):
    """Return class counts and sizes of the categories that the node has."""
    start = tally.place[feature]
    end = start + tally.total[feature]
    mask = (np.int64(1) << bits) - 1
    bags = np.zeros((min(end - start + 1, codes.n_categories[feature]), counts.size), np.int64)
    sizes = np.zeros(bags.shape[0], np.int64)
    for k in range(counts.size):
        bags[0, k] = counts[k] - tally.by_class[feature, k]
        sizes[0] += bags[0, k]
    at = 0
    for i in range(start, end):
        if i == start or tally.packed[i] >> bits != tally.packed[i - 1] >> bits:
            at += 1
        bags[at, tally.packed[i] & mask] += 1
        sizes[at] += 1
    return bags, sizes


@compiled
def lowest_stored_code(codes, positions, rows, start, end, feature):
    """Return the lowest code above the base that a node's samples have."""
    base = codes.base[feature]
    lowest = np.int64(2**62)
    for i in range(start, end):
        code = np.int64(sparse_code(codes, positions.sample[rows[i]], feature))
        if base < code < lowest:
            lowest = code
    return lowest


@compiled
def try_features(found, tally, n_touched, codes, counts, side, table, scales, n, rules, bits):
    """Fill in the candidates of all features met, in the order of the features."""
    n_found = 0
    smallest = min(scales[1], np.int64(rules.min_leaf))
    kept = 0
    for a in range(n_touched):
        if tally.total[tally.touched[a]] >= smallest:
            tally.touched[a], tally.touched[kept] = tally.touched[kept], tally.touched[a]
            kept += 1
    tally.touched[:kept].sort()
    for a in range(kept):
        feature = tally.touched[a]
        n_values = codes.value_starts[feature + 1] - codes.value_starts[feature]
        if n_values == 2 or (tally.place[feature] < 0 and not rules.gain_ratio):
            n_found = keep_two_valued(
                found, n_found, feature, codes, counts, tally.by_class[feature],
                tally.total[feature], table, scales, n, rules,
            )  # fmt: skip
        elif tally.place[feature] >= 0:
            n_found = try_placed(
                found, n_found, feature, tally, codes, counts, side, table, scales, n, rules, bits
            )
    return n_found


@compiled
def grow_sparse(
    codes, positions, n_links, rules, rows, classes, n_present, nodes, tally, linked, table, state,
    repeats, branch, buffer, bits,
):  # fmt: skip
    """Grow a tree; `rows` and `classes` end ordered by leaf. Return the nodes and their number."""
    n_all = rows.size
    n_classes = nodes.counts.shape[1]
    found = new_candidates(codes.base.size + n_links)
    side = np.zeros(n_classes, np.int64)
    counts = np.zeros(n_classes, np.int64)
    set_leaf(nodes, 0, 0, n_all)
    nodes.counts[0, :] = 0.0
    for i in range(n_all):
        nodes.counts[0, classes[i]] += 1.0
    n_nodes = 1
    stack = [np.int64(0)]
    if is_final(nodes, 0, rules):
        return nodes, n_nodes
    while len(stack) > 0:
        node = stack.pop()
        start, end = nodes.start[node], nodes.end[node]
        n = end - start
        for k in range(n_classes):
            counts[k] = np.int64(nodes.counts[node, k])
        scales = node_scales(counts, n, n_present, table, rules)
        n_touched = count_codes(tally, codes, positions, rows, classes, start, end)
        if not codes.all_two_valued:
            filters = not repeats and n * MANY > codes.row_starts.size - 1
            place_codes(
                tally, n_touched, codes, positions, rows, classes, start, end, scales[1], filters,
                rules, bits,
            )  # fmt: skip
        n_found = try_features(
            found, tally, n_touched, codes, counts, side, table, scales, n, rules, bits
        )
        n_found = try_links(
            found, n_found, codes, positions, n_links, rows, classes, start, end, counts, linked,
            table, scales, rules,
        )  # fmt: skip
        chosen = choose(found, n_found, codes, rules, np.float64(n), n_all, state)
        forget_counts(tally, n_touched)
        if chosen < 0:
            continue
        feature = found.feature[chosen]
        if feature < codes.base.size and not rules.gain_ratio:
            n_values = codes.value_starts[feature + 1] - codes.value_starts[feature]
            if n_values > 2 and tally.place[feature] < 0:
                found.low[chosen] = codes.base[feature]
                found.high[chosen] = lowest_stored_code(codes, positions, rows, start, end, feature)
        n_new = n_children(codes, rules, feature)
        nodes = room_for(nodes, n_nodes, n_nodes + n_new)
        describe_split(nodes, node, codes, rules, found, chosen, n_nodes)
        order_by_branch(codes, positions, rules, nodes, node, rows, classes, branch, buffer)
        leave_children(nodes, n_nodes, n_new)
        for b in range(n_new - 1, -1, -1):
            if not is_final(nodes, n_nodes + b, rules):
                stack.append(np.int64(n_nodes + b))
        n_nodes += n_new
    return nodes, n_nodes
