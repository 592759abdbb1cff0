"""A bar with the jobs that are done and the time that is left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rarelabels.experiment._record import FAILED, Record


class Report(Protocol):
    """Takes note of a record."""

    def __call__(self, record: Record) -> None:
        """Count it."""


@contextmanager
def progress_bar(n_jobs: int, *, show: bool) -> Iterator[Report]:
    """Show a bar on standard error, if that is a terminal and tqdm is installed."""
    bar_class = _tqdm() if show and sys.stderr.isatty() else None
    if bar_class is None:
        yield lambda record: None
        return
    n_failed = 0
    with bar_class(total=n_jobs, unit="job", file=sys.stderr, smoothing=0.05) as bar:

        def report(record: Record) -> None:
            nonlocal n_failed
            n_failed += record.status == FAILED
            if n_failed:
                bar.set_postfix_str(f"{n_failed} failed", refresh=False)
            bar.update()

        yield report


def _tqdm() -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm
