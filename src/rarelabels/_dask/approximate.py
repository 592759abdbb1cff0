"""Approximate search among the samples of a Dask collection.

The space is divided into cells, and cells are grouped into regions (`regions`). Each sample is
sent to the task of its region, and as a query to the regions of the cells next to it. A task
searches its region in smaller cells, as on one machine, and the results are merged by distance and
sample. A part of the regions is searched at a time, so that workers never have all samples. The
recall is measured on some samples against the exact search.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from operator import getitem
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._dask.features import Block, DaskFeatures
from rarelabels._dask.nearest_so_far import NearestSoFar
from rarelabels._dask.regions import (
    Assignment,
    Regions,
    reach_needed,
    train_regions,
)
from rarelabels._dask.scaling import Scaling
from rarelabels._dask.search import nearest_in_blocks, panels_of
from rarelabels._dask.search_memory import SendingPlan, ThreadMemory
from rarelabels._dask.tasks import (
    compute,
    constant,
    delayed,
    kept,
    n_workers,
    release,
    trim_memory,
)
from rarelabels._neighbors.approximate import (
    APPROXIMATE_SAMPLES,
    CellSettings,
    SampleCells,
    load_faiss,
)
from rarelabels._neighbors.exact import nearest_samples
from rarelabels._neighbors.exact.brute_force import BruteForceSearch
from rarelabels._neighbors.exact.dense_operands import DENSE_VALUES
from rarelabels._neighbors.exact.operands import operands_of
from rarelabels._neighbors.result import ApproximateNeighbors

# Entries of a region, and the least number of regions.
REGION_ENTRIES = 2**21
LEAST_REGIONS = 16
# Cells, altogether at least and for each region, and the samples that they are learned from.
LEAST_CELLS = 4096
CELLS_PER_REGION = 8
LEARNED_FROM = 20
LEARNED_ENTRIES = 2**23
# Samples on which the recall is measured.
MEASURED = 500
# A region with fewer samples is searched exactly.
CELL_SAMPLES = 2000
# Samples that are searched exactly at a time, and samples of a panel that they are compared with.
MOST_EXACT = 4096
EXACT_ROWS = 4096
# A thread gets about so many bytes of samples in a round, unless this needs more rounds than this,
# since X is read in each, or gives a thread less than so many regions.
ROUND_BYTES = 2**26
MOST_ROUNDS = 6
LEAST_REGIONS_OF_THREAD = 4
# Panels for each thread that are read at a time.
PANELS_AT_ONCE = 2
# Regions are small, so their cells are learned from fewer samples than those of one machine.
CELLS = CellSettings(learned_from=16, rounds=6, measured=200)
# The shares of the missed neighbors that may lie in regions which are not visited, and that may be
# missed in visited ones, in the first and the second attempt. Visits cost more than a good search.
LOSSES = ((2 / 3, 1 / 5), (1 / 3, 1 / 10))

logger = logging.getLogger(__name__)


def nearest_in_regions(
    features: DaskFeatures, scaling: Scaling, n_neighbors: int, settings: ApproximateNeighbors
) -> tuple[Array, float]:
    """Return the nearest other samples of each, as (n, k) indices, and the measured recall.

    The search is exact, and the recall 1, where an approximate one is not faster: among few
    samples, for sparse blocks, missing values and features of many categories, and if most regions
    would have to be visited.
    """
    faiss = load_faiss()
    if features.n_samples >= APPROXIMATE_SAMPLES and _is_dense(features, scaling):
        del faiss  # The tasks load it where they run.
        search = RegionSearch(features, scaling, n_neighbors, settings)
        for losses in LOSSES:
            attempt = search.attempt(*losses)
            if attempt is not None and attempt[1] >= settings.recall:
                return attempt
            if attempt is None:
                break
    logger.info(
        "the exact search is used, since an approximate one would not be faster, or would miss too "
        "many neighbors."
    )
    return nearest_in_blocks(features, scaling, n_neighbors), 1.0


def _is_dense(features: DaskFeatures, scaling: Scaling) -> bool:
    has_missing = scaling.incomplete.size > 0
    return not (features.is_sparse or has_missing) and bool((scaling.n_codes <= DENSE_VALUES).all())


@dataclass(frozen=True)
class PilotSamples:
    """Some samples with their exact neighbors."""

    block: Block
    samples: Array
    nearest: Array
    block_of_nearest: Block


class RegionSearch:
    """The search in regions, with what several attempts have in common."""

    def __init__(
        self,
        features: DaskFeatures,
        scaling: Scaling,
        n_neighbors: int,
        settings: ApproximateNeighbors,
    ) -> None:
        self.features = features
        self.scaling = scaling
        self.n_neighbors = n_neighbors
        self.settings = settings
        self.shared = constant(scaling)
        self.panels = panels_of(features, None)
        self.rng = np.random.default_rng(0)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.features.n_samples

    def attempt(self, not_visited: float, not_found: float) -> tuple[Array, float] | None:
        """Search, and return the neighbors and the recall. Return None if exact search is faster.

        Parameters
        ----------
        not_visited, not_found : float
            The shares of the neighbors that may be missed, which lie in regions that are not
            visited, and which a visited region misses.
        """
        max_gigabytes, missed = self.settings.max_gigabytes, 1 - self.settings.recall
        needed = self.memory.learning(self.n_learned) / 1e9
        if max_gigabytes is not None and needed > max_gigabytes:
            raise MemoryError(
                f"max_gigabytes={max_gigabytes:g} is less than needed. Each thread needs about "
                f"{needed:.2g} GB to learn regions and to read blocks; X may have smaller blocks."
            )
        regions = self._regions_for(1 - not_visited * missed)
        if regions is None:
            return None
        assigned = self._assigned(regions)
        plan = self._plan(regions, assigned)
        logger.info("%s", plan)
        if max_gigabytes is not None and plan.gigabytes > max_gigabytes:
            raise MemoryError(f"max_gigabytes={max_gigabytes:g} is less than needed. {plan}")
        nearest = self._nearest(assigned, plan, 1 - not_found * missed)
        release(assigned)
        is_found = nearest[self.pilot.samples][:, :, None] == self.pilot.nearest[:, None, :]
        return nearest.astype(np.intp), float(is_found.any(axis=2).mean())

    @cached_property
    def memory(self) -> ThreadMemory:
        """What determines the memory of each thread."""
        container, itemsize = self.features.container, self.features.coding.dtype.itemsize
        bytes_per_sample = container.shape[1] * itemsize + 8
        n_columns = container.shape[1] + int(self.scaling.n_codes.sum())
        return ThreadMemory(
            container.largest * bytes_per_sample,
            bytes_per_sample,
            n_columns,
            self.n_neighbors,
            n_workers(),
        )

    @property
    def n_regions(self) -> int:
        """Number of regions, at least."""
        return max(LEAST_REGIONS, -(-self.n_samples * self.memory.n_columns // REGION_ENTRIES))

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return max(LEAST_CELLS, CELLS_PER_REGION * self.n_regions)

    @property
    def n_learned(self) -> int:
        """Number of samples that the regions are learned from."""
        most = LEARNED_ENTRIES // self.memory.n_columns
        return min(self.n_samples, LEARNED_FROM * self.n_cells, most)

    @cached_property
    def regions(self) -> Regions:
        """The regions, learned from some samples."""
        block = self.features.gathered(self._draw(self.n_learned))
        learn = delayed(_trained)(self.shared, block, self.n_cells, self.n_regions)
        regions: Regions = compute([learn])[0]
        return regions

    def _draw(self, amount: int) -> Array:
        return np.sort(self.rng.choice(self.n_samples, amount, replace=False))

    @cached_property
    def pilot(self) -> PilotSamples:
        """Some samples with their exact neighbors."""
        samples = self._draw(min(MEASURED, self.n_samples))
        block, nearest = self._exact(samples)
        distinct, places = np.unique(nearest, return_inverse=True)
        (block_of_nearest,) = compute([self.features.gathered(distinct)])
        return PilotSamples(block, samples, nearest, block_of_nearest.take(places.ravel()))

    def _exact(self, samples: Array) -> tuple[Block, Array]:
        """Return some samples, and their nearest by the exact search."""
        (block,) = compute([self.features.gathered(samples)])
        query, merged = constant(block), MergedNeighbors(samples.size, self.n_neighbors)
        tasks = [
            delayed(_search_exactly)(
                self.shared, panel.block, panel.start, query, samples, self.n_neighbors
            )
            for panel in self.panels
        ]
        for part in compute(tasks, PANELS_AT_ONCE):
            merged.add(np.arange(samples.size), part)
        return block, merged.sample

    def _regions_for(self, share: float) -> Regions | None:
        """Return the regions with the number of cells to visit, None if exact search is faster."""
        regions, pilot = self.regions, self.pilot
        (cells, excess), (owners, _) = compute(
            [
                delayed(_cells_of)(self.shared, constant(regions), constant(block))
                for block in (pilot.block, pilot.block_of_nearest)
            ]
        )
        owners = owners[:, 0].reshape(pilot.nearest.shape)
        reach = reach_needed(cells, excess, owners, share, self.settings.recall)
        reaching = replace(regions, reach=reach)
        n_visits = reaching.assigned_to(cells, excess).row.size
        is_faster = len(pilot.block) + n_visits <= len(pilot.block) * regions.n_regions / 4
        return reaching if np.isfinite(reaching.reach) and is_faster else None

    def _assigned(self, regions: Regions) -> list[Any]:
        """Return the tasks that assign the samples of each panel to regions, computed once."""
        given = constant(regions)
        tasks = [delayed(_assigned)(self.shared, given, panel.block) for panel in self.panels]
        return kept(tasks, PANELS_AT_ONCE)

    def _plan(self, regions: Regions, assigned: list[Any]) -> SendingPlan:
        counts = [delayed(Assignment.counts)(part, regions.n_regions) for part in assigned]
        n_targets, n_visits = np.sum(compute(counts), axis=0)
        sizes = n_targets + n_visits
        n_threads, n_bytes = self.memory.n_threads, int(sizes.sum()) * self.memory.bytes_per_sample
        most = min(MOST_ROUNDS, regions.n_regions // (LEAST_REGIONS_OF_THREAD * n_threads))
        n_rounds = -(-n_bytes // (n_threads * ROUND_BYTES))
        n_rounds = max(1, min(n_rounds, most))
        rounds_of = np.minimum(
            (np.cumsum(sizes) - sizes // 2) * n_rounds // sizes.sum(), n_rounds - 1
        )
        rounds = [np.flatnonzero(rounds_of == number) for number in np.unique(rounds_of)]
        return SendingPlan(rounds, n_targets, n_visits, self.memory, self.n_learned)

    def _nearest(self, assigned: list[Any], plan: SendingPlan, recall: float) -> Array:
        """Search all regions, some at a time, and merge what they find."""
        merged = MergedNeighbors(self.n_samples, self.n_neighbors)
        for wanted in plan.rounds:
            sent = kept(
                [
                    delayed(_sent)(panel.block, part, panel.start, wanted)
                    for panel, part in zip(self.panels, assigned, strict=True)
                ],
                PANELS_AT_ONCE,
            )
            tasks = [
                delayed(_search_region)(
                    self.shared,
                    [delayed(getitem)(part, place) for part in sent],
                    self.n_neighbors,
                    recall,
                )
                for place in range(wanted.size)
            ]
            for samples, nearest in compute(tasks):
                merged.add(samples, nearest)
            release(sent)
        # Samples of tiny regions may have too few neighbors there.
        incomplete = np.flatnonzero(merged.sample[:, -1] < 0)
        for start in range(0, incomplete.size, MOST_EXACT):
            samples = incomplete[start : start + MOST_EXACT]
            merged.sample[samples] = self._exact(samples)[1]
        return merged.sample


class MergedNeighbors:
    """The nearest samples so far of each sample, by distance and sample."""

    def __init__(self, n_samples: int, n_neighbors: int) -> None:
        self.sample = np.full((n_samples, n_neighbors), -1, dtype=np.int32)
        self.key = np.full((n_samples, n_neighbors), np.inf)

    def add(self, samples: Array, nearest: NearestSoFar) -> None:
        """Merge the nearest samples of some."""
        sample = np.hstack([self.sample[samples], nearest.sample])
        key = np.hstack([self.key[samples], nearest.key])
        order = np.lexsort((sample, key), axis=1)[:, : self.sample.shape[1]]
        self.sample[samples] = np.take_along_axis(sample, order, axis=1)
        self.key[samples] = np.take_along_axis(key, order, axis=1)


@dataclass(frozen=True)
class Sent:
    """The samples of a panel that a region gets: its own, and queries from other regions."""

    targets: Block
    target_samples: Array
    visitors: Block
    visitor_samples: Array

    def __sizeof__(self) -> int:
        # Dask uses this to decide where tasks run and how much memory is in use.
        ids = self.target_samples.nbytes + self.visitor_samples.nbytes
        return int(self.targets.__sizeof__() + self.visitors.__sizeof__() + ids)


def _trained(scaling: Scaling, block: Block, n_cells: int, n_regions: int) -> Regions:
    return train_regions(load_faiss(), scaling, block, n_cells, n_regions)


def _cells_of(scaling: Scaling, regions: Regions, block: Block) -> tuple[Array, Array]:
    return regions.cells_of(load_faiss(), scaling, block)


def _assigned(scaling: Scaling, regions: Regions, block: Block) -> Assignment:
    return regions.assigned(load_faiss(), scaling, block)


def _sent(block: Block, assigned: Assignment, start: int, wanted: Array) -> list[Sent]:
    """Return the samples that each of the wanted regions gets."""
    parts = []
    for targets, visitors in assigned.of_regions(wanted.tolist()):
        parts.append(
            Sent(block.take(targets), targets + start, block.take(visitors), visitors + start)
        )
    return parts


def _search_region(
    scaling: Scaling, sent: list[Sent], n_neighbors: int, recall: float
) -> tuple[Array, NearestSoFar]:
    """Return the samples that a region got, and the nearest in the region for each of them."""
    trim_memory()
    blocks = [*(part.targets for part in sent), *(part.visitors for part in sent)]
    targets = np.concatenate([part.target_samples for part in sent])
    visitors = np.concatenate([part.visitor_samples for part in sent])
    space = scaling.space_of(Block.join(blocks))
    nearest = _nearest_in_region(space, targets.size, n_neighbors, recall)
    rows = np.repeat(np.arange(space.n_samples), nearest.shape[1])
    key = space.distance_keys(rows, nearest.ravel()).reshape(nearest.shape)
    so_far = NearestSoFar.of(targets[nearest], key, n_neighbors)
    return np.concatenate([targets, visitors]), so_far


def _nearest_in_region(space: Any, n_searched: int, n_neighbors: int, recall: float) -> Array:
    """Return the nearest of the first samples for each sample of a space."""
    if n_searched >= CELL_SAMPLES:
        operands = operands_of(space, np.float32)
        cells = SampleCells(load_faiss(), space, operands, 1, n_searched=n_searched, settings=CELLS)
        attempt = cells.nearest(n_neighbors, recall)
        if attempt is not None:
            return attempt[0]
        del cells, operands
    width = min(n_neighbors, n_searched - 1)
    if width < 1:
        return np.empty((space.n_samples, 0), dtype=np.intp)
    own = nearest_samples(space.take(np.arange(n_searched)), width, n_jobs=1)
    if n_searched == space.n_samples:
        return own
    visiting = nearest_samples(space, width, n_jobs=1, queries_from=n_searched)
    return np.concatenate([own, visiting])


def _search_exactly(
    scaling: Scaling, block: Block, start: int, queries: Block, samples: Array, n_neighbors: int
) -> NearestSoFar:
    """Return the nearest samples of a panel for each query, without the query itself."""
    merged, everyone = MergedNeighbors(samples.size, n_neighbors), np.arange(samples.size)
    for first in range(0, len(block), EXACT_ROWS):
        part = block.take(slice(first, first + EXACT_ROWS))
        near = _search_part(scaling, part, start + first, queries, samples, n_neighbors)
        merged.add(everyone, near)
    return NearestSoFar(merged.sample, merged.key)


def _search_part(
    scaling: Scaling, block: Block, start: int, queries: Block, samples: Array, n_neighbors: int
) -> NearestSoFar:
    n_searched = len(block)
    space = scaling.space_of(Block.join([block, queries]))
    width = min(n_neighbors + 1, n_searched)
    rows = np.arange(n_searched, space.n_samples)
    nearest = BruteForceSearch(space, n_searched).nearest(rows, width)
    key = space.distance_keys(np.repeat(rows, width), nearest.ravel()).reshape(nearest.shape)
    key[nearest + start == samples[:, None]] = np.inf
    return NearestSoFar.of(nearest + start, key, width)
