"""Exact search for the k nearest samples of every sample.

Distances come from a matrix product in float32 (`operands`), either once for every pair of samples
(`tiles`) or block by block (`brute_force`), from compiled code (`sparse`) or from a `kd_tree`.
Every sample within the rounding bound is a candidate. Candidates that rounding may have put in the
wrong order are ranked by their distance in float64, then by sample number (`ranking`). The result
is that of a search in float64, including ties, for any tile size and number of threads. If all
numbers are small integers, the product is exact and nothing is ranked again.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from scipy.sparse import issparse

from rarelabels._containers import Array
from rarelabels._neighbors.exact.brute_force import BLOCK_ROWS, BruteForceSearch
from rarelabels._neighbors.exact.kd_tree import KDTreeSearch
from rarelabels._neighbors.exact.sparse.search import SparseSearch
from rarelabels._neighbors.exact.threads import effective_threads, in_threads, one_blas_thread
from rarelabels._neighbors.exact.tiles import TileSearch
from rarelabels._neighbors.space import FeatureSpace

__all__ = ["nearest_samples", "suits_kd_tree", "suits_sparse", "suits_tiles"]

# A k-d tree is used for at most so many features, for so many samples or more, and if no more than
# so many samples are equal: all of them are ties.
TREE_FEATURES = 6
TREE_SAMPLES = 5000
TREE_DUPLICATES = 32
# Among fewer sparse samples compiled code is not faster.
SPARSE_SAMPLES = 1000
# For more neighbors than this, the limits of a tile are too high to save much.
TILE_NEIGHBORS = 64


def nearest_samples(
    space: FeatureSpace,
    n_neighbors: int,
    *,
    n_jobs: int | None = None,
    queries_from: int | None = None,
) -> Array:
    """Return the `n_neighbors` nearest other samples of each, nearest first, as (n, k) indices.

    With `queries_from`, the samples from there on are asked for, and those before them searched.
    """
    n_searched = space.n_samples if queries_from is None else queries_from
    rows = np.arange(queries_from or 0, space.n_samples)
    n_blocks = -(-rows.size // BLOCK_ROWS)
    # To ask how many threads there are takes longer than a search among few samples.
    n_threads = min(n_blocks, effective_threads(n_jobs)) if n_blocks > 1 else 1
    if n_threads == 1:
        return _nearest(space, n_searched, rows, n_neighbors, 1)
    with one_blas_thread():
        return _nearest(space, n_searched, rows, n_neighbors, n_threads)


def _nearest(
    space: FeatureSpace, n_searched: int, rows: Array, n_neighbors: int, n_threads: int
) -> Array:
    search: KDTreeSearch | SparseSearch | BruteForceSearch
    is_among_itself = n_searched == space.n_samples
    if suits_kd_tree(space, n_searched):
        search = KDTreeSearch(space, n_searched)
    elif suits_sparse(space, n_searched):
        search = SparseSearch(space, n_searched)
        if is_among_itself:
            return search.nearest_of_all(n_neighbors, n_threads)
    elif is_among_itself and suits_tiles(space, n_neighbors):
        return TileSearch(space, n_neighbors).nearest_of_all(n_threads)
    else:
        search = BruteForceSearch(space, n_searched)
    parts = np.array_split(rows, n_threads)
    return np.concatenate(
        in_threads(lambda part: search.nearest(part, n_neighbors), parts, n_threads)
    )


def suits_kd_tree(space: FeatureSpace, n_searched: int) -> bool:
    """Whether a tree finds the neighbors faster than a matrix product."""
    n_features = space.raw.shape[1]
    is_plain = not (issparse(space.raw) or space.codes.shape[1] or space.incomplete.size)
    if not (is_plain and 0 < n_features <= TREE_FEATURES and n_searched >= TREE_SAMPLES):
        return False
    return _largest_group_of_equals(space.numeric[:n_searched]) <= TREE_DUPLICATES


def _largest_group_of_equals(points: Array) -> int:
    """Return the size of the largest group of equal samples."""
    order = np.lexsort(points.T)
    is_new = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(is_new) + 1, [order.size]])
    return int(np.diff(starts).max())


def suits_sparse(space: FeatureSpace, n_searched: int) -> bool:
    """Whether compiled code for sparse samples is available and faster."""
    is_large = n_searched >= SPARSE_SAMPLES and issparse(space.raw)
    return is_large and find_spec("numba") is not None


def suits_tiles(space: FeatureSpace, n_neighbors: int) -> bool:
    """Whether a search among all samples is done by tiles."""
    return not issparse(space.raw) and n_neighbors <= TILE_NEIGHBORS
