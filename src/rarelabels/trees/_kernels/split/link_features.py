"""Find the splits on the decisions of earlier links of a chain."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled
from rarelabels.trees._kernels.criterion import score_of_two
from rarelabels.trees._kernels.split.candidates import keep_two_valued


@compiled
def try_links(
    found, n_found, codes, positions, n_links, rows, classes, start, end, room, scales, rules
):
    """Add the splits on what earlier links of a chain decided; `room.linked` is zero scratch."""
    if n_links == 0:
        return n_found
    n, linked = end - start, room.linked
    for i in range(start, end):
        p = rows[i]
        for j in range(positions.n_yes[p]):
            linked[positions.yes[p, j], classes[i]] += 1
    is_numeric = not rules.categorical_links
    smallest = scales[1] if is_numeric else np.int64(rules.min_leaf)
    for link in range(n_links):
        n_ones = np.int64(0)
        for k in range(linked.shape[1]):
            n_ones += linked[link, k]
        if n_ones > 0:
            if n_ones >= smallest and n - n_ones >= smallest:
                score = score_of_two(room, linked, link, n_ones)
                parts = room.table[n] - room.sizes[n_ones]
                n_found = keep_two_valued(
                    found, n_found, codes.n_features + link, is_numeric, score, parts, scales, n,
                    rules,
                )  # fmt: skip
            for k in range(linked.shape[1]):
                linked[link, k] = 0
    return n_found
