"""Weighted samples of nodes; a missing value sends parts of a sample down every branch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating
from rarelabels.trees._kernels.structures import code_at, n_branches, n_children

LEAST_BRANCH = 1e-6  # of a branch that gets a part


class WeightedSamples(NamedTuple):
    """Weighted samples of all nodes, one node's after the other's: position, class and weight."""

    row: Array  # int32
    label: Array  # int32
    weight: Array  # float64


@allocating
def new_weighted_samples(capacity):
    """Return arrays for weighted samples."""
    return WeightedSamples(
        np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity, np.float64)
    )


@allocating
def weighted_with_capacity(weighted, used, needed):
    """Return arrays for at least `needed` samples, which begin with the first `used` ones."""
    if needed <= weighted.row.size:
        return weighted
    larger = new_weighted_samples(max(needed, 2 * weighted.row.size))
    for i in range(used):
        larger.row[i] = weighted.row[i]
        larger.label[i] = weighted.label[i]
        larger.weight[i] = weighted.weight[i]
    return larger


@allocating
def read_branches(weighted, start, end, codes, positions, rules, nodes, node, branch):
    """Write the branch of each sample, -1 if its value is missing."""
    feature = nodes.of[node].feature
    is_numeric = n_branches(codes, rules, feature) == 0
    for i in range(start, end):
        code = code_at(codes, positions, weighted.row[i], feature)
        if is_numeric and code >= 0:
            code = np.int32(code > nodes.of[node].code)
        branch[i - start] = code


@allocating
def branch_shares(weighted, start, end, branch, n):
    """Return the share of each branch in the weight of the samples whose value is known."""
    shares = np.zeros(n)
    known = 0.0
    for i in range(start, end):
        if branch[i - start] >= 0:
            shares[branch[i - start]] += weighted.weight[i]
            known += weighted.weight[i]
    for b in range(n):
        shares[b] = shares[b] / known if known > 0.0 else 1.0 / n
    return shares


@allocating
def distribute_samples(weighted, used, start, end, codes, positions, rules, nodes, node):
    """Append the samples of each branch of a node.

    Return the samples, where each branch begins, and where the last one ends.
    """
    n = n_children(codes, rules, nodes.of[node].feature)
    branch = np.empty(end - start, np.int32)
    read_branches(weighted, start, end, codes, positions, rules, nodes, node, branch)
    shares = branch_shares(weighted, start, end, branch, n)
    begins = np.zeros(n + 1, np.int64)
    n_missing = 0
    for i in range(end - start):
        if branch[i] >= 0:
            begins[branch[i] + 1] += 1
        else:
            n_missing += 1
    begins[0] = used
    for b in range(n):
        if shares[b] > LEAST_BRANCH:
            begins[b + 1] += n_missing
        begins[b + 1] += begins[b]
    weighted = weighted_with_capacity(weighted, used, begins[n])
    at = begins.copy()
    for i in range(start, end):
        b = branch[i - start]
        first, last = (b, b + 1) if b >= 0 else (0, n)
        for to in range(first, last):
            if b >= 0 or shares[to] > LEAST_BRANCH:
                weighted.row[at[to]] = weighted.row[i]
                weighted.label[at[to]] = weighted.label[i]
                weighted.weight[at[to]] = weighted.weight[i] * (1.0 if b >= 0 else shares[to])
                at[to] += 1
    return weighted, begins


@allocating
def weigh_classes(weighted, start, end, counts):
    """Write the weight of each class among the samples."""
    for k in range(counts.size):
        counts[k] = 0.0
    for i in range(start, end):
        counts[weighted.label[i]] += weighted.weight[i]
