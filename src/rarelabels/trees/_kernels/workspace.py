"""Scratch arrays that all trees of a call share.

Parameters
----------
mark : (n_samples,) int32
    The last task that has the sample.
task : int64
    The number of the task.
items : (n,) int64
    What is sorted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating, compiled
from rarelabels.trees._kernels.criterion import fill_log_table

SHORT = 24  # items that are sorted by insertion


class Workspace(NamedTuple):
    """Scratch for tasks of a largest size."""

    table: Array  # float64 (most + 1,): n log2 n
    sizes: Array  # float64 (most + 1,): what a side's size takes from a score, at the node
    shares: Array  # float64 (most + n_classes,): what a side's class counts add, class by class
    rises: Array  # float64 (most + n_classes,): from one of them to the next
    shares_start: Array  # int64 (n_classes,): where those of a class begin
    state: Array  # uint64 (2,): the generator's, and the tree's seed
    buffer: Array  # int32 (3, most): the branches of positions, they and their classes
    items: Array  # int64 (most,)
    code_of: Array  # int32 (n_samples,): -1 between uses
    is_behind: Array  # uint8 (n_positions,): which positions go to the second part of a list
    linked: Array  # int32 (n_links + 1, n_classes): zero between uses
    counts: Array  # int64 (n_classes,): the node's
    side: Array  # int64 (n_classes,)


@compiled
def n_coded_samples(codes):
    """Return the number of samples of the coding."""
    return codes.row_starts.size - 1 if codes.is_sparse else codes.table.shape[1]


@allocating
def minus_ones(n):
    """Return n times -1."""
    array = np.empty(n, np.int32)
    for i in range(n):
        array[i] = -1
    return array


@allocating
def new_workspace(codes, positions, most, n_classes):
    """Return scratch for tasks of at most `most` samples."""
    n_links = positions.fed.shape[1]
    return Workspace(
        fill_log_table(most + 1),
        np.empty(most + 1),
        np.empty(most + n_classes),
        np.empty(most + n_classes),
        np.empty(n_classes, np.int64),
        np.empty(2, np.uint64),
        np.empty((3, most), np.int32),
        np.empty(most, np.int64),
        minus_ones(n_coded_samples(codes)),
        np.zeros(positions.sample.size, np.uint8),
        np.zeros((n_links + 1, n_classes), np.int32),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
    )


@compiled
def mark_samples(mark, positions, rows, task):
    """Mark the samples of a task."""
    for p in rows:
        mark[positions.sample[p]] = task


@allocating
def sort_range(items, start, end):
    """Sort a range of integers in place: by quicksort down to short parts, then by insertion.

    numba's own sort takes half a second to compile. The larger part waits on a stack, whose height
    is at most twice the number of bits of a length.
    """
    low, high, height = start, end - 1, 0
    stack = np.empty(128 if end - start > SHORT else 0, np.int64)
    while high - low > SHORT or height > 0:
        if high - low <= SHORT:
            height -= 2
            low, high = stack[height], stack[height + 1]
            continue
        left, right, middle = items[low], items[high], items[(low + high) >> 1]
        pivot = max(min(left, right), min(max(left, right), middle))
        i, j = low, high
        while i <= j:
            while items[i] < pivot:
                i += 1
            while items[j] > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if j - low < high - i:
            stack[height], stack[height + 1], high = i, high, j
        else:
            stack[height], stack[height + 1], low = low, j, i
        height += 2
    for i in range(start + 1, end):
        item = items[i]
        j = i
        while j > start and items[j - 1] > item:
            items[j] = items[j - 1]
            j -= 1
        items[j] = item


@compiled
def read_counts(nodes, node, counts):
    """Copy a node's class counts as integers."""
    for k in range(counts.size):
        counts[k] = np.int64(nodes.counts[node, k])
