"""Searches that the caller passes: any object with scikit-learn's `fit` and `kneighbors`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._neighbors.space import FeatureSpace
from rarelabels._params import unfitted_copy


def search_custom(
    search: Any, space: FeatureSpace, n_neighbors: int, samples: Array | None = None
) -> Array:
    """Return the nearest other samples of all samples, or of some, as (m, k) indices.

    The search is asked for one neighbor more, and the sample itself is dropped, or the farthest
    where the search left out the sample itself.
    """
    points = space.euclidean()
    queries = points if samples is None else points[samples]
    indices = _kneighbors(search, points, queries, n_neighbors + 1)
    return without_self(indices, n_neighbors, samples)


def search_custom_queries(
    search: Any, space: FeatureSpace, n_neighbors: int, n_searched: int
) -> Array:
    """Return the nearest of the first samples for each of the others, as (m, k) indices."""
    points = space.euclidean()
    return _kneighbors(search, points[:n_searched], points[n_searched:], n_neighbors)


def _kneighbors(search: Any, points: Any, queries: Any, n_neighbors: int) -> Array:
    search = _unfitted(search)
    search.fit(points)
    indices = search.kneighbors(queries, n_neighbors=n_neighbors, return_distance=False)
    return _checked_indices(np.asarray(indices), points.shape[0])


def _unfitted(search: Any) -> Any:
    """Return an unfitted copy of the search, so that the caller's object does not change."""
    if not (hasattr(search, "fit") and hasattr(search, "kneighbors")):
        raise TypeError(
            "neighbors must have fit and kneighbors, like sklearn.neighbors.NearestNeighbors, or "
            f'be "approximate", got {search!r}.'
        )
    return unfitted_copy(search)


def _checked_indices(indices: Array, n_samples: int) -> Array:
    if indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= n_samples:
        raise ValueError(
            f"the search given as neighbors returned {indices.dtype} values outside "
            f"0…{n_samples - 1}; an approximate index does so when it finds too few samples: make "
            "it search harder."
        )
    return indices.astype(np.intp, copy=False)


def without_self(indices: Array, n_neighbors: int, samples: Array | None = None) -> Array:
    """Drop the sample itself, or the farthest neighbor if the sample is not among them."""
    samples = np.arange(indices.shape[0]) if samples is None else samples
    is_self = indices == samples[:, None]
    # Where the sample itself is missing, the farthest is one too many.
    is_self[~is_self.any(axis=1) & (indices.shape[1] > n_neighbors), -1] = True
    # A stable sort puts what is dropped last and keeps the order of the rest.
    others = np.argsort(is_self, axis=1, kind="stable")[:, :n_neighbors]
    if is_self.sum(axis=1).max() + n_neighbors > indices.shape[1]:
        raise ValueError(
            f"the search given as neighbors returned {indices.shape[1]} samples each, too few for "
            f"n_neighbors={n_neighbors} in addition to the sample itself."
        )
    return np.take_along_axis(indices, others, axis=1)
