"""Nearest neighbours: the one module through which all others search."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace, SpreadSpace, feature_space
from rarelabels._features import Features
from rarelabels._search import nearest_samples
from rarelabels._search.approximate import nearest_approximately
from rarelabels._search.panels import nearest_in_blocks, nearest_in_groups
from rarelabels._validation import check_features, check_n_neighbors, check_number


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest neighbours of every sample of a data set, found once for several uses.

    Pass it as ``neighbors=`` to measures and samplers that work on the same samples, so that they
    need not search again; a search for k neighbours serves every smaller k.

    Parameters
    ----------
    indices : ndarray of shape (n_samples, n_neighbors)
        The neighbours of each sample, nearest first, the sample itself left out.
    recall : float, default=None
        Share of the true neighbours that are among these: 1 after an exact search, measured on some
        samples after an approximate one, None where nobody knows.

    See Also
    --------
    find_neighbors : Search them.

    Examples
    --------
    >>> from rarelabels import find_neighbors
    >>> found = find_neighbors([[0.0], [1.0], [3.0]], n_neighbors=2)
    >>> found.indices
    array([[1, 2],
           [0, 2],
           [1, 0]])
    >>> found.first(1).indices.ravel()
    array([1, 0, 1])
    """

    indices: Array
    recall: float | None = None

    @property
    def n_neighbors(self) -> int:
        """How many neighbours each sample has."""
        return self.indices.shape[1]

    def first(self, n_neighbors: int) -> Neighbors:
        """Keep the `n_neighbors` nearest.

        Parameters
        ----------
        n_neighbors : int
            How many, at most those there are.

        Returns
        -------
        Neighbors
            The nearest among these.
        """
        if n_neighbors > self.n_neighbors:
            raise ValueError(
                f"n_neighbors={n_neighbors}, but the neighbours given are the "
                f"{self.n_neighbors} nearest; search with find_neighbors(n_neighbors={n_neighbors})"
                " or more."
            )
        return Neighbors(self.indices[:, :n_neighbors], self.recall)

    def adjacency(self) -> sparse.csr_array:
        """Return the n×n matrix that is 1 where the column is a neighbour of the row."""
        n_samples, k = self.indices.shape
        ones = np.ones(n_samples * k, dtype=np.int32)
        ends = np.arange(n_samples + 1) * k
        shape = (n_samples, n_samples)
        return sparse.csr_array((ones, self.indices.ravel(), ends), shape=shape)

    def __deepcopy__(self, memo: dict[int, Any]) -> Neighbors:
        # Never changed, so a cloned estimator may share it.
        return self


@dataclass(frozen=True)
class ApproximateNeighbors:
    """Search for neighbours approximately, as well as it is asked to.

    Pass it as ``neighbors=``; ``neighbors="approximate"`` stands for the defaults. Needs faiss:
    ``pip install "rarelabels[approximate]"``. The search is exact where that is cheaper: among
    fewer than 50,000 samples, for sparse features and missing values, and for data without
    clusters. It is for searches among all samples; new samples and groups of them are searched
    exactly.

    Parameters
    ----------
    recall : float, default=0.99
        Share of the true neighbours to be found, measured on 500 samples against the exact search.
    max_gigabytes : float, default=None
        Memory that the search may take beside the features. Where it would take more, which is
        estimated before it begins, it is an error. None: as much as it takes.

    See Also
    --------
    find_neighbors : Its result says what recall was reached.

    Examples
    --------
    >>> from rarelabels import ApproximateNeighbors
    >>> ApproximateNeighbors(recall=0.95)
    ApproximateNeighbors(recall=0.95, max_gigabytes=None)
    """

    recall: float = 0.99
    max_gigabytes: float | None = None


def find_neighbors(
    X: Any,
    *,
    n_neighbors: int = 5,
    scale_features: bool = True,
    categorical_features: Any = "auto",
    neighbors: Any = None,
    n_jobs: int | None = None,
) -> Neighbors:
    """Find the nearest neighbours of every sample, the sample itself left out.

    The search is exact. Squared distances that agree in their first 36 bits (11 digits) are ties,
    which go to the lower sample number; exact duplicates of a sample are neighbours of it like any
    other. A feature that is missing in one or both samples adds 1 to the squared distance.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        The features; values may be missing (NaN, None, pandas.NA or null). A Dask array or
        dataframe stays where it is.
    n_neighbors : int, default=5
        Neighbours of each sample.
    scale_features : bool, default=True
        Rescale every numeric feature to [0, 1] first. False: nothing is shifted or scaled.
    categorical_features : "auto", mask, indices, names or None, default="auto"
        Features that add 1 to the squared distance where they differ. "auto": by the dtypes of a
        dataframe (category, enum, text and bool; text whose values are mostly distinct is none),
        none of an array. None: no feature.
    neighbors : "approximate" or object with `fit` and `kneighbors`, default=None
        Another search. "approximate" or an :class:`ApproximateNeighbors`: by faiss. Another object
        sees the features rescaled and with categories as indicators, so that Euclidean distance
        means the same; it may return the sample itself or not. It is cloned, never fitted itself.
        No value may be missing then.
    n_jobs : int, default=None
        Threads. None: as many as BLAS is set to use. The result does not depend on it.

    Returns
    -------
    Neighbors
        The indices, nearest first; to be passed as ``neighbors=``.

    Examples
    --------
    >>> from rarelabels import find_neighbors
    >>> X = [["red", 1.0], ["red", 2.0], ["blue", 1.0]]
    >>> find_neighbors(X, n_neighbors=1, categorical_features=[0]).indices.ravel()
    array([1, 0, 0])
    """
    features = check_features(X, categorical_features, takes_blocks=True)
    space = feature_space(features, scale_features=scale_features)
    return neighbors_in_space(space, n_neighbors, neighbors, n_jobs)


def neighbors_in_space(
    space: FeatureSpace | SpreadSpace,
    n_neighbors: int,
    neighbors: Any = None,
    n_jobs: int | None = None,
) -> Neighbors:
    """Find the neighbours in a space, by our own search or the one that is given."""
    check_n_neighbors(n_neighbors, space.n_samples)
    if isinstance(space, SpreadSpace):
        return _neighbors_in_blocks(space, n_neighbors, neighbors)
    if neighbors is None:
        return Neighbors(nearest_samples(space, n_neighbors, n_jobs=n_jobs), 1.0)
    if isinstance(neighbors, Neighbors):
        return first_neighbors(neighbors, n_neighbors, space.n_samples)
    if (approximate := _approximate(neighbors)) is not None:
        found = nearest_approximately(
            space, n_neighbors, approximate.recall, n_jobs, approximate.max_gigabytes
        )
        return Neighbors(*found)
    return Neighbors(_ask(neighbors, space, n_neighbors))


def _neighbors_in_blocks(space: SpreadSpace, n_neighbors: int, neighbors: Any) -> Neighbors:
    if isinstance(neighbors, Neighbors):
        return first_neighbors(neighbors, n_neighbors, space.n_samples)
    refuse_search(neighbors)
    return Neighbors(nearest_in_blocks(space, n_neighbors), 1.0)


def refuse_search(neighbors: Any) -> None:
    """Refuse a search that would need a Dask collection in one place."""
    if neighbors is not None:
        raise ValueError(
            f"neighbors={neighbors!r} needs X in one place, and it is a Dask collection; pass "
            "neighbors=None, or the result of find_neighbors."
        )


def neighbors_in_groups(
    space: FeatureSpace | SpreadSpace,
    groups: list[Array],
    n_neighbors: int,
    neighbors: Any,
    n_jobs: int | None,
) -> list[Array]:
    """Return for each group the nearest in it for each of its samples, as indices of the whole.

    Groups of fewer samples have as many neighbours as there are.
    """
    if isinstance(space, SpreadSpace):
        refuse_search(neighbors)
        return nearest_in_groups(space, groups, n_neighbors)
    return [neighbors_among(space, group, n_neighbors, neighbors, n_jobs) for group in groups]


def neighbors_among(
    space: FeatureSpace, samples: Array, n_neighbors: int, neighbors: Any, n_jobs: int | None
) -> Array:
    """Return the nearest among some samples for each of them, as indices of the whole."""
    part = space.take(samples)
    width = min(n_neighbors, samples.size - 1)
    return samples[neighbors_in_space(part, width, neighbors, n_jobs).indices]


def local_neighbors(
    features: Features,
    *,
    n_neighbors: int,
    scale_features: bool,
    neighbors: Any,
    n_jobs: int | None,
) -> Neighbors:
    """Find the neighbours of the samples of X, or take those found before."""
    if isinstance(neighbors, Neighbors):
        return first_neighbors(neighbors, n_neighbors, features.n_samples)
    space = feature_space(features, scale_features=scale_features)
    return neighbors_in_space(space, n_neighbors, neighbors, n_jobs)


def query_neighbors(
    features: Features,
    queries: Features,
    n_neighbors: int,
    *,
    scale_features: bool = True,
    neighbors: Any = None,
    n_jobs: int | None = None,
) -> Array:
    """Find the nearest samples of X for every sample of other data, as (m, k) indices.

    Distances are scaled by X alone; a neighbour may equal the query.
    """
    if features.sources or queries.sources:
        raise ValueError("text columns have codes of their own in other data; encode them first.")
    check_n_neighbors(n_neighbors, features.n_samples + 1)
    space = feature_space(features, queries, scale_features=scale_features)
    if neighbors is None or isinstance(neighbors, Neighbors) or _approximate(neighbors):
        # Neighbours found before are those among the samples of X only, and so are cells.
        first = features.n_samples
        return nearest_samples(space, n_neighbors, n_jobs=n_jobs, queries_from=first)
    points, search = space.euclidean(), _unfitted(neighbors)
    search.fit(points[: features.n_samples])
    found = search.kneighbors(
        points[features.n_samples :], n_neighbors=n_neighbors, return_distance=False
    )
    return _checked_indices(np.asarray(found), features.n_samples)


def neighbors_of(
    space: FeatureSpace,
    samples: Array,
    n_neighbors: int,
    neighbors: Any = None,
    n_jobs: int | None = None,
) -> Array:
    """Find the nearest other samples of some samples of a space, as (m, k) indices."""
    check_n_neighbors(n_neighbors, space.n_samples)
    if neighbors is None or _approximate(neighbors):
        found = nearest_samples(
            space.followed_by(samples),
            n_neighbors + 1,
            n_jobs=n_jobs,
            queries_from=space.n_samples,
        )
        return _without_self(found, n_neighbors, samples)
    points, search = space.euclidean(), _unfitted(neighbors)
    search.fit(points)
    found = search.kneighbors(points[samples], n_neighbors=n_neighbors + 1, return_distance=False)
    return _without_self(_checked_indices(np.asarray(found), space.n_samples), n_neighbors, samples)


def first_neighbors(neighbors: Neighbors, n_neighbors: int, n_samples: int) -> Neighbors:
    """Return the nearest of neighbours found before, checked to be of as many samples."""
    check_n_neighbors(n_neighbors, n_samples)
    if neighbors.indices.shape[0] != n_samples:
        raise ValueError(
            f"the neighbours given are of {neighbors.indices.shape[0]} samples, but X has "
            f"{n_samples}; search them on this X."
        )
    return neighbors.first(n_neighbors)


def _approximate(neighbors: Any) -> ApproximateNeighbors | None:
    """Return the approximate search that is asked for, checked, None for any other."""
    if isinstance(neighbors, str) and neighbors == "approximate":
        return ApproximateNeighbors()
    if not isinstance(neighbors, ApproximateNeighbors):
        return None
    if not 0 < neighbors.recall <= 1:
        raise ValueError(f"recall must lie in (0, 1], got {neighbors.recall!r}.")
    if neighbors.max_gigabytes is not None:
        check_number("max_gigabytes", neighbors.max_gigabytes, above=0)
    return neighbors


def _ask(search: Any, space: FeatureSpace, n_neighbors: int) -> Array:
    """Ask a foreign search for one neighbour more, and drop the sample itself or the farthest."""
    points, search = space.euclidean(), _unfitted(search)
    search.fit(points)
    found = search.kneighbors(points, n_neighbors=n_neighbors + 1, return_distance=False)
    return _without_self(_checked_indices(np.asarray(found), space.n_samples), n_neighbors)


def _unfitted(search: Any) -> Any:
    """Return an unfitted copy of the search, so that the caller's stays as it is."""
    if not (hasattr(search, "fit") and hasattr(search, "kneighbors")):
        raise TypeError(
            "neighbors must have fit and kneighbors, like sklearn.neighbors.NearestNeighbors, or "
            f'be "approximate", got {search!r}.'
        )
    return clone(search) if hasattr(search, "get_params") else copy.deepcopy(search)


def _checked_indices(found: Array, n_samples: int) -> Array:
    if found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= n_samples:
        raise ValueError(
            f"the search given as neighbors returned {found.dtype} values outside 0…{n_samples - 1}"
            "; an approximate index does so when it finds too few samples: make it search harder."
        )
    return found.astype(np.intp, copy=False)


def _without_self(found: Array, n_neighbors: int, samples: Array | None = None) -> Array:
    """Drop the sample itself, or the farthest where it is not among those found."""
    samples = np.arange(found.shape[0]) if samples is None else samples
    is_self = found == samples[:, None]
    # Where the sample itself is not there, the farthest is one too many.
    is_self[~is_self.any(axis=1) & (found.shape[1] > n_neighbors), -1] = True
    # A stable sort puts what is dropped last and leaves the order of the rest.
    kept = np.argsort(is_self, axis=1, kind="stable")[:, :n_neighbors]
    if is_self.sum(axis=1).max() + n_neighbors > found.shape[1]:
        raise ValueError(
            f"the search given as neighbors returned {found.shape[1]} samples each, too few for "
            f"n_neighbors={n_neighbors} besides the sample itself."
        )
    return np.take_along_axis(found, kept, axis=1)
