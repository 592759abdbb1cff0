"""Scratch that all trees of a call share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.choosing import fill_log_table
from rarelabels.trees._kernels.compiling import compiled


class Room(NamedTuple):
    """Scratch for tasks of a largest size."""

    table: Array  # float64 (most + 1,): n log2 n
    state: Array  # uint64 (2,): the generator's, and the tree's seed
    first_seat: Array  # int64 (n_samples + 1,)
    seats: Array  # int64 (most,)
    branch: Array  # int32 (most,)
    buffer: Array  # int32 (2, most)
    items: Array  # int64 (most,)
    mark: Array  # int32 (n_samples,): the last task that has the sample
    code_of: Array  # int32 (n_samples,): -1 between uses
    linked: Array  # int64 (n_links, n_classes): zero between uses
    counts: Array  # int64 (n_classes,): the node's
    side: Array  # int64 (n_classes,)


@compiled
def n_coded_samples(codes):
    """Return the number of samples of the coding."""
    return codes.row_starts.size - 1 if codes.is_sparse else codes.table.shape[1]


@compiled
def new_room(codes, most, n_links, n_classes):
    """Return scratch for tasks of at most `most` samples."""
    n_samples = n_coded_samples(codes)
    mark = np.empty(n_samples, np.int32)
    code_of = np.empty(n_samples, np.int32)
    for sample in range(n_samples):
        mark[sample] = -1
        code_of[sample] = -1
    return Room(
        fill_log_table(most),
        np.empty(2, np.uint64),
        np.zeros(n_samples + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int32),
        np.empty((2, most), np.int32),
        np.empty(most, np.int64),
        mark,
        code_of,
        np.zeros((n_links, n_classes), np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
    )


@compiled
def mark_samples(mark, positions, rows, task):
    """Mark the samples of a task."""
    for p in rows:
        mark[positions.sample[p]] = task


@compiled
def sort_range(items, start, end):
    """Sort a range of integers in place: by insertion where it is short."""
    if end - start > 24:
        items[start:end].sort()
        return
    for i in range(start + 1, end):
        item = items[i]
        j = i
        while j > start and items[j - 1] > item:
            items[j] = items[j - 1]
            j -= 1
        items[j] = item
