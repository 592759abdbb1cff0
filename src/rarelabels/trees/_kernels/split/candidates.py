"""The candidates for the split of a node, and the best threshold of a sorted list of codes.

Parameters
----------
value : float64
    The decrease of entropy times the weight.
n_tried : int64
    The number of thresholds that were tried.
is_numeric : bool
    Whether the feature is numeric.
bags, sizes : (n_categories, n_classes) and (n_categories,) int64
    The class counts of each category, and their sums.
table : (most + 2,) float64
    n · log2(n) for each number of samples.
first : int64
    The place of the feature's first value among all values.
n_base : int64
    The number of the node's samples with the base code.
side : (n_classes,) int64
    Class counts that are filled in.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled, inlined, record
from rarelabels.trees._kernels.criterion import (
    category_gain,
    is_worth_splitting,
    margin,
    score_of_side,
    separable,
    threshold_gain,
)

# A feature that can split the node, with its best split.
CANDIDATE = record(
    [
        ("feature", np.int64),
        ("gain", np.float64),  # per sample, after the correction
        ("information", np.float64),  # the entropy of the split itself
        ("low", np.int64),  # the codes on both sides of a numeric split
        ("high", np.int64),
    ]
)


@inlined
def add_numeric_candidate(
    candidates, n_candidates, feature, weight, entropy, score, n_tried, parts, low, high, rules
):
    """Add a numeric feature's best split, if it is one; return the number of candidates.

    `entropy` is the node's, `score` minus that of the two sides, `parts` that of the split itself,
    all times the weight.
    """
    gain = threshold_gain(entropy, score, weight, n_tried, rules)
    if not is_worth_splitting(gain, rules):
        return n_candidates
    candidates[n_candidates].feature = feature
    candidates[n_candidates].gain = gain
    candidates[n_candidates].information = parts / weight
    candidates[n_candidates].low = low
    candidates[n_candidates].high = high
    return n_candidates + 1


@inlined
def add_categorical_candidate(candidates, n_candidates, feature, weight, value, parts):
    """Add a categorical feature's split; return the number of candidates."""
    candidates[n_candidates].feature = feature
    candidates[n_candidates].gain = category_gain(value, weight)
    candidates[n_candidates].information = parts / weight
    candidates[n_candidates].low = 0
    candidates[n_candidates].high = 0
    return n_candidates + 1


@inlined
def add_two_valued_candidate(
    candidates, n_candidates, feature, is_numeric, score, parts, limits, n, rules
):
    """Add the only split of a feature of two values."""
    entropy, _, first = limits
    if not is_numeric:
        return add_categorical_candidate(
            candidates, n_candidates, feature, n, entropy + score, parts
        )
    if score <= first + margin(rules, n):
        return n_candidates
    one = np.int64(1)
    return add_numeric_candidate(
        candidates, n_candidates, feature, n, entropy, score, one, parts, np.int64(0), one, rules
    )


@compiled
def add_counted_candidate(
    candidates, n_candidates, feature, bags, sizes, counts, table, entropy, n, rules
):
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
        return n_candidates
    return add_categorical_candidate(candidates, n_candidates, feature, n, entropy + score, parts)


@inlined
def scan_two_classes(packed, start, end, shift, codes, first, workspace, bounds, rules):
    """Return as `scan_run`, for two classes."""
    best, step, least = bounds
    sizes, zeros, ones = (
        workspace.sizes,
        workspace.shares,
        workspace.shares[workspace.shares_start[1] :],
    )
    n = workspace.counts[0] + workspace.counts[1]
    offset, left_ones = workspace.side[0] + workspace.side[1] + 1 - start, workspace.side[1]
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
            codes, first + (item >> shift), first + (following >> shift), rules
        ):
            continue
        n_tried += 1
        left = offset + i
        score = (
            zeros[np.uintp(left - left_ones)] + ones[np.uintp(left_ones)] - sizes[np.uintp(left)]
        )
        if score > best + step:
            best = score
            at = i
    return best, at, n_tried


@inlined
def scan_classes(packed, start, end, shift, mask, codes, first, workspace, bounds, rules):
    """Return as `scan_run`, for any number of classes."""
    best, step, least = bounds
    sizes, rises, side = workspace.sizes, workspace.rises, workspace.side
    total, n, offset = 0.0, 0, 1 - start
    for k in range(side.size):
        n += workspace.counts[k]
        offset += side[k]
        side[k] += workspace.shares_start[k]
        total += workspace.shares[side[k]]
    at = np.int64(-1)
    n_tried = 0
    for i in range(start, min(end - 1, n - least - offset + 1)):
        item, following = packed[np.uintp(i)], packed[np.uintp(i + 1)]
        k = np.uintp(item & mask)
        here = side[k]
        total += rises[np.uintp(here)]
        side[k] = here + 1
        left = offset + i
        if left < least or (item ^ following) >> shift == 0:
            continue
        if item & (mask + 1) and not separable(
            codes, first + (item >> shift), first + (following >> shift), rules
        ):
            continue
        n_tried += 1
        score = total - sizes[np.uintp(left)]
        if score > best + step:
            best = score
            at = i
    return best, at, n_tried


@inlined
def scan_run(packed, start, end, shift, mask, codes, first, workspace, bounds, rules):
    """Return the best score among the thresholds within a run, its place and how many there are.

    ``workspace.side`` has the class counts of the samples before the run, and is overwritten.
    """
    if workspace.counts.size == 2:
        return scan_two_classes(packed, start, end, shift, codes, first, workspace, bounds, rules)
    return scan_classes(packed, start, end, shift, mask, codes, first, workspace, bounds, rules)


@compiled
def scan_below_base(
    packed, start, end, shift, mask, codes, first, base, n, workspace, bounds, rules
):
    """Return as `scan_around_base` for thresholds below the base, and where the codes below it end.

    `workspace.side` is left with the class counts below the base.
    """
    best, step, least = bounds
    low, high, size, n_tried = np.int64(-1), np.int64(-1), np.int64(0), np.int64(0)
    middle = start
    while middle < end and packed[middle] >> shift < base:
        middle += 1
    if middle == start:
        return best, low, high, size, n_tried, middle
    best, at, n_tried = scan_run(
        packed, start, middle, shift, mask, codes, first, workspace, bounds, rules
    )
    if at >= 0:
        low, high, size = packed[at] >> shift, packed[at + 1] >> shift, at + 1 - start
    count_run(packed, start, middle, mask, workspace.side)
    left, code = middle - start, packed[middle - 1] >> shift
    is_cut = least <= left <= n - least
    if is_cut and separable(codes, first + code, first + base, rules):
        n_tried += 1
        score = score_of_side(workspace)
        if score > best + step:
            best, low, high, size = score, code, base, left
    return best, low, high, size, n_tried, middle


@compiled
def count_run(packed, start, end, mask, side):
    """Count the classes of a run."""
    for k in range(side.size):
        side[k] = 0
    for i in range(start, end):
        side[packed[i] & mask] += 1


@inlined
def scan_around_base(
    packed, start, end, shift, mask, codes, first, base, n_base, by_class, workspace, bounds, rules
):
    """Return the best score, the codes on both sides, the left one's size and how many were tried.

    Samples with the base code are not listed; `by_class` counts those that are. Thresholds come in
    ascending order: below the base, on both sides of it, above it.
    """
    best, step, least = bounds
    n, side = n_base + end - start, workspace.side
    low, high, size, n_tried = np.int64(-1), np.int64(-1), np.int64(0), np.int64(0)
    middle = start
    for k in range(side.size):
        side[k] = 0
    if n_base > 0:
        if base > 0:
            best, low, high, size, n_tried, middle = scan_below_base(
                packed, start, end, shift, mask, codes, first, base, n, workspace, bounds, rules
            )
        for k in range(side.size):
            side[k] += workspace.counts[k] - by_class[k]
        left = n - (end - middle)
        if middle < end and least <= left <= n - least:
            code = packed[middle] >> shift
            if separable(codes, first + base, first + code, rules):
                n_tried += 1
                score = score_of_side(workspace)
                if score > best + step:
                    best, low, high, size = score, np.int64(base), code, left
    if end - middle > 1:
        best, at, n_more = scan_run(
            packed, middle, end, shift, mask, codes, first, workspace, (best, step, least), rules
        )
        n_tried += n_more
        if at >= 0:
            low, high, size = packed[at] >> shift, packed[at + 1] >> shift, n - end + at + 1
    return best, low, high, size, n_tried
