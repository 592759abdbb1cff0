"""Count the labels of a node's samples and of one side of a split."""

from __future__ import annotations

from rarelabels.trees._kernels.compilation import at, compiled, inlined
from rarelabels.trees._kernels.criterion import entropy_score, gini_score
from rarelabels.trees._kernels.multilabel.structures import label_range


@compiled
def count_node(labels, work, start, end):
    """Count the labels of a node's samples; all counts are zero before."""
    counts, total = work.counts, work.totals[0]
    total.weight, total.of_labels, total.squares = 0.0, 0.0, 0.0
    total.n_sum, total.n_squares = 0, 0
    n_touched = 0
    for i in range(start, end):
        sample = at(work.rows[i])
        weight = work.weight[sample]
        total.weight += weight
        for item in label_range(labels, sample):
            label = labels.labels[item]
            count = counts[at(label)]
            if count.n == 0:
                work.touched[n_touched] = label
                n_touched += 1
            count.total += weight
            count.n += 1
    for a in range(n_touched):
        count = counts[at(work.touched[a])]
        total.of_labels += count.total
        total.squares += count.total * count.total
        total.n_sum += count.n
        total.n_squares += count.n * count.n


@compiled
def clear_counts(labels, work, start, end):
    """Set the counts of a node's labels to zero."""
    for i in range(start, end):
        sample = at(work.rows[i])
        for item in label_range(labels, sample):
            count = work.counts[at(labels.labels[item])]
            count.total, count.n = 0.0, 0


@compiled
def remove_samples(labels, work, start, end):
    """Take a range of the node's samples out of its counts."""
    total = work.totals[0]
    for i in range(start, end):
        sample = at(work.rows[i])
        weight = work.weight[sample]
        total.weight -= weight
        for item in label_range(labels, sample):
            count = work.counts[at(labels.labels[item])]
            total.of_labels -= weight
            total.squares -= weight * (2.0 * count.total - weight)
            total.n_sum -= 1
            total.n_squares -= 2 * count.n - 1
            count.total -= weight
            count.n -= 1


@inlined
def is_pure(work, n):
    """Whether each label is on all of a node's n samples, or on none."""
    total = work.totals[0]
    return n * total.n_sum == total.n_squares


@compiled
def find_active(work, n):
    """List the labels of which a node of n samples has both kinds; return their number."""
    n_active = 0
    for label in range(work.counts.size):
        if 0 < work.counts[label].n < n:
            work.active[n_active] = label
            n_active += 1
    return n_active


@compiled
def clear_side(work, n_touched):
    """Empty the side."""
    for a in range(n_touched):
        work.counts[at(work.touched[a])].side = 0.0


@inlined
def score_side(labels, work, listed, n_active, rules):
    """Return the weight, sum of squares, cross sum and score of the listed samples' side."""
    counts, total, touched = work.counts, work.totals[0], work.touched
    weights, all_labels = work.weight, labels.labels
    weight, squares, cross, score, n_touched = 0.0, 0.0, 0.0, 0.0, at(0)
    for i in range(listed.size):
        sample = at(listed[i])
        own = weights[sample]
        weight += own
        for item in label_range(labels, sample):
            label = all_labels[item]
            side = counts[at(label)].side
            touched[n_touched] = label
            n_touched += at(side == 0.0)
            counts[at(label)].side = side + own
    if rules.entropy:
        score = entropy_score(work, n_active, weight)
    for a in range(n_touched):
        count = counts[at(touched[a])]
        side = count.side
        squares += side * side
        cross += side * count.total
        count.side = 0.0
    if not rules.entropy:
        score = gini_score(squares, cross, weight, total.squares, total.weight)
    return weight, squares, cross, score
