"""Group jobs into tasks, expect how long they take, and start them so that no worker idles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from rarelabels.experiment.engines._worker_process import Limits
from rarelabels.experiment.plan import DatasetSpec, Job

# Seconds; the end of shorter runs is not worth a time of day.
WORTH_A_TIME, DAY = 120, 86400


@dataclass(frozen=True)
class Task:
    """Jobs of one data set, fold and learner, to be run one after the other by one worker.

    `wanted` is the largest number of neighbors that jobs on the data set share, `trusted` the
    packages of which base classifiers may be.
    """

    jobs: tuple[Job, ...]
    wanted: int
    trusted: tuple[str, ...] = ()


def tasks_of(jobs: list[Job], trusted: tuple[str, ...] = ()) -> list[Task]:
    """Group jobs of one data set, fold and learner that follow each other."""
    groups = groupby(jobs, key=lambda job: (job.dataset, job.fold, job.learner))
    wanted = {dataset: most_neighbors(jobs, dataset) for dataset in {job.dataset for job in jobs}}
    return [Task(tuple(group), wanted[which[0]], trusted) for which, group in groups]


def most_neighbors(jobs: list[Job], dataset: DatasetSpec) -> int:
    """Return the largest number of neighbors that a method on the data set asks for."""
    methods = {job.method for job in jobs if job.dataset == dataset and job.method.sampler}
    asked: list[Any] = [0]
    for method in methods:
        # A method that cannot be built is reported by its jobs.
        with suppress(AttributeError, IndexError, TypeError, ValueError):
            asked.append(getattr(method.build(), "n_neighbors", 0))
            asked += [settings.get("n_neighbors", 0) for settings in method.settings()]
    return max(number for number in asked if isinstance(number, int))


class JobTimes:
    """Mean seconds of jobs by data set, learner and method, over the folds that are done.

    Parameters
    ----------
    jobs : iterable of Job
        Of one plan.
    seconds : mapping of str to float
        By the keys of jobs that are done.
    """

    def __init__(self, jobs: Iterable[Job], seconds: Mapping[str, float]) -> None:
        self._cells = {job.key: _cell(job) for job in jobs}
        self._sums: dict[tuple[str, ...], tuple[float, int]] = {}
        for key, taken in seconds.items():
            self.add(key, taken)

    def add(self, key: str, seconds: float) -> None:
        """Count a job that is done."""
        if key not in self._cells:
            return
        cell = self._cells[key]
        # With the method, and over all methods for those of which no fold is done yet.
        for group in (cell, cell[:2]):
            total, count = self._sums.get(group, (0.0, 0))
            self._sums[group] = (total + seconds, count + 1)

    def expected(self, job: Job) -> float | None:
        """Return the seconds that a job is expected to take; None where nothing is known."""
        cell = _cell(job)
        for group in (cell, cell[:2]):
            if group in self._sums:
                total, count = self._sums[group]
                return total / count
        return None


@dataclass(frozen=True)
class Remaining:
    """How long jobs are expected to take.

    Attributes
    ----------
    seconds : float
        The time that is expected of all jobs of which it is known.
    n_unknown : int
        How many other jobs there are.
    limit : float
        The seconds after which the run ends in any case.
    """

    seconds: float
    n_unknown: int
    limit: float = float("inf")

    @classmethod
    def of(
        cls,
        jobs: Iterable[Job],
        times: JobTimes,
        n_workers: int = 1,
        limit: float = float("inf"),
    ) -> Remaining:
        """Add up jobs that `n_workers` share evenly."""
        expected = [times.expected(job) for job in jobs]
        known = [seconds for seconds in expected if seconds is not None]
        return cls(sum(known) / n_workers, len(expected) - len(known), limit)

    def __str__(self) -> str:
        if self.seconds > self.limit:
            return f"{duration(max(self.limit, 0.0))} to the time limit"
        unknown = f" and {self.n_unknown} jobs of unknown time" if self.n_unknown else ""
        return f"about {duration(self.seconds)}{unknown} to go"

    def end(self) -> str:
        """Return the time when the jobs will be done; nothing if it is unknown or near."""
        seconds = min(self.seconds, self.limit)
        if (self.n_unknown and seconds < self.limit) or seconds < WORTH_A_TIME:
            return ""
        end = datetime.now() + timedelta(seconds=seconds)
        return f", until {end:%H:%M}" if seconds < DAY / 2 else f", until {end:%a %H:%M}"


@dataclass(frozen=True)
class Schedule:
    """Tasks in the order in which workers should start them.

    The plan's order of folds stays. Within a fold the longest come first, those of unknown length
    before them, by the times known when the fold begins: so a fold ends on all workers at about
    the same time, and nothing long is left for the end.
    """

    tasks: tuple[Task, ...]
    times: JobTimes

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        for _, of_fold in groupby(self.tasks, key=lambda task: task.jobs[0].fold):
            yield from sorted(of_fold, key=self._length, reverse=True)

    def _length(self, task: Task) -> float:
        expected = [self.times.expected(job) for job in task.jobs]
        return sum(float("inf") if seconds is None else seconds for seconds in expected)


@dataclass(frozen=True)
class Workers:
    """What an engine runs jobs with.

    `limits` is what a job may take, and `cluster` the address or client of a Dask cluster; engines
    that have neither limits nor a cluster ignore them.
    """

    n_jobs: int | None
    limits: Limits
    cluster: Any = None


def duration(seconds: float) -> str:
    """Return a length of time in the unit that suits it.

    >>> duration(40), duration(720), duration(11_500), duration(500_000)
    ('40 s', '12 min', '3.2 h', '5.8 days')
    """
    units = ((2 * 86400, 86400, "days"), (2 * 3600, 3600, "h"), (120, 60, "min"))
    for least, unit, name in units:
        if seconds >= least:
            return f"{seconds / unit:.{0 if name == 'min' else 1}f} {name}"
    return f"{seconds:.0f} s"


def _cell(job: Job) -> tuple[str, ...]:
    return job.dataset.name, job.learner.name, job.method.name
