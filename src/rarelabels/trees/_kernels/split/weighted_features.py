"""Find the best split of each feature on weighted samples with missing values."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating
from rarelabels.trees._kernels.criterion import (
    TOLERANCE,
    category_gain,
    class_score,
    gain_margin,
    has_enough_weight,
    least_side,
    least_weight,
    lowest_gain,
    separable,
    weight_times_log,
    weighted_gain,
)
from rarelabels.trees._kernels.split.candidates import (
    add_categorical_candidate,
    add_numeric_candidate,
)
from rarelabels.trees._kernels.structures import code_at, n_branches
from rarelabels.trees._kernels.workspace import sort_range


@allocating
def read_codes(weighted, start, end, codes, positions, feature, code_of, out):
    """Write the items' codes of a feature."""
    if not codes.is_sparse or feature >= codes.n_features:
        for i in range(start, end):
            out[i - start] = code_at(codes, positions, weighted.row[i], feature)
        return
    first, last = codes.features[feature].column_start, codes.features[feature + 1].column_start
    for i in range(start, end):
        code_of[positions.sample[weighted.row[i]]] = codes.features[feature].base_code
    for j in range(first, last):
        code_of[codes.column[j].sample] = codes.column[j].code
    for i in range(start, end):
        out[i - start] = code_of[positions.sample[weighted.row[i]]]
    for i in range(start, end):
        code_of[positions.sample[weighted.row[i]]] = -1
    for j in range(first, last):
        code_of[codes.column[j].sample] = -1


@allocating
def try_categories(
    candidates, n_candidates, feature, n, weighted, start, end, item_codes, weight, rules, n_classes
):
    """Add the split of a categorical feature."""
    bags = np.zeros((n, n_classes))
    known_counts = np.zeros(n_classes)
    for i in range(start, end):
        code = item_codes[i - start]
        if code >= 0:
            bags[code, weighted.label[i]] += weighted.weight[i]
            known_counts[weighted.label[i]] += weighted.weight[i]
    score, known = class_score(known_counts, TOLERANCE)
    old = weight_times_log(known, TOLERANCE) - score
    new = 0.0
    parts = weight_times_log(weight, TOLERANCE) - weight_times_log(weight - known, TOLERANCE)
    n_large = 0
    for b in range(n):
        score, size = class_score(bags[b], TOLERANCE)
        n_large += rules.min_leaf - size < TOLERANCE
        new += weight_times_log(size, TOLERANCE) - score
        parts -= weight_times_log(size, TOLERANCE)
    if n_large < 2:
        return n_candidates
    value = known / weight * (old - new)
    n_candidates = add_categorical_candidate(candidates, n_candidates, feature, weight, 0.0, parts)
    candidates[n_candidates - 1].gain = category_gain(value, known)
    return n_candidates


@allocating
def sort_known(weighted, start, end, item_codes, order):
    """Write the items whose value is known, sorted by code; return their number."""
    n_known = np.int64(0)
    for i in range(end - start):
        if item_codes[i] >= 0:
            order[n_known] = (np.int64(item_codes[i]) << 32) | i
            n_known += 1
    sort_range(order, np.int64(0), n_known)
    return n_known


@allocating
def try_thresholds(
    candidates, n_candidates, feature, weighted, start, end, codes, item_codes, order, weight,
    n_present, rules, n_classes,
):  # fmt: skip
    """Add the best threshold of a numeric feature."""
    n_known = sort_known(weighted, start, end, item_codes, order)
    first = codes.features[min(feature, codes.n_features)].value_start
    limit = least_weight(rules)
    right = np.zeros(n_classes)
    left = np.zeros(n_classes)
    for j in range(n_known):
        i = start + (order[j] & 0xFFFFFFFF)
        right[weighted.label[i]] += weighted.weight[i]
    score, known = class_score(right, limit)
    old = weight_times_log(known, limit) - score
    least = least_side(known, n_present, rules)
    if 2.0 * least - n_known > TOLERANCE:
        return n_candidates
    best = lowest_gain(rules)
    n_tried, low, high, best_left = np.int64(0), np.int64(-1), np.int64(-1), 0.0
    for j in range(n_known - 1):
        i = start + (order[j] & 0xFFFFFFFF)
        left[weighted.label[i]] += weighted.weight[i]
        right[weighted.label[i]] -= weighted.weight[i]
        code, following = order[j] >> 32, order[j + 1] >> 32
        if code == following:
            continue
        left_score, left_size = class_score(left, limit)
        right_score, right_size = class_score(right, limit)
        if not has_enough_weight(least, left_size, right_size, j + 1, n_known - j - 1, rules):
            continue
        if feature < codes.n_features and not separable(
            codes, first + code, first + following, rules
        ):
            continue
        n_tried += 1
        new = weight_times_log(left_size, limit) - left_score
        new += weight_times_log(right_size, limit) - right_score
        value = known / weight * (old - new)
        gain = weighted_gain(value, known, rules)
        if gain - best > gain_margin(end - start, rules):
            best, low, high, best_left = gain, code, following, left_size
    if low < 0:
        return n_candidates
    parts = weight_times_log(weight, limit) - weight_times_log(best_left, limit)
    parts -= weight_times_log(known - best_left, limit) + weight_times_log(weight - known, limit)
    return add_numeric_candidate(
        candidates, n_candidates, feature, weight, best * weight, 0.0, n_tried, parts, low, high,
        rules,
    )  # fmt: skip


@allocating
def try_weighted_features(
    candidates, weighted, start, end, codes, positions, n_links, weight, n_present, rules, code_of,
    n_classes,
):  # fmt: skip
    """Fill in the candidates of all features."""
    n_candidates = np.int64(0)
    item_codes = np.empty(end - start, np.int32)
    order = np.empty(end - start, np.int64)
    for feature in range(codes.n_features + n_links):
        read_codes(weighted, start, end, codes, positions, feature, code_of, item_codes)
        n = n_branches(codes, rules, feature)
        if n > 0:
            n_candidates = try_categories(
                candidates, n_candidates, feature, n, weighted, start, end, item_codes, weight,
                rules, n_classes,
            )  # fmt: skip
        else:
            n_candidates = try_thresholds(
                candidates, n_candidates, feature, weighted, start, end, codes, item_codes, order,
                weight, n_present, rules, n_classes,
            )  # fmt: skip
    return n_candidates
