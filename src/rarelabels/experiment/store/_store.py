"""The store: every result in one SQLite file, written as soon as it is there."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from rarelabels.experiment.plan import Job, canonical_json
from rarelabels.experiment.store._export import export_rows
from rarelabels.experiment.store._lock import only_run
from rarelabels.experiment.store._record import DONE, FAILED, Record
from rarelabels.experiment.store._schema import StoreError, connect, store_errors
from rarelabels.experiment.store._table import ScoreTable, table_of

LIBRARIES = ("python", "numpy", "scipy", "sklearn", "rarelabels")
# A result that was a failure, and is none any more.
NEWS = (FAILED, DONE)
OF_JOB = ("plan", "key", "dataset", "learner", "method", "fold", "seed")
OF_RESULT = (
    "status", "error", "warnings",
    "sampling_seconds", "training_seconds", "prediction_seconds", "seconds", "peak_memory",
    "started", "host", *LIBRARIES,
)  # fmt: skip
COLUMNS = (*OF_JOB, "metric", "value", *OF_RESULT)
ROWS = f"""
SELECT {", ".join(f"jobs.{name}" for name in OF_JOB)}, scores.metric, scores.value,
       {", ".join(f"results.{name}" for name in OF_RESULT)}
FROM jobs JOIN results USING (key) LEFT JOIN scores USING (key)
"""
IN_ORDER = "ORDER BY jobs.plan, jobs.position, scores.metric"


class Store:
    """Results of experiments, in one SQLite file.

    A result is written, with all its scores, when its job is done, and is there for good: a run
    that is killed loses no more than the jobs it was at. One run at a time writes; any number of
    readers may look on.

    Parameters
    ----------
    path : path-like
        The file; made where there is none. ``":memory:"`` for a store that lasts as long as it is
        open.

    Raises
    ------
    StoreError
        For a file that is no store, or one of another version.

    Examples
    --------
    >>> from rarelabels.experiment import Store
    >>> with Store(":memory:") as store:
    ...     store.rows()
    []
    """

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        self._connection = connect(self.path)

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
        self._connection.close()

    def plans(self) -> list[str]:
        """Return the names of the plans that have jobs here.

        Returns
        -------
        list of str
            Sorted.
        """
        found = self._read("SELECT DISTINCT plan FROM jobs ORDER BY plan")
        return [row["plan"] for row in found]

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
        where, values = ("WHERE jobs.plan = ?", [plan]) if plan else ("", [])
        found = self._read(f"{ROWS} {where} {IN_ORDER}", values)
        return [dict(row) for row in found]

    def failures(self, plan: str | None = None) -> list[dict[str, Any]]:
        """Return the jobs that failed, and why.

        Parameters
        ----------
        plan : str, optional
            The jobs of one plan only.

        Returns
        -------
        list of dict
            As `rows` gives them; the first line of ``error`` is the message.
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
        plan = plan or self._only("plan", "1", [])
        learner = learner or self._only("learner", "plan = ?", [plan])
        cells = self._read(
            "SELECT dataset, method, avg(value) AS value, count(value) AS folds "
            "FROM jobs LEFT JOIN scores ON scores.key = jobs.key AND metric = ? "
            "WHERE plan = ? AND learner = ? GROUP BY dataset, method ORDER BY min(position)",
            [metric, plan, learner],
        )
        folds = "SELECT count(DISTINCT fold) FROM jobs WHERE plan = ?"
        n_folds = self._read(folds, [plan])[0][0]
        return table_of(map(dict, cells), None if partial else n_folds)

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
        where, values = ("AND plan = ?", [plan]) if plan else ("", [])
        found = self._read(
            "SELECT dataset, learner, method, label, avg(value) AS value, count(value) AS folds "
            f"FROM jobs JOIN label_scores USING (key) WHERE metric = ? {where} "
            "GROUP BY dataset, learner, method, label ORDER BY min(position), label",
            [metric, *values],
        )
        return [dict(row) for row in found]

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
        where, values = ("WHERE plan = ?", [plan]) if plan else ("", [])
        query = f"SELECT job FROM jobs {where} ORDER BY plan, position"
        found = self._read(query, values)
        with store_errors(self.path):
            return [Job.from_dict(json.loads(row["job"])) for row in found]

    def only_run(self) -> Any:
        """Hold the store for one run; a second one is refused with a `StoreError`.

        Returns
        -------
        context manager
            That gives the store free again.
        """
        return only_run(self.path)

    def register(self, plan: str, jobs: Sequence[Job]) -> None:
        """Put down what a plan consists of, in place of what it consisted of before.

        Results stay, whichever plans they belong to.

        Parameters
        ----------
        plan : str
            Its name.
        jobs : sequence of Job
            Its jobs.
        """
        with self._transaction():
            self._connection.execute("DELETE FROM jobs WHERE plan = ?", [plan])
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
        found = self._read("SELECT key, status FROM results")
        settled = {row["key"] for row in found if not (retry and row["status"] == FAILED)}
        return [job for job in jobs if job.key not in settled]

    def seconds(self) -> dict[str, float]:
        """Return the seconds that each job took which is done.

        Returns
        -------
        dict of str to float
            By the jobs' keys.
        """
        query = "SELECT key, seconds FROM results WHERE status = ? AND seconds IS NOT NULL"
        found = self._read(query, [DONE])
        return {row["key"]: row["seconds"] for row in found}

    def records(self) -> list[Record]:
        """Return all results, those of plans that have changed too.

        Returns
        -------
        list of Record
            With scores by metric, and by label where they were asked for.
        """
        scores: dict[str, dict[str, float | None]] = {}
        for row in self._read("SELECT * FROM scores ORDER BY key, metric"):
            scores.setdefault(row["key"], {})[row["metric"]] = row["value"]
        by_label: dict[str, dict[str, dict[str, float | None]]] = {}
        for row in self._read("SELECT * FROM label_scores"):
            of_job = by_label.setdefault(row["key"], {})
            of_job.setdefault(row["metric"], {})[row["label"]] = row["value"]
        found = self._read("SELECT * FROM results ORDER BY key")
        with store_errors(self.path):
            return [
                record_of(dict(row), scores.get(row["key"], {}), by_label.get(row["key"], {}))
                for row in found
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
        here, added, known = {record.key: record for record in self.records()}, 0, 0
        names = {job.key: str(job) for jobs in plans.values() for job in jobs}
        with self._transaction():
            for name, jobs in plans.items():
                self._add_jobs(name, jobs)
            for record in records:
                check_agreement(here.get(record.key), record, names.get(record.key, record.key))
                if record.key not in here or (here[record.key].status, record.status) == NEWS:
                    self._replace(record)
                    added += 1
                else:
                    known += 1
        return added, known

    def _add_jobs(self, plan: str, jobs: Sequence[Job]) -> None:
        found = self._read("SELECT key, position FROM jobs WHERE plan = ?", [plan])
        places = {row["key"]: row["position"] for row in found}
        fresh = [job for job in jobs if job.key not in places]
        self._insert_jobs(plan, fresh, max(places.values(), default=-1) + 1)

    def _insert_jobs(self, plan: str, jobs: Sequence[Job], start: int) -> None:
        self._connection.executemany(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_job_row(plan, place, job) for place, job in enumerate(jobs, start)),
        )

    def _replace(self, record: Record) -> None:
        self._connection.execute("DELETE FROM results WHERE key = ?", [record.key])
        self._insert(record)

    def write(self, record: Record) -> bool:
        """Write a result and its scores, all or nothing.

        A failure is replaced; what is done stays as it is.

        Parameters
        ----------
        record : Record
            The result.

        Returns
        -------
        bool
            Whether it was written.
        """
        with self._transaction():
            if self._status(record.key) == DONE:
                return False
            self._replace(record)
        return True

    def _insert(self, record: Record) -> None:
        values = {**record.to_dict(), **record.versions}
        names = ("key", *OF_RESULT)
        self._connection.execute(
            f"INSERT INTO results ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
            [values[name] for name in names],
        )
        self._connection.executemany(
            "INSERT INTO scores VALUES (?, ?, ?)",
            ((record.key, metric, value) for metric, value in record.scores.items()),
        )
        self._connection.executemany(
            "INSERT INTO label_scores VALUES (?, ?, ?, ?)",
            (
                (record.key, metric, label, value)
                for metric, by_label in record.label_scores.items()
                for label, value in by_label.items()
            ),
        )

    def _status(self, key: str) -> str | None:
        found = self._read("SELECT status FROM results WHERE key = ?", [key])
        return found[0]["status"] if found else None

    def _only(self, column: str, where: str, values: list[Any]) -> str:
        found = self._read(
            f"SELECT {column} FROM jobs WHERE {where} GROUP BY {column} ORDER BY min(position)",
            values,
        )
        names = [row[column] for row in found]
        if len(names) == 1:
            return str(names[0])
        listed = ", ".join(map(repr, names)) or "none"
        raise ValueError(f"pass {column}=: the store has {listed}.")

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        with store_errors(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            self._roll_back()
            raise StoreError(self._write_failure(error)) from error
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        # A damaged file may fail here again; what went wrong first is what to tell.
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _write_failure(self, error: Exception) -> str:
        advice = "everything written before is safe"
        if "full" in str(error):
            advice += "; make room and run again: what is done is not repeated"
        return f"the store {self.path} cannot be written: {error}; {advice}."


@contextmanager
def opened(store: Any) -> Iterator[Store]:
    """Return a store, open; one that is given by its path is closed afterwards."""
    if isinstance(store, Store):
        yield store
    else:
        with Store(store) as found:
            yield found


def record_of(row: dict[str, Any], scores: Any, label_scores: Any) -> Record:
    """Return the record of a row of the results."""
    versions = {name: row.pop(name) for name in LIBRARIES}
    return Record(**row, versions=versions, scores=scores, label_scores=label_scores)


def check_agreement(here: Record | None, other: Record, job: str) -> None:
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


def _job_row(plan: str, place: int, job: Job) -> tuple[Any, ...]:
    return (
        plan, job.key, place, job.dataset.name, job.learner.name, job.method.name,
        job.fold, job.seed, canonical_json(job.to_dict()),
    )  # fmt: skip
