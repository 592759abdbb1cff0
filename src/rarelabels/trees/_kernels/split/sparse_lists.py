"""Lists of the stored codes of features with more than two values, sorted once.

A split partitions every list in place and stably, so that nothing is sorted at the nodes.

Parameters
----------
most_entries : int64
    The most stored codes of a task.
item : int64
    A packed item.
n_listed : int64
    How many codes are listed.
features : (n_listed,) int32
    The feature of each item.
n_bits : int64
    The number of bits to sort by.
front, behind : int64
    The child whose lists come first, and the other one.
keeps_both : bool
    Whether the lists of the other one are needed, too.
flags : (n_positions,) uint8
    A flag for each position.
flag : int64
    What the flags of the node's positions are set to.
size : int64
    The length of a list.
ends : (n,) int64
    Scratch for each child.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating, compiled, inlined
from rarelabels.trees._kernels.split.dense_lists import bits_for, class_bits_for, packed_word

MUCH = 4  # times as many codes to read as to keep: those to keep are gathered and sorted instead
DIGIT = 11  # bits by which codes are sorted at a time


class SparseLists(NamedTuple):
    """Each feature's sorted list of packed (code, position, is close, class).

    Every list of a node lies within that of its parent.
    """

    packed: Array  # int64
    begin: Array  # int64 (n_features,): of a list in `packed`, at the first node that is listed
    place: Array  # int64 (n_levels, n_features): the same at a node; -1 if it has none
    class_bits: int
    code_shift: int


@allocating
def new_sparse_lists(positions, code_counts, n_classes, most_entries):
    """Return arrays for the lists of a task."""
    n_levels, n_features = code_counts.total.shape
    place = np.empty((n_levels, n_features), np.int64)
    for level in range(n_levels):
        for feature in range(n_features):
            place[level, feature] = -1
    class_bits = class_bits_for(n_classes)
    return SparseLists(
        np.empty(most_entries, np.int64),
        np.empty(n_features, np.int64),
        place,
        class_bits,
        class_bits + 1 + bits_for(positions.sample.size),
    )


@inlined
def position_of(lists, item):
    """Return the position of a packed item."""
    shift = lists.class_bits + 1
    return (item >> shift) & ((np.int64(1) << (lists.code_shift - shift)) - 1)


@allocating
def fill_sparse_lists(lists, code_counts, level, codes, positions, rows, classes, workspace):
    """List the stored codes of a node with these rows, which are counted in a level."""
    n_listed, n_read = place_lists(lists, code_counts, level, codes)
    if n_read > MUCH * n_listed:
        fill_by_sample(lists, code_counts, level, codes, positions, rows, classes, n_listed)
    else:
        fill_by_feature(lists, code_counts, level, codes, positions, rows, classes, workspace)


@compiled
def place_lists(lists, code_counts, level, codes):
    """Set where each list begins; return the codes to list, and those that their features store."""
    n_listed, n_read = np.int64(0), np.int64(0)
    features = codes.features
    for a in range(code_counts.n_touched[level]):
        feature = code_counts.touched[level, a]
        if features[feature + 1].value_start - features[feature].value_start > 2:
            lists.begin[feature] = lists.place[level, feature] = n_listed
            n_listed += code_counts.total[level, feature]
            n_read += features[feature + 1].column_start - features[feature].column_start
    return n_listed, n_read


@compiled
def fill_by_feature(lists, code_counts, level, codes, positions, rows, classes, workspace):
    """List codes from the features' sorted ones; the rows of a sample are chained."""
    column, packed, is_close = codes.column, lists.packed, codes.is_close
    last_row, row_before = workspace.code_of, workspace.buffer[0]
    for i in range(rows.size):
        sample = positions.sample[rows[i]]
        row_before[i] = last_row[sample]
        last_row[sample] = i
    for a in range(code_counts.n_touched[level]):
        feature = code_counts.touched[level, a]
        to = lists.place[level, feature]
        if to < 0:
            continue
        end = to + code_counts.total[level, feature]
        value_start = codes.features[feature].value_start
        j = codes.features[feature].column_start
        while to < end:
            code = column[j].code
            i = last_row[column[j].sample]
            while i >= 0:
                packed[to] = packed_word(
                    code, rows[i], is_close[value_start + code], classes[i], lists.class_bits,
                    lists.code_shift,
                )  # fmt: skip
                to += 1
                i = row_before[i]
            j += 1
    for p in rows:
        last_row[positions.sample[p]] = -1


@allocating
def fill_by_sample(lists, code_counts, level, codes, positions, rows, classes, n_listed):
    """List the codes of one sample after the other, sort them, and separate them by feature."""
    items, features = np.empty(n_listed, np.int64), np.empty(n_listed, np.int32)
    at, highest = 0, np.int64(0)
    for i in range(rows.size):
        sample = positions.sample[rows[i]]
        for j in range(codes.row_starts[sample], codes.row_starts[sample + 1]):
            feature, code = codes.stored[j].feature, codes.stored[j].code
            if lists.place[level, feature] >= 0:
                is_near = codes.is_close[codes.features[feature].value_start + code]
                items[at] = packed_word(
                    code, rows[i], is_near, classes[i], lists.class_bits, lists.code_shift
                )
                features[at] = feature
                highest = max(highest, np.int64(code))
                at += 1
    items, features = sorted_by_code(items, features, lists.code_shift, bits_for(highest + 1))
    begin = lists.begin
    for i in range(n_listed):
        feature = features[i]
        lists.packed[begin[feature]] = items[i]
        begin[feature] += 1
    for a in range(code_counts.n_touched[level]):
        feature = code_counts.touched[level, a]
        begin[feature] = lists.place[level, feature]


@allocating
def sorted_by_code(items, features, shift, n_bits):
    """Return items and their features, sorted stably by the bits from `shift` on, of so many."""
    if n_bits == 0:
        return items, features
    digit = min(n_bits, DIGIT)
    mask = (np.int64(1) << digit) - 1
    ends = np.empty(mask + 2, np.int64)
    for first in range(shift, shift + n_bits, digit):
        for value in range(ends.size):
            ends[value] = 0
        for i in range(items.size):
            ends[((items[i] >> first) & mask) + 1] += 1
        for value in range(mask):
            ends[value + 1] += ends[value]
        to_items, to_features = np.empty(items.size, np.int64), np.empty(items.size, np.int32)
        for i in range(items.size):
            value = (items[i] >> first) & mask
            to = ends[value]
            ends[value] = to + 1
            to_items[to] = items[i]
            to_features[to] = features[i]
        items, features = to_items, to_features
    return items, features


@compiled
def find_listed_branches(lists, code_counts, level, codes, nodes, node, rows, workspace):
    """Write the branch of each of a node's positions, from the list of its numeric feature."""
    feature, code = nodes.of[node].feature, nodes.of[node].code
    start, end = nodes.of[node].start, nodes.of[node].end
    is_behind, branch = workspace.is_behind, workspace.buffer[0]
    set_flags(is_behind, nodes, node, rows, codes.features[feature].base_code > code)
    first = lists.place[level, feature]
    for item in lists.packed[first : first + code_counts.total[level, feature]]:
        is_behind[position_of(lists, item)] = item >> lists.code_shift > code
    for i in range(start, end):
        branch[i] = is_behind[rows[i]]


@compiled
def partition_lists(
    lists, code_counts, level, nodes, front, behind, keeps_both, rows, rules, workspace
):
    """Split a node's lists between two children; those of the one behind may not be needed.

    The lists of the child in front stay at the node's level, those of the other are at the next.
    """
    is_behind, spare, packed = workspace.is_behind, workspace.items, lists.packed
    set_flags(is_behind, nodes, front, rows, 0)
    set_flags(is_behind, nodes, behind, rows, 1)
    total, touched, place = code_counts.total[level], code_counts.touched[level], lists.place[level]
    place_behind = lists.place[level + 1]
    for a in range(code_counts.n_touched[level]):
        feature = touched[a]
        start = place[feature]
        if start < 0 or total[feature] < rules.min_leaf:
            continue
        to, n_behind = start, np.int64(0)
        for i in range(start, start + total[feature]):
            item = packed[np.uintp(i)]
            goes_behind = np.int64(is_behind[np.uintp(position_of(lists, item))])
            packed[np.uintp(to)] = item
            spare[np.uintp(n_behind)] = item
            to += 1 - goes_behind
            n_behind += goes_behind
        if keeps_both:
            place_behind[feature] = to
            for i in range(n_behind):
                packed[to + i] = spare[i]


@compiled
def set_flags(flags, nodes, node, rows, flag):
    """Set the flag of a node's positions."""
    for i in range(nodes.of[node].start, nodes.of[node].end):
        flags[rows[i]] = flag


@allocating
def partition_lists_in_many(lists, code_counts, level, nodes, first, n, positions, rows, workspace):
    """Order a node's lists by child, stably."""
    ends, spare, sample, branch_of = (
        np.empty(n, np.int64),
        workspace.items,
        positions.sample,
        workspace.code_of,
    )
    for b in range(n):
        for i in range(nodes.of[first + b].start, nodes.of[first + b].end):
            branch_of[sample[rows[i]]] = b
    for a in range(code_counts.n_touched[level]):
        feature = code_counts.touched[level, a]
        start = lists.place[level, feature]
        if start >= 0:
            size = np.int64(code_counts.total[level, feature])
            for i in range(size):
                spare[i] = lists.packed[start + i]
            order_by_child(lists, start, size, spare, sample, branch_of, ends)
    for i in range(nodes.of[first].start, nodes.of[first + n - 1].end):
        branch_of[sample[rows[i]]] = -1


@compiled
def order_by_child(lists, start, size, items, sample, branch_of, ends):
    """Write the items of a list back, ordered by child; `ends` is scratch for every child."""
    for b in range(ends.size):
        ends[b] = 0
    for i in range(size):
        ends[branch_of[sample[position_of(lists, items[i])]]] += 1
    at = start
    for b in range(ends.size):
        at += ends[b]
        ends[b] = at - ends[b]
    for i in range(size):
        b = branch_of[sample[position_of(lists, items[i])]]
        lists.packed[ends[b]] = items[i]
        ends[b] += 1


@compiled
def locate_lists(lists, code_counts, level, nodes, node, rows, workspace):
    """Find the lists of one of many children, whose codes are counted.

    They begin at the first of its positions: copies that are no longer needed come after them.
    """
    set_flags(workspace.is_behind, nodes, node, rows, 2)
    for a in range(code_counts.n_touched[level]):
        feature = code_counts.touched[level, a]
        if lists.place[0, feature] >= 0:
            at = lists.begin[feature]
            while workspace.is_behind[position_of(lists, lists.packed[at])] != 2:
                at += 1
            lists.place[level, feature] = at
    set_flags(workspace.is_behind, nodes, node, rows, 0)
