"""The candidates for the split of a node.

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
"""

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
