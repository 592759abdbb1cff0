"""How far a run is: a bar on a terminal, elsewhere a line every few minutes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rarelabels.experiment.store import FAILED, Record

SECONDS_BETWEEN_LINES = 300


class Report(Protocol):
    """Takes note of a record."""

    def __call__(self, record: Record) -> None:
        """Count it."""


@contextmanager
def progress_shown(n_jobs: int, *, show: bool, left: Callable[[], Any]) -> Iterator[Report]:
    """Show on standard error how many jobs are done and how long the others take.

    Parameters
    ----------
    n_jobs : int
        Jobs to do.
    show : bool
        Whether to show anything.
    left : callable
        Returns what is expected of the jobs that are left.
    """
    if not show:
        yield lambda record: None
        return
    bar_class = _tqdm() if sys.stderr.isatty() else None
    if bar_class is None:
        yield _Lines(n_jobs, left)
        return
    with bar_class(total=n_jobs, unit="job", file=sys.stderr, smoothing=0.05) as bar:
        yield _Bar(bar, left)


class _Bar:
    def __init__(self, bar: Any, left: Callable[[], Any]) -> None:
        self._bar, self._left, self._n_failed = bar, left, 0

    def __call__(self, record: Record) -> None:
        self._n_failed += record.status == FAILED
        self._bar.set_postfix_str(f"{_failed(self._n_failed)}{self._left()}", refresh=False)
        self._bar.update()


class _Lines:
    def __init__(self, n_jobs: int, left: Callable[[], Any]) -> None:
        self._n_jobs, self._left = n_jobs, left
        self._n_done = self._n_failed = 0
        self._next = time.monotonic() + SECONDS_BETWEEN_LINES

    def __call__(self, record: Record) -> None:
        self._n_done += 1
        self._n_failed += record.status == FAILED
        if time.monotonic() >= self._next:
            line = f"{self._n_done}/{self._n_jobs} jobs, {_failed(self._n_failed)}{self._left()}"
            print(line, file=sys.stderr, flush=True)
            self._next = time.monotonic() + SECONDS_BETWEEN_LINES


def _failed(n_failed: int) -> str:
    return f"{n_failed} failed, " if n_failed else ""


def _tqdm() -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm
