"""Count the labels of a node's samples and of one side of a split."""

from __future__ import annotations

from rarelabels.trees._kernels.compilation import compiled, inlined, unsigned
from rarelabels.trees._kernels.criterion import entropy_score, gini_score
from rarelabels.trees._kernels.multilabel.structures import label_range


@compiled
def count_node(labels, workspace, start, end):
    """Count the labels of a node's samples; all counts are zero before."""
    counts, total = workspace.counts, workspace.totals[0]
    total.weight, total.of_labels, total.squares = 0.0, 0.0, 0.0
    total.n_sum, total.n_squares = 0, 0
    n_touched = 0
    for i in range(start, end):
        sample = unsigned(workspace.rows[i])
        weight = workspace.weight[sample]
        total.weight += weight
        for item in label_range(labels, sample):
            label = labels.labels[item]
            count = counts[unsigned(label)]
            if count.n == 0:
                workspace.touched[n_touched] = label
                n_touched += 1
            count.total += weight
            count.n += 1
    for a in range(n_touched):
        count = counts[unsigned(workspace.touched[a])]
        total.of_labels += count.total
        total.squares += count.total * count.total
        total.n_sum += count.n
        total.n_squares += count.n * count.n


@compiled
def clear_counts(labels, workspace, start, end):
    """Set the counts of a node's labels to zero."""
    for i in range(start, end):
        sample = unsigned(workspace.rows[i])
        for item in label_range(labels, sample):
            count = workspace.counts[unsigned(labels.labels[item])]
            count.total, count.n = 0.0, 0


@compiled
def remove_samples(labels, workspace, start, end):
    """Take a range of the node's samples out of its counts."""
    total = workspace.totals[0]
    for i in range(start, end):
        sample = unsigned(workspace.rows[i])
        weight = workspace.weight[sample]
        total.weight -= weight
        for item in label_range(labels, sample):
            count = workspace.counts[unsigned(labels.labels[item])]
            total.of_labels -= weight
            total.squares -= weight * (2.0 * count.total - weight)
            total.n_sum -= 1
            total.n_squares -= 2 * count.n - 1
            count.total -= weight
            count.n -= 1


@inlined
def is_pure(workspace, n):
    """Whether each label is on all of a node's n samples, or on none."""
    total = workspace.totals[0]
    return n * total.n_sum == total.n_squares


@compiled
def find_active(workspace, n):
    """List the labels of which a node of n samples has both kinds; return their number."""
    n_active = 0
    for label in range(workspace.counts.size):
        if 0 < workspace.counts[label].n < n:
            workspace.active[n_active] = label
            n_active += 1
    return n_active


@compiled
def clear_side(workspace, n_touched):
    """Empty the side."""
    for a in range(n_touched):
        workspace.counts[unsigned(workspace.touched[a])].side = 0.0


@inlined
def score_side(labels, workspace, listed, n_active, rules):
    """Return the weight, sum of squares, cross sum and score of the listed samples' side."""
    counts, total, touched = workspace.counts, workspace.totals[0], workspace.touched
    weights, all_labels = workspace.weight, labels.labels
    weight, squares, cross, score, n_touched = 0.0, 0.0, 0.0, 0.0, unsigned(0)
    for i in range(listed.size):
        sample = unsigned(listed[i])
        sample_weight = weights[sample]
        weight += sample_weight
        for item in label_range(labels, sample):
            label = all_labels[item]
            side = counts[unsigned(label)].side
            touched[n_touched] = label
            n_touched += unsigned(side == 0.0)
            counts[unsigned(label)].side = side + sample_weight
    if rules.entropy:
        score = entropy_score(workspace, n_active, weight)
    for a in range(n_touched):
        count = counts[unsigned(touched[a])]
        side = count.side
        squares += side * side
        cross += side * count.total
        count.side = 0.0
    if not rules.entropy:
        score = gini_score(squares, cross, weight, total.squares, total.weight)
    return weight, squares, cross, score
