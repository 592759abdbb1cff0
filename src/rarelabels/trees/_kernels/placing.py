"""Gather a node's stored codes in order, where counts alone do not tell the split."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.choosing import TIE
from rarelabels.trees._kernels.compiling import compiled
from rarelabels.trees._kernels.dense import score_of_two
from rarelabels.trees._kernels.rooms import sort_range


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
