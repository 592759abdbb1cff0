"""Grow and prune a tree on weighted samples with missing values."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.choosing import (
    TIE,
    TOLERANCE,
    choose,
    keep_categorical,
    keep_numeric,
    least_side,
)
from rarelabels.trees._kernels.compiling import allocating
from rarelabels.trees._kernels.pools import new_pool, send_items, weigh_classes
from rarelabels.trees._kernels.pruning import (
    SLACK,
    estimated_errors,
    largest_branch,
    training_errors,
)
from rarelabels.trees._kernels.rooms import sort_range
from rarelabels.trees._kernels.scanning import separable
from rarelabels.trees._kernels.splitting import describe_split
from rarelabels.trees._kernels.structures import (
    code_at,
    n_branches,
    n_children,
    room_for,
    set_leaf,
)
from rarelabels.trees._kernels.walking import add_shares


@allocating
def least_weight(rules):
    """Return the weight below which C4.5 counts nothing; scikit-learn has no such limit."""
    return TOLERANCE if rules.gain_ratio else 0.0


@allocating
def weight_times_log(x, least):
    """Return x · log2(x), 0 for weights below `least`."""
    return x * np.log2(x) if x >= least and x > 0.0 else 0.0


@allocating
def class_score(counts, least):
    """Return the sum of n log n over the classes, those below `least` left out, and the total."""
    score = 0.0
    total = 0.0
    for k in range(counts.size):
        score += weight_times_log(counts[k], least)
        total += counts[k]
    return score, total


@allocating
def is_weighted_final(nodes, node, rules):
    """Whether a node stays a leaf: too light to split, or of one class."""
    total, errors = training_errors(nodes.counts[node])
    if not rules.gain_ratio:
        is_small = nodes.of[node].end - nodes.of[node].start < 2 * rules.min_leaf
        return is_small or errors <= 0.0
    return 2.0 * rules.min_leaf - total > TOLERANCE or errors < TOLERANCE


@allocating
def read_codes(pool, start, end, codes, positions, feature, code_of, out):
    """Write the items' codes of a feature."""
    if not codes.is_sparse or feature >= codes.n_features:
        for i in range(start, end):
            out[i - start] = code_at(codes, positions, pool.row[i], feature)
        return
    first, last = codes.features[feature].column_start, codes.features[feature + 1].column_start
    for i in range(start, end):
        code_of[positions.sample[pool.row[i]]] = codes.features[feature].base_code
    for j in range(first, last):
        code_of[codes.column[j].sample] = codes.column[j].code
    for i in range(start, end):
        out[i - start] = code_of[positions.sample[pool.row[i]]]
    for i in range(start, end):
        code_of[positions.sample[pool.row[i]]] = -1
    for j in range(first, last):
        code_of[codes.column[j].sample] = -1


@allocating
def try_categories(found, n_found, feature, n, pool, start, end, item_codes, weight, rules, K):
    """Add the split of a categorical feature."""
    bags = np.zeros((n, K))
    known_counts = np.zeros(K)
    for i in range(start, end):
        code = item_codes[i - start]
        if code >= 0:
            bags[code, pool.label[i]] += pool.weight[i]
            known_counts[pool.label[i]] += pool.weight[i]
    score, known = class_score(known_counts, TOLERANCE)
    old = weight_times_log(known, TOLERANCE) - score
    new = 0.0
    parts = weight_times_log(weight, TOLERANCE) - weight_times_log(weight - known, TOLERANCE)
    n_large = 0
    for b in range(n):
        score, size = class_score(bags[b], TOLERANCE)
        n_large += rules.min_leaf - size < TOLERANCE
        new += weight_times_log(size, TOLERANCE) - score
        parts -= weight_times_log(size, TOLERANCE)
    if n_large < 2:
        return n_found
    value = known / weight * (old - new)
    n_found = keep_categorical(found, n_found, feature, weight, 0.0, parts)
    found[n_found - 1].gain = 0.0 if abs(value) < TOLERANCE else value / known
    return n_found


@allocating
def sort_known(pool, start, end, item_codes, order):
    """Write the items whose value is known, sorted by code; return their number."""
    n_known = 0
    for i in range(end - start):
        if item_codes[i] >= 0:
            order[n_known] = (np.int64(item_codes[i]) << 32) | i
            n_known += 1
    sort_range(order, 0, n_known)
    return n_known


@allocating
def try_thresholds(
    found, n_found, feature, pool, start, end, codes, item_codes, order, weight, n_present, rules, K
):
    """Add the best threshold of a numeric feature."""
    n_known = sort_known(pool, start, end, item_codes, order)
    first = codes.features[min(feature, codes.n_features)].value_start
    limit = least_weight(rules)
    right = np.zeros(K)
    left = np.zeros(K)
    for j in range(n_known):
        i = start + (order[j] & 0xFFFFFFFF)
        right[pool.label[i]] += pool.weight[i]
    score, known = class_score(right, limit)
    old = weight_times_log(known, limit) - score
    least = least_side(known, n_present, rules)
    if 2.0 * least - n_known > TOLERANCE:
        return n_found
    best = 0.0 if rules.gain_ratio else -np.inf
    n_tried, low, high, best_left = np.int64(0), np.int64(-1), np.int64(-1), 0.0
    for j in range(n_known - 1):
        i = start + (order[j] & 0xFFFFFFFF)
        left[pool.label[i]] += pool.weight[i]
        right[pool.label[i]] -= pool.weight[i]
        code, following = order[j] >> 32, order[j + 1] >> 32
        if code == following:
            continue
        left_score, left_size = class_score(left, limit)
        right_score, right_size = class_score(right, limit)
        if rules.gain_ratio:
            is_small = least - left_size >= TOLERANCE or least - right_size >= TOLERANCE
        else:
            is_small = j + 1 < least or n_known - j - 1 < least
        if is_small:
            continue
        if feature < codes.n_features and not separable(
            codes, first + code, first + following, rules.gain_ratio
        ):
            continue
        n_tried += 1
        new = weight_times_log(left_size, limit) - left_score
        new += weight_times_log(right_size, limit) - right_score
        value = known / weight * (old - new)
        gain = 0.0 if abs(value) < TOLERANCE and rules.gain_ratio else value / known
        if gain - best > (TOLERANCE if rules.gain_ratio else TIE / (end - start)):
            best, low, high, best_left = gain, code, following, left_size
    if low < 0:
        return n_found
    parts = weight_times_log(weight, limit) - weight_times_log(best_left, limit)
    parts -= weight_times_log(known - best_left, limit) + weight_times_log(weight - known, limit)
    return keep_numeric(
        found, n_found, feature, weight, best * weight, 0.0, n_tried, parts, low, high, rules
    )


@allocating
def try_weighted_features(
    found, pool, start, end, codes, positions, n_links, weight, n_present, rules, code_of, K
):
    """Fill in the candidates of all features."""
    n_found = np.int64(0)
    item_codes = np.empty(end - start, np.int32)
    order = np.empty(end - start, np.int64)
    for feature in range(codes.n_features + n_links):
        read_codes(pool, start, end, codes, positions, feature, code_of, item_codes)
        n = n_branches(codes, rules, feature)
        if n > 0:
            n_found = try_categories(
                found, n_found, feature, n, pool, start, end, item_codes, weight, rules, K
            )
        else:
            n_found = try_thresholds(
                found, n_found, feature, pool, start, end, codes, item_codes, order, weight,
                n_present, rules, K,
            )  # fmt: skip
    return n_found


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
        # What rounding does to a gain depends on the number of samples, not on their weights.
        size = weight if rules.gain_ratio else np.float64(end - start)
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


@allocating
def collapse_weighted(nodes, n_nodes, codes, rules):
    """Make leaves of nodes whose leaves have no fewer training errors, from the root down."""
    below = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        if nodes.of[node].feature < 0:
            below[node] = training_errors(nodes.counts[node])[1]
            continue
        first = nodes.of[node].child
        for b in range(n_children(codes, rules, nodes.of[node].feature)):
            below[node] += below[first + b]
    for node in range(n_nodes):
        own = training_errors(nodes.counts[node])[1]
        if nodes.of[node].feature >= 0 and below[node] >= own - 1e-3:
            nodes.of[node].feature = -1


@allocating
def send_down(pool, used, top_start, top_end, nodes, top, codes, positions, rules, writes):
    """Send items down a subtree; return the pool, its use and the leaves' estimated errors.

    Where `writes`, the nodes get these items, and their counts.
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
        weigh_classes(pool, start, end, counts)
        if writes:
            nodes.of[node].start, nodes.of[node].end = start, end
            for k in range(counts.size):
                nodes.counts[node, k] = counts[k]
        if nodes.of[node].feature < 0:
            errors += estimated_errors(counts, rules)
            continue
        pool, begins = send_items(pool, used, start, end, codes, positions, rules, nodes, node)
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
    return pool, used, errors


@allocating
def prune_weighted(nodes, n_nodes, pool, used, codes, positions, rules):
    """Replace subtrees by leaves or by their largest branch, from below."""
    estimate = np.zeros(n_nodes)
    stack = np.empty(2 * n_nodes + 2, np.int64)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        item = stack[top]
        node = item if item >= 0 else -item - 1
        own = estimated_errors(nodes.counts[node], rules)
        if nodes.of[node].feature < 0:
            estimate[node] = own
            continue
        first = nodes.of[node].child
        n = n_children(codes, rules, nodes.of[node].feature)
        if item >= 0:
            stack[top] = -node - 1
            for b in range(n):
                stack[top + 1 + b] = first + b
            top += n + 1
            continue
        tree = 0.0
        for child in range(first, first + n):
            tree += estimate[child]
        branch = first
        raised = np.inf
        start, end = nodes.of[node].start, nodes.of[node].end
        if rules.raising:
            branch = largest_branch(nodes, first, n)
            pool, _, raised = send_down(
                pool, used, start, end, nodes, branch, codes, positions, rules, False
            )
        if own - tree < SLACK and own - raised < SLACK:
            nodes.of[node].feature = -1
            estimate[node] = own
        elif raised - tree < SLACK:
            nodes.of[node].feature = nodes.of[branch].feature
            nodes.of[node].code = nodes.of[branch].code
            nodes.of[node].low = nodes.of[branch].low
            nodes.of[node].high = nodes.of[branch].high
            nodes.of[node].child = nodes.of[branch].child
            pool, used, _ = send_down(
                pool, used, start, end, nodes, node, codes, positions, rules, True
            )
            stack[top] = node
            top += 1
        else:
            estimate[node] = tree


@allocating
def decide_link_by_shares(trees, root, codes, positions, link):
    """Do as `decide_link` where values may be missing."""
    n_features = codes.n_features
    x = np.empty(n_features + link)
    n_categories = np.empty(n_features, np.int32)
    for feature in range(n_features):
        n_categories[feature] = codes.features[feature].n_categories
    for p in range(positions.sample.size):
        for feature in range(n_features + link):
            code = code_at(codes, positions, np.int32(p), feature)
            if feature >= n_features:
                x[feature] = code
            elif code < 0:
                x[feature] = np.nan
            else:
                x[feature] = codes.values[codes.features[feature].value_start + code]
        share = add_shares(trees, root, n_categories, x, 1)
        positions.fed[p, link] = share >= 0.5
