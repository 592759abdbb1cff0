"""Find neighbors: check the arguments, and choose the search."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._neighbors.approximate import nearest_approximately
from rarelabels._neighbors.custom_search import (
    search_custom,
    search_custom_queries,
    without_self,
)
from rarelabels._neighbors.exact import nearest_samples
from rarelabels._neighbors.result import ApproximateNeighbors, Neighbors, first_neighbors
from rarelabels._neighbors.scaling import feature_space
from rarelabels._neighbors.space import FeatureSpace, RemoteSpace
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import (
    check_features,
    check_n_neighbors,
    check_number,
    group_numbers,
)


@shared_parameters
def find_neighbors(
    X: Any,
    *,
    n_neighbors: int = 5,
    scale_features: bool = True,
    categorical_features: Any = "auto",
    metric: str = "euclidean",
    neighbors: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
) -> Neighbors:
    """Find the nearest neighbors of every sample, without the sample itself.

    The search is exact. Squared distances that agree in their first 36 bits (11 digits) are ties,
    and ties go to the lower sample number. Exact duplicates of a sample are neighbors of it like
    any other sample. A feature that is missing in one or both samples adds 1 to the squared
    distance.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        The features. Values may be missing (NaN, None, pandas.NA or null). A Dask array or
        dataframe is never loaded into memory as a whole.
    {n_neighbors}
    scale_features : bool, default=True
        Whether to rescale every numeric feature to [0, 1] first. If False, nothing is shifted or
        scaled.
    categorical_features : "auto", mask, indices, names or None, default="auto"
        Features that add 1 to the squared distance where they differ. "auto": by the dtypes of a
        dataframe (category, enum, text and bool; text with mostly distinct values is not a
        category), none of an array. None: no feature.
    {metric}
    neighbors : "approximate" or object with `fit` and `kneighbors`, default=None
        Another search. "approximate" or an :class:`ApproximateNeighbors`: by faiss. Any other
        object receives the features rescaled, or scaled to unit length, and with categories as
        indicators, so that Euclidean distance means the same. It may return the sample itself or
        not. It is cloned and never fitted itself. No value may be missing then.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, for instance a patient. Samples of the same group are then not
        neighbors: they say little about how a label is spread among others.
    n_jobs : int, default=None
        Number of threads. None: as many as BLAS is set to use. The result does not depend on it.

    Returns
    -------
    Neighbors
        The indices, nearest first. Pass it as ``neighbors=`` to measures and samplers.

    Examples
    --------
    >>> from rarelabels import find_neighbors
    >>> X = [["red", 1.0], ["red", 2.0], ["blue", 1.0]]
    >>> find_neighbors(X, n_neighbors=1, categorical_features=[0]).indices.ravel()
    array([1, 0, 0])
    """
    features = check_features(X, categorical_features, works_on_blocks=True)
    numbers = None if groups is None else group_numbers(groups, features.n_samples)
    nearest = local_neighbors(
        features,
        n_neighbors=n_neighbors if numbers is None else n_with_group(n_neighbors, numbers),
        scale_features=scale_features,
        metric=metric,
        neighbors=neighbors,
        n_jobs=n_jobs,
    )
    return nearest if numbers is None else outside_groups(nearest, numbers, n_neighbors)


def n_with_group(n_neighbors: int, groups: Array) -> int:
    """Return how many neighbors are searched, so that enough are outside of a sample's group."""
    largest = int(np.bincount(groups).max())
    check_n_neighbors(n_neighbors, groups.size)
    if groups.size - largest < n_neighbors:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs as many samples outside of each group, but the "
            f"largest group has {largest} of the {groups.size} samples; choose a smaller "
            "n_neighbors, or leave groups out."
        )
    return n_neighbors + largest - 1


def outside_groups(neighbors: Neighbors, groups: Array, n_neighbors: int) -> Neighbors:
    """Return the nearest neighbors that are not of the sample's group."""
    is_same = groups[neighbors.indices] == groups[:, None]
    order = np.argsort(is_same, axis=1, kind="stable")[:, :n_neighbors]
    return Neighbors(np.take_along_axis(neighbors.indices, order, axis=1), neighbors.recall)


def local_neighbors(
    features: Features,
    *,
    n_neighbors: int,
    scale_features: bool,
    neighbors: Any,
    n_jobs: int | None,
    metric: str = "euclidean",
) -> Neighbors:
    """Find the neighbors of the samples of X, or take those that were found before."""
    if isinstance(neighbors, Neighbors):
        return first_neighbors(neighbors, n_neighbors, features.n_samples)
    space = feature_space(features, scale_features=scale_features, metric=metric)
    return neighbors_in_space(space, n_neighbors, neighbors, n_jobs)


def neighbors_in_space(
    space: FeatureSpace | RemoteSpace,
    n_neighbors: int,
    neighbors: Any = None,
    n_jobs: int | None = None,
) -> Neighbors:
    """Find the neighbors in a space, by the exact search or the one that is given."""
    check_n_neighbors(n_neighbors, space.n_samples)
    if isinstance(neighbors, Neighbors):
        return first_neighbors(neighbors, n_neighbors, space.n_samples)
    approximate = _approximate(neighbors)
    if not isinstance(space, FeatureSpace):
        return Neighbors(*space.nearest(n_neighbors, approximate or neighbors))
    if neighbors is None:
        return Neighbors(nearest_samples(space, n_neighbors, n_jobs=n_jobs), 1.0)
    if approximate is not None:
        return Neighbors(
            *nearest_approximately(
                space, n_neighbors, approximate.recall, n_jobs, approximate.max_gigabytes
            )
        )
    return Neighbors(search_custom(neighbors, space, n_neighbors))


def neighbors_in_groups(
    space: FeatureSpace | RemoteSpace,
    groups: list[Array],
    n_neighbors: int,
    neighbors: Any,
    n_jobs: int | None,
) -> list[Array]:
    """Return for each group the nearest in it for each of its samples, as indices of the whole.

    Smaller groups have as many neighbors as there are.
    """
    if not isinstance(space, FeatureSpace):
        return space.nearest_in_groups(groups, n_neighbors, _approximate(neighbors) or neighbors)
    return [neighbors_among(space, group, n_neighbors, neighbors, n_jobs) for group in groups]


def neighbors_among(
    space: FeatureSpace, samples: Array, n_neighbors: int, neighbors: Any, n_jobs: int | None
) -> Array:
    """Return the nearest among some samples for each of them, as indices of the whole."""
    part = space.take(samples)
    width = min(n_neighbors, samples.size - 1)
    return samples[neighbors_in_space(part, width, neighbors, n_jobs).indices]


def query_neighbors(
    features: Features,
    queries: Features,
    n_neighbors: int,
    *,
    scale_features: bool = True,
    metric: str = "euclidean",
    neighbors: Any = None,
    n_jobs: int | None = None,
) -> Array:
    """Find the nearest samples of X for every sample of other data, as (m, k) indices.

    Distances are scaled by X alone. A neighbor may equal the query.
    """
    if features.sources or queries.sources:
        raise ValueError("text columns have different codes in different data; encode them first.")
    check_n_neighbors(n_neighbors, features.n_samples + 1)
    space = feature_space(features, queries, scale_features=scale_features, metric=metric)
    n_searched = features.n_samples
    # Neighbors found before are those among the samples of X only, and so is approximate search.
    if neighbors is None or isinstance(neighbors, Neighbors) or _approximate(neighbors):
        return nearest_samples(space, n_neighbors, n_jobs=n_jobs, queries_from=n_searched)
    return search_custom_queries(neighbors, space, n_neighbors, n_searched)


def neighbors_of(
    space: FeatureSpace,
    samples: Array,
    n_neighbors: int,
    neighbors: Any = None,
    n_jobs: int | None = None,
) -> Array:
    """Find the nearest other samples of some samples of a space, as (m, k) indices."""
    check_n_neighbors(n_neighbors, space.n_samples)
    if neighbors is not None and not _approximate(neighbors):
        return search_custom(neighbors, space, n_neighbors, samples)
    indices = nearest_samples(
        space.followed_by(samples), n_neighbors + 1, n_jobs=n_jobs, queries_from=space.n_samples
    )
    return without_self(indices, n_neighbors, samples)


def _approximate(neighbors: Any) -> ApproximateNeighbors | None:
    """Return the settings of the approximate search, checked, None for any other search."""
    if isinstance(neighbors, str) and neighbors == "approximate":
        return ApproximateNeighbors()
    if not isinstance(neighbors, ApproximateNeighbors):
        return None
    if not 0 < neighbors.recall <= 1:
        raise ValueError(f"recall must lie in (0, 1], got {neighbors.recall!r}.")
    if neighbors.max_gigabytes is not None:
        check_number("max_gigabytes", neighbors.max_gigabytes, above=0)
    return neighbors
