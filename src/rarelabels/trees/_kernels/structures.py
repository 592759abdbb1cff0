"""The records that kernels take: coded features, positions, rules, nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compiling import compiled


class Codes(NamedTuple):
    """The features as codes: the rank of a value among its feature's, or the category's index.

    Dense: `table` has the codes, `order` the samples sorted by them, both by feature. Sparse:
    every feature has a base, its most frequent code, and only the others are stored, by sample
    (`row_*`) and by feature and ascending code (`column_*`). A missing value has code -1.
    """

    is_sparse: bool
    all_two_valued: bool
    all_many: bool
    values: Array  # float64: the sorted values of all features, one feature after the other
    value_starts: Array  # int64
    n_categories: Array  # int32, 0 for a numeric feature
    is_close: Array  # bool: the value may be too close to the next one to be separated
    base: Array  # int32
    table: Array  # int32 (n_features, n_samples)
    order: Array  # int32 (n_features, n_samples)
    row_starts: Array  # int64
    row_features: Array  # int32
    row_codes: Array  # int32
    column_starts: Array  # int64
    column_samples: Array  # int32
    column_codes: Array  # int32


class Positions(NamedTuple):
    """What a task's indices stand for: a sample, and the decisions of links before it in a chain.

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
    yes: Array
    n_yes: Array


class Rules(NamedTuple):
    """How to grow and prune."""

    gain_ratio: bool  # C4.5's choice of splits, else scikit-learn's by entropy
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
    """A tree that grows: a node's children have consecutive numbers, higher than its own."""

    feature: Array  # int32, -1 for a leaf
    code: Array  # int32: numeric splits send codes up to this one to the first child
    low: Array  # int32: the highest code of the first child when the split was made
    high: Array  # int32: the lowest of the second
    child: Array  # int32: the first child
    start: Array  # int64: the node's samples are order[start:end]
    end: Array  # int64
    counts: Array  # float64 (n_nodes, n_classes)


class Trees(NamedTuple):
    """Finished trees, one after the other; children are counted from the tree's root."""

    feature: Array  # int32
    threshold: Array  # float64
    child: Array  # int32
    counts: Array  # float64 (n_nodes, n_classes): training weight by class
    probability: Array  # float64 (n_nodes, n_classes)


@compiled
def new_nodes(capacity, n_classes):
    """Return room for nodes."""
    return Nodes(
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty((capacity, n_classes), np.float64),
    )


@compiled
def room_for(nodes, used, needed):
    """Return nodes with room for at least `needed` of them, the first `used` ones kept."""
    if needed <= nodes.feature.size:
        return nodes
    n_classes = nodes.counts.shape[1]
    made = new_nodes(max(needed, 2 * nodes.feature.size), n_classes)
    for i in range(used):
        made.feature[i] = nodes.feature[i]
        made.code[i] = nodes.code[i]
        made.low[i] = nodes.low[i]
        made.high[i] = nodes.high[i]
        made.child[i] = nodes.child[i]
        made.start[i] = nodes.start[i]
        made.end[i] = nodes.end[i]
        for k in range(n_classes):
            made.counts[i, k] = nodes.counts[i, k]
    return made


@compiled
def set_leaf(nodes, node, start, end):
    """Make a node a leaf on a range of the order."""
    nodes.feature[node] = -1
    nodes.child[node] = -1
    nodes.start[node] = start
    nodes.end[node] = end


@compiled
def sparse_code(codes, sample, feature):
    """Return a sample's code by bisection among its stored features."""
    low = codes.row_starts[sample]
    high = codes.row_starts[sample + 1]
    while low < high:
        middle = (low + high) >> 1
        if codes.row_features[middle] < feature:
            low = middle + 1
        else:
            high = middle
    if low < codes.row_starts[sample + 1] and codes.row_features[low] == feature:
        return codes.row_codes[low]
    return codes.base[feature]


@compiled
def code_at(codes, positions, position, feature):
    """Return the code of a feature at a position."""
    n_features = codes.base.size
    if feature >= n_features:
        return np.int32(positions.fed[position, feature - n_features])
    if codes.is_sparse:
        return sparse_code(codes, positions.sample[position], feature)
    return codes.table[feature, positions.sample[position]]


@compiled
def n_branches(codes, rules, feature):
    """Return the number of categories of a feature, 0 for a numeric one."""
    if feature >= codes.base.size:
        return 2 if rules.gain_ratio else 0
    return codes.n_categories[feature]


@compiled
def n_children(codes, rules, feature):
    """Return how many children a split on the feature has."""
    return max(n_branches(codes, rules, feature), 2)


@compiled
def branch_at(codes, positions, rules, nodes, node, position):
    """Return the number of the branch that a position takes at an inner node."""
    feature = nodes.feature[node]
    code = code_at(codes, positions, position, feature)
    if n_branches(codes, rules, feature) > 0:
        return np.int64(code)
    return np.int64(code > nodes.code[node])
