"""Regions of a space: groups of neighboring cells, each searched by one task.

A cell has the samples that are nearest to its center. Cells are learned from some samples, and are
small compared with regions, so few samples have neighbors across the border of a region.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._dask.features import Block
from rarelabels._dask.scaling import (
    Scaling,
    common_layout,
    reach_in,
    scaled_layout,
    summarize_block,
)
from rarelabels._neighbors.exact.dense_operands import ColumnLayout, DenseColumns

# A query looks into at most so many cells.
MOST_CELLS = 32
# Rounds of training.
ROUNDS = 10
# Cells near to each sample that are considered to join cells, and bundles of cells in a region.
NEARBY_CELLS = 5
BUNDLES_PER_REGION = 8
# Samples are turned into points so many at a time.
ROWS_AT_ONCE = 4096


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

    def cells_of(self, faiss: Any, scaling: Scaling, block: Block) -> tuple[Array, Array]:
        """Return the nearest cells of each sample of a block, and how far they are in excess."""
        parts = [
            self.nearest_cells(faiss, _points(scaling, self.layout, part)) for part in _parts(block)
        ]
        cells, excess = zip(*parts, strict=True)
        return np.concatenate(cells), np.concatenate(excess)

    def nearest_cells(self, faiss: Any, points: Array) -> tuple[Array, Array]:
        """Return the nearest cells of each point, nearest first, and how far they are in excess.

        The excess is the squared distance beyond that to the nearest center, relative to this and
        the usual one: it is small for cells that divide a cluster, and large for other clusters.
        """
        squares, cells = _nearest_centers(faiss, self.centers, points, MOST_CELLS)
        return cells, (squares - squares[:, :1]) / (squares[:, :1] + self.typical)

    def assigned(self, faiss: Any, scaling: Scaling, block: Block) -> Assignment:
        """Return the region of each sample of a block, and the other regions that it visits."""
        parts = [
            self.assigned_to(*self.nearest_cells(faiss, _points(scaling, self.layout, part)))
            for part in _parts(block)
        ]
        return Assignment.joined(parts)

    def assigned_to(self, cells: Array, excess: Array) -> Assignment:
        """Return the same for samples with some nearest cells."""
        regions = self.region[cells].astype(np.int32)
        row, place = np.nonzero(_is_first(regions) & (excess <= self.reach))
        is_visit = place > 0
        visited = regions[row, place][is_visit]
        return Assignment(regions[:, 0].copy(), row[is_visit].astype(np.int32), visited)


@dataclass(frozen=True)
class Assignment:
    """Where the samples of a panel are sent.

    Attributes
    ----------
    own : (m,) ndarray of int32
        The region of each sample.
    row, visited : ndarray of int32
        A sample and another region that it visits as a query.
    """

    own: Array
    row: Array
    visited: Array

    @classmethod
    def joined(cls, parts: list[Assignment]) -> Assignment:
        """Return the assignment of the samples of several parts."""
        starts = np.cumsum([0, *(part.own.size for part in parts[:-1])], dtype=np.int32)
        return cls(
            np.concatenate([part.own for part in parts]),
            np.concatenate([part.row + start for part, start in zip(parts, starts, strict=True)]),
            np.concatenate([part.visited for part in parts]),
        )

    def __sizeof__(self) -> int:
        # Dask uses this to decide where tasks run and how much memory is in use.
        return self.own.nbytes + self.row.nbytes + self.visited.nbytes

    def of_regions(self, wanted: list[int]) -> Iterator[tuple[Array, Array]]:
        """Yield the samples of each of some regions, and its visitors, both in their order."""
        both = (self.own, self.visited)
        # The orders are not kept, since an assignment is in memory during the whole search.
        orders = [np.argsort(regions, kind="stable") for regions in both]
        for region in wanted:
            rows = []
            for order, regions in zip(orders, both, strict=True):
                ends = np.searchsorted(regions, [region, region + 1], sorter=order)
                rows.append(order[slice(*ends)])
            yield rows[0], self.row[rows[1]].astype(np.intp)

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


def train_regions(
    faiss: Any, scaling: Scaling, block: Block, n_cells: int, n_regions: int
) -> Regions:
    """Learn cells from some samples, and group them into about equally large regions."""
    layout = _layout(scaling, block)
    points = np.concatenate([_points(scaling, layout, part) for part in _parts(block)])
    clustering = faiss.Clustering(points.shape[1], min(n_cells, points.shape[0]))
    clustering.niter, clustering.seed = ROUNDS, 0
    clustering.min_points_per_centroid = 1
    clustering.max_points_per_centroid = points.shape[0]
    _with_one_thread(faiss, clustering.train, points, faiss.IndexFlatL2(points.shape[1]))
    centers = faiss.vector_to_array(clustering.centroids).reshape(-1, points.shape[1])
    centers = np.unique(centers.astype(np.float32), axis=0)
    squares, cells = _nearest_centers(faiss, centers, points, NEARBY_CELLS)
    weights = np.bincount(cells[:, 0], minlength=centers.shape[0])
    typical = float(np.median(squares[:, 0])) or float(np.finfo(np.float32).tiny)
    most = points.shape[0] / n_regions
    bundle = _bundles(squares + np.float32(typical), cells, weights, most / BUNDLES_PER_REGION)
    amounts = np.bincount(bundle, weights=weights)
    # The center of a bundle counts cells without samples, too.
    middles = np.zeros((amounts.size, centers.shape[1]))
    np.add.at(middles, bundle, centers)
    middles /= np.bincount(bundle)[:, None]
    return Regions(layout, centers, _grouped(middles, amounts, most)[bundle], typical)


def _parts(block: Block) -> Iterator[Block]:
    """Yield the samples of a block, some at a time."""
    for start in range(0, max(1, len(block)), ROWS_AT_ONCE):
        yield block.take(slice(start, start + ROWS_AT_ONCE))


def _layout(scaling: Scaling, block: Block) -> ColumnLayout:
    layout = common_layout(scaling, [summarize_block(scaling, part) for part in _parts(block)])
    reaches = [reach_in(scaling, layout, part) for part in _parts(block)]
    return scaled_layout(layout, [reach for reach in reaches if reach is not None])


def _points(scaling: Scaling, layout: ColumnLayout, block: Block) -> Array:
    """Return samples as points in single precision."""
    space = scaling.space_of(block)
    columns = DenseColumns(space, layout)
    points = np.empty((space.n_samples, columns.n_columns), dtype=np.float32)
    for samples, part, _ in columns.parts():
        points[samples] = part * layout.scale
    return points


def _nearest_centers(faiss: Any, centers: Array, points: Array, most: int) -> tuple[Array, Array]:
    index = faiss.IndexFlatL2(centers.shape[1])
    index.add(centers)
    width = min(most, centers.shape[0])
    squares, cells = _with_one_thread(faiss, index.search, points, width)
    return squares, cells


def _bundles(squares: Array, cells: Array, weights: Array, most: float) -> Array:
    """Return bundles of cells that share a cluster, with at most so much weight, or of one cell.

    Samples between two cells visit both regions if these differ. So pairs of cells are joined in
    the order of the samples between them.
    """
    n_cells = weights.size
    # 1 for a sample at the same distance to both, and hardly anything for cells of other clusters.
    betweenness = (squares[:, :1] / squares[:, 1:]) ** 8
    first, second = np.repeat(cells[:, 0], cells.shape[1] - 1), cells[:, 1:].ravel()
    pair = np.minimum(first, second).astype(np.int64) * n_cells + np.maximum(first, second)
    pairs, place = np.unique(pair, return_inverse=True)
    between = np.bincount(place.ravel(), weights=betweenness.ravel(), minlength=pairs.size)
    bundle_of, weight_of = np.arange(n_cells), weights.astype(np.float64)
    members = [[cell] for cell in range(n_cells)]
    for a, b in zip(*np.divmod(pairs[np.argsort(-between, kind="stable")], n_cells), strict=True):
        one, other = bundle_of[a], bundle_of[b]
        if one != other and weight_of[one] + weight_of[other] <= most:
            if len(members[one]) < len(members[other]):
                one, other = other, one
            bundle_of[members[other]] = one
            weight_of[one] += weight_of[other]
            members[one] += members[other]
    return np.unique(bundle_of, return_inverse=True)[1]


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


def reach_needed(cells: Array, excess: Array, owners: Array, share: float, least: float) -> float:
    """Return the excess up to which cells have a share of the neighbors.

    If so many are in none of the cells, it is the excess up to which cells have all others, and it
    is infinite if these are less than the least share.

    Parameters
    ----------
    cells, excess : (m, c) ndarray
        The nearest cells of some samples, and their excess.
    owners : (m, k) ndarray of ints
        The cells of their neighbors.
    share, least : float
        The share of neighbors, and the least that is accepted.
    """
    is_there = cells[:, None, :] == owners[:, :, None]
    needed = np.where(is_there, excess[:, None, :], np.inf).min(axis=2)
    n_found = int(np.isfinite(needed).sum())
    wanted, accepted = (int(np.ceil(part * needed.size)) for part in (share, least))
    if n_found < accepted:
        return float(np.inf)
    return float(np.sort(needed, axis=None)[min(wanted, n_found) - 1])


def _with_one_thread(faiss: Any, function: Any, *arguments: Any) -> Any:
    """Call a function of faiss. With one thread, all machines add in the same order."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        return function(*arguments)
    finally:
        faiss.omp_set_num_threads(before)
