"""The records that kernels take: coded features, positions, rules, nodes.

Parameters
----------
position : int32
    One of the positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels._registry import part_of_models
from rarelabels.trees._kernels.compilation import allocating, compiled, inlined, record

# Records instead of many arrays: what kernels hand to each other decides how long they compile.
FEATURE = record(
    [
        ("value_start", np.int64),  # of its values in `Codes.values`
        ("column_start", np.int64),  # of its stored codes in `Codes.column`
        ("n_categories", np.int64),  # 0 for a numeric feature
        ("base_code", np.int64),
    ]
)
STORED = record([("feature", np.int32), ("code", np.int32)])
COLUMN = record([("sample", np.int32), ("code", np.int32)])
NODE = record(
    [
        ("start", np.int64),  # the node's samples are order[start:end]
        ("end", np.int64),
        ("feature", np.int64),  # -1 for a leaf
        ("code", np.int64),  # numeric splits send codes up to this one to the first child
        ("low", np.int64),  # the highest code of the first child at the time of the split
        ("high", np.int64),  # the lowest of the second
        ("child", np.int64),  # the first child
    ]
)


class Codes(NamedTuple):
    """The features as codes: the rank of a value among its feature's, or the category's index.

    Dense: `table` has the codes, `order` the samples sorted by them, both by feature. Sparse:
    every feature has a base, its most frequent code, and only the others are stored, by sample
    (`stored`) and by feature and ascending code (`column`). A missing value has code -1.
    """

    is_sparse: bool
    all_two_valued: bool
    all_many: bool
    n_features: int
    features: Array  # FEATURE (n_features + 1,)
    values: Array  # float64: the sorted values of all features, one feature after the other
    is_close: Array  # bool: which of them may be too close to the next one to be separated
    table: Array  # int32 (n_features, n_samples)
    order: Array  # int32 (n_features, n_samples)
    row_starts: Array  # int64
    stored: Array  # STORED
    column: Array  # COLUMN


class Positions(NamedTuple):
    """The sample at each index of a task, and the decisions of links before it in a chain.

    Attributes
    ----------
    sample : (n_positions,) int32
        The sample at each position.
    fed : (n_positions, n_links) uint8
        Features that links added, after those of the samples.
    yes, n_yes : (n_positions, n_links), (n_positions,) int32
        The same as lists: which links are 1.
    """

    sample: Array
    fed: Array
    positive: Array
    n_positive: Array


class Rules(NamedTuple):
    """How to grow and prune."""

    gain_ratio: bool  # C4.5's choice of splits, else scikit-learn's by entropy
    categorical_links: bool  # whether a chain's earlier links are categories, else numbers
    min_leaf: float
    mdl: bool
    actual: bool  # thresholds are moved down to a training value
    collapse: bool
    prune: bool
    raising: bool
    laplace: bool
    cf: float
    z: float


class Nodes(NamedTuple):
    """A tree that grows: children have consecutive numbers, higher than their parent's."""

    of: Array  # NODE
    counts: Array  # float64 (n_nodes, n_classes)


@part_of_models
class Trees(NamedTuple):
    """Finished trees, one after the other; children are counted from the tree's root."""

    feature: Array  # int32
    threshold: Array  # float64
    child: Array  # int32
    counts: Array  # float64 (n_nodes, n_classes): training weight by class
    probability: Array  # float64 (n_nodes, n_classes)


@allocating
def new_nodes(capacity, n_classes):
    """Return arrays for nodes."""
    return Nodes(np.empty(capacity, NODE), np.empty((capacity, n_classes), np.float64))


@allocating
def nodes_with_capacity(nodes, used, needed):
    """Return arrays for at least `needed` nodes, which begin with the first `used` nodes."""
    if needed <= nodes.of.size:
        return nodes
    n_classes = nodes.counts.shape[1]
    larger = new_nodes(max(needed, 2 * nodes.of.size), n_classes)
    for i in range(used):
        larger.of[i] = nodes.of[i]
        for k in range(n_classes):
            larger.counts[i, k] = nodes.counts[i, k]
    return larger


@compiled
def set_leaf(nodes, node, start, end):
    """Make a node a leaf on a range of the order."""
    nodes.of[node].feature = -1
    nodes.of[node].child = -1
    nodes.of[node].start = start
    nodes.of[node].end = end


@compiled
def sparse_code(codes, sample, feature):
    """Return a sample's code by bisection among its stored features."""
    return bisected_code(codes, sample, feature)


@inlined
def bisected_code(codes, sample, feature):
    """Return what `sparse_code` returns, inlined into the kernel that calls it."""
    low = codes.row_starts[sample]
    high = codes.row_starts[sample + 1]
    while low < high:
        middle = (low + high) >> 1
        if codes.stored[middle].feature < feature:
            low = middle + 1
        else:
            high = middle
    if low < codes.row_starts[sample + 1] and codes.stored[low].feature == feature:
        return codes.stored[low].code
    return codes.features[feature].base_code


@compiled
def code_at(codes, positions, position, feature):
    """Return the code of a feature at a position."""
    n_features = codes.n_features
    if feature >= n_features:
        return np.int32(positions.fed[position, feature - n_features])
    if codes.is_sparse:
        return sparse_code(codes, positions.sample[position], feature)
    return codes.table[feature, positions.sample[position]]


@compiled
def n_branches(codes, rules, feature):
    """Return the number of categories of a feature, 0 for a numeric one."""
    if feature >= codes.n_features:
        return 2 if rules.categorical_links else 0
    return codes.features[feature].n_categories


@compiled
def n_children(codes, rules, feature):
    """Return how many children a split on the feature has."""
    return max(n_branches(codes, rules, feature), 2)


@compiled
def branch_at(codes, positions, rules, nodes, node, position):
    """Return the number of the branch that a position takes at an inner node."""
    feature = nodes.of[node].feature
    code = code_at(codes, positions, position, feature)
    if n_branches(codes, rules, feature) > 0:
        return np.int64(code)
    return np.int64(code > nodes.of[node].code)


@compiled
def longest_part(starts):
    """Return the size of the largest part, at least 1, of what is cut at `starts`."""
    most = 1
    for part in range(starts.size - 1):
        most = max(most, starts[part + 1] - starts[part])
    return most
