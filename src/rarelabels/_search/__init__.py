"""Exact search for the k nearest samples of every sample.

Distances come from a matrix product in float32 (`points`), for all pairs of samples once (`tiles`)
or block by block (`blocks`), from compiled code (`compiled`) or from a tree (`tree`). Every sample
within the rounding bound is a candidate, and candidates that rounding may have put in the wrong
order are ranked by their distance in float64, then by sample number (`ranking`): the result is that
of a search in float64, ties included, whatever the size of the tiles and the number of threads.
Where the numbers are small whole ones the product is exact, and there is nothing to rank again.
"""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search.blocks import BLOCK_ROWS, BlockSearch
from rarelabels._search.compiled import SparseSearch, suits_compiled
from rarelabels._search.threads import effective_threads, in_threads, one_blas_thread
from rarelabels._search.tiles import TileSearch, suits_tiles
from rarelabels._search.tree import TreeSearch, suits_tree

__all__ = ["nearest_samples"]


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
    search: TreeSearch | SparseSearch | BlockSearch
    is_among_itself = n_searched == space.n_samples
    if suits_tree(space, n_searched):
        search = TreeSearch(space, n_searched)
    elif suits_compiled(space, n_searched):
        search = SparseSearch(space, n_searched)
        if is_among_itself:
            return search.nearest_of_all(n_neighbors, n_threads)
    elif is_among_itself and suits_tiles(space, n_neighbors):
        return TileSearch(space, n_neighbors).nearest_of_all(n_threads)
    else:
        search = BlockSearch(space, n_searched)
    parts = np.array_split(rows, n_threads)
    return np.concatenate(
        in_threads(lambda part: search.nearest(part, n_neighbors), parts, n_threads)
    )
