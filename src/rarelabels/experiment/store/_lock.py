"""One run at a time: the lock that a run holds on its store."""

from __future__ import annotations

import os
import platform
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from rarelabels.experiment.store._record import now
from rarelabels.experiment.store._schema import StoreError


@contextmanager
def only_run(path: str) -> Iterator[None]:
    """Hold the store for one run; refuse if another holds it.

    The lock is SQLite's own, on a file beside the store that is there as long as the run: it works
    wherever the store does, and the system drops it when the process ends, however it ends.
    """
    if path == ":memory:":
        yield
        return
    # One store has one lock, by whatever link it is reached.
    place = f"{os.path.realpath(path)}-lock"
    lock = _taken(place, path)
    try:
        yield
    finally:
        # Removed while it is held; who opened it meanwhile finds that it is gone, and starts anew.
        with suppress(OSError):
            os.unlink(place)
        with suppress(sqlite3.Error):
            lock.execute("ROLLBACK")
        lock.close()
        with suppress(OSError):
            os.unlink(f"{place}-journal")


def _taken(place: str, path: str) -> sqlite3.Connection:
    """Return the connection that holds the lock."""
    while True:
        myself = (
            f"process {os.getpid()} on {platform.node()} since {now()} ({secrets.token_hex(4)})"
        )
        try:
            lock = sqlite3.connect(place, isolation_level=None, timeout=0)
        except sqlite3.Error as error:
            raise StoreError(f"the store {path} cannot be locked: {error}.") from error
        try:
            if _take(lock, path, myself) and _holder_of(place) == myself:
                return lock
        except BaseException:
            lock.close()
            raise
        # The file was removed by the run before, after it was opened here.
        lock.close()


def _take(lock: sqlite3.Connection, path: str, myself: str) -> bool:
    """Take the lock; False where SQLite notices that its file is gone."""
    try:
        lock.execute("BEGIN IMMEDIATE")
        lock.execute("CREATE TABLE IF NOT EXISTS holder (who TEXT)")
        lock.execute("DELETE FROM holder")
        lock.execute("INSERT INTO holder VALUES (?)", [myself])
        lock.execute("COMMIT")
        # Others may still read who holds it.
        lock.execute("BEGIN IMMEDIATE")
        return True
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_READONLY_DBMOVED":
            return False
        if "locked" not in str(error):
            raise StoreError(f"the store {path} cannot be locked: {error}.") from error
        raise StoreError(
            f"another run is filling {path} ({_holder(lock)}); wait for it or stop it, then run "
            "again: what it has finished is not repeated."
        ) from error


def _holder_of(place: str) -> str | None:
    """Return who holds the lock file that is there now."""
    if not os.path.exists(place):
        return None
    with closing(sqlite3.connect(place, isolation_level=None, timeout=0)) as other:
        return _holder(other)


def _holder(lock: sqlite3.Connection) -> str:
    try:
        found = lock.execute("SELECT who FROM holder").fetchone()
    except sqlite3.Error:
        found = None
    return str(found[0]) if found else "it does not say which"
