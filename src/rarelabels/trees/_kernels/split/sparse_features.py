"""Find the best split of each sparse feature.

Parameters
----------
bar : float64
    The score of the best feature so far; a feature whose scores are lower is skipped.
sides, at : (m, n_classes) int32, int64
    ``sides[at]`` are the class counts of the samples with a stored code.
"""

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
from rarelabels.trees._kernels.split.candidates import (
    add_counted_candidate,
    add_numeric_candidate,
    add_two_valued_candidate,
    scan_around_base,
)


@compiled
def try_sparse_features(
    candidates, code_counts, lists, level, codes, many_categories, workspace, limits, n, rules
):
    """Fill in the candidates of all features met, in the order of the features.

    Where the gain decides, one that scores less than a feature before it, whatever its threshold,
    is left out: it can be neither chosen nor a tie.
    """
    n_candidates = np.int64(0)
    total, touched, features = code_counts.total[level], code_counts.touched[level], codes.features
    bar = -np.inf
    # What rounding may do to scores, and ties.
    slack = 4 * TIE + 1e-9 * workspace.table[n]
    for a in range(code_counts.n_touched[level]):
        feature = touched[a]
        if total[feature] < rules.min_leaf:
            continue
        n_before = n_candidates
        n_values = features[feature + 1].value_start - features[feature].value_start
        if n_values <= 2:
            if has_one_split(codes, feature, rules):
                n_candidates = try_counts(
                    candidates, n_candidates, feature, np.int64(total[feature]),
                    code_counts.by_class[level], feature, codes, workspace, limits, n, rules,
                )  # fmt: skip
        elif many_categories is not None and features[feature].n_categories > 0:
            n_candidates = try_listed_categories(
                candidates, n_candidates, feature, code_counts, lists, level, workspace, limits, n,
                rules,
            )  # fmt: skip
        elif lists is not None:
            n_candidates = try_sparse_thresholds(
                candidates, n_candidates, feature, code_counts, lists, level, codes, workspace,
                limits, n, bar, rules,
            )  # fmt: skip
        if gain_decides(rules) and n_candidates > n_before:
            bar = max(bar, candidates[n_before].gain * n - limits[0] - slack)
    return n_candidates


@inlined
def has_one_split(codes, feature, rules):
    """Whether a feature has two values, which may be separated."""
    low = codes.features[feature].value_start
    if codes.features[feature + 1].value_start - low != 2:
        return False
    is_numeric = codes.features[feature].n_categories == 0
    return not is_numeric or separable(codes, low, low + 1, rules)


@inlined
def try_counts(
    candidates, n_candidates, feature, n_stored, sides, at, codes, workspace, limits, n, rules
):
    """Add the split of a feature with two values; `sides[at]` are the class counts of one."""
    is_numeric = codes.features[feature].n_categories == 0
    smallest = limits[1] if is_numeric else np.int64(rules.min_leaf)
    if n_stored < smallest or n - n_stored < smallest:
        return n_candidates
    score = score_of_two(workspace, sides, at, n_stored)
    parts = workspace.table[n] - workspace.sizes[n_stored]
    return add_two_valued_candidate(
        candidates, n_candidates, feature, is_numeric, score, parts, limits, n, rules
    )


@inlined
def try_sparse_thresholds(
    candidates, n_candidates, feature, code_counts, lists, level, codes, workspace, limits, n, bar,
    rules,
):  # fmt: skip
    """Add the best threshold of a feature with more than two values."""
    entropy, least, _ = limits
    n_stored, by_class = np.int64(code_counts.total[level, feature]), code_counts.by_class[level]
    value_start, base = codes.features[feature].value_start, codes.features[feature].base_code
    if n_stored < least:
        return n_candidates
    if gain_decides(rules):
        if (
            base == 0
            and n - n_stored >= least
            and not codes.is_close[value_start]
            and is_of_one_class(by_class, feature, n_stored)
        ):
            # The best threshold lies next to the base.
            score = score_of_two(workspace, by_class, feature, n_stored)
            parts = workspace.table[n] - workspace.sizes[n_stored]
            high = lists.packed[lists.place[level, feature]] >> lists.code_shift
            return add_numeric_candidate(
                candidates, n_candidates, feature, n, entropy, score, 1, parts, base, high, rules
            )
        if score_apart(workspace, by_class, feature) < bar:
            return n_candidates
        if by_class.shape[1] <= 3 and highest_score(workspace, by_class, feature) < bar:
            return n_candidates
    score, low, high, left, tried = scan_feature(
        feature, n_stored, by_class[feature], lists, level, codes, workspace, limits, n, rules
    )
    if low < 0:
        return n_candidates
    parts = workspace.table[n] - workspace.sizes[left]
    return add_numeric_candidate(
        candidates, n_candidates, feature, n, entropy, score, tried, parts, low, high, rules
    )


@inlined
def scan_feature(feature, n_stored, by_class, lists, level, codes, workspace, limits, n, rules):
    """Return as `scan_around_base`, from the list of the feature's codes."""
    first = codes.features[feature].value_start
    base, bounds = codes.features[feature].base_code, (limits[2], margin(rules, n), limits[1])
    start, mask = lists.place[level, feature], (np.int64(1) << lists.class_bits) - 1
    return scan_around_base(
        lists.packed, start, start + n_stored, lists.code_shift, mask, codes, first, base,
        n - n_stored, by_class, workspace, bounds, rules,
    )  # fmt: skip


@allocating
def try_listed_categories(
    candidates, n_candidates, feature, code_counts, lists, level, workspace, limits, n, rules
):
    """Add the split of a feature with more than two categories."""
    start, shift, counts = lists.place[level, feature], lists.code_shift, workspace.counts
    end = start + code_counts.total[level, feature]
    mask = (np.int64(1) << lists.class_bits) - 1
    bags = np.zeros((end - start + 1, counts.size), np.int64)
    sizes = np.zeros(bags.shape[0], np.int64)
    for k in range(counts.size):
        bags[0, k] = counts[k] - code_counts.by_class[level, feature, k]
        sizes[0] += bags[0, k]
    at = 0
    for i in range(start, end):
        if i == start or lists.packed[i] >> shift != lists.packed[i - 1] >> shift:
            at += 1
        bags[at, lists.packed[i] & mask] += 1
        sizes[at] += 1
    return add_counted_candidate(
        candidates, n_candidates, feature, bags, sizes, counts, workspace.table, limits[0], n, rules
    )
