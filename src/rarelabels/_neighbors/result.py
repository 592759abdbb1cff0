"""The neighbors that a search has found, and the settings of the approximate search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._validation import check_n_neighbors


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest neighbors of every sample of a data set, found once for several uses.

    Pass it as ``neighbors=`` to measures and samplers that work on the same samples, so that they
    do not search again. A search for k neighbors serves every smaller k.

    Parameters
    ----------
    indices : ndarray of shape (n_samples, n_neighbors)
        The neighbors of each sample, nearest first, without the sample itself.
    recall : float, default=None
        Share of the true neighbors that are among these: 1 after an exact search, measured on some
        samples after an approximate one, None if unknown.

    See Also
    --------
    find_neighbors : Search for them.

    Examples
    --------
    >>> from rarelabels import find_neighbors
    >>> neighbors = find_neighbors([[0.0], [1.0], [3.0]], n_neighbors=2)
    >>> neighbors.indices
    array([[1, 2],
           [0, 2],
           [1, 0]])
    >>> neighbors.first(1).indices.ravel()
    array([1, 0, 1])
    """

    indices: Array
    recall: float | None = None

    @property
    def n_neighbors(self) -> int:
        """Number of neighbors of each sample."""
        return self.indices.shape[1]

    def first(self, n_neighbors: int) -> Neighbors:
        """Keep the `n_neighbors` nearest.

        Parameters
        ----------
        n_neighbors : int
            How many, at most as many as there are.

        Returns
        -------
        Neighbors
            The nearest among these.
        """
        if n_neighbors > self.n_neighbors:
            raise ValueError(
                f"n_neighbors={n_neighbors}, but the neighbors given are the "
                f"{self.n_neighbors} nearest; search with find_neighbors(n_neighbors={n_neighbors})"
                " or more."
            )
        return Neighbors(self.indices[:, :n_neighbors], self.recall)

    def adjacency(self) -> sparse.csr_array:
        """Return the n×n matrix that is 1 where the column is a neighbor of the row."""
        n_samples, k = self.indices.shape
        ones = np.ones(n_samples * k, dtype=np.int32)
        ends = np.arange(n_samples + 1) * k
        shape = (n_samples, n_samples)
        return sparse.csr_array((ones, self.indices.ravel(), ends), shape=shape)

    def __deepcopy__(self, memo: dict[int, Any]) -> Neighbors:
        # Never changed, so a cloned estimator may share it.
        return self


def first_neighbors(neighbors: Neighbors, n_neighbors: int, n_samples: int) -> Neighbors:
    """Return the nearest of given neighbors, after checking that they are of as many samples."""
    check_n_neighbors(n_neighbors, n_samples)
    if neighbors.indices.shape[0] != n_samples:
        raise ValueError(
            f"the neighbors given are of {neighbors.indices.shape[0]} samples, but X has "
            f"{n_samples}; search for them on this X."
        )
    return neighbors.first(n_neighbors)


def check_not_found_before(neighbors: Any, sampler: str, how: str) -> None:
    """Refuse neighbors of all samples for a sampler that searches otherwise."""
    if isinstance(neighbors, Neighbors):
        raise ValueError(
            f"{sampler} searches {how}, so it cannot use the neighbors of all samples; pass "
            "neighbors=None, or a search with fit and kneighbors."
        )


@dataclass(frozen=True)
class ApproximateNeighbors:
    """Search for neighbors approximately, with a given recall.

    Pass it as ``neighbors=``. ``neighbors="approximate"`` uses the defaults. It requires faiss:
    ``pip install "rarelabels[approximate]"``. The search is exact whenever that is cheaper: for
    fewer than 50,000 samples, for sparse features and missing values, and for data without
    clusters. It applies to searches among all samples. New samples and groups of samples are
    searched exactly. Dask workers search the samples that they hold.

    Parameters
    ----------
    recall : float, default=0.99
        Share of the true neighbors to find, measured on 500 samples against the exact search.
    max_gigabytes : float, default=None
        Memory that the search may use in addition to the features. The need is estimated before
        the search begins; if it is larger, an error is raised. For a Dask collection, it is the
        memory of each thread of a worker, including the blocks that it reads. None: no limit.

    See Also
    --------
    find_neighbors : Its result has the recall that was reached.

    Examples
    --------
    >>> from rarelabels import ApproximateNeighbors
    >>> ApproximateNeighbors(recall=0.95)
    ApproximateNeighbors(recall=0.95, max_gigabytes=None)
    """

    recall: float = 0.99
    max_gigabytes: float | None = None
