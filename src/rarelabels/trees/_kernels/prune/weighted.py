"""The weighted samples of a tree to prune."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, with_kernels
from rarelabels.trees._kernels.prune.pruning import estimated_errors, prune_tree
from rarelabels.trees._kernels.split.weighted_samples import (
    WeightedSamples,
    distribute_samples,
    weigh_classes,
)


class UsedSamples(NamedTuple):
    """Weighted samples of all nodes, and how many there are."""

    weighted: WeightedSamples
    used: int


@allocating
def weighted_errors_if_raised(nodes, node, branch, samples, estimates, codes, positions, rules):
    """Return what `errors_if_raised` returns; the arrays may have been enlarged."""
    start, end = nodes.of[node].start, nodes.of[node].end
    weighted, _, errors = send_down(
        samples.weighted, samples.used, start, end, nodes, branch, codes, positions, rules, False
    )
    return UsedSamples(weighted, samples.used), errors


@allocating
def send_weighted_down_again(nodes, node, samples, codes, positions, rules, workspace):
    """Send all samples of a node down the branches that it has now; return the samples."""
    start, end = nodes.of[node].start, nodes.of[node].end
    weighted, used, _ = send_down(
        samples.weighted, samples.used, start, end, nodes, node, codes, positions, rules, True
    )
    return UsedSamples(weighted, used)


@allocating
def send_down(weighted, used, top_start, top_end, nodes, top, codes, positions, rules, writes):
    """Send the samples from `top_start` to `top_end` down the subtree of the node `top`.

    If `writes`, the nodes get these samples and their counts. Return the samples, how many there
    are, and the estimated errors of the leaves.
    """
    counts = np.empty(nodes.counts.shape[1])
    capacity = 64
    stack = np.empty((capacity, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = top, top_start, top_end
    height = 1
    errors = 0.0
    while height > 0:
        height -= 1
        node, start, end = stack[height, 0], stack[height, 1], stack[height, 2]
        weigh_classes(weighted, start, end, counts)
        if writes:
            nodes.of[node].start, nodes.of[node].end = start, end
            for k in range(counts.size):
                nodes.counts[node, k] = counts[k]
        if nodes.of[node].feature < 0:
            errors += estimated_errors(counts, rules)
            continue
        weighted, begins = distribute_samples(
            weighted, used, start, end, codes, positions, rules, nodes, node
        )
        n = begins.size - 1
        used = begins[n]
        if height + n > capacity:
            capacity = 2 * (height + n)
            larger = np.empty((capacity, 3), np.int64)
            for i in range(height):
                for j in range(3):
                    larger[i, j] = stack[i, j]
            stack = larger
        for b in range(n):
            stack[height, 0] = nodes.of[node].child + b
            stack[height, 1], stack[height, 2] = begins[b], begins[b + 1]
            height += 1
    return weighted, used, errors


prune_weighted = allocating(
    with_kernels(
        prune_tree,
        "prune_weighted",
        errors_if_raised=weighted_errors_if_raised,
        send_down_again=send_weighted_down_again,
    )
)
