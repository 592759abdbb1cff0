"""Search by a k-d tree, which is faster than a matrix product for few features and many samples."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KDTree

from rarelabels._containers import Array
from rarelabels._neighbors.exact.ranking import nearest_of_candidates
from rarelabels._neighbors.space import FeatureSpace

# Candidates per block of queries.
CANDIDATES_AT_ONCE = 2**22
# Bound on the rounding error of a coordinate in a tree of features rescaled to [0, 1].
PLACING = 4e-15


class KDTreeSearch:
    """Search the first `n_searched` samples of a space for any of its samples."""

    def __init__(self, space: FeatureSpace, n_searched: int) -> None:
        self.space = space
        self.n_searched = n_searched
        self.tree = KDTree(space.numeric[:n_searched])

    def nearest(self, rows: Array, n_neighbors: int, n_candidates: int | None = None) -> Array:
        """Query the tree for more samples than needed, and again if a tie might reach beyond."""
        n_candidates = min(n_candidates or n_neighbors + 6, self.n_searched)
        nearest = np.empty((rows.size, n_neighbors), dtype=np.intp)
        step = max(1, CANDIDATES_AT_ONCE // n_candidates)
        for start in range(0, rows.size, step):
            part = slice(start, start + step)
            nearest[part] = self._nearest_of_block(rows[part], n_neighbors, n_candidates)
        return nearest

    def _nearest_of_block(self, rows: Array, n_neighbors: int, n_candidates: int) -> Array:
        distance, index = self.tree.query(self.space.numeric[rows], n_candidates)
        # The sample itself may be among them, so the last neighbor may be one place further.
        last = min(n_neighbors, n_candidates - 1)
        farthest = np.hypot(distance[:, last], np.sqrt(2 * self.space.metric.ties.amount))
        may_tie = distance[:, -1] <= farthest * (1 + 1e-9) + PLACING
        if n_candidates == self.n_searched:
            may_tie[:] = False
        nearest = np.empty((rows.size, n_neighbors), dtype=np.intp)
        sure = np.flatnonzero(~may_tie)
        is_other = index[sure] != rows[sure, None]
        row, place = np.nonzero(is_other)
        column = index[sure][row, place]
        if sure.size:
            nearest[sure] = nearest_of_candidates(self.space, rows[sure], row, column, n_neighbors)
        if may_tie.any():
            nearest[may_tie] = self.nearest(rows[may_tie], n_neighbors, 4 * n_candidates)
        return nearest
