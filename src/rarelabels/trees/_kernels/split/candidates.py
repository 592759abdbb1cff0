"""The candidates for the split of a node."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled, inlined, record
from rarelabels.trees._kernels.criterion import (
    category_gain,
    is_worth_splitting,
    margin,
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
def keep_numeric(found, n_found, feature, weight, entropy, score, n_tried, parts, low, high, rules):
    """Add a numeric feature's best split, if it is one; return the number of candidates.

    `entropy` is the node's, `score` minus that of the two sides, `parts` that of the split itself,
    all times the weight.
    """
    gain = threshold_gain(entropy, score, weight, n_tried, rules)
    if not is_worth_splitting(gain, rules):
        return n_found
    found[n_found].feature = feature
    found[n_found].gain = gain
    found[n_found].information = parts / weight
    found[n_found].low = low
    found[n_found].high = high
    return n_found + 1


@inlined
def keep_categorical(found, n_found, feature, weight, value, parts):
    """Add a categorical feature's split; return the number of candidates."""
    found[n_found].feature = feature
    found[n_found].gain = category_gain(value, weight)
    found[n_found].information = parts / weight
    found[n_found].low = 0
    found[n_found].high = 0
    return n_found + 1


@inlined
def keep_two_valued(found, n_found, feature, is_numeric, score, parts, scales, n, rules):
    """Add the only split of a feature of two values."""
    entropy, _, first = scales
    if not is_numeric:
        return keep_categorical(found, n_found, feature, n, entropy + score, parts)
    if score <= first + margin(rules, n):
        return n_found
    one = np.int64(1)
    return keep_numeric(
        found, n_found, feature, n, entropy, score, one, parts, np.int64(0), one, rules
    )


@compiled
def keep_counted(found, n_found, feature, bags, sizes, counts, table, entropy, n, rules):
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
        return n_found
    return keep_categorical(found, n_found, feature, n, entropy + score, parts)
