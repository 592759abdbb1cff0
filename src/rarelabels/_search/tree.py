"""Search by a k-d tree, which beats the matrix product where features are few and samples many."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.neighbors import KDTree

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search.ranking import nearest_of_candidates

# Unless many samples lie in one place: all of them are ties that the tree must be asked for.
TREE_FEATURES = 6
TREE_SAMPLES = 5000
TREE_DUPLICATES = 32
# Samples are asked for in blocks of so many candidates.
CANDIDATES_AT_ONCE = 2**22
# Bound on how far a sample may lie from its place in a tree of features rescaled to [0, 1].
PLACING = 4e-15


class TreeSearch:
    def __init__(self, space: FeatureSpace, n_searched: int) -> None:
        self.space = space
        self.n_searched = n_searched
        self.tree = KDTree(space.numeric[:n_searched])

    def nearest(self, rows: Array, n_neighbors: int, n_candidates: int | None = None) -> Array:
        """Ask the tree for more samples than needed, and again where a tie might reach beyond."""
        n_candidates = min(n_candidates or n_neighbors + 6, self.n_searched)
        found = np.empty((rows.size, n_neighbors), dtype=np.intp)
        step = max(1, CANDIDATES_AT_ONCE // n_candidates)
        for start in range(0, rows.size, step):
            part = slice(start, start + step)
            found[part] = self._nearest_of_block(rows[part], n_neighbors, n_candidates)
        return found

    def _nearest_of_block(self, rows: Array, n_neighbors: int, n_candidates: int) -> Array:
        distance, index = self.tree.query(self.space.numeric[rows], n_candidates)
        # The sample itself may be among them, so the last that counts is one place further.
        last = min(n_neighbors, n_candidates - 1)
        may_tie = distance[:, -1] <= distance[:, last] * (1 + 1e-9) + PLACING
        if n_candidates == self.n_searched:
            may_tie[:] = False
        found = np.empty((rows.size, n_neighbors), dtype=np.intp)
        sure = np.flatnonzero(~may_tie)
        is_other = index[sure] != rows[sure, None]
        row, place = np.nonzero(is_other)
        column = index[sure][row, place]
        if sure.size:
            found[sure] = nearest_of_candidates(self.space, rows[sure], row, column, n_neighbors)
        if may_tie.any():
            found[may_tie] = self.nearest(rows[may_tie], n_neighbors, 4 * n_candidates)
        return found


def suits_tree(space: FeatureSpace, n_searched: int) -> bool:
    """Whether a tree finds the neighbours faster than a matrix product."""
    n_features = space.raw.shape[1]
    is_plain = not (sparse.issparse(space.raw) or space.codes.shape[1] or space.gaps.size)
    if not (is_plain and 0 < n_features <= TREE_FEATURES and n_searched >= TREE_SAMPLES):
        return False
    return _most_in_one_place(space.numeric[:n_searched]) <= TREE_DUPLICATES


def _most_in_one_place(points: Array) -> int:
    """Count the samples of the place that most samples share."""
    order = np.lexsort(points.T)
    is_new = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(is_new) + 1, [order.size]])
    return int(np.diff(starts).max())
