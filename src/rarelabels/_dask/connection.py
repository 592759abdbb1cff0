"""Where the tasks of a program run: on the workers of a scheduler, or in threads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

CONNECTION_SECONDS = 30


@contextmanager
def connected(scheduler: str | None) -> Iterator[None]:
    """Run tasks on the workers of a scheduler, or in threads of this process if it is None."""
    if scheduler is None:
        with _progress_shown():
            yield
        return
    distributed = import_module("distributed")
    try:
        client = distributed.Client(scheduler, timeout=CONNECTION_SECONDS)
    except (OSError, ValueError) as error:
        raise ConnectionError(f"the scheduler {scheduler} cannot be reached: {error}") from error
    with client:
        yield


@contextmanager
def _progress_shown() -> Iterator[None]:
    """Show the progress of tasks on a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with import_module("dask.diagnostics").ProgressBar(minimum=1.0, out=sys.stderr):
        yield
