"""The records of trees for all labels: labels, rules, finished trees, workspace.

Parameters
----------
category : int64
    The index of a category.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels._registry import part_of_models
from rarelabels.trees._kernels.compilation import allocating, compiled, inlined, record, unsigned
from rarelabels.trees._kernels.generator import mixed

LEAF = -1
# A finished node. Not aligned, so that a node read from a file has the same type. `feature` is -1
# for a leaf, else twice the feature, plus one if missing values go to the first child. `child` is
# the first of two children, counted from the root, or the leaf's number in the tree. `threshold`:
# values up to it go to the first child; of a categorical feature it is the salt of the hash that
# sends a category to either child, or infinity if all of them go to the first.
NODE_FIELDS = [("feature", np.int32), ("child", np.int32), ("threshold", np.float64)]
TREE_NODE = np.dtype((np.record, np.dtype(NODE_FIELDS, align=False)))
COUNT = record(
    [
        ("total", np.float64),  # weight of the node's samples with the label
        ("side", np.float64),  # the same on one side of a split; 0 between two candidates
        ("n", np.int64),  # samples of the node with the label
        ("n_side", np.int64),
    ]
)
SPLIT = record(
    [
        ("score", np.float64),
        ("step", np.float64),  # by which a score must be higher
        ("weight", np.float64),  # of the listed side
        ("squares", np.float64),  # sum over labels of its squared weights
        ("cross", np.float64),  # sum over labels of its weight times the node's
        ("threshold", np.float64),
        ("feature", np.int64),
        ("code", np.int64),  # numeric splits send codes up to this one to the first child
        ("n_listed", np.int64),
        ("lists_first", np.int64),  # whether the listed side is the first child
        ("missing_first", np.int64),  # whether missing values go to the first child
        ("n_missing", np.int64),
    ]
)
TOTALS = record(
    [
        ("weight", np.float64),
        ("of_labels", np.float64),  # sum of the labels' weights
        ("squares", np.float64),
        ("n_sum", np.int64),  # the same of samples
        ("n_squares", np.int64),
        ("mark", np.int64),  # of the node whose stored codes were counted last
        ("is_counted", np.int64),  # whether those of the current node are
    ]
)


class SampleLabels(NamedTuple):
    """The labels of each sample."""

    starts: Array  # int64 (n_samples + 1,)
    labels: Array  # int32: sorted for each sample
    n_labels: int


class LabelRules(NamedTuple):
    """How to grow a tree for all labels."""

    max_features: int
    min_leaf: int
    max_depth: int
    entropy: bool
    is_exact: bool  # whether weights are whole numbers, of which sums and differences are exact


@part_of_models
class LabelTrees(NamedTuple):
    """Finished trees, one after the other."""

    roots: Array  # int64 (n_trees + 1,): where each tree's nodes begin
    leaf_roots: Array  # int64 (n_trees + 1,): where its leaves begin
    nodes: Array  # TREE_NODE
    leaf_starts: Array  # int64 (n_leaves + 1,): where the labels of a leaf begin
    leaf_labels: Array  # int32: labels that some sample of the leaf has
    leaf_shares: Array  # float32: their share of the leaf's weight


class LabelWorkspace(NamedTuple):
    """What a tree needs while it grows."""

    rows: Array  # int32: the samples of the bag; a node has a range of them
    place: Array  # int32 (n_samples,): where a sample is in `rows`, -1 for one that is not
    weight: Array  # float64 (n_samples,)
    features: Array  # int32 (n_features,): a permutation
    # int64 (n_features,): a node's mark, and in the low half how many stored codes its samples have
    stored_counts: Array
    counts: Array  # COUNT (n_labels,)
    touched: Array  # int32 (n_labels + 1,): labels of one side
    active: Array  # int32 (n_labels,): labels of which a node has both kinds of samples
    codes: Array  # int32: the codes of some of a node's samples
    listed: Array  # int32: the samples of one side
    other: Array  # int32: those of the other, from the end on
    best_listed: Array  # int32: the same of the best split so far
    keys: Array  # int64: codes and samples, to be sorted
    best: Array  # SPLIT (1,)
    totals: Array  # TOTALS (1,)
    random: Array  # uint64 (1,): the state of the random numbers


@allocating
def new_label_workspace(codes, labels, weight, seed):
    """Return a workspace for samples of positive weight."""
    n_samples, n_features, n_labels = weight.size, codes.n_features, labels.n_labels
    place = np.empty(n_samples, np.int32)
    n = 0
    for sample in range(n_samples):
        place[sample] = -1
        if weight[sample] > 0.0:
            place[sample] = n
            n += 1
    rows = np.empty(n, np.int32)
    for sample in range(n_samples):
        if place[sample] >= 0:
            rows[place[sample]] = sample
    features = np.empty(n_features, np.int32)
    for feature in range(n_features):
        features[feature] = feature
    counts = np.empty(n_labels, COUNT)
    for label in range(n_labels):
        counts[label].total = 0.0
        counts[label].side = 0.0
        counts[label].n = 0
        counts[label].n_side = 0
    totals = np.empty(1, TOTALS)
    totals[0].mark, totals[0].is_counted = 0, 0
    state = np.empty(1, np.uint64)
    state[0] = seed
    return LabelWorkspace(
        rows,
        place,
        weight,
        features,
        np.zeros(n_features if codes.is_sparse else 0, np.int64),
        counts,
        np.empty(n_labels + 1, np.int32),
        np.empty(n_labels, np.int32),
        np.empty(n, np.int32),
        np.empty(n + 1, np.int32),
        np.empty(n + 1, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int64),
        np.empty(1, SPLIT),
        totals,
        state,
    )


@inlined
def label_range(labels, sample):
    """Return where the labels of a sample are."""
    starts = labels.starts
    return range(
        unsigned(starts[unsigned(sample)]), unsigned(starts[unsigned(sample) + unsigned(1)])
    )


@compiled
def category_goes_first(salt, category):
    """Whether the hash with this salt sends a category to the first child."""
    if salt == np.inf:
        return True
    step = np.uint64(0x9E3779B97F4A7C15)
    return mixed(np.uint64(salt) + step * np.uint64(category + 1)) & np.uint64(1) == np.uint64(0)
