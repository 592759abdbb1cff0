"""Search among samples that lie in blocks elsewhere, as tasks.

The samples are cut into panels. Each panel is searched among itself, and then meets the others one
after another: the panel of a step goes once to wherever the panels before it are, which are
compared with it there, and is forgotten. What is found for each panel goes on to its next task and
makes the limits sink; no distances are in any other place than the two samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from operator import getitem
from typing import Any

import numpy as np

from rarelabels._blocks.features import Block
from rarelabels._blocks.tasks import TaskGraph, compute, constant, delayed, n_workers
from rarelabels._containers import Array
from rarelabels._distance import Placing, SpreadSpace
from rarelabels._search import nearest_samples
from rarelabels._search.across import Side, candidates_across
from rarelabels._search.candidates import Candidates, NearestSoFar
from rarelabels._search.columns import Frame
from rarelabels._search.frames import frame_after, look_at, reach_in, scaled_frame

# Panels are enough to keep all workers busy, but no smaller than this many rows...
PANEL_ROWS = 2048
PANELS_PER_WORKER = 4
LEAST_PANELS = 16
# ... and no larger than this many entries, or rows where they are wide: a worker holds several.
PANEL_ENTRIES = 2**22
WIDE_ROWS = 1024
# Groups of more samples are searched in panels.
LARGE_GROUP = 2 * PANEL_ROWS
# So many panels are on their way at a time.
UNDER_WAY = 2
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Panel:
    """Consecutive samples of a space: the task that returns them, and the first of them."""

    block: Any
    start: int
    size: int


def nearest_in_blocks(space: SpreadSpace, n_neighbors: int) -> Array:
    """Return the nearest other samples of each, as (n, k) indices."""
    panels = _panels(space)
    meetings = Meetings(panels, space.placing, n_neighbors)
    order = _spread_order(len(panels))
    for place in range(1, len(order)):
        before = order[place - UNDER_WAY] if place > UNDER_WAY else None
        meetings.invite(order[place], order[:place], before)
    return np.concatenate(meetings.nearest())


class Meetings:
    """The tasks of a search, and the latest of them for each panel."""

    def __init__(self, panels: list[Panel], placing: Placing, n_neighbors: int) -> None:
        self.panels = panels
        self.n_neighbors = n_neighbors
        self.graph = TaskGraph()
        self.blocks = [self.graph.source(panel.block) for panel in panels]
        self.placing = self.graph.source(constant(placing))
        self.frame = self._frame()
        self.found = [
            self.graph.add(
                _search_itself, self.placing, block, panel.start, n_neighbors, where=block
            )
            for block, panel in zip(self.blocks, panels, strict=True)
        ]

    def _frame(self) -> Any:
        """Return the key of the task that returns the frame of all samples."""
        add, placing, blocks = self.graph.add, self.placing, self.blocks
        looks = [add(look_at, placing, block, where=block) for block in blocks]
        frame = add(frame_after, placing, looks, where=blocks[0])
        reaches = [add(reach_in, placing, frame, block, where=block) for block in blocks]
        return add(scaled_frame, frame, reaches, where=blocks[0])

    def invite(self, guest: int, hosts: list[int], before: int | None) -> None:
        """Let a panel meet others, once all that another meets is done."""
        add, found, start = self.graph.add, self.found, self.panels[guest].start
        home = self.blocks[guest]
        done = None if before is None else add(_nothing, found[before], where=home)
        # A side of its own is forgotten when all have met it, wherever it has been.
        side = add(_side, self.placing, self.frame, home, start, done, where=home)
        step = max(1, len(self.panels) // 16)
        while hosts:
            # What the first find makes the limits sink for the others.
            first, hosts, step = hosts[:step], hosts[step:], 2 * step
            theirs = []
            for host in first:
                starts, there = np.array([self.panels[host].start, start]), self.blocks[host]
                # Dask keeps what it moved as long as any task needs it: each has a copy of its own.
                own = add(_copy, there, done, where=there)
                held = [self.placing, self.frame, own, side, starts, found[host], found[guest]]
                pair = add(_search_pair, *held, self.n_neighbors, where=there)
                found[host] = add(getitem, pair, 0, where=there)
                theirs.append(add(getitem, pair, 1, where=there))
            found[guest] = add(NearestSoFar.with_candidates, found[guest], theirs, where=home)

    def nearest(self) -> list[Array]:
        """Return the indices of each panel."""
        pairs = zip(self.found, self.blocks, strict=True)
        last = [self.graph.add(_indices, found, where=block) for found, block in pairs]
        return self.graph.compute(last)


def _panels(space: SpreadSpace) -> list[Panel]:
    n_samples, n_columns = space.n_samples, space.features.container.shape[1]
    wanted = max(LEAST_PANELS, PANELS_PER_WORKER * n_workers())
    most = max(WIDE_ROWS, PANEL_ENTRIES // n_columns)
    rows = int(np.clip(n_samples // wanted, min(PANEL_ROWS, most), most))
    if space.samples is not None:
        edges = _even_edges(0, n_samples, rows)
        return [
            Panel(space.features.gathered(space.samples[start:stop]), start, stop - start)
            for start, stop in pairwise(edges)
        ]
    edges = _edges_along(space.features.container.edges.tolist(), rows)
    return [
        Panel(space.features.rows(start, stop), start, stop - start)
        for start, stop in pairwise(edges)
    ]


def _edges_along(given: list[int], rows: int) -> list[int]:
    """Cut samples where their blocks begin, as far as panels become neither small nor large.

    Half a panel will do: to join blocks takes the memory of both a second time.
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
    """Return an order in which those of each worker, which lie together, are everywhere."""
    return np.argsort(np.arange(number) * GOLDEN % 1, kind="stable").tolist()


def _search_itself(placing: Placing, block: Block, start: int, n_neighbors: int) -> NearestSoFar:
    size = len(block)
    width = min(n_neighbors, size - 1)
    if width < 1:
        return NearestSoFar.of(np.empty((size, 0)), np.empty((size, 0)), n_neighbors)
    space = placing.place(block)
    nearest = nearest_samples(space, width, n_jobs=1)
    key = space.distance_keys(np.repeat(np.arange(size), width), nearest.ravel())
    return NearestSoFar.of(nearest + start, key.reshape(nearest.shape), n_neighbors)


def _search_pair(
    placing: Placing,
    frame: Frame,
    host: Block,
    guest: Side,
    starts: Array,
    of_host: NearestSoFar,
    of_guest: NearestSoFar,
    n_neighbors: int,
) -> tuple[NearestSoFar, Candidates]:
    """Return what is found for the host with what was before, and for the guest as it comes."""
    size, sides = len(host), (Side(placing.place(host, int(starts[0])), frame), guest)
    limits = np.concatenate([of_host.limits, of_guest.limits])
    row, column, key = candidates_across(sides, n_neighbors, limits)
    is_host = row < size
    hosts = (row[is_host], column[is_host] - size + starts[1], key[is_host])
    guests = (row[~is_host] - size, column[~is_host] + starts[0], key[~is_host])
    return of_host.with_candidates([Candidates.of(*hosts)]), Candidates.of(*guests)


def _indices(found: NearestSoFar) -> Array:
    return found.sample.astype(np.intp)


def _copy(block: Block, done: None) -> Block:
    return Block(block.numbers, block.integers)


def _side(placing: Placing, frame: Frame, block: Block, start: int, done: None) -> Side:
    return Side(placing.place(block, start), frame)


def _nothing(found: NearestSoFar) -> None:
    return None


def nearest_in_groups(space: SpreadSpace, groups: list[Array], n_neighbors: int) -> list[Array]:
    """Return the nearest in its group for each sample of each group, as indices of the whole.

    Groups that are small are gathered, several in a task; a large one is searched like all samples.
    """
    found: dict[int, Array] = {}
    for number, samples in enumerate(groups):
        if samples.size > LARGE_GROUP:
            width = min(n_neighbors, samples.size - 1)
            part = SpreadSpace(space.features, space.placing, samples)
            found[number] = samples[nearest_in_blocks(part, width)]
    batches = _batches({n: group.size for n, group in enumerate(groups) if n not in found})
    placing = constant(space.placing)
    tasks = []
    for batch in batches:
        samples = np.concatenate([groups[number] for number in batch])
        held, places = np.unique(samples, return_inverse=True)
        parts = np.split(places, np.cumsum([groups[number].size for number in batch])[:-1])
        block = space.features.gathered(held)
        tasks.append(delayed(_search_groups)(placing, block, parts, n_neighbors))
    for batch, nearest in zip(batches, compute(tasks), strict=True):
        found.update({n: groups[n][near] for n, near in zip(batch, nearest, strict=True)})
    return [found[number] for number in range(len(groups))]


def _batches(sizes: dict[int, int]) -> list[list[int]]:
    """Put consecutive groups together up to the rows of a panel."""
    batches: list[list[int]] = []
    room = 0
    for number, size in sizes.items():
        if size > room or not batches:
            batches.append([])
            room = PANEL_ROWS
        batches[-1].append(number)
        room -= size
    return batches


def _search_groups(
    placing: Placing, block: Block, groups: list[Array], n_neighbors: int
) -> list[Array]:
    space = placing.place(block)
    return [
        nearest_samples(space.take(group), min(n_neighbors, group.size - 1), n_jobs=1)
        for group in groups
    ]
