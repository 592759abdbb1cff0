"""Regions of a space: groups of neighboring cells, each searched by one task.

A cell has the samples that are nearest to its center. Cells are learned from some samples, and are
small compared with regions, so few samples have neighbors across the border of a region.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._neighbors.exact.dense_operands import ColumnLayout, DenseColumns, layout_for
from rarelabels._neighbors.space import FeatureSpace

# A query looks into at most so many cells.
MOST_CELLS = 16
# Rounds of training.
ROUNDS = 10


@dataclass(frozen=True)
class Regions:
    """The centers of cells, the region of each, and how far queries look.

    Attributes
    ----------
    layout : ColumnLayout
        How samples become points.
    centers : (c, d) ndarray of float32
        The centers of the cells.
    region : (c,) ndarray of ints
        The region of each cell.
    typical : float
        The usual squared distance of a sample to its nearest center.
    reach : float
        A query visits the regions of cells whose `excess` is at most this.
    """

    layout: ColumnLayout
    centers: Array
    region: Array
    typical: float = 1.0
    reach: float = 0.0

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return int(self.region.max()) + 1

    def points(self, space: FeatureSpace) -> Array:
        """Return samples as points in single precision."""
        return _points(space, self.layout)

    def nearest_cells(self, faiss: Any, points: Array) -> tuple[Array, Array]:
        """Return the nearest cells of each point, nearest first, and how far they are in excess.

        The excess is the squared distance beyond that to the nearest center, relative to this and
        the usual one: it is small for cells that divide a cluster, and large for other clusters.
        """
        squares, cells = _nearest_centers(faiss, self.centers, points)
        return cells, (squares - squares[:, :1]) / (squares[:, :1] + self.typical)

    def assigned(self, faiss: Any, space: FeatureSpace) -> Assignment:
        """Return the region of each sample, and the other regions that it visits."""
        return self.assigned_to(*self.nearest_cells(faiss, self.points(space)))

    def assigned_to(self, cells: Array, excess: Array) -> Assignment:
        """Return the same for samples with some nearest cells."""
        regions = self.region[cells]
        row, place = np.nonzero(_is_first(regions) & (excess <= self.reach))
        is_visit = place > 0
        return Assignment(regions[:, 0], row[is_visit], regions[row, place][is_visit])


@dataclass(frozen=True)
class Assignment:
    """Where the samples of a panel are sent.

    Attributes
    ----------
    own : (m,) ndarray of ints
        The region of each sample.
    row, visited : ndarray of ints
        A sample and another region that it visits as a query.
    """

    own: Array
    row: Array
    visited: Array

    @cached_property
    def _orders(self) -> tuple[Array, Array]:
        return tuple(np.argsort(part, kind="stable") for part in (self.own, self.visited))  # type: ignore[return-value]

    def of_region(self, region: int) -> tuple[Array, Array]:
        """Return the samples of a region, and the visitors of it, both in their order."""
        rows = []
        for order, regions in zip(self._orders, (self.own, self.visited), strict=True):
            ends = np.searchsorted(regions, [region, region + 1], sorter=order)
            rows.append(order[slice(*ends)])
        return rows[0], self.row[rows[1]]

    def counts(self, n_regions: int) -> Array:
        """Return the number of samples and of visitors of each region, as a (2, r) array."""
        parts = [np.bincount(part, minlength=n_regions) for part in (self.own, self.visited)]
        return np.array(parts)


def _is_first(regions: Array) -> Array:
    """Return whether a region occurs for the first time in its row."""
    is_first = np.ones(regions.shape, dtype=bool)
    for place in range(1, regions.shape[1]):
        is_first[:, place] = (regions[:, :place] != regions[:, place, None]).all(axis=1)
    return is_first


def train_regions(faiss: Any, space: FeatureSpace, n_cells: int, n_regions: int) -> Regions:
    """Learn cells from some samples, and group them into about equally large regions."""
    layout = layout_for(space)
    points = _points(space, layout)
    clustering = faiss.Clustering(points.shape[1], min(n_cells, points.shape[0]))
    clustering.niter, clustering.seed = ROUNDS, 0
    clustering.min_points_per_centroid = 1
    clustering.max_points_per_centroid = points.shape[0]
    _with_one_thread(faiss, clustering.train, points, faiss.IndexFlatL2(points.shape[1]))
    centers = faiss.vector_to_array(clustering.centroids).reshape(-1, points.shape[1])
    centers = np.unique(centers.astype(np.float32), axis=0)
    squares, cells = _nearest_centers(faiss, centers, points)
    weights = np.bincount(cells[:, 0], minlength=centers.shape[0])
    typical = float(np.median(squares[:, 0])) or float(np.finfo(np.float32).tiny)
    region = _grouped(centers, weights, points.shape[0] / n_regions)
    return Regions(layout, centers, region, typical)


def _nearest_centers(faiss: Any, centers: Array, points: Array) -> tuple[Array, Array]:
    index = faiss.IndexFlatL2(centers.shape[1])
    index.add(centers)
    width = min(MOST_CELLS, centers.shape[0])
    squares, cells = _with_one_thread(faiss, index.search, points, width)
    return squares, cells


def _grouped(centers: Array, weights: Array, most: float) -> Array:
    """Return groups of cells with at most so much weight, or of one cell.

    Cells are halved by weight along the direction in which they differ most.
    """
    group = np.empty(centers.shape[0], dtype=np.intp)
    waiting, n_groups = [np.arange(centers.shape[0])], 0
    while waiting:
        cells = waiting.pop()
        if cells.size == 1 or weights[cells].sum() <= most:
            group[cells], n_groups = n_groups, n_groups + 1
            continue
        points = centers[cells].astype(np.float64)
        points -= points.mean(axis=0)
        direction = np.linalg.eigh(points.T @ points)[1][:, -1]
        cells = cells[np.argsort(points @ direction, kind="stable")]
        half = np.searchsorted(np.cumsum(weights[cells]), weights[cells].sum() / 2) + 1
        half = int(np.clip(half, 1, cells.size - 1))
        waiting += [cells[half:], cells[:half]]
    return group


def reach_needed(cells: Array, excess: Array, owners: Array, share: float) -> float:
    """Return the excess up to which cells have a share of the neighbors, infinite if too many.

    Parameters
    ----------
    cells, excess : (m, c) ndarray
        The nearest cells of some samples, and their excess.
    owners : (m, k) ndarray of ints
        The cells of their neighbors.
    share : float
        The share of neighbors.
    """
    is_there = cells[:, None, :] == owners[:, :, None]
    needed = np.where(is_there, excess[:, None, :], np.inf).min(axis=2)
    place = min(needed.size, int(np.ceil(share * needed.size))) - 1
    return float(np.sort(needed, axis=None)[place])


def _points(space: FeatureSpace, layout: ColumnLayout) -> Array:
    columns = DenseColumns(space, layout)
    points = np.empty((space.n_samples, columns.n_columns), dtype=np.float32)
    for samples, part, _ in columns.parts():
        points[samples] = part * layout.scale
    return points


def _with_one_thread(faiss: Any, function: Any, *arguments: Any) -> Any:
    """Call a function of faiss. With one thread, all machines add in the same order."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        return function(*arguments)
    finally:
        faiss.omp_set_num_threads(before)
