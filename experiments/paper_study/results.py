"""Results of a plan, complete or not: scores over whole repetitions, and what is missing.

A table compares methods on the same folds. Of each data set those repetitions count in which every
method of the table has a score on every fold, with every learner that has been begun, so that means
over learners rest on the same data sets; a data set without one is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from rarelabels.experiment import Job, ScoreTable, Store, unpack

from .formats import Table

SQLITE = b"SQLite format 3\0"


def open_results(path: Path) -> Store:
    """Open a store, or unpack a packed one into memory."""
    with path.open("rb") as file:
        is_store = file.read(len(SQLITE)) == SQLITE
    if is_store:
        return Store(path)
    store = Store(":memory:")
    unpack(path, store)
    return store


def chosen_plan(store: Store, name: str | None) -> str:
    """Return the plan that was named, the paper's, or the first."""
    plans = store.plans()
    if name is not None and name not in plans:
        raise SystemExit(f"there is no plan {name!r} among the results; there are {plans}.")
    if not plans:
        raise SystemExit("there are no results yet.")
    return name or ("paper" if "paper" in plans else plans[0])


@dataclass(frozen=True, eq=False)
class Results:
    """The jobs of a plan and their scores.

    Attributes
    ----------
    plan : str
        The plan's name.
    jobs : list of Job
        What was planned.
    values : dict
        By metric, learner, data set and method: the score of each fold.
    done, failed : Counter
        Jobs by data set and learner that have scores, and that have failed.
    """

    plan: str
    jobs: list[Job]
    values: dict[tuple[str, str, str, str], dict[int, float]]
    done: Counter[tuple[str, str]]
    failed: Counter[tuple[str, str]]

    @classmethod
    def of(cls, store: Store, plan: str) -> Results:
        """Read the results of a plan."""
        values: dict[tuple[str, str, str, str], dict[int, float]] = {}
        ended: dict[str, tuple[str, str, str]] = {}
        for row in store.rows(plan):
            ended[row["key"]] = (row["status"], row["dataset"], row["learner"])
            if row["status"] == "done" and row["value"] is not None:
                cell = (row["metric"], row["learner"], row["dataset"], row["method"])
                values.setdefault(cell, {})[row["fold"]] = row["value"]
        done, failed = (
            Counter(
                (dataset, learner) for found, dataset, learner in ended.values() if found == kind
            )
            for kind in ("done", "failed")
        )
        return cls(plan, store.jobs(plan), values, done, failed)

    @cached_property
    def learners(self) -> tuple[str, ...]:
        """The learners, in the plan's order."""
        return tuple(dict.fromkeys(job.learner.name for job in self.jobs))

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """The data sets, by name."""
        return tuple(sorted({job.dataset.name for job in self.jobs}))

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the plan's order."""
        return tuple(dict.fromkeys(job.method.name for job in self.jobs))

    @cached_property
    def n_splits(self) -> int:
        """Folds of each repetition."""
        return self.jobs[0].n_splits

    def repeats_of(
        self, metric: str, learner: str, dataset: str, methods: Sequence[str]
    ) -> set[int]:
        """Return the repetitions in which all methods have all folds with a learner."""
        done = [set(self.values.get((metric, learner, dataset, name), ())) for name in methods]
        counts = Counter(fold // self.n_splits for fold in set.intersection(*done))
        return {repeat for repeat, count in counts.items() if count == self.n_splits}

    def whole_repeats(
        self, metric: str, learner: str, dataset: str, methods: Sequence[str]
    ) -> list[int]:
        """Return the repetitions that are whole with this learner and all that have been begun."""
        found = self.repeats_of(metric, learner, dataset, methods)
        for other in self.begun(metric, tuple(methods)):
            found &= self.repeats_of(metric, other, dataset, methods)
        return sorted(found)

    def begun(self, metric: str, methods: tuple[str, ...]) -> list[str]:
        """Return the learners that have a whole repetition of some data set."""
        return [
            learner
            for learner in self.learners
            if any(self.repeats_of(metric, learner, name, methods) for name in self.datasets)
        ]

    def table(self, metric: str, learner: str, methods: Sequence[str]) -> ScoreTable:
        """Return mean scores over whole repetitions, of the data sets that have one."""
        rows: dict[str, list[float]] = {}
        for dataset in self.datasets:
            repeats = self.whole_repeats(metric, learner, dataset, methods)
            if repeats:
                rows[dataset] = [
                    self._mean((metric, learner, dataset, name), repeats) for name in methods
                ]
        values = np.array(list(rows.values()), dtype=float).reshape(-1, len(methods))
        return ScoreTable(values, tuple(rows), tuple(methods))

    def _mean(self, cell: tuple[str, str, str, str], repeats: list[int]) -> float:
        found = self.values[cell]
        return float(
            np.mean([score for f, score in found.items() if f // self.n_splits in repeats])
        )


def run_facts(store: Store, plan: str) -> dict[str, str]:
    """Return how much of a plan is done and how long it took, as text."""
    ended = {row["key"]: row for row in store.rows(plan)}
    hours = sum(row["seconds"] or 0 for row in ended.values()) / 3600
    counts = Counter(row["status"] for row in ended.values())
    n_jobs = len(store.jobs(plan))
    return {
        "planned": f"{n_jobs:,}",
        "done": f"{counts['done']:,}",
        "failed": f"{counts['failed']:,}",
        "hours": f"{hours:.1f}",
    }


def missing_table(results: Results) -> Table:
    """Return how many jobs of each data set and learner are done, have failed or are left."""
    planned = Counter((job.dataset.name, job.learner.name) for job in results.jobs)
    rows = [_missing_row(pair, n_planned, results) for pair, n_planned in planned.items()]
    gaps = tuple(row for row in rows if row[3] != row[2])
    n_done = sum(results.done.values())
    caption = (
        f"{n_done} of {len(results.jobs)} jobs are done, "
        f"{sum(results.failed.values())} have failed."
        + (" Data sets and learners with gaps:" if gaps else " Nothing is missing.")
    )
    header = ("Data set", "Base", "Planned", "Done", "Failed", "Left", "Whole repeats")
    return Table("missing", caption, header, gaps)


def _missing_row(pair: tuple[str, str], n_planned: int, results: Results) -> tuple[str, ...]:
    dataset, learner = pair
    n_done, n_failed = results.done[pair], results.failed[pair]
    whole = results.repeats_of("macro_f1", learner, dataset, results.methods)
    counts = (n_planned, n_done, n_failed, n_planned - n_done - n_failed, len(whole))
    return (dataset, learner, *map(str, counts))
