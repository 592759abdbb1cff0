"""Count the stored codes of nodes' samples, feature by feature and class by class.

Parameters
----------
part : int64
    The level of the counts to subtract.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.workspace import sort_range


class CodeCounts(NamedTuple):
    """Counts of the stored codes of some nodes' samples, one level for each node.

    The counts of a node less those of its smaller child are those of the larger one, so that only
    smaller children are counted. Then at most log2(n_samples) nodes wait with their counts.
    """

    total: Array  # int32 (n_levels, n_features)
    by_class: Array  # int32 (n_levels, n_features, n_classes)
    touched: Array  # int64 (n_levels, n_features): the features that occur, ascending
    n_touched: Array  # int64 (n_levels,)


@allocating
def new_code_counts(codes, n_classes, most):
    """Return counts of zero."""
    n_features = codes.n_features
    n_levels = 3
    while (1 << n_levels) < 8 * most:
        n_levels += 1
    return CodeCounts(
        np.zeros((n_levels, n_features), np.int32),
        np.zeros((n_levels, n_features, n_classes), np.int32),
        np.empty((n_levels, n_features), np.int64),
        np.zeros(n_levels, np.int64),
    )


@compiled
def n_entries(codes, positions, rows):
    """Return the number of stored codes of a task."""
    total = 0
    for p in rows:
        sample = positions.sample[p]
        total += codes.row_starts[sample + 1] - codes.row_starts[sample]
    return total


@compiled
def most_stored(codes, positions, starts, samples, is_shared):
    """Return the most stored codes that a task's samples have."""
    most = 0
    if codes.all_two_valued:
        return most
    for task in range(starts.size - 1):
        begin = 0 if is_shared else starts[task]
        n = starts[task + 1] - starts[task]
        most = max(most, n_entries(codes, positions, samples[begin : begin + n]))
        if is_shared:
            break
    return most


@compiled
def count_codes(code_counts, level, codes, positions, rows, classes, start, end):
    """Count the stored codes of a node's samples in a level of zeros."""
    total, by_class, touched = (
        code_counts.total[level],
        code_counts.by_class[level],
        code_counts.touched[level],
    )
    row_starts, stored, sample_of = codes.row_starts, codes.stored, positions.sample
    n_touched = np.int64(0)
    for i in range(start, end):
        sample = sample_of[rows[i]]
        k = np.uintp(classes[i])
        for j in range(row_starts[sample], row_starts[sample + 1]):
            feature = np.uintp(stored[j].feature)
            if total[feature] == 0:
                touched[n_touched] = feature
                n_touched += 1
            total[feature] += 1
            by_class[feature, k] += 1
    code_counts.n_touched[level] = n_touched
    if 8 * n_touched < total.size:
        sort_range(touched, np.int64(0), n_touched)
        return
    at = 0
    for feature in range(total.size):
        if total[feature] > 0:
            touched[at] = feature
            at += 1


@compiled
def clear_code_counts(code_counts, level):
    """Set the counts of a level to zero."""
    total, by_class, touched = (
        code_counts.total[level],
        code_counts.by_class[level],
        code_counts.touched[level],
    )
    for a in range(code_counts.n_touched[level]):
        feature = touched[a]
        total[feature] = 0
        for k in range(by_class.shape[1]):
            by_class[feature, k] = 0
    code_counts.n_touched[level] = 0


@compiled
def subtract_code_counts(code_counts, level, part):
    """Subtract the counts of another level; features that no longer occur are dropped."""
    total, by_class, touched = (
        code_counts.total[level],
        code_counts.by_class[level],
        code_counts.touched[level],
    )
    part_total, part_by_class = code_counts.total[part], code_counts.by_class[part]
    part_touched = code_counts.touched[part]
    for a in range(code_counts.n_touched[part]):
        feature = part_touched[a]
        total[feature] -= part_total[feature]
        for k in range(by_class.shape[1]):
            by_class[feature, k] -= part_by_class[feature, k]
    n_left = 0
    for a in range(code_counts.n_touched[level]):
        feature = touched[a]
        if total[feature] > 0:
            touched[n_left] = feature
            n_left += 1
    code_counts.n_touched[level] = n_left
