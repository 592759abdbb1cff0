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
def score_apart(room, stored, feature):
    """Return what the split would score with the stored samples of every class apart.

    No threshold scores more; `stored[feature]` are the class counts of the stored codes.
    """
    score, n_base = 0.0, 0
    for k in range(stored.shape[1]):
        n_base += room.counts[k] - stored[feature, k]
        score += room.table[room.counts[k] - stored[feature, k]]
    return score - room.table[n_base]


@inlined
def highest_score(room, stored, feature):
    """Return what no threshold of a feature of up to three classes scores above.

    The samples without a stored code stay together. The score is convex in the class counts of the
    side without them, so it is highest where that side has all or none of each class.
    """
    shares, starts, sizes = room.shares, room.shares_start, room.sizes
    n_first, n_second = np.int64(stored[feature, 0]), np.int64(stored[feature, 1])
    none = shares[starts[0]] + shares[starts[1]]
    first = shares[starts[0] + n_first] - shares[starts[0]]
    second = shares[starts[1] + n_second] - shares[starts[1]]
    without_third, with_third, n_third = 0.0, 0.0, np.int64(0)
    if stored.shape[1] == 3:
        n_third = np.int64(stored[feature, 2])
        without_third, with_third = shares[starts[2]], shares[starts[2] + n_third]
    highest = -np.inf
    for third, n in ((without_third, np.int64(0)), (with_third, n_third)):
        highest = max(highest, none + third - sizes[n])
        highest = max(highest, none + third + first - sizes[n + n_first])
        highest = max(highest, none + third + second - sizes[n + n_second])
        highest = max(highest, none + third + first + second - sizes[n + n_first + n_second])
    return highest
