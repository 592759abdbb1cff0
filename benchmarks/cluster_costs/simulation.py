"""Simulate workers that are slow and workers that die, with a scheduler that steals work.

Each worker has a queue. A worker without tasks steals the last task of the longest queue. A task
that runs is never started a second time elsewhere, as in Dask. If a worker dies, its queue is
divided among the others, and the results that it has are lost; it returns empty after a restart.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field
from itertools import count

import numpy as np

# A stage with more deaths is said not to end.
MOST_DEATHS = 1000


@dataclass(frozen=True)
class Faults:
    """What goes wrong.

    Attributes
    ----------
    slow_share, slow_factor : float
        The probability that a worker is slow, and how many times as long its tasks take then.
    deaths_per_hour : float
        The rate at which each worker dies.
    restart : float
        Seconds until a worker that died is back.
    pauses : tuple of (worker, start, seconds)
        Times at which a worker stands still.
    deaths : tuple of (worker, time)
        Deaths in addition to those at random times.
    """

    slow_share: float = 0.0
    slow_factor: float = 3.0
    deaths_per_hour: float = 0.0
    restart: float = 60.0
    pauses: tuple[tuple[int, float, float], ...] = ()
    deaths: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Stage:
    """Tasks of equal length that do not depend on each other.

    Attributes
    ----------
    n_tasks : int
        Number of tasks.
    seconds : float
        Seconds of each task.
    serial : float
        Seconds before the tasks, in which the workers wait, such as those of the driver.
    again : float
        Seconds of work, shared by all workers, that each death repeats in addition to the lost
        tasks, such as sending samples once more.
    queued : float
        Seconds before the tasks in which workers wait for the scheduler. A death repeats the share
        of one worker of what was done.
    """

    n_tasks: int
    seconds: float
    serial: float = 0.0
    again: float = 0.0
    queued: float = 0.0


@dataclass
class _Stage:
    """A stage that runs."""

    stage: Stage
    queues: list[deque[float]]
    speed: np.ndarray
    faults: Faults
    rng: np.random.Generator
    clock: float
    most: float
    events: list[tuple[float, int, str, int, int]] = field(default_factory=list)
    numbers: count = field(default_factory=count)

    def __post_init__(self) -> None:
        n_workers = len(self.queues)
        self.lengths = np.array([len(queue) for queue in self.queues])
        self.alive = np.ones(n_workers, dtype=bool)
        self.running: list[float | None] = [None] * n_workers
        self.lives = [0] * n_workers
        self.results: list[list[float]] = [[] for _ in range(n_workers)]
        self.n_deaths = 0

    def run(self) -> float:
        """Return the time at which the last task ends, infinite if it takes too long."""
        for worker in range(len(self.queues)):
            self._start(worker)
        for worker in range(len(self.queues)):
            self._add_death(worker)
        for worker, time in self.faults.deaths:
            if time >= self.clock:
                self._add(time, "death", worker)
        n_left = int(self.lengths.sum()) + sum(task is not None for task in self.running)
        while n_left:
            if self.clock > self.most or self.n_deaths > MOST_DEATHS:
                return np.inf
            self.clock, _, kind, worker, life = heapq.heappop(self.events)
            if kind == "end" and life == self.lives[worker]:
                task = self.running[worker]
                self.results[worker].append(task)  # type: ignore[arg-type]
                self.running[worker] = None
                n_left -= 1
                if n_left:
                    self._start(worker)
            elif kind == "death":
                n_left += self._die(worker)
                self._add(self.clock + self.faults.restart, "return", worker)
            elif kind == "return":
                self.alive[worker] = True
                self._start(worker)
                self._add_death(worker)
        return self.clock

    def _add_death(self, worker: int) -> None:
        rate = self.faults.deaths_per_hour / 3600
        if rate:
            self._add(self.clock + self.rng.exponential(1 / rate), "death", worker)

    def _add(self, time: float, kind: str, worker: int) -> None:
        event = (time, next(self.numbers), kind, worker, self.lives[worker])
        heapq.heappush(self.events, event)

    def _start(self, worker: int) -> None:
        """Start the next task of a worker, which may be another worker's."""
        if not self.alive[worker] or self.running[worker] is not None:
            return
        queue, place = self.queues[worker], worker
        if queue:
            task = queue.popleft()
        else:
            place = int(self.lengths.argmax())
            if not self.lengths[place]:
                return
            task = self.queues[place].pop()
        self.lengths[place] -= 1
        self.running[worker] = task
        end = self.clock + task * self.speed[worker]
        self._add(self._with_pauses(worker, end), "end", worker)

    def _with_pauses(self, worker: int, end: float) -> float:
        for paused, start, seconds in self.faults.pauses:
            if paused == worker and start < end and self.clock < start + seconds:
                end += start + seconds - max(start, self.clock)
        return end

    def _die(self, worker: int) -> int:
        """Put the lost tasks into queues, and return how many more have to run."""
        self.n_deaths += 1
        self.alive[worker], self.lives[worker] = False, self.lives[worker] + 1
        lost = [*self.results[worker]]
        n_more = len(lost)
        self.results[worker] = []
        if self.running[worker] is not None:
            lost.append(self.running[worker])  # type: ignore[arg-type]
            self.running[worker] = None
        lost += self.queues[worker]
        self.queues[worker] = deque()
        self.lengths[worker] = 0
        others = np.flatnonzero(self.alive)
        if not others.size:
            others = np.array([worker])
        if self.stage.again:
            repeated = [self.stage.again / others.size] * others.size
            lost, n_more = repeated + lost, n_more + others.size
        for number, task in enumerate(lost):
            other = int(others[number % others.size])
            self.queues[other].append(task)
            self.lengths[other] += 1
        for other in others.tolist():
            self._start(other)
        return n_more


def simulated_seconds(
    stages: list[Stage],
    n_workers: int,
    faults: Faults,
    rng: np.random.Generator,
    most: float = np.inf,
) -> float:
    """Return the elapsed seconds of stages, each of which begins when the one before has ended.

    They are infinite if the work has not ended after `most` seconds.
    """
    speed = np.ones(n_workers)
    speed[rng.random(n_workers) < faults.slow_share] = faults.slow_factor
    clock = 0.0
    for stage in stages:
        clock += stage.serial
        queues = [
            deque([stage.seconds] * len(part))
            for part in np.array_split(np.arange(stage.n_tasks), n_workers)
        ]
        clock += _queued_seconds(stage.queued, n_workers, faults, rng)
        clock = _Stage(stage, queues, speed, faults, rng, clock, most).run()
        if clock == np.inf:
            break
    return clock


def _queued_seconds(
    seconds: float, n_workers: int, faults: Faults, rng: np.random.Generator
) -> float:
    """Return how long workers wait for the scheduler, with what deaths repeat."""
    rate = n_workers * faults.deaths_per_hour / 3600
    n_deaths = rng.poisson(rate * seconds) if rate * seconds else 0
    return float(seconds * (1 + rng.random(n_deaths).sum() / n_workers))


def restarted_seconds(
    seconds: float, n_workers: int, faults: Faults, rng: np.random.Generator, most: float = np.inf
) -> float:
    """Return the elapsed seconds if each death of a worker loses all progress.

    They are infinite if the work has not ended after `most` seconds.
    """
    rate = n_workers * faults.deaths_per_hour / 3600
    if not rate:
        return seconds
    clock = 0.0
    while clock < most:
        until_death = rng.exponential(1 / rate)
        if until_death >= seconds:
            return clock + seconds
        clock += until_death
    return np.inf


def overheads(with_faults: list[float], without: float) -> tuple[float, float, float]:
    """Return the mean of the elapsed time relative to that without faults, and a 90 % interval."""
    ratios = np.array(with_faults) / without
    low, high = np.quantile(ratios, [0.05, 0.95])
    return float(ratios.mean()), float(low), float(high)
