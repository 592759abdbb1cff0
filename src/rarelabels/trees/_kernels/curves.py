"""What each class count and each size of a side gives to a split's score, at one node.

A score is minus the entropy of the two sides, times their weight: the higher, the purer. It is the
sum over the classes of what their counts on one side add, less what the size of that side takes.
"""

from __future__ import annotations

from rarelabels.trees._kernels.compiling import compiled, inlined


@compiled
def fill_curves(room, n):
    """Fill in what counts and sizes give at a node of n samples, whose classes are counted."""
    table, sizes, shares, rises = room.table, room.sizes, room.shares, room.rises
    for size in range(n + 1):
        sizes[size] = table[size] + table[n - size]
    first = 0
    for k in range(room.counts.size):
        count = room.counts[k]
        room.shares_start[k] = first
        for side in range(count + 1):
            shares[first + side] = table[side] + table[count - side]
        for side in range(count):
            rises[first + side] = shares[first + side + 1] - shares[first + side]
        first += count + 1


@inlined
def score_of_two(room, sides, at, size):
    """Return the score of a split, where `sides[at]` are the class counts of one side."""
    score = -room.sizes[size]
    for k in range(sides.shape[1]):
        score += room.shares[room.shares_start[k] + sides[at, k]]
    return score


@inlined
def score_of_side(room):
    """Return the score of a split, of which `room.side` is one side."""
    score, size = 0.0, 0
    for k in range(room.side.size):
        score += room.shares[room.shares_start[k] + room.side[k]]
        size += room.side[k]
    return score - room.sizes[size]
