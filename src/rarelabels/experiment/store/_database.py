"""A store's connection: queries and transactions whose errors name the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from rarelabels.experiment.store._schema import StoreError, connect, store_errors


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
        except (sqlite3.Error, UnicodeDecodeError) as error:
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
            advice += "; make room and run again: what is done is not repeated"
        return f"the store {self.path} cannot be written: {error}; {advice}."
