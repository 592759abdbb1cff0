"""Grow a tree on weighted samples with missing values."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating
from rarelabels.trees._kernels.criterion import choice_weight, choose, is_too_light
from rarelabels.trees._kernels.prune.error_estimates import training_errors
from rarelabels.trees._kernels.split.partition import describe_split
from rarelabels.trees._kernels.split.weighted_features import try_weighted_features
from rarelabels.trees._kernels.split.weighted_samples import new_pool, send_items, weigh_classes
from rarelabels.trees._kernels.structures import n_children, room_for, set_leaf


@allocating
def is_weighted_final(nodes, node, rules):
    """Whether a node stays a leaf: too light to split, or of one class."""
    weight, errors = training_errors(nodes.counts[node])
    return is_too_light(weight, errors, nodes.of[node].end - nodes.of[node].start, rules)


@allocating
def grow_weighted(
    codes,
    positions,
    n_links,
    rules,
    rows,
    classes,
    weights,
    n_present,
    nodes,
    found,
    code_of,
    state,
):
    """Grow a tree; return its nodes, their number, the pool and how much of it is used."""
    n_all = rows.size
    K = nodes.counts.shape[1]
    pool = new_pool(4 * n_all)
    for i in range(n_all):
        pool.row[i], pool.label[i] = rows[i], classes[i]
        pool.weight[i] = weights[positions.sample[rows[i]]]
    used = n_all
    root = np.int64(0)
    set_leaf(nodes, root, root, n_all)
    weigh_classes(pool, root, n_all, nodes.counts[root])
    n_nodes = np.int64(1)
    pending = root if not is_weighted_final(nodes, root, rules) else np.int64(-1)
    nodes.of[0].code = -1
    while pending >= 0:
        node = pending
        pending = nodes.of[node].code
        start, end = nodes.of[node].start, nodes.of[node].end
        weight = training_errors(nodes.counts[node])[0]
        n_found = try_weighted_features(
            found, pool, start, end, codes, positions, n_links, weight, n_present, rules, code_of, K
        )
        size = choice_weight(weight, end - start, rules)
        chosen = choose(found, n_found, codes, rules, size, n_all, nodes.counts[node], state)
        if chosen < 0:
            continue
        n_new = n_children(codes, rules, found[chosen].feature)
        nodes = room_for(nodes, n_nodes, n_nodes + n_new)
        describe_split(nodes, node, codes, rules, found, chosen, n_nodes)
        pool, begins = send_items(pool, used, start, end, codes, positions, rules, nodes, node)
        used = begins[n_new]
        for b in range(n_new - 1, -1, -1):
            child = n_nodes + b
            set_leaf(nodes, child, begins[b], begins[b + 1])
            weigh_classes(pool, begins[b], begins[b + 1], nodes.counts[child])
            if not is_weighted_final(nodes, child, rules):
                nodes.of[child].code = pending
                pending = child
        n_nodes += n_new
    return nodes, n_nodes, pool, used
