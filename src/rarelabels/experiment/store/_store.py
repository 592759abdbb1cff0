"""The store: all results in one SQLite file, each written as soon as its job is done."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from rarelabels.experiment.plan import Job, canonical_json
from rarelabels.experiment.store._database import (
    Database,
    StoreError,
    lock_place,
    only_run,
    store_errors,
)
from rarelabels.experiment.store._results import (
    DONE,
    FAILED,
    Record,
    ScoreTable,
    export_rows,
    table_of,
)

LIBRARIES = ("python", "numpy", "scipy", "sklearn", "rarelabels")
OF_JOB = ("plan", "key", "dataset", "learner", "method", "fold", "seed")
OF_RESULT = (
    "status", "error", "warnings",
    "sampling_seconds", "training_seconds", "prediction_seconds", "seconds", "peak_memory",
    "started", "host", *LIBRARIES,
)  # fmt: skip
COLUMNS = (*OF_JOB, "metric", "value", *OF_RESULT)
# The columns have our own names; values are bound.
ROWS = f"""
SELECT {", ".join(f"jobs.{name}" for name in OF_JOB)}, scores.metric, scores.value,
       {", ".join(f"results.{name}" for name in OF_RESULT)}
FROM jobs JOIN results USING (key) LEFT JOIN scores USING (key)
WHERE :plan IS NULL OR jobs.plan = :plan
ORDER BY jobs.plan, jobs.position, scores.metric
"""  # noqa: S608
CELLS = """
SELECT dataset, method, avg(value) AS value, count(value) AS folds
FROM jobs LEFT JOIN scores ON scores.key = jobs.key AND metric = ?
WHERE plan = ? AND learner = ? GROUP BY dataset, method ORDER BY min(position)
"""
LABEL_SCORES = """
SELECT dataset, learner, method, label, avg(value) AS value, count(value) AS folds
FROM jobs JOIN label_scores USING (key) WHERE metric = :metric AND (:plan IS NULL OR plan = :plan)
GROUP BY dataset, learner, method, label ORDER BY min(position), label
"""
FOLD_LABEL_SCORES = """
SELECT method, fold, label, value FROM jobs JOIN label_scores USING (key)
WHERE metric = ? AND plan = ? ORDER BY position
"""
VALUES = """
SELECT results.key, scores.value
FROM results LEFT JOIN scores ON scores.key = results.key AND scores.metric = ?
"""
PLANS = "SELECT plan FROM jobs GROUP BY plan ORDER BY min(position)"
LEARNERS = "SELECT learner FROM jobs WHERE plan = ? GROUP BY learner ORDER BY min(position)"
WRITTEN = ("key", *OF_RESULT)
# The columns have our own names; values are bound.
INSERT_RESULT = (
    f"INSERT INTO results ({', '.join(WRITTEN)}) VALUES ({', '.join('?' * len(WRITTEN))})"  # noqa: S608
)


class Store:
    """Results of experiments, in one SQLite file.

    A result is written, with all its scores, when its job is done, and is there for good: a run
    that is killed loses no more than the jobs that were running. One run at a time writes; any
    number of others may read meanwhile.

    Parameters
    ----------
    path : path-like
        The file, which is created if there is none. ``":memory:"`` is a store that exists until it
        is closed.

    Raises
    ------
    StoreError
        For a file that is not a store, or a store of another version.

    Examples
    --------
    >>> from rarelabels.experiment import Store
    >>> with Store(":memory:") as store:
    ...     store.rows()
    []
    """

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        self._database = Database(self.path)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def plans(self) -> list[str]:
        """Return the names of the plans that have jobs here.

        Returns
        -------
        list of str
            Sorted.
        """
        rows = self._database.read("SELECT DISTINCT plan FROM jobs ORDER BY plan")
        return [row["plan"] for row in rows]

    def rows(self, plan: str | None = None) -> list[dict[str, Any]]:
        """Return everything, one row for each job and metric.

        Parameters
        ----------
        plan : str, optional
            The jobs of one plan only.

        Returns
        -------
        list of dict
            In the plan's order. A job that failed has one row, without metric and value.
        """
        return [dict(row) for row in self._database.read(ROWS, {"plan": plan})]

    def failures(self, plan: str | None = None) -> list[dict[str, Any]]:
        """Return the jobs that failed, and why.

        Parameters
        ----------
        plan : str, optional
            The jobs of one plan only.

        Returns
        -------
        list of dict
            As `rows` returns them; the first line of ``error`` is the message.
        """
        return [row for row in self.rows(plan) if row["status"] == FAILED]

    def scores(
        self,
        metric: str = "macro_f1",
        *,
        learner: str | None = None,
        plan: str | None = None,
        partial: bool = False,
    ) -> ScoreTable:
        """Average a metric over folds: rows data sets, columns methods.

        Parameters
        ----------
        metric : str, default="macro_f1"
            One of `SCORE_NAMES`.
        learner : str, optional
            Which learner, by its display name; may be left out if there is one.
        plan : str, optional
            Which plan; may be left out if there is one.
        partial : bool, default=False
            Average what is there, where folds are missing or have failed; otherwise such a cell
            is NaN.

        Returns
        -------
        ScoreTable
            Its ``columns()`` are what :mod:`rarelabels.comparison` takes.
        """
        plan = plan or self._only("plan", PLANS)
        learner = learner or self._only("learner", LEARNERS, plan)
        cells = self._database.read(CELLS, [metric, plan, learner])
        folds = self._database.read("SELECT count(DISTINCT fold) FROM jobs WHERE plan = ?", [plan])
        return table_of(map(dict, cells), None if partial else folds[0][0])

    def label_scores(
        self, metric: str = "macro_f1", plan: str | None = None
    ) -> list[dict[str, Any]]:
        """Average a metric over folds, label by label.

        Parameters
        ----------
        metric : str, default="macro_f1"
            The metric whose values behind the mean are wanted.
        plan : str, optional
            The jobs of one plan only.

        Returns
        -------
        list of dict
            With dataset, learner, method, label, value and folds (in which the label could be
            scored); empty unless the plan asks for them with ``per_label = true``.
        """
        scores = self._database.read(LABEL_SCORES, {"metric": metric, "plan": plan})
        return [dict(row) for row in scores]

    def label_scores_by_fold(self, metric: str, plan: str) -> list[dict[str, Any]]:
        """Return the scores behind a metric, label by label on each fold.

        Parameters
        ----------
        metric : str
            The metric whose values behind the mean are wanted.
        plan : str
            The plan.

        Returns
        -------
        list of dict
            With method, fold, label and value, None where the label could not be scored.
        """
        return [dict(row) for row in self._database.read(FOLD_LABEL_SCORES, [metric, plan])]

    def export(self, path: Any, plan: str | None = None) -> None:
        """Write all rows to a file.

        Parameters
        ----------
        path : path-like
            ``.csv`` or ``.parquet``.
        plan : str, optional
            The jobs of one plan only.
        """
        export_rows(self.rows(plan), COLUMNS, path)

    def jobs(self, plan: str | None = None) -> list[Job]:
        """Return the jobs that were planned, done or not.

        Parameters
        ----------
        plan : str, optional
            The jobs of one plan only.

        Returns
        -------
        list of Job
            In the plan's order.
        """
        query = "SELECT job FROM jobs WHERE :plan IS NULL OR plan = :plan ORDER BY plan, position"
        rows = self._database.read(query, {"plan": plan})
        with store_errors(self.path):
            return [Job.from_dict(json.loads(row["job"])) for row in rows]

    def remove_lock(self) -> None:
        """Remove the lock file of a run that ends without leaving `only_run`."""
        if self.path != ":memory:":
            lock_place(self.path).unlink(missing_ok=True)

    def only_run(self) -> Any:
        """Hold the store for one run; a second one is refused with a `StoreError`.

        Returns
        -------
        context manager
            Releases the store at its end.
        """
        return only_run(self.path)

    def register(self, plan: str, jobs: Sequence[Job]) -> None:
        """Write the jobs of a plan in place of those it had.

        Results stay, whichever plans they belong to.

        Parameters
        ----------
        plan : str
            Its name.
        jobs : sequence of Job
            Its jobs.
        """
        with self._database.transaction():
            self._database.write("DELETE FROM jobs WHERE plan = ?", [[plan]])
            self._insert_jobs(plan, jobs, 0)

    def pending(self, jobs: Iterable[Job], *, retry: bool = False) -> list[Job]:
        """Return the jobs that have no result.

        Parameters
        ----------
        jobs : iterable of Job
            To choose from.
        retry : bool, default=False
            Also those that failed.

        Returns
        -------
        list of Job
            In the order given.
        """
        rows = self._database.read("SELECT key, status FROM results")
        settled = {row["key"] for row in rows if not (retry and row["status"] == FAILED)}
        return [job for job in jobs if job.key not in settled]

    def seconds(self) -> dict[str, float]:
        """Return the seconds that each successful job took.

        Returns
        -------
        dict of str to float
            By the jobs' keys.
        """
        query = "SELECT key, seconds FROM results WHERE status = ? AND seconds IS NOT NULL"
        rows = self._database.read(query, [DONE])
        return {row["key"]: row["seconds"] for row in rows}

    def values(self, metric: str) -> dict[str, float | None]:
        """Return a score of every job that was run.

        Parameters
        ----------
        metric : str
            One of `SCORE_NAMES`.

        Returns
        -------
        dict of str to float or None
            By the jobs' keys; None if a job failed, or if the score is undefined.
        """
        rows = self._database.read(VALUES, [metric])
        return {row["key"]: row["value"] for row in rows}

    def records(self) -> list[Record]:
        """Return all results, those of plans that have changed too.

        Returns
        -------
        list of Record
            With scores by metric, and by label where they were asked for.
        """
        scores: dict[str, dict[str, float | None]] = {}
        for row in self._database.read("SELECT * FROM scores ORDER BY key, metric"):
            scores.setdefault(row["key"], {})[row["metric"]] = row["value"]
        by_label: dict[str, dict[str, dict[str, float | None]]] = {}
        for row in self._database.read("SELECT * FROM label_scores"):
            of_job = by_label.setdefault(row["key"], {})
            of_job.setdefault(row["metric"], {})[row["label"]] = row["value"]
        results = self._database.read("SELECT * FROM results ORDER BY key")
        with store_errors(self.path):
            return [
                _record_of(dict(row), scores.get(row["key"], {}), by_label.get(row["key"], {}))
                for row in results
            ]

    def merge(
        self, plans: Mapping[str, Sequence[Job]], records: Iterable[Record]
    ) -> tuple[int, int]:
        """Add plans and results of another store, all or nothing.

        Parameters
        ----------
        plans : mapping of str to sequence of Job
            Jobs that a plan of this name lacks here come after those it has.
        records : iterable of Record
            Results. One that is here already stays, unless it is a failure and the new one is not.

        Returns
        -------
        (int, int)
            How many results were added, and how many were there before.

        Raises
        ------
        StoreError
            Where both have a result of one job, with different scores.
        """
        here, n_added, n_known = {record.key: record for record in self.records()}, 0, 0
        names = {job.key: str(job) for jobs in plans.values() for job in jobs}
        with self._database.transaction():
            for name, jobs in plans.items():
                self._add_jobs(name, jobs)
            for record in records:
                known = here.get(record.key)
                _check_agreement(known, record, names.get(record.key, record.key))
                if known is None or (known.status, record.status) == (FAILED, DONE):
                    self._replace(record)
                    n_added += 1
                else:
                    n_known += 1
        return n_added, n_known

    def write(self, record: Record) -> bool:
        """Write a result and its scores, all or nothing.

        A failure is replaced; a success stays unchanged.

        Parameters
        ----------
        record : Record
            The result.

        Returns
        -------
        bool
            Whether it was written.
        """
        with self._database.transaction():
            known = self._database.read("SELECT status FROM results WHERE key = ?", [record.key])
            if known and known[0]["status"] == DONE:
                return False
            self._replace(record)
        return True

    def _only(self, column: str, query: str, *values: str) -> str:
        """Return the only value of a column, or ask which one is meant."""
        names = [row[0] for row in self._database.read(query, values)]
        if len(names) == 1:
            return str(names[0])
        listed = ", ".join(map(repr, names)) or "none"
        raise ValueError(f"pass {column}=: the store has {listed}.")

    def _add_jobs(self, plan: str, jobs: Sequence[Job]) -> None:
        known = self._database.read("SELECT key, position FROM jobs WHERE plan = ?", [plan])
        places = {row["key"]: row["position"] for row in known}
        new = [job for job in jobs if job.key not in places]
        self._insert_jobs(plan, new, max(places.values(), default=-1) + 1)

    def _insert_jobs(self, plan: str, jobs: Sequence[Job], start: int) -> None:
        self._database.write(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_job_values(plan, place, job) for place, job in enumerate(jobs, start)),
        )

    def _replace(self, record: Record) -> None:
        values = {**record.to_dict(), **record.versions}
        self._database.write("DELETE FROM results WHERE key = ?", [[record.key]])
        self._database.write(INSERT_RESULT, [[values[name] for name in WRITTEN]])
        self._database.write(
            "INSERT INTO scores VALUES (?, ?, ?)",
            ((record.key, metric, value) for metric, value in record.scores.items()),
        )
        self._database.write(
            "INSERT INTO label_scores VALUES (?, ?, ?, ?)",
            (
                (record.key, metric, label, value)
                for metric, by_label in record.label_scores.items()
                for label, value in by_label.items()
            ),
        )


@contextmanager
def opened(store: Any) -> Iterator[Store]:
    """Return a store, open; one that is given by its path is closed afterwards."""
    if isinstance(store, Store):
        yield store
    else:
        with Store(store) as opened_here:
            yield opened_here


def _record_of(row: dict[str, Any], scores: Any, label_scores: Any) -> Record:
    versions = {name: row.pop(name) for name in LIBRARIES}
    return Record(**row, versions=versions, scores=scores, label_scores=label_scores)


def _job_values(plan: str, place: int, job: Job) -> tuple[Any, ...]:
    return (
        plan, job.key, place, job.dataset.name, job.learner.name, job.method.name,
        job.fold, job.seed, canonical_json(job.to_dict()),
    )  # fmt: skip


def _check_agreement(here: Record | None, other: Record, job: str) -> None:
    """Refuse two results of one job that differ in a score."""
    if here is None or here.status != DONE or other.status != DONE:
        return
    for metric in sorted({*here.scores, *other.scores}):
        ours, theirs = here.scores.get(metric), other.scores.get(metric)
        if ours != theirs:
            raise StoreError(
                f"{job} has {metric} = {ours} here and {theirs} there; the two were not computed "
                "by the same code, or from the same data. Nothing was added."
            )
