"""The SQLite file of a store: its tables, queries, transactions, errors and lock."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from rarelabels.experiment.store._results import now

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


class Database:
    """The SQLite file of a store."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connection = connect(path)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def read(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[sqlite3.Row]:
        """Return the rows that a query finds."""
        with store_errors(self.path):
            return self.connection.execute(query, values).fetchall()

    def write(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a statement with each row of values, within a transaction."""
        self.connection.executemany(statement, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all that is inside, or nothing."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield
            self.connection.execute("COMMIT")
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            self._roll_back()
            raise StoreError(self._write_failure(error)) from error
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        # A damaged file may fail here again; the first error is the one to report.
        with suppress(sqlite3.Error):
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def _write_failure(self, error: Exception) -> str:
        advice = "everything written before is safe"
        if "full" in str(error):
            advice += "; make room and run again; jobs that are done are not repeated"
        return f"the store {self.path} cannot be written: {error}; {advice}."


@contextmanager
def only_run(path: str) -> Iterator[None]:
    """Hold the store for one run; refuse if another run holds it.

    The system releases the lock when the process ends, however it ends. The lock file says who
    holds it, and is removed at the end of the run.
    """
    if path == ":memory:":
        yield
        return
    # One store has one lock, whichever link leads to it.
    place = lock_place(path)
    # Tried more than once: a run that ends removes the file, perhaps after it was opened here.
    lock = FileLock(place, timeout=0.2, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise StoreError(
            f"another run is filling {path} ({_holder(place)}); wait for it or stop it, then run "
            "again: finished jobs are not repeated."
        ) from error
    except OSError as error:
        raise StoreError(f"the store {path} cannot be locked: {error}.") from error
    try:
        # On Windows nobody else can write or read the file meanwhile.
        with suppress(OSError):
            _say_who_holds(place)
        yield
    finally:
        # While the lock is held: whoever has opened the file notices that it is gone.
        with suppress(OSError):
            place.unlink()
        lock.release()


def _say_who_holds(place: Path) -> None:
    """Write into the lock file, but not through a link that was put in its place meanwhile."""
    handle = os.open(place, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
    with open(handle, "w", encoding="utf-8") as file:
        file.write(f"process {os.getpid()} on {platform.node()} since {now()}")


def lock_place(path: str) -> Path:
    """Return where the lock of a store is."""
    return Path(f"{os.path.realpath(path)}-lock")


def _holder(place: Path) -> str:
    with suppress(OSError, ValueError):
        return place.read_text() or "it does not say which"
    return "it does not say which"


def connect(path: str) -> sqlite3.Connection:
    """Open a store, making its tables in a file that is new."""
    with store_errors(path):
        if path != ":memory:" and os.path.isfile(path) and not can_write(path):
            return _checked(_read_only(path), path)
        return _checked(sqlite3.connect(path, isolation_level=None, timeout=30), path, prepare=True)


def can_write(path: str) -> bool:
    """Return whether a store can be written: the file, and its folder for other files of SQLite."""
    folder = os.path.dirname(os.path.realpath(path))
    return os.access(path, os.W_OK) and os.access(folder, os.W_OK)


def _read_only(path: str) -> sqlite3.Connection:
    """Open a file that nobody can change, for which SQLite creates no other files."""
    place = Path(path).resolve().as_uri()
    return sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True, isolation_level=None)


def _checked(
    connection: sqlite3.Connection, path: str, *, prepare: bool = False
) -> sqlite3.Connection:
    try:
        connection.row_factory = sqlite3.Row
        # Asked before anything is changed, so that a file of another program stays unchanged.
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
    """Refuse files that are not a store, and stores of other versions."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreError(_not_a_store(path, "it is another program's SQLite file"))
    version = _pragma(connection, "user_version")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer version of rarelabels (schema {version}, this one "
            f"knows {SCHEMA_VERSION}); upgrade rarelabels, or name another file."
        )
    if version < SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written before the first release of rarelabels (schema {version}, this "
            f"version reads {SCHEMA_VERSION}); run the plan again with another file."
        )


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _not_a_store(path: str, why: str) -> str:
    return (
        f"{Path(path).name} is not a store of experiments ({why}); it was not changed. Name "
        "another file, which is created if it does not exist."
    )
