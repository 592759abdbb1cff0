"""One run at a time: the lock that a run holds on its store."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rarelabels.experiment._record import now
from rarelabels.experiment._schema import StoreError


@contextmanager
def only_run(path: str) -> Iterator[None]:
    """Hold the store for one run; refuse if another holds it.

    The lock is SQLite's own, on a file beside the store: it works wherever the store does, and
    the system drops it when the process ends, however it ends.
    """
    if path == ":memory:":
        yield
        return
    lock = sqlite3.connect(f"{path}-lock", isolation_level=None, timeout=0)
    try:
        _take(lock, path)
        yield
    finally:
        with suppress(sqlite3.Error):
            lock.execute("ROLLBACK")
        lock.close()


def _take(lock: sqlite3.Connection, path: str) -> None:
    try:
        lock.execute("BEGIN IMMEDIATE")
        lock.execute("CREATE TABLE IF NOT EXISTS holder (who TEXT)")
        lock.execute("DELETE FROM holder")
        lock.execute("INSERT INTO holder VALUES (?)", [_myself()])
        lock.execute("COMMIT")
        # Others may still read who holds it.
        lock.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise StoreError(f"the store {path} cannot be locked: {error}.") from error
        raise StoreError(
            f"another run is filling {path} ({_holder(lock)}); wait for it or stop it, then run "
            "again: what it has finished is not repeated."
        ) from error


def _myself() -> str:
    return f"process {os.getpid()} on {platform.node()} since {now()}"


def _holder(lock: sqlite3.Connection) -> str:
    try:
        found = lock.execute("SELECT who FROM holder").fetchone()
    except sqlite3.Error:
        found = None
    return found[0] if found else "it does not say which"
