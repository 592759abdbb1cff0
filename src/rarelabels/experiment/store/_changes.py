"""What is written to a store: the jobs of plans, and results with their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rarelabels.experiment.plan import Job, canonical_json
from rarelabels.experiment.store._database import Database
from rarelabels.experiment.store._queries import OF_RESULT, all_records
from rarelabels.experiment.store._record import DONE, FAILED, Record
from rarelabels.experiment.store._schema import StoreError

# A failure here is replaced by a result from elsewhere.
FAILED_BEFORE = (FAILED, DONE)
WRITTEN = ("key", *OF_RESULT)
# Of our own names for columns; values are bound.
INSERT_RESULT = (
    f"INSERT INTO results ({', '.join(WRITTEN)}) VALUES ({', '.join('?' * len(WRITTEN))})"  # noqa: S608
)


def replace_plan(database: Database, plan: str, jobs: Sequence[Job]) -> None:
    """Write the jobs of a plan in place of those it had."""
    with database.transaction():
        database.write("DELETE FROM jobs WHERE plan = ?", [[plan]])
        _insert_jobs(database, plan, jobs, 0)


def write_result(database: Database, record: Record) -> bool:
    """Write a result unless there is one already; return whether it was written."""
    with database.transaction():
        found = database.read("SELECT status FROM results WHERE key = ?", [record.key])
        if found and found[0]["status"] == DONE:
            return False
        _replace(database, record)
    return True


def merge_results(
    database: Database, plans: Mapping[str, Sequence[Job]], records: Iterable[Record]
) -> tuple[int, int]:
    """Add plans and results; return how many results were added and how many were known."""
    here, added, known = {record.key: record for record in all_records(database)}, 0, 0
    names = {job.key: str(job) for jobs in plans.values() for job in jobs}
    with database.transaction():
        for name, jobs in plans.items():
            _add_jobs(database, name, jobs)
        for record in records:
            _check_agreement(here.get(record.key), record, names.get(record.key, record.key))
            if record.key not in here or (here[record.key].status, record.status) == FAILED_BEFORE:
                _replace(database, record)
                added += 1
            else:
                known += 1
    return added, known


def _add_jobs(database: Database, plan: str, jobs: Sequence[Job]) -> None:
    found = database.read("SELECT key, position FROM jobs WHERE plan = ?", [plan])
    places = {row["key"]: row["position"] for row in found}
    fresh = [job for job in jobs if job.key not in places]
    _insert_jobs(database, plan, fresh, max(places.values(), default=-1) + 1)


def _insert_jobs(database: Database, plan: str, jobs: Sequence[Job], start: int) -> None:
    database.write(
        "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (_job_values(plan, place, job) for place, job in enumerate(jobs, start)),
    )


def _job_values(plan: str, place: int, job: Job) -> tuple[Any, ...]:
    return (
        plan, job.key, place, job.dataset.name, job.learner.name, job.method.name,
        job.fold, job.seed, canonical_json(job.to_dict()),
    )  # fmt: skip


def _replace(database: Database, record: Record) -> None:
    values = {**record.to_dict(), **record.versions}
    database.write("DELETE FROM results WHERE key = ?", [[record.key]])
    database.write(INSERT_RESULT, [[values[name] for name in WRITTEN]])
    database.write(
        "INSERT INTO scores VALUES (?, ?, ?)",
        ((record.key, metric, value) for metric, value in record.scores.items()),
    )
    database.write(
        "INSERT INTO label_scores VALUES (?, ?, ?, ?)",
        (
            (record.key, metric, label, value)
            for metric, by_label in record.label_scores.items()
            for label, value in by_label.items()
        ),
    )


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
