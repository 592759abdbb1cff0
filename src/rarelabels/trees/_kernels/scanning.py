"""Find the best threshold of a numeric feature, or weigh a split into categories."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.choosing import TIE, TOLERANCE, are_apart
from rarelabels.trees._kernels.compiling import compiled

# A score is minus the entropy of the two sides, times their weight: the higher, the purer.


@compiled
def margin(rules, n):
    """Return by how much a score must exceed the best so far."""
    return TOLERANCE * n if rules.gain_ratio else TIE


@compiled
def separable(values, low, high, gain_ratio):
    """Whether two values of a feature may be separated."""
    if not values[low].is_close:
        return True
    return are_apart(values[low].value, values[high].value, gain_ratio)


@compiled
def scan_two_classes(
    lists, row, start, end, shift, close, values, first, ones, table, least, best, step, gain_ratio
):
    """Return the best score, its place and the number of thresholds tried, for two classes.

    `lists[row]` is sorted, with the code above `shift` bits, the class in the lowest and in the bit
    `close` whether the next value may be too close; `first` is the place of the feature's first
    value; `best` is what a score must exceed by more than `step`.
    """
    packed = lists[row]
    n = end - start
    zeros = n - ones
    at = -1
    n_tried = 0
    left_ones = 0
    for i in range(start, start + least - 1):
        left_ones += packed[i] & 1
    for i in range(start + least - 1, end - least):
        left_ones += packed[i] & 1
        if (packed[i] ^ packed[i + 1]) >> shift == 0:
            continue
        if packed[i] & close and not separable(
            values, first + (packed[i] >> shift), first + (packed[i + 1] >> shift), gain_ratio
        ):
            continue
        n_tried += 1
        left = i + 1 - start
        left_zeros = left - left_ones
        score = (table[left_zeros] + table[left_ones] - table[left]) + (
            table[zeros - left_zeros] + table[ones - left_ones] - table[n - left]
        )
        if score > best + step:
            best = score
            at = i
    return best, at, n_tried


@compiled
def scan_classes(
    lists, row, start, end, shift, class_mask, close, values, first, counts, side, table, least,
    best, step, gain_ratio,
):  # fmt: skip
    """Return the best score, its place and the number of thresholds tried, for any classes."""
    packed = lists[row]
    n = end - start
    at = -1
    n_tried = 0
    left_sum = 0.0
    right_sum = 0.0
    for k in range(counts.size):
        side[k] = 0
        right_sum += table[counts[k]]
    for i in range(start, end - least):
        k = packed[i] & class_mask
        here = side[k]
        rest = counts[k] - here
        left_sum += table[here + 1] - table[here]
        right_sum += table[rest - 1] - table[rest]
        side[k] = here + 1
        left = i + 1 - start
        if left < least or (packed[i] ^ packed[i + 1]) >> shift == 0:
            continue
        if packed[i] & close and not separable(
            values, first + (packed[i] >> shift), first + (packed[i + 1] >> shift), gain_ratio
        ):
            continue
        n_tried += 1
        score = left_sum + right_sum - table[left] - table[n - left]
        if score > best + step:
            best = score
            at = i
    return best, at, n_tried


@compiled
def scan_around_base(
    packed, start, end, shift, class_mask, values, first, base, n_base, counts, by_class, feature,
    side, table, least, best, step, gain_ratio,
):  # fmt: skip
    """Return as `scan_classes`, where samples with the base code are not listed.

    Instead of a place: the codes on both sides, and the size of the left one.
    """
    n = n_base + end - start
    n_tried, low, high, size = 0, np.int64(-1), np.int64(-1), 0
    left_sum = 0.0
    right_sum = 0.0
    for k in range(counts.size):
        side[k] = 0
        right_sum += table[counts[k]]
    left = 0
    last = np.int64(-1)
    i = start
    base_is_due = n_base > 0
    while i < end or base_is_due:
        takes_base = base_is_due and (i == end or packed[i] >> shift > base)
        code = base if takes_base else packed[i] >> shift
        if (
            left >= least
            and n - left >= least
            and separable(values, first + last, first + code, gain_ratio)
        ):
            n_tried += 1
            score = left_sum + right_sum - table[left] - table[n - left]
            if score > best + step:
                best, low, high, size = score, last, code, left
        if n - left < least:
            break
        if takes_base:
            base_is_due = False
            for k in range(counts.size):
                added = counts[k] - by_class[feature, k]
                left_sum += table[side[k] + added] - table[side[k]]
                rest = counts[k] - side[k]
                right_sum += table[rest - added] - table[rest]
                side[k] += added
            left += n_base
        else:
            while i < end and packed[i] >> shift == code:
                k = packed[i] & class_mask
                here = side[k]
                rest = counts[k] - here
                left_sum += table[here + 1] - table[here]
                right_sum += table[rest - 1] - table[rest]
                side[k] = here + 1
                left += 1
                i += 1
        last = code
    return best, low, high, size, n_tried
