"""Search among the samples of a Dask collection, as tasks.

The samples are divided into panels. Each panel is first searched alone. Then one panel after
another, the guest, is sent to the workers that have the panels before it, the hosts. Each host is
compared with the guest where the host is, and the copy of the guest is dropped afterwards. The
nearest samples found so far are passed on to the next task of each panel and lower its limits.
Distances never leave the worker that computed them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from operator import getitem
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._dask.features import Block, DaskFeatures
from rarelabels._dask.nearest_so_far import Candidates, NearestSoFar
from rarelabels._dask.pair_search import Side, candidates_across
from rarelabels._dask.scaling import (
    Scaling,
    common_layout,
    reach_in,
    scaled_layout,
    summarize_block,
)
from rarelabels._dask.tasks import TaskGraph, compute, constant, delayed, n_workers
from rarelabels._neighbors.exact import nearest_samples
from rarelabels._neighbors.exact.dense_operands import ColumnLayout

# There are enough panels to keep all workers busy, but with at least so many rows, or sparse rows,
# which are indexed again and ranked for each pair of panels...
PANEL_ROWS = 2048
SPARSE_ROWS = 8192
PANELS_PER_WORKER = 4
LEAST_PANELS = 16
# ... and at most so many entries, or rows if they are wide, since a worker has several in memory.
PANEL_ENTRIES = 2**22
WIDE_ROWS = 1024
# Larger groups are searched in panels.
LARGE_GROUP = 2 * PANEL_ROWS
# Number of guests at a time.
UNDER_WAY = 2
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Panel:
    """Consecutive samples: the task that returns them, the first of them, and their number."""

    block: Any
    start: int
    size: int


def nearest_in_blocks(
    features: DaskFeatures, scaling: Scaling, n_neighbors: int, samples: Array | None = None
) -> Array:
    """Return the nearest other samples of each among all samples or some, as (n, k) indices."""
    panels = panels_of(features, samples)
    search = PanelSearch(panels, scaling, n_neighbors, is_sparse=features.is_sparse)
    order = _spread_order(len(panels))
    for place in range(1, len(order)):
        before = order[place - UNDER_WAY] if place > UNDER_WAY else None
        search.invite(order[place], order[:place], before)
    return np.concatenate(search.nearest())


class PanelSearch:
    """The tasks of a search, and the latest task of each panel."""

    def __init__(
        self, panels: list[Panel], scaling: Scaling, n_neighbors: int, *, is_sparse: bool
    ) -> None:
        self.panels = panels
        self.is_sparse = is_sparse
        self.n_neighbors = n_neighbors
        self.graph = TaskGraph()
        self.blocks = [self.graph.source(panel.block) for panel in panels]
        self.scaling = self.graph.source(constant(scaling))
        self.layout = self._layout()
        self.latest = [
            self.graph.add(
                _search_itself, self.scaling, block, panel.start, n_neighbors, where=block
            )
            for block, panel in zip(self.blocks, panels, strict=True)
        ]

    def _layout(self) -> Any:
        """Return the key of the task that computes the layout of all samples if they are dense."""
        if self.is_sparse:
            return None
        add, scaling, blocks = self.graph.add, self.scaling, self.blocks
        summaries = [add(summarize_block, scaling, block, where=block) for block in blocks]
        layout = add(common_layout, scaling, summaries, where=blocks[0])
        reaches = [add(reach_in, scaling, layout, block, where=block) for block in blocks]
        return add(scaled_layout, layout, reaches, where=blocks[0])

    def invite(self, guest: int, hosts: list[int], before: int | None) -> None:
        """Compare a guest panel with its hosts, after all comparisons of an earlier guest."""
        add, latest, start = self.graph.add, self.latest, self.panels[guest].start
        home = self.blocks[guest]
        done = None if before is None else add(_nothing, latest[before], where=home)
        # A separate object, which every worker drops after the last comparison with it.
        side = add(_side, self.scaling, self.layout, home, start, done, where=home)
        step = max(1, len(self.panels) // 16)
        while hosts:
            # The first comparisons lower the limits for the others.
            first, hosts, step = hosts[:step], hosts[step:], 2 * step
            theirs = []
            for host in first:
                starts, there = np.array([self.panels[host].start, start]), self.blocks[host]
                # Dask keeps a moved object while any task needs it, so each task gets a copy.
                copy = add(_copy, there, done, where=there)
                arguments = [
                    self.scaling,
                    self.layout,
                    copy,
                    side,
                    starts,
                    latest[host],
                    latest[guest],
                ]
                pair = add(_search_pair, *arguments, self.n_neighbors, where=there)
                latest[host] = add(getitem, pair, 0, where=there)
                theirs.append(add(getitem, pair, 1, where=there))
            latest[guest] = add(NearestSoFar.with_candidates, latest[guest], theirs, where=home)

    def nearest(self) -> list[Array]:
        """Return the indices of each panel."""
        pairs = zip(self.latest, self.blocks, strict=True)
        last = [self.graph.add(_indices, latest, where=block) for latest, block in pairs]
        return self.graph.compute(last)


def panels_of(features: DaskFeatures, samples: Array | None) -> list[Panel]:
    """Divide all samples or some into panels."""
    n_samples = features.n_samples if samples is None else samples.size
    wanted = max(LEAST_PANELS, PANELS_PER_WORKER * n_workers())
    most = max(WIDE_ROWS, int(PANEL_ENTRIES // features.entries_per_sample))
    least = SPARSE_ROWS if features.is_sparse else PANEL_ROWS
    rows = int(np.clip(n_samples // wanted, min(least, most), most))
    if samples is not None:
        edges = _even_edges(0, n_samples, rows)
        return [
            Panel(features.gathered(samples[start:stop]), start, stop - start)
            for start, stop in pairwise(edges)
        ]
    edges = _edges_along(features.container.edges.tolist(), rows)
    return [
        Panel(features.rows(start, stop), start, stop - start) for start, stop in pairwise(edges)
    ]


def _edges_along(given: list[int], rows: int) -> list[int]:
    """Divide samples where blocks begin, unless panels would become too small or too large.

    Half a panel is large enough, since joining blocks takes the memory of both a second time.
    """
    edges = [0]
    for stop in given[1:]:
        is_last = stop == given[-1]
        if stop > edges[-1] and (is_last or 2 * (stop - edges[-1]) >= rows):
            edges += _even_edges(edges[-1], stop, rows)[1:]
    return edges


def _even_edges(start: int, stop: int, rows: int) -> list[int]:
    n_parts = max(1, round((stop - start) / rows))
    return [start + (stop - start) * part // n_parts for part in range(n_parts + 1)]


def _spread_order(number: int) -> list[int]:
    """Return an order that spreads the panels of each worker, which are consecutive."""
    return np.argsort(np.arange(number) * GOLDEN % 1, kind="stable").tolist()


def _search_itself(scaling: Scaling, block: Block, start: int, n_neighbors: int) -> NearestSoFar:
    size = len(block)
    width = min(n_neighbors, size - 1)
    if width < 1:
        return NearestSoFar.of(np.empty((size, 0)), np.empty((size, 0)), n_neighbors)
    space = scaling.space_of(block)
    nearest = nearest_samples(space, width, n_jobs=1)
    key = space.distance_keys(np.repeat(np.arange(size), width), nearest.ravel())
    return NearestSoFar.of(nearest + start, key.reshape(nearest.shape), n_neighbors)


def _search_pair(
    scaling: Scaling,
    layout: ColumnLayout | None,
    host: Block,
    guest: Side,
    starts: Array,
    of_host: NearestSoFar,
    of_guest: NearestSoFar,
    n_neighbors: int,
) -> tuple[NearestSoFar, Candidates]:
    """Return the updated nearest samples of the host, and the candidates of the guest."""
    size, sides = len(host), (Side(scaling.space_of(host, int(starts[0])), layout), guest)
    limits = np.concatenate([of_host.limits, of_guest.limits])
    row, column, key = candidates_across(sides, n_neighbors, limits)
    is_host = row < size
    hosts = (row[is_host], column[is_host] - size + starts[1], key[is_host])
    guests = (row[~is_host] - size, column[~is_host] + starts[0], key[~is_host])
    return of_host.with_candidates([Candidates.of(*hosts)]), Candidates.of(*guests)


def _indices(nearest: NearestSoFar) -> Array:
    return nearest.sample.astype(np.intp)


def _copy(block: Block, done: None) -> Block:
    return Block(block.numbers, block.integers)


def _side(
    scaling: Scaling, layout: ColumnLayout | None, block: Block, start: int, done: None
) -> Side:
    return Side(scaling.space_of(block, start), layout)


def _nothing(nearest: NearestSoFar) -> None:
    return None


def nearest_in_groups(
    features: DaskFeatures, scaling: Scaling, groups: list[Array], n_neighbors: int
) -> list[Array]:
    """Return the nearest in its group for each sample of each group, as indices of the whole.

    Small groups are gathered, several in a task. A large group is searched in panels.
    """
    nearest_of: dict[int, Array] = {}
    for number, samples in enumerate(groups):
        if samples.size > LARGE_GROUP:
            width = min(n_neighbors, samples.size - 1)
            nearest_of[number] = samples[nearest_in_blocks(features, scaling, width, samples)]
    batches = _batches({n: group.size for n, group in enumerate(groups) if n not in nearest_of})
    shared, tasks = constant(scaling), []
    for batch in batches:
        samples = np.concatenate([groups[number] for number in batch])
        distinct, places = np.unique(samples, return_inverse=True)
        parts = np.split(places, np.cumsum([groups[number].size for number in batch])[:-1])
        block = features.gathered(distinct)
        tasks.append(delayed(_search_groups)(shared, block, parts, n_neighbors))
    for batch, nearest in zip(batches, compute(tasks), strict=True):
        nearest_of.update({n: groups[n][near] for n, near in zip(batch, nearest, strict=True)})
    return [nearest_of[number] for number in range(len(groups))]


def _batches(sizes: dict[int, int]) -> list[list[int]]:
    """Combine consecutive groups up to the rows of a panel."""
    batches: list[list[int]] = []
    n_left = 0
    for number, size in sizes.items():
        if size > n_left or not batches:
            batches.append([])
            n_left = PANEL_ROWS
        batches[-1].append(number)
        n_left -= size
    return batches


def _search_groups(
    scaling: Scaling, block: Block, groups: list[Array], n_neighbors: int
) -> list[Array]:
    space = scaling.space_of(block)
    return [
        nearest_samples(space.take(group), min(n_neighbors, group.size - 1), n_jobs=1)
        for group in groups
    ]
