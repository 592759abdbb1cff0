"""Tasks: jobs that share much and go to one worker in a row."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from rarelabels.experiment._job import Job
from rarelabels.experiment._specs import DatasetSpec


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
    asked = [0]
    for method in methods:
        built = method.build()
        asked.append(getattr(built, "n_neighbors", 0))
        asked += [settings.get("n_neighbors", 0) for settings in method.settings()]
    return max(asked)
