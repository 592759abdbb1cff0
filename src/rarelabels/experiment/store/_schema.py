"""The tables of a store, and how a file is recognised as one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rarelabels.experiment.store._migrations import MIGRATIONS

# Marks the file as ours among all SQLite files: "rlbl".
APPLICATION_ID = 0x726C626C
SCHEMA_VERSION = 2

TABLES = """
CREATE TABLE jobs (
    plan TEXT NOT NULL, key TEXT NOT NULL, position INTEGER NOT NULL,
    dataset TEXT NOT NULL, learner TEXT NOT NULL, method TEXT NOT NULL,
    fold INTEGER NOT NULL, seed INTEGER NOT NULL, job TEXT NOT NULL,
    PRIMARY KEY (plan, key)
) WITHOUT ROWID;
CREATE TABLE results (
    key TEXT PRIMARY KEY, status TEXT NOT NULL, error TEXT, warnings TEXT,
    sampling_seconds REAL, training_seconds REAL, prediction_seconds REAL, seconds REAL,
    peak_memory INTEGER,
    started TEXT NOT NULL, host TEXT NOT NULL,
    python TEXT, numpy TEXT, scipy TEXT, sklearn TEXT, rarelabels TEXT
) WITHOUT ROWID;
CREATE TABLE scores (
    key TEXT NOT NULL REFERENCES results(key) ON DELETE CASCADE,
    metric TEXT NOT NULL, value REAL,
    PRIMARY KEY (key, metric)
) WITHOUT ROWID;
CREATE TABLE label_scores (
    key TEXT NOT NULL REFERENCES results(key) ON DELETE CASCADE,
    metric TEXT NOT NULL, label TEXT NOT NULL, value REAL,
    PRIMARY KEY (key, metric, label)
) WITHOUT ROWID;
"""


# What reading damaged content may raise; a message of SQLite itself may be no text any more.
DAMAGE = (sqlite3.Error, AttributeError, KeyError, TypeError, ValueError, OverflowError)


class StoreError(RuntimeError):
    """A store that cannot be used; the message says why and what to do."""


def connect(path: str) -> sqlite3.Connection:
    """Open a store, making its tables in a file that is new."""
    with store_errors(path):
        if path != ":memory:" and os.path.isfile(path) and not can_write(path):
            return _checked(_read_only(path), path)
        return _checked(sqlite3.connect(path, isolation_level=None, timeout=30), path, prepare=True)


def can_write(path: str) -> bool:
    """Whether a store can be written: the file, and its folder for SQLite's files beside it."""
    folder = os.path.dirname(os.path.realpath(path))
    return os.access(path, os.W_OK) and os.access(folder, os.W_OK)


def _read_only(path: str) -> sqlite3.Connection:
    """Open a file that nobody can change, and of which SQLite keeps no others beside it."""
    place = Path(path).resolve().as_uri()
    return sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True, isolation_level=None)


def _checked(
    connection: sqlite3.Connection, path: str, *, prepare: bool = False
) -> sqlite3.Connection:
    try:
        connection.row_factory = sqlite3.Row
        # Asked before anything is changed, so that a foreign file stays as it is.
        if not _is_empty(connection):
            check_version(connection, path)
        if prepare:
            _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def store_errors(path: str) -> Iterator[None]:
    """Turn what SQLite and damaged content raise into errors that name the store."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(f"the store {path} cannot be used: {error}.") from error
    except sqlite3.DatabaseError as error:
        raise StoreError(_not_a_store(path, str(error))) from error
    except DAMAGE as error:
        message = f"{type(error).__name__}: {error}"
        raise StoreError(f"the store {path} is damaged ({message}); restore a copy.") from error


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    if _is_empty(connection):
        _create(connection)
    elif _pragma(connection, "user_version") < SCHEMA_VERSION:
        _migrate(connection)


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring a store of an older version to the present one, all or nothing."""
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been first.
        for version in range(_pragma(connection, "user_version") + 1, SCHEMA_VERSION + 1):
            MIGRATIONS[version](connection)
            connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("PRAGMA foreign_keys = ON")


def _create(connection: sqlite3.Connection) -> None:
    # In one transaction, so that a file is a whole store or none; another process may be first.
    connection.execute("BEGIN IMMEDIATE")
    if _is_empty(connection):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        for statement in TABLES.split(";"):
            connection.execute(statement)
    connection.execute("COMMIT")


def check_version(connection: sqlite3.Connection, path: str) -> None:
    """Refuse files that are no store, and stores of newer versions."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreError(_not_a_store(path, "it is another program's SQLite file"))
    version = _pragma(connection, "user_version")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer version of rarelabels (schema {version}, this one "
            f"knows {SCHEMA_VERSION}); upgrade rarelabels, or name another file."
        )
    if version < SCHEMA_VERSION - len(MIGRATIONS):
        raise StoreError(_not_a_store(path, f"it has schema {version}, which never was"))


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _not_a_store(path: str, why: str) -> str:
    return (
        f"{Path(path).name} is not a store of experiments ({why}); it was left as it is. Name "
        "another file: a new one is made where there is none."
    )
