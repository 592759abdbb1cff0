"""What no threshold of a feature scores above, from the counts of its stored codes."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compiling import inlined


@inlined
def is_of_one_class(by_class, feature, n_stored):
    """Whether all samples with a stored code are of one class."""
    most = 0
    for k in range(by_class.shape[1]):
        most = max(most, by_class[feature, k])
    return most == n_stored


@inlined
def highest_score(room, stored, feature):
    """Return what no threshold of a feature scores above; `stored[feature]` are its class counts.

    The samples without a stored code stay together. The score is convex in the class counts of the
    side without them, so it is highest where that side has all or none of each class. Of many
    classes, it is no higher than with every class apart.
    """
    n_classes = stored.shape[1]
    if n_classes > 3:
        score, n_base = 0.0, 0
        for k in range(n_classes):
            score += room.table[room.counts[k] - stored[feature, k]]
            n_base += room.counts[k] - stored[feature, k]
        return score - room.table[n_base]
    none = 0.0
    for k in range(n_classes):
        none += room.shares[room.shares_start[k]]
    highest = -np.inf
    for classes in range(1, 1 << n_classes):
        score, size = none, 0
        for k in range(n_classes):
            if (classes >> k) & 1:
                first, side = room.shares_start[k], stored[feature, k]
                score += room.shares[first + side] - room.shares[first]
                size += side
        highest = max(highest, score - room.sizes[size])
    return highest
