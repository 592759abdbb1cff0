"""The store: every result in one SQLite file, written as soon as it is there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from rarelabels.experiment.plan import Job
from rarelabels.experiment.store._changes import merge_results, replace_plan, write_result
from rarelabels.experiment.store._database import Database
from rarelabels.experiment.store._export import export_rows
from rarelabels.experiment.store._lock import only_run
from rarelabels.experiment.store._queries import (
    COLUMNS,
    all_records,
    label_scores_of_folds,
    mean_label_scores,
    mean_scores,
    result_rows,
)
from rarelabels.experiment.store._record import DONE, FAILED, Record
from rarelabels.experiment.store._schema import store_errors
from rarelabels.experiment.store._table import ScoreTable


class Store:
    """Results of experiments, in one SQLite file.

    A result is written, with all its scores, when its job is done, and is there for good: a run
    that is killed loses no more than the jobs that were running. One run at a time writes; any
    number of others may read meanwhile.

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
        found = self._database.read("SELECT DISTINCT plan FROM jobs ORDER BY plan")
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
        return result_rows(self._database, plan)

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
        return mean_scores(self._database, metric, learner, plan, partial)

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
        return mean_label_scores(self._database, metric, plan)

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
        return label_scores_of_folds(self._database, metric, plan)

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
        found = self._database.read(query, {"plan": plan})
        with store_errors(self.path):
            return [Job.from_dict(json.loads(row["job"])) for row in found]

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
        replace_plan(self._database, plan, jobs)

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
        found = self._database.read("SELECT key, status FROM results")
        settled = {row["key"] for row in found if not (retry and row["status"] == FAILED)}
        return [job for job in jobs if job.key not in settled]

    def seconds(self) -> dict[str, float]:
        """Return the seconds that each successful job took.

        Returns
        -------
        dict of str to float
            By the jobs' keys.
        """
        query = "SELECT key, seconds FROM results WHERE status = ? AND seconds IS NOT NULL"
        found = self._database.read(query, [DONE])
        return {row["key"]: row["seconds"] for row in found}

    def records(self) -> list[Record]:
        """Return all results, those of plans that have changed too.

        Returns
        -------
        list of Record
            With scores by metric, and by label where they were asked for.
        """
        return all_records(self._database)

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
        return merge_results(self._database, plans, records)

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
        return write_result(self._database, record)


@contextmanager
def opened(store: Any) -> Iterator[Store]:
    """Return a store, open; one that is given by its path is closed afterwards."""
    if isinstance(store, Store):
        yield store
    else:
        with Store(store) as found:
            yield found
