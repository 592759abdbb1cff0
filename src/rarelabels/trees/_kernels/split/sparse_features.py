"""Find the best split of each sparse feature."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, compiled, inlined
from rarelabels.trees._kernels.criterion import (
    TIE,
    gain_decides,
    highest_score,
    is_of_one_class,
    margin,
    score_apart,
    score_of_two,
    separable,
)
from rarelabels.trees._kernels.split.candidates import keep_counted, keep_numeric, keep_two_valued
from rarelabels.trees._kernels.split.histograms import is_binned, lowest_code, scan_bins
from rarelabels.trees._kernels.split.thresholds import scan_around_base


@compiled
def try_sparse_features(found, tally, bins, lists, level, codes, room, scales, n, rules):
    """Fill in the candidates of all features met, in the order of the features.

    Where the gain decides, one that scores less than a feature before it, whatever its threshold,
    is left out: it can be neither chosen nor a tie.
    """
    n_found = np.int64(0)
    total, touched, features = tally.total[level], tally.touched[level], codes.features
    bar = -np.inf
    # What rounding may do to scores, and ties.
    slack = 4 * TIE + 1e-9 * room.table[n]
    for a in range(tally.n_touched[level]):
        feature = touched[a]
        if total[feature] < rules.min_leaf:
            continue
        n_before = n_found
        n_values = features[feature + 1].value_start - features[feature].value_start
        if n_values <= 2:
            if has_one_split(codes, feature, rules):
                n_found = try_counts(
                    found, n_found, feature, np.int64(total[feature]), tally.by_class[level],
                    feature, codes, room, scales, n, rules,
                )  # fmt: skip
        elif features[feature].n_categories > 0:
            n_found = try_listed_categories(
                found, n_found, feature, tally, lists, level, room, scales, n, rules
            )
        else:
            n_found = try_sparse_thresholds(
                found, n_found, feature, tally, bins, lists, level, codes, room, scales, n, bar,
                rules,
            )  # fmt: skip
        if gain_decides(rules) and n_found > n_before:
            bar = max(bar, found[n_before].gain * n - scales[0] - slack)
    return n_found


@inlined
def has_one_split(codes, feature, rules):
    """Whether a feature has two values, which may be separated."""
    low = codes.features[feature].value_start
    if codes.features[feature + 1].value_start - low != 2:
        return False
    is_numeric = codes.features[feature].n_categories == 0
    return not is_numeric or separable(codes, low, low + 1, rules)


@inlined
def try_counts(found, n_found, feature, n_stored, sides, at, codes, room, scales, n, rules):
    """Add the split of a feature with two values; `sides[at]` are the class counts of one."""
    is_numeric = codes.features[feature].n_categories == 0
    smallest = scales[1] if is_numeric else np.int64(rules.min_leaf)
    if n_stored < smallest or n - n_stored < smallest:
        return n_found
    score = score_of_two(room, sides, at, n_stored)
    parts = room.table[n] - room.sizes[n_stored]
    return keep_two_valued(found, n_found, feature, is_numeric, score, parts, scales, n, rules)


@inlined
def try_sparse_thresholds(
    found, n_found, feature, tally, bins, lists, level, codes, room, scales, n, bar, rules
):
    """Add the best threshold of a feature with more than two values."""
    entropy, least, _ = scales
    n_stored, by_class = np.int64(tally.total[level, feature]), tally.by_class[level]
    value_start, base = codes.features[feature].value_start, codes.features[feature].base_code
    if n_stored < least:
        return n_found
    if gain_decides(rules):
        if (
            base == 0
            and n - n_stored >= least
            and not codes.is_close[value_start]
            and is_of_one_class(by_class, feature, n_stored)
        ):
            # The best threshold lies next to the base.
            score = score_of_two(room, by_class, feature, n_stored)
            parts = room.table[n] - room.sizes[n_stored]
            if is_binned(bins, n):
                high = lowest_code(bins, level, value_start)
            else:
                high = lists.packed[lists.place[level, feature]] >> lists.code_shift
            return keep_numeric(
                found, n_found, feature, n, entropy, score, 1, parts, base, high, rules
            )
        if score_apart(room, by_class, feature) < bar:
            return n_found
        if by_class.shape[1] <= 3 and highest_score(room, by_class, feature) < bar:
            return n_found
    score, low, high, left, tried = scan_feature(
        feature, n_stored, by_class[feature], bins, lists, level, codes, room, scales, n, rules
    )
    if low < 0:
        return n_found
    parts = room.table[n] - room.sizes[left]
    return keep_numeric(found, n_found, feature, n, entropy, score, tried, parts, low, high, rules)


@inlined
def scan_feature(feature, n_stored, by_class, bins, lists, level, codes, room, scales, n, rules):
    """Return as `scan_around_base`, from the counts of the feature's codes or from their list."""
    first, end = codes.features[feature].value_start, codes.features[feature + 1].value_start
    base, bounds = codes.features[feature].base_code, (scales[2], margin(rules, n), scales[1])
    if is_binned(bins, n):
        return scan_bins(bins, level, first, end, base, by_class, codes, n, room, bounds, rules)
    start, mask = lists.place[level, feature], (np.int64(1) << lists.class_bits) - 1
    return scan_around_base(
        lists.packed, start, start + n_stored, lists.code_shift, mask, codes, first, base,
        n - n_stored, by_class, room, bounds, rules,
    )  # fmt: skip


@allocating
def try_listed_categories(found, n_found, feature, tally, lists, level, room, scales, n, rules):
    """Add the split of a feature with more than two categories."""
    start, shift, counts = lists.place[level, feature], lists.code_shift, room.counts
    end = start + tally.total[level, feature]
    mask = (np.int64(1) << lists.class_bits) - 1
    bags = np.zeros((end - start + 1, counts.size), np.int64)
    sizes = np.zeros(bags.shape[0], np.int64)
    for k in range(counts.size):
        bags[0, k] = counts[k] - tally.by_class[level, feature, k]
        sizes[0] += bags[0, k]
    at = 0
    for i in range(start, end):
        if i == start or lists.packed[i] >> shift != lists.packed[i - 1] >> shift:
            at += 1
        bags[at, lists.packed[i] & mask] += 1
        sizes[at] += 1
    return keep_counted(
        found, n_found, feature, bags, sizes, counts, room.table, scales[0], n, rules
    )
