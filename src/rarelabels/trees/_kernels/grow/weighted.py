"""Grow a tree on weighted samples with missing values."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating
from rarelabels.trees._kernels.criterion import choice_weight, choose_candidate, is_too_light
from rarelabels.trees._kernels.prune.pruning import training_errors
from rarelabels.trees._kernels.split.partition import write_split
from rarelabels.trees._kernels.split.weighted_features import try_weighted_features
from rarelabels.trees._kernels.split.weighted_samples import (
    distribute_samples,
    new_weighted_samples,
    weigh_classes,
)
from rarelabels.trees._kernels.structures import n_children, nodes_with_capacity, set_leaf


@allocating
def is_weighted_final(nodes, node, rules):
    """Whether a node stays a leaf: too light to split, or of one class."""
    weight, errors = training_errors(nodes.counts[node])
    return is_too_light(weight, errors, nodes.of[node].end - nodes.of[node].start, rules)


@allocating
def grow_weighted(
    codes, positions, n_links, rules, rows, classes, weights, n_present, nodes, candidates, code_of,
    state,
):  # fmt: skip
    """Grow a tree; return its nodes, their number, the weighted samples and how many there are."""
    n_all = rows.size
    n_classes = nodes.counts.shape[1]
    weighted = new_weighted_samples(4 * n_all)
    for i in range(n_all):
        weighted.row[i], weighted.label[i] = rows[i], classes[i]
        weighted.weight[i] = weights[positions.sample[rows[i]]]
    used = n_all
    root = np.int64(0)
    set_leaf(nodes, root, root, n_all)
    weigh_classes(weighted, root, n_all, nodes.counts[root])
    n_nodes = np.int64(1)
    pending = root if not is_weighted_final(nodes, root, rules) else np.int64(-1)
    nodes.of[0].code = -1
    while pending >= 0:
        node = pending
        pending = nodes.of[node].code
        start, end = nodes.of[node].start, nodes.of[node].end
        weight = training_errors(nodes.counts[node])[0]
        n_candidates = try_weighted_features(
            candidates, weighted, start, end, codes, positions, n_links, weight, n_present, rules,
            code_of, n_classes,
        )  # fmt: skip
        size = choice_weight(weight, end - start, rules)
        chosen = choose_candidate(
            candidates, n_candidates, codes, rules, size, n_all, nodes.counts[node], state
        )
        if chosen < 0:
            continue
        n_new = n_children(codes, rules, candidates[chosen].feature)
        nodes = nodes_with_capacity(nodes, n_nodes, n_nodes + n_new)
        write_split(nodes, node, codes, rules, candidates, chosen, n_nodes)
        weighted, begins = distribute_samples(
            weighted, used, start, end, codes, positions, rules, nodes, node
        )
        used = begins[n_new]
        for b in range(n_new - 1, -1, -1):
            child = n_nodes + b
            set_leaf(nodes, child, begins[b], begins[b + 1])
            weigh_classes(weighted, begins[b], begins[b + 1], nodes.counts[child])
            if not is_weighted_final(nodes, child, rules):
                nodes.of[child].code = pending
                pending = child
        n_nodes += n_new
    return nodes, n_nodes, weighted, used
