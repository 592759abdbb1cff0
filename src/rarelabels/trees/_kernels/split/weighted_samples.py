"""Weighted samples of nodes; a missing value sends parts of a sample down every branch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating
from rarelabels.trees._kernels.structures import code_at, n_branches, n_children

LEAST_BRANCH = 1e-6  # of a branch that gets a part


class Pool(NamedTuple):
    """Items of all nodes, one node's after the other's: a position, its class and its weight."""

    row: Array  # int32
    label: Array  # int32
    weight: Array  # float64


@allocating
def new_pool(capacity):
    """Return room for items."""
    return Pool(
        np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity, np.float64)
    )


@allocating
def pool_for(pool, used, needed):
    """Return a pool with room for at least `needed` items, the first `used` ones kept."""
    if needed <= pool.row.size:
        return pool
    made = new_pool(max(needed, 2 * pool.row.size))
    for i in range(used):
        made.row[i] = pool.row[i]
        made.label[i] = pool.label[i]
        made.weight[i] = pool.weight[i]
    return made


@allocating
def read_branches(pool, start, end, codes, positions, rules, nodes, node, branch):
    """Write the branch of each item, -1 where its value is missing."""
    feature = nodes.of[node].feature
    is_numeric = n_branches(codes, rules, feature) == 0
    for i in range(start, end):
        code = code_at(codes, positions, pool.row[i], feature)
        if is_numeric and code >= 0:
            code = np.int32(code > nodes.of[node].code)
        branch[i - start] = code


@allocating
def branch_shares(pool, start, end, branch, n):
    """Return the share of each branch in the weight of the items whose value is known."""
    shares = np.zeros(n)
    known = 0.0
    for i in range(start, end):
        if branch[i - start] >= 0:
            shares[branch[i - start]] += pool.weight[i]
            known += pool.weight[i]
    for b in range(n):
        shares[b] = shares[b] / known if known > 0.0 else 1.0 / n
    return shares


@allocating
def send_items(pool, used, start, end, codes, positions, rules, nodes, node):
    """Put the items of each branch of a node at the end of the pool.

    Return the pool, and where each branch begins there, and the last one ends.
    """
    n = n_children(codes, rules, nodes.of[node].feature)
    branch = np.empty(end - start, np.int32)
    read_branches(pool, start, end, codes, positions, rules, nodes, node, branch)
    shares = branch_shares(pool, start, end, branch, n)
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
    pool = pool_for(pool, used, begins[n])
    at = begins.copy()
    for i in range(start, end):
        b = branch[i - start]
        first, last = (b, b + 1) if b >= 0 else (0, n)
        for to in range(first, last):
            if b >= 0 or shares[to] > LEAST_BRANCH:
                pool.row[at[to]] = pool.row[i]
                pool.label[at[to]] = pool.label[i]
                pool.weight[at[to]] = pool.weight[i] * (1.0 if b >= 0 else shares[to])
                at[to] += 1
    return pool, begins


@allocating
def weigh_classes(pool, start, end, counts):
    """Write the weight of each class among the items."""
    for k in range(counts.size):
        counts[k] = 0.0
    for i in range(start, end):
        counts[pool.label[i]] += pool.weight[i]
