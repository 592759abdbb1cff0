"""The space of the samples of a Dask collection, which chooses the search among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rarelabels._containers import Array
from rarelabels._dask.approximate import nearest_in_regions
from rarelabels._dask.features import DaskFeatures
from rarelabels._dask.scaling import Scaling
from rarelabels._dask.search import nearest_in_blocks, nearest_in_groups
from rarelabels._neighbors.result import ApproximateNeighbors
from rarelabels._neighbors.space import FeatureSpace


@dataclass(frozen=True)
class DaskSpace:
    """The space of all samples of a Dask collection.

    Attributes
    ----------
    features : DaskFeatures
        The samples.
    scaling : Scaling
        How they are scaled and coded.
    """

    features: DaskFeatures
    scaling: Scaling

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.features.n_samples

    def nearest(self, n_neighbors: int, neighbors: Any) -> tuple[Array, float]:
        """Return the nearest other samples of each, as (n, k) indices, and the recall."""
        if isinstance(neighbors, ApproximateNeighbors):
            return nearest_in_regions(self.features, self.scaling, n_neighbors, neighbors)
        _check_no_search(neighbors)
        return nearest_in_blocks(self.features, self.scaling, n_neighbors), 1.0

    def nearest_in_groups(
        self, groups: list[Array], n_neighbors: int, neighbors: Any
    ) -> list[Array]:
        """Return the nearest in its group for each sample of each group, as indices of all."""
        if not isinstance(neighbors, ApproximateNeighbors):
            _check_no_search(neighbors)
        return nearest_in_groups(self.features, self.scaling, groups, n_neighbors)

    def take(self, samples: Array) -> FeatureSpace:
        """Return the space of no samples, which is its scale alone."""
        if samples.size:
            raise TypeError("samples of a Dask collection are not in memory.")
        return self.scaling.empty


def _check_no_search(neighbors: Any) -> None:
    """Refuse a search that needs X in memory."""
    if neighbors is not None:
        raise ValueError(
            f"neighbors={neighbors!r} needs X in memory, but X is a Dask collection; pass "
            'neighbors=None, neighbors="approximate", or the result of find_neighbors.'
        )
