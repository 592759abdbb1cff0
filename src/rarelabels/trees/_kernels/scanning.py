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
def separable(codes, low, high, gain_ratio):
    """Whether two values of a feature may be separated."""
    if not codes.is_close[low]:
        return True
    return are_apart(codes.values[low], codes.values[high], gain_ratio)


@compiled
def scan_two_classes(packed, start, end, shift, codes, first, counts, side, table, scales, rules):
    """Return as `scan_run`, for two classes."""
    best, step, least = scales
    n, ones = counts[0] + counts[1], counts[1]
    offset, left_ones = side[0] + side[1] + 1 - start, side[1]
    close = np.int64(2)
    at = np.int64(-1)
    n_tried = 0
    begin = min(max(start, least - offset), end)
    for i in range(start, begin):
        left_ones += packed[np.uintp(i)] & 1
    for i in range(begin, min(end - 1, n - least - offset + 1)):
        item, following = packed[np.uintp(i)], packed[np.uintp(i + 1)]
        left_ones += item & 1
        if (item ^ following) >> shift == 0:
            continue
        if item & close and not separable(
            codes, first + (item >> shift), first + (following >> shift), rules.gain_ratio
        ):
            continue
        n_tried += 1
        left = offset + i
        left_zeros = left - left_ones
        zeros = n - ones
        score = (
            table[np.uintp(left_zeros)] + table[np.uintp(left_ones)] - table[np.uintp(left)]
        ) + (
            table[np.uintp(zeros - left_zeros)]
            + table[np.uintp(ones - left_ones)]
            - table[np.uintp(n - left)]
        )
        if score > best + step:
            best = score
            at = i
    return best, at, n_tried


@compiled
def scan_classes(
    packed, start, end, shift, mask, codes, first, counts, side, table, rises, scales, rules
):
    """Return as `scan_run`, for any number of classes."""
    best, step, least = scales
    n, offset, total = 0, 1 - start, 0.0
    for k in range(counts.size):
        n += counts[k]
        offset += side[k]
        total += table[side[k]] + table[counts[k] - side[k]]
    at = np.int64(-1)
    n_tried = 0
    for i in range(start, min(end - 1, n - least - offset + 1)):
        item, following = packed[np.uintp(i)], packed[np.uintp(i + 1)]
        k = np.uintp(item & mask)
        here = side[k]
        total += rises[np.uintp(here)] - rises[np.uintp(counts[k] - here - 1)]
        side[k] = here + 1
        left = offset + i
        if left < least or (item ^ following) >> shift == 0:
            continue
        if item & (mask + 1) and not separable(
            codes, first + (item >> shift), first + (following >> shift), rules.gain_ratio
        ):
            continue
        n_tried += 1
        score = total - table[np.uintp(left)] - table[np.uintp(n - left)]
        if score > best + step:
            best = score
            at = i
    return best, at, n_tried


@compiled
def scan_run(
    packed, start, end, shift, mask, codes, first, counts, side, table, rises, scales, rules
):
    """Return the best score among the thresholds within a run, its place and how many there are.

    Parameters
    ----------
    packed : ndarray
        Sorted in the range; the code above `shift` bits, the class in those of `mask`, and in the
        bit above the class whether the next value may be too close.
    first : int
        The place of the feature's first value.
    counts, side : ndarrays
        The class counts of the node, and of its samples before the run, which is then overwritten.
    scales : tuple
        What a score must exceed, by how much, and the least size of a side.
    """
    if counts.size == 2:
        return scan_two_classes(
            packed, start, end, shift, codes, first, counts, side, table, scales, rules
        )
    return scan_classes(
        packed, start, end, shift, mask, codes, first, counts, side, table, rises, scales, rules
    )


@compiled
def score_of_side(counts, side, table):
    """Return the score of a split, of which one side has these class counts, and its size."""
    score, left, n = 0.0, 0, 0
    for k in range(counts.size):
        score += table[side[k]] + table[counts[k] - side[k]]
        left += side[k]
        n += counts[k]
    return score - table[left] - table[n - left], left


@compiled
def count_run(packed, start, end, mask, side):
    """Count the classes of a run."""
    for k in range(side.size):
        side[k] = 0
    for i in range(start, end):
        side[packed[i] & mask] += 1


@compiled
def end_below(packed, start, end, shift, base):
    """Return where the codes below the base end."""
    while start < end and packed[start] >> shift < base:
        start += 1
    return start


@compiled
def scan_around_base(
    packed, start, end, shift, mask, codes, first, base, n_base, counts, by_class, side, table,
    rises, scales, rules,
):  # fmt: skip
    """Return the best score, the codes on both sides, the left one's size and how many were tried.

    Samples with the base code are not listed; `by_class` counts those that are. Thresholds come in
    ascending order: below the base, on both sides of it, above it.
    """
    best, step, least = scales
    n = n_base + end - start
    low, high, size, n_tried = np.int64(-1), np.int64(-1), 0, 0
    middle = end_below(packed, start, end, shift, base) if n_base > 0 else end
    if middle > start:
        count_run(packed, start, start, mask, side)
        best, at, n_tried = scan_run(
            packed, start, middle, shift, mask, codes, first, counts, side, table, rises,
            (best, step, least), rules,
        )  # fmt: skip
        if at >= 0:
            low, high, size = packed[at] >> shift, packed[at + 1] >> shift, at + 1 - start
    if n_base == 0:
        return best, low, high, size, n_tried
    count_run(packed, start, middle, mask, side)
    for above in range(2):
        # Just below the base, then just above it.
        if above == 1:
            for k in range(counts.size):
                side[k] += counts[k] - by_class[k]
        beside = middle - 1 + above
        if not start <= beside < end:
            continue
        code = packed[beside] >> shift
        score, left = score_of_side(counts, side, table)
        lower, upper = (base, code) if above == 1 else (code, base)
        if left < least or n - left < least:
            continue
        if separable(codes, first + lower, first + upper, rules.gain_ratio):
            n_tried += 1
            if score > best + step:
                best, low, high, size = score, lower, upper, left
    if end - middle > 1:
        before = n_base + middle - start
        best, at, n_more = scan_run(
            packed, middle, end, shift, mask, codes, first, counts, side, table, rises,
            (best, step, least), rules,
        )  # fmt: skip
        n_tried += n_more
        if at >= 0:
            low, high, size = packed[at] >> shift, packed[at + 1] >> shift, before + at + 1 - middle
    return best, low, high, size, n_tried
