"""Candidates for the split of a node: the best threshold of a feature.

The side of low codes is listed and grows from the lowest code up. If few codes are stored, the
samples with the feature's base are never looked at: thresholds above the base are tried from the
highest code down. With missing values, each way is tried with these on either side.

Parameters
----------
n_known : int64
    How many of the node's samples have a known code that is stored.
following : int64
    The next higher code of the node, -1 for none.
first, last : int64
    A range of the keys.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, compiled, inlined, unsigned
from rarelabels.trees._kernels.criterion import entropy_score, gini_score
from rarelabels.trees._kernels.multilabel.label_counts import clear_side
from rarelabels.trees._kernels.multilabel.random_splits import (
    LAST_CODE,
    NO_CODE,
    gather_stored,
    last_code,
    try_dense,
    try_sparse,
)
from rarelabels.trees._kernels.multilabel.structures import label_range

SHIFT = 32  # a key has the code above this bit, and the sample below


@allocating
def try_best_dense(codes, labels, workspace, feature, start, end, n_active, rules):
    """Try the best split on a feature of a dense table; return whether it is constant.

    A categorical feature is split at random.
    """
    if codes.features[feature].n_categories > 0:
        return try_dense(codes, labels, workspace, feature, start, end, n_active, rules)
    column = codes.table[feature]
    n_missing, n_known = 0, 0
    for i in range(start, end):
        sample = workspace.rows[i]
        code = np.int64(column[sample])
        if code < 0:
            workspace.listed[n_missing] = sample
            n_missing += 1
        else:
            workspace.keys[n_known] = (code << SHIFT) | np.int64(sample)
            n_known += 1
    return sweep(codes, labels, workspace, feature, n_missing, n_known, 0, n_active, rules)


@allocating
def try_best_sparse(codes, labels, workspace, feature, start, end, n_active, rules):
    """Try the best split on a feature of which few codes are stored; as `try_best_dense`."""
    if codes.features[feature].n_categories > 0:
        return try_sparse(codes, labels, workspace, feature, start, end, n_active, rules)
    n_stored = gather_stored(codes, workspace, feature, start, end)
    n_missing, n_known = 0, 0
    for i in range(n_stored):
        sample, code = workspace.listed[i], np.int64(workspace.codes[i])
        if code < 0:
            workspace.listed[n_missing] = sample
            n_missing += 1
        else:
            workspace.keys[n_known] = (code << SHIFT) | np.int64(sample)
            n_known += 1
    n_base = end - start - n_stored
    return sweep(codes, labels, workspace, feature, n_missing, n_known, n_base, n_active, rules)


@inlined
def key_code(key):
    """Return the code of a key."""
    return key >> SHIFT


@inlined
def key_sample(key):
    """Return the sample of a key."""
    return key & ((np.int64(1) << SHIFT) - 1)


@allocating
def sweep(codes, labels, workspace, feature, n_missing, n_known, n_base, n_active, rules):
    """Offer the best threshold of a feature; return whether the feature is constant.

    The samples with missing values are listed, those with known codes are in the keys, and
    `n_base` more have the base.
    """
    keys = workspace.keys[:n_known]
    base = codes.features[feature].base_code if n_base > 0 else NO_CODE
    n_codes = n_base > 0
    if n_known > 0:
        keys.sort()
        is_varied = key_code(keys[0]) != key_code(keys[n_known - 1])
        n_codes = n_codes + 1 + is_varied
    if n_codes == 0 or (n_codes == 1 and n_missing == 0):
        return True
    n_low = 0
    while n_low < n_known and key_code(keys[n_low]) < base:
        n_low += 1
    for missing_first in range(1 if n_missing == 0 else 2):
        sweep_up(
            codes, labels, workspace, feature, keys, n_low, n_missing, n_base, missing_first,
            n_active, rules,
        )  # fmt: skip
        if n_base > 0:
            sweep_down(
                codes, labels, workspace, feature, keys, n_low, n_missing, n_base, missing_first,
                n_active, rules,
            )  # fmt: skip
    return False


@compiled
def sweep_up(
    codes, labels, workspace, feature, keys, n_low, n_missing, n_base, missing_first, n_active,
    rules,
):  # fmt: skip
    """Try the thresholds above the lowest codes, whose side is listed."""
    n, n_listed = n_missing + n_base + keys.size, 0
    weight, squares, cross, n_touched = 0.0, 0.0, 0.0, 0
    if missing_first:
        n_listed = n_missing
        weight, squares, cross, n_touched = add_missing(labels, workspace, n_missing)
    for i in range(n_low):
        sample = key_sample(keys[i])
        squares, cross, n_touched = add_sample(labels, workspace, sample, squares, cross, n_touched)
        weight += workspace.weight[sample]
        n_listed += 1
        code = key_code(keys[i])
        if i + 1 < keys.size and key_code(keys[i + 1]) == code:
            continue
        following = np.int64(-1)
        if i + 1 < n_low:
            following = key_code(keys[i + 1])
        elif n_base > 0:
            following = codes.features[feature].base_code
        if min(n_listed, n - n_listed) >= max(rules.min_leaf, 1) and is_better(
            workspace, weight, squares, cross, n_active, rules
        ):
            keep_threshold(
                codes, workspace, feature, code, following, n_listed, 1, missing_first, n_missing
            )
            list_samples(workspace, keys, 0, i + 1, n_missing if missing_first else 0)
    clear_side(workspace, n_touched)


@compiled
def sweep_down(
    codes, labels, workspace, feature, keys, n_low, n_missing, n_base, missing_first, n_active,
    rules,
):  # fmt: skip
    """Try the thresholds from the base on, below the highest codes, whose side is listed."""
    n, n_listed = n_missing + n_base + keys.size, 0
    weight, squares, cross, n_touched = 0.0, 0.0, 0.0, 0
    least = max(rules.min_leaf, 1)
    if not missing_first and n_missing > 0:
        n_listed = n_missing
        weight, squares, cross, n_touched = add_missing(labels, workspace, n_missing)
        if min(n_listed, n - n_listed) >= least and is_better(
            workspace, weight, squares, cross, n_active, rules
        ):
            highest = codes.features[feature].base_code
            if keys.size > n_low:
                highest = key_code(keys[keys.size - 1])
            keep_threshold(
                codes, workspace, feature, highest, -1, n_listed, 0, missing_first, n_missing
            )
            list_samples(workspace, keys, 0, 0, n_missing)
    for back in range(keys.size - n_low):
        i = keys.size - 1 - back
        sample = key_sample(keys[i])
        squares, cross, n_touched = add_sample(labels, workspace, sample, squares, cross, n_touched)
        weight += workspace.weight[sample]
        n_listed += 1
        code, below = key_code(keys[i]), codes.features[feature].base_code
        if i > n_low:
            below = key_code(keys[i - 1])
        if below == code:
            continue
        if min(n_listed, n - n_listed) >= least and is_better(
            workspace, weight, squares, cross, n_active, rules
        ):
            keep_threshold(
                codes, workspace, feature, below, code, n_listed, 0, missing_first, n_missing
            )
            list_samples(workspace, keys, i, keys.size, 0 if missing_first else n_missing)
    clear_side(workspace, n_touched)


@compiled
def add_missing(labels, workspace, n_missing):
    """Put the samples with missing values on the listed side; return its sums."""
    weight, squares, cross, n_touched = 0.0, 0.0, 0.0, 0
    for i in range(n_missing):
        sample = np.int64(workspace.listed[i])
        squares, cross, n_touched = add_sample(labels, workspace, sample, squares, cross, n_touched)
        weight += workspace.weight[sample]
    return weight, squares, cross, n_touched


@compiled
def add_sample(labels, workspace, sample, squares, cross, n_touched):
    """Put a sample on the listed side; return the sums over its labels and their number."""
    weight = workspace.weight[sample]
    for item in label_range(labels, sample):
        label = labels.labels[item]
        count = workspace.counts[unsigned(label)]
        if count.side == 0.0:
            workspace.touched[n_touched] = label
            n_touched += 1
        squares += weight * (2.0 * count.side + weight)
        cross += weight * count.total
        count.side += weight
    return squares, cross, n_touched


@compiled
def is_better(workspace, weight, squares, cross, n_active, rules):
    """Whether a split is better than the best so far; if it is, its sums are kept."""
    best, total = workspace.best[0], workspace.totals[0]
    if rules.entropy:
        score = entropy_score(workspace, n_active, weight)
    else:
        score = gini_score(squares, cross, weight, total.squares, total.weight)
    if not score > best.score + best.step:
        return False
    best.score, best.weight, best.squares, best.cross = score, weight, squares, cross
    return True


@compiled
def keep_threshold(
    codes, workspace, feature, code, following, n_listed, lists_first, missing_first, n_missing
):
    """Keep a threshold between two codes as the best; without a second one all are below it."""
    best = workspace.best[0]
    values, first = codes.values, codes.features[feature].value_start
    threshold = np.inf
    if following < 0:
        code = LAST_CODE
    else:
        low, high = values[first + code], values[first + following]
        threshold = 0.5 * low + 0.5 * high
        if not low <= threshold < high:
            threshold = low
        # Values that no sample of the node has may lie between the two.
        code = last_code(codes, feature, code, following, threshold)
    best.feature, best.code, best.threshold = feature, code, threshold
    best.n_listed, best.lists_first, best.n_missing = n_listed, lists_first, n_missing
    best.missing_first = missing_first


@compiled
def list_samples(workspace, keys, first, last, n_missing):
    """List the samples of some keys, and those with missing values, as the best split's side."""
    for i in range(n_missing):
        workspace.best_listed[i] = workspace.listed[i]
    for i in range(first, last):
        workspace.best_listed[n_missing + i - first] = key_sample(keys[i])
