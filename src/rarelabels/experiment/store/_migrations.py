"""Bring stores that older versions wrote to the present schema, results and all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

from rarelabels.experiment.plan import Job, canonical_json


def to_version_2(connection: sqlite3.Connection) -> None:
    """Keep the seconds of a job, and take the number of repetitions out of its key."""
    connection.execute("ALTER TABLE results ADD COLUMN seconds REAL")
    for key, text in connection.execute("SELECT DISTINCT key, job FROM jobs").fetchall():
        values = json.loads(text)
        values.pop("n_repeats", None)
        _rename(connection, key, Job.from_dict(values))


def _rename(connection: sqlite3.Connection, old: str, job: Job) -> None:
    text = canonical_json(job.to_dict())
    # Two plans with different numbers of repetitions may have run the same job.
    connection.execute(
        "UPDATE OR REPLACE jobs SET key = ?, job = ? WHERE key = ?", [job.key, text, old]
    )
    # Tables by our own names; values are bound.
    for table in ("results", "scores", "label_scores"):
        change = f"UPDATE OR IGNORE {table} SET key = ? WHERE key = ?"  # noqa: S608
        connection.execute(change, [job.key, old])
        connection.execute(f"DELETE FROM {table} WHERE key = ?", [old])  # noqa: S608


# By the version that they bring a store to.
MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {2: to_version_2}
