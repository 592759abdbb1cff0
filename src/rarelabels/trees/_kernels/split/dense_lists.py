"""Sorted lists of the codes of a task on dense features, partitioned at every split.

Parameters
----------
is_close : bool, or (n_values,) bool
    Whether the next value may be too close to be separated, for one value or for all.
class_bits, code_shift : int64
    The bits of the class, and the lowest bit of the code of a packed item.
keeps_first, keeps_second : bool
    Whether the lists of each child are still needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating, compiled, inlined
from rarelabels.trees._kernels.workspace import sort_range

FEW = 16  # times fewer samples than the coding has: sort them instead of filtering its order


class DenseLists(NamedTuple):
    """Each numeric feature's sorted list of packed (code, number in the task, is close, class)."""

    packed: Array  # int64 (n_listed, most samples of a task + 2)
    first_copy: Array  # int64 (n_samples + 2,): where the seats of a sample begin
    copies: Array  # int64 (most samples of a task + 2,): packed (number in the task, class)
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
def new_dense_lists(codes, most, n_classes):
    """Return arrays for the lists of the features with more than two values."""
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
    packed = np.empty((n_listed, most + 2), np.int64)
    first_copy = np.empty(codes.table.shape[1] + 2, np.int64)
    copies = np.empty(most + 2, np.int64)
    code_shift = class_bits + 1 + bits_for(most)
    return DenseLists(packed, first_copy, copies, listed, place, class_bits, code_shift)


@compiled
def fill_dense_lists(lists, codes, positions, rows, classes):
    """Sort the task's positions by every listed feature."""
    if rows.size * FEW < codes.table.shape[1]:
        sort_codes(lists, codes, positions, rows, classes)
        return
    group_copies(lists, positions, rows, classes)
    for a in range(lists.listed.size):
        feature = lists.listed[a]
        is_close = codes.is_close[codes.features[feature].value_start :]
        filter_order(lists, lists.packed[a], codes.order[feature], codes.table[feature], is_close)


@compiled
def sort_codes(lists, codes, positions, rows, classes):
    """Sort the codes of a task's positions, feature by feature."""
    for a in range(lists.listed.size):
        feature = lists.listed[a]
        packed, column = lists.packed[a], codes.table[feature]
        is_close = codes.is_close[codes.features[feature].value_start :]
        for i in range(rows.size):
            code = column[positions.sample[rows[i]]]
            packed[i] = packed_word(
                code, i, is_close[code], classes[i], lists.class_bits, lists.code_shift
            )
        sort_range(packed, np.int64(0), rows.size)


@compiled
def group_copies(lists, positions, rows, classes):
    """Seat the task's positions by sample; where a sample's seats end, those of the next begin."""
    first, copies = lists.first_copy, lists.copies
    for s in range(first.size):
        first[s] = 0
    for i in range(rows.size):
        first[positions.sample[rows[i]] + 2] += 1
    for s in range(2, first.size):
        first[s] += first[s - 1]
    for i in range(rows.size):
        at = positions.sample[rows[i]] + 1
        copies[first[at]] = packed_word(0, i, False, classes[i], lists.class_bits, 0)
        first[at] += 1


@inlined
def filter_order(lists, packed, order, column, is_close):
    """Fill a list from the coding's order.

    Two seats of a sample are written whether it has them or not, and overwritten: how many it has
    cannot be foreseen, and a wrong guess takes longer.
    """
    first, copies = lists.first_copy, lists.copies
    at = np.int64(0)
    for j in range(order.size):
        s = order[j]
        code = column[np.uintp(s)]
        start, end = first[np.uintp(s)], first[np.uintp(s + 1)]
        high = packed_word(code, 0, is_close[np.uintp(code)], 0, lists.class_bits, lists.code_shift)
        packed[np.uintp(at)] = high | copies[np.uintp(start)]
        packed[np.uintp(at + 1)] = high | copies[np.uintp(start + 1)]
        for copy in range(start + 2, end):
            packed[np.uintp(at + copy - start)] = high | copies[np.uintp(copy)]
        at += end - start


@compiled
def packed_word(code, i, is_close, k, class_bits, code_shift):
    """Return a code, a number, whether the next value may be too close, and a class as one."""
    low = (np.int64(is_close) << class_bits) | np.int64(k)
    return (np.int64(code) << code_shift) | (np.int64(i) << (class_bits + 1)) | low


@inlined
def is_constant(row, start, end, shift):
    """Whether all codes of a list's range are the same."""
    return (row[np.uintp(start)] ^ row[np.uintp(end - 1)]) >> shift == 0


@compiled
def partition_in_two(lists, start, end, branch_of, keeps_first, keeps_second, items):
    """Order every list's range by branch, stably; a branch that is not needed may be overwritten.

    A list of one code stays unchanged: it has that code in any part of its range.
    """
    shift = lists.class_bits + 1
    mask = (np.int64(1) << (lists.code_shift - shift)) - 1
    for a in range(lists.packed.shape[0]):
        row = lists.packed[a]
        if is_constant(row, start, end, lists.code_shift):
            continue
        if not keeps_second:
            move_first_down(row, start, end, branch_of, shift, mask)
        elif not keeps_first:
            move_second_up(row, start, end, branch_of, shift, mask)
        else:
            partition_row(row, start, end, branch_of, items, shift, mask)


@inlined
def move_first_down(row, start, end, branch_of, shift, mask):
    """Move the first branch to the beginning of a list's range."""
    to = start
    for i in range(start, end):
        item = row[np.uintp(i)]
        row[np.uintp(to)] = item
        to += 1 - np.int64(branch_of[np.uintp((item >> shift) & mask)])


@inlined
def move_second_up(row, start, end, branch_of, shift, mask):
    """Move the second branch to the end of a list's range."""
    to = end - 1
    for i in range(end - 1, start - 1, -1):
        item = row[np.uintp(i)]
        row[np.uintp(to)] = item
        to -= np.int64(branch_of[np.uintp((item >> shift) & mask)])


@inlined
def partition_row(row, start, end, branch_of, items, shift, mask):
    """Order one list's range by branch."""
    to, n_second = start, np.int64(0)
    for i in range(start, end):
        item = row[np.uintp(i)]
        goes_second = np.int64(branch_of[np.uintp((item >> shift) & mask)])
        row[np.uintp(to)] = item
        items[np.uintp(n_second)] = item
        to += 1 - goes_second
        n_second += goes_second
    for i in range(n_second):
        row[np.uintp(to + i)] = items[np.uintp(i)]


@allocating
def partition_in_many(lists, start, end, branch_of, first, nodes, n, items):
    """Order every list's range by branch, stably, except for lists of one code."""
    shift = lists.class_bits + 1
    mask = (np.int64(1) << (lists.code_shift - shift)) - 1
    ends = np.empty(n, np.int64)
    for a in range(lists.listed.size):
        row = lists.packed[a]
        if is_constant(row, start, end, lists.code_shift):
            # It was not ordered at nodes above either, and may have other samples than this node.
            continue
        for b in range(n):
            ends[b] = nodes.of[first + b].start
        for i in range(start, end):
            items[i] = row[i]
        for i in range(start, end):
            b = branch_of[(items[i] >> shift) & mask]
            row[ends[b]] = items[i]
            ends[b] += 1
