"""Find the best split of each dense feature."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, inlined
from rarelabels.trees._kernels.criterion import margin, score_of_two, separable
from rarelabels.trees._kernels.split.candidates import (
    add_counted_candidate,
    add_numeric_candidate,
    add_two_valued_candidate,
    scan_run,
)
from rarelabels.trees._kernels.split.dense_lists import is_constant


@inlined
def n_values_of(codes, feature):
    """Return how many values a feature has."""
    return codes.features[feature + 1].value_start - codes.features[feature].value_start


@inlined
def try_lists(
    candidates, n_candidates, lists, feature, start, end, codes, workspace, limits, rules
):
    """Add the best thresholds of listed features from one on, up to one that is not listed.

    Return the number of candidates and the feature that is next. Many features in one call: a call
    costs as much as a short list.
    """
    n = end - start
    entropy, least, first = limits
    packed, place, features, shift = lists.packed, lists.place, codes.features, lists.code_shift
    side, table = workspace.side, workspace.table
    mask = (np.int64(1) << lists.class_bits) - 1
    bounds = (first, margin(rules, n), least)
    is_large_enough = n >= 2 * least
    while feature < place.size and place[feature] >= 0:
        row = packed[place[feature]]
        value_start = features[feature].value_start
        feature += 1
        if not is_large_enough or is_constant(row, start, end, shift):
            continue
        for k in range(side.size):
            side[k] = 0
        score, at, tried = scan_run(
            row, start, end, shift, mask, codes, value_start, workspace, bounds, rules
        )
        if at >= 0:
            left = at + 1 - start
            parts = table[n] - workspace.sizes[left]
            n_candidates = add_numeric_candidate(
                candidates, n_candidates, feature - 1, n, entropy, score, tried, parts,
                row[at] >> shift, row[at + 1] >> shift, rules,
            )  # fmt: skip
    return n_candidates, feature


@inlined
def count_ones(column, sample, rows, classes, start, end, by_class):
    """Count the classes of a node's samples whose code is 1; return how many samples these are."""
    n_ones = np.int64(0)
    if by_class.size == 2:
        # Two counts stay in registers, which is quicker than in an array.
        n_second = np.int64(0)
        for i in range(start, end):
            code = column[np.uintp(sample[np.uintp(rows[np.uintp(i)])])]
            n_ones += code
            n_second += code & classes[np.uintp(i)]
        by_class[0], by_class[1] = n_ones - n_second, n_second
        return n_ones
    for k in range(by_class.size):
        by_class[k] = 0
    for i in range(start, end):
        code = column[sample[rows[i]]]
        by_class[classes[i]] += code
        n_ones += code
    return n_ones


@inlined
def try_pair(
    candidates, n_candidates, feature, codes, sample, rows, classes, start, end, workspace, limits,
    rules,
):  # fmt: skip
    """Add the split of a feature of up to two values; the last of `workspace.linked` is scratch."""
    n, at = end - start, workspace.linked.shape[0] - 1
    low = codes.features[feature].value_start
    is_numeric = codes.features[feature].n_categories == 0
    smallest = limits[1] if is_numeric else np.int64(rules.min_leaf)
    if n_values_of(codes, feature) < 2:
        return n_candidates
    if is_numeric and not separable(codes, low, low + 1, rules):
        return n_candidates
    n_ones = count_ones(
        codes.table[feature], sample, rows, classes, start, end, workspace.linked[at]
    )
    if n_ones < smallest or n - n_ones < smallest:
        return n_candidates
    score = score_of_two(workspace, workspace.linked, at, n_ones)
    parts = workspace.table[n] - workspace.sizes[n_ones]
    return add_two_valued_candidate(
        candidates, n_candidates, feature, is_numeric, score, parts, limits, n, rules
    )


@inlined
def try_two_valued(
    candidates, n_candidates, lists, feature, codes, sample, rows, classes, start, end, workspace,
    limits, rules,
):  # fmt: skip
    """Add the splits of features of two values from one on, up to one that has more or is listed.

    Return as `try_lists`.
    """
    sides = workspace.linked
    at = sides.shape[0] - 1
    while feature < codes.n_features and lists.place[feature] < 0:
        if n_values_of(codes, feature) > 2:
            break
        n_candidates = try_pair(
            candidates, n_candidates, feature, codes, sample, rows, classes, start, end, workspace,
            limits, rules,
        )  # fmt: skip
        feature += 1
    for k in range(sides.shape[1]):
        sides[at, k] = 0
    return n_candidates, feature


@allocating
def try_dense_categories(
    candidates, n_candidates, feature, codes, positions, rows, classes, start, end, workspace,
    limits, rules,
):  # fmt: skip
    """Add the split of a feature of more than two categories."""
    column, n_values = codes.table[feature], n_values_of(codes, feature)
    bags = np.zeros((n_values, workspace.counts.size), np.int64)
    sizes = np.zeros(n_values, np.int64)
    for i in range(start, end):
        code = column[positions.sample[rows[i]]]
        bags[code, classes[i]] += 1
        sizes[code] += 1
    return add_counted_candidate(
        candidates, n_candidates, feature, bags, sizes, workspace.counts, workspace.table,
        limits[0], end - start, rules,
    )  # fmt: skip


@inlined
def try_dense_features(
    candidates, lists, codes, positions, many_categories, rows, classes, start, end, workspace,
    limits, rules,
):  # fmt: skip
    """Fill in the candidates of all features."""
    n_candidates = np.int64(0)
    feature = np.int64(0)
    while feature < codes.n_features:
        if lists.place[feature] >= 0:
            n_candidates, feature = try_lists(
                candidates, n_candidates, lists, feature, start, end, codes, workspace, limits,
                rules,
            )  # fmt: skip
        elif many_categories is not None and n_values_of(codes, feature) > 2:
            n_candidates = try_dense_categories(
                candidates, n_candidates, feature, codes, positions, rows, classes, start, end,
                workspace, limits, rules,
            )  # fmt: skip
            feature += 1
        else:
            n_candidates, feature = try_two_valued(
                candidates, n_candidates, lists, feature, codes, positions.sample, rows, classes,
                start, end, workspace, limits, rules,
            )  # fmt: skip
    return n_candidates
