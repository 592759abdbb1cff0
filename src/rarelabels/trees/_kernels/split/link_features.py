"""Find the splits on the decisions of earlier links of a chain."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled
from rarelabels.trees._kernels.criterion import score_of_two
from rarelabels.trees._kernels.split.candidates import add_two_valued_candidate


@compiled
def try_links(
    candidates, n_candidates, codes, positions, n_links, rows, classes, start, end, workspace,
    limits, rules,
):  # fmt: skip
    """Add the splits on the decisions of earlier links; `workspace.linked` is scratch of zeros."""
    if n_links == 0:
        return n_candidates
    n, linked = end - start, workspace.linked
    for i in range(start, end):
        p = rows[i]
        for j in range(positions.n_positive[p]):
            linked[positions.positive[p, j], classes[i]] += 1
    is_numeric = not rules.categorical_links
    smallest = limits[1] if is_numeric else np.int64(rules.min_leaf)
    for link in range(n_links):
        n_ones = np.int64(0)
        for k in range(linked.shape[1]):
            n_ones += linked[link, k]
        if n_ones > 0:
            if n_ones >= smallest and n - n_ones >= smallest:
                score = score_of_two(workspace, linked, link, n_ones)
                parts = workspace.table[n] - workspace.sizes[n_ones]
                n_candidates = add_two_valued_candidate(
                    candidates, n_candidates, codes.n_features + link, is_numeric, score, parts,
                    limits, n, rules,
                )  # fmt: skip
            for k in range(linked.shape[1]):
                linked[link, k] = 0
    return n_candidates
