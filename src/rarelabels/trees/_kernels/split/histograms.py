"""Histograms of the stored codes of large nodes, where features have few values.

Histograms are neither sorted nor moved at a split: the smaller child's is subtracted from its
parent's, which gives the larger one's. Smaller nodes, with fewer stored codes than there are
values, have their codes listed.

Parameters
----------
times : int64
    1 to add samples, -1 to subtract them.
grows_larger, grows_smaller : bool
    Whether the larger and the smaller child are split further.
first : int64
    The place of the feature's first value among all values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compilation import allocating, compiled, inlined
from rarelabels.trees._kernels.criterion import separable

ONE_SAMPLE = np.int64(1)
MOST_VALUES = 2**16  # of all features: their counts are to stay in the cache
LEAST_FILL = 0.75  # of stored codes in values, of a node that is binned


class Histograms(NamedTuple):
    """Counts of the stored codes of some nodes' samples, one level for each node.

    The counts of all classes are in one word, so many bits for each.
    """

    counts: Array  # int64 (n_levels, n_values): the values of all features
    bits: int
    least: int  # samples of a node that is binned


@allocating
def new_histograms(codes, code_counts, most):
    """Return arrays for the histograms of tasks of at most `most` samples, empty if not used."""
    n_levels, _, n_classes = code_counts.by_class.shape
    n_values = codes.values.size
    n_samples, bits = codes.row_starts.size - 1, 62 // n_classes
    least = ONE_SAMPLE + np.int64(LEAST_FILL * n_values * n_samples / max(codes.stored.size, 1))
    is_used = not codes.all_two_valued and n_values <= MOST_VALUES and most >> bits == 0
    for feature in range(codes.n_features):
        is_used = is_used and codes.features[feature].n_categories <= 2
    if not is_used or most < least:
        return Histograms(np.empty((0, 0), np.int64), bits, np.int64(most + 1))
    return Histograms(np.empty((n_levels, n_values), np.int64), bits, least)


@inlined
def has_histogram(histograms, n):
    """Whether the codes of a node of n samples are counted one by one."""
    return n >= histograms.least


@compiled
def fill_histogram(histograms, level, codes, positions, rows, classes, start, end):
    """Count the stored codes of a node's samples."""
    counts = histograms.counts[level]
    for value in range(counts.size):
        counts[value] = 0
    add_to_histogram(histograms, level, ONE_SAMPLE, codes, positions, rows, classes, start, end)


@compiled
def add_to_histogram(histograms, level, times, codes, positions, rows, classes, start, end):
    """Add the stored codes of a node's samples to its histogram, or subtract them."""
    counts, row_starts, stored = histograms.counts[level], codes.row_starts, codes.stored
    for i in range(start, end):
        sample, one = positions.sample[rows[i]], times << (np.int64(classes[i]) * histograms.bits)
        for j in range(row_starts[sample], row_starts[sample + 1]):
            first = codes.features[np.uintp(stored[j].feature)].value_start
            counts[np.uintp(first + stored[j].code)] += one


@compiled
def split_histogram(
    histograms, level, grows_larger, grows_smaller, codes, positions, rows, classes, start, end, n
):
    """Split the histogram of a node of n samples; `start` and `end` are those of the smaller child.

    The larger child keeps the node's level, and the smaller one has the next, unless it is alone.
    """
    if grows_larger and has_histogram(histograms, n - (end - start)):
        add_to_histogram(
            histograms, level, -ONE_SAMPLE, codes, positions, rows, classes, start, end
        )
    if grows_smaller and has_histogram(histograms, end - start):
        smaller_level = level + 1 if grows_larger else level
        fill_histogram(histograms, smaller_level, codes, positions, rows, classes, start, end)


@inlined
def lowest_code(histograms, level, first):
    """Return the lowest stored code of a feature whose values begin at `first`, its base 0."""
    code = np.int64(1)
    while histograms.counts[level, first + code] == 0:
        code += 1
    return code


@inlined
def scan_histogram(
    histograms, level, first, end, base, by_class, codes, n, workspace, bounds, rules
):
    """Return as `scan_around_base`, for the values from `first` to `end` of a feature."""
    best, step, least = bounds
    low, high, size, n_tried = np.int64(-1), np.int64(-1), np.int64(0), np.int64(0)
    counts, bits, n_classes = (
        histograms.counts[level],
        np.int64(histograms.bits),
        workspace.counts.size,
    )
    mask, at_base = (ONE_SAMPLE << bits) - ONE_SAMPLE, np.int64(0)
    for k in range(n_classes):
        at_base |= (workspace.counts[k] - by_class[k]) << (k * bits)
    below, left, score, before = np.int64(0), np.int64(0), 0.0, first
    for value in range(first, end):
        here = at_base if value == first + base else counts[np.uintp(value)]
        if here == 0:
            continue
        if left >= least and separable(codes, before, value, rules):
            n_tried += 1
            if score > best + step:
                best, low, high, size = score, before - first, value - first, left
        below += here
        left, score, before = np.int64(0), 0.0, value
        for k in range(n_classes):
            count = (below >> (k * bits)) & mask
            left += count
            score += workspace.shares[np.uintp(workspace.shares_start[k] + count)]
        if n - left < least:
            break
        score -= workspace.sizes[np.uintp(left)]
    return best, low, high, size, n_tried
