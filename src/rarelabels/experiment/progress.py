"""How far a run is: a bar on a terminal and in a notebook, elsewhere a line for each fold."""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from rarelabels.experiment.plan import Job
from rarelabels.experiment.store import FAILED, Record

SECONDS_BETWEEN_LINES = 300
# With more folds than this, lines come by time instead.
MOST_FOLD_LINES = 200


class Report(Protocol):
    """Takes note of a record."""

    def __call__(self, record: Record) -> None:
        """Count it."""


@contextmanager
def progress_shown(jobs: Sequence[Job], *, show: bool, left: Callable[[], Any]) -> Iterator[Report]:
    """Show on standard error how many jobs are done and how long the others take.

    A bar on a terminal and in a notebook, if tqdm is installed; otherwise a line for each fold that
    is finished, or every five minutes if there are many folds.

    Parameters
    ----------
    jobs : sequence of Job
        Jobs to do.
    show : bool
        Whether to show anything.
    left : callable
        Returns what is expected of the jobs that are left.
    """
    if not show or not jobs:
        yield lambda record: None
        return
    bar_class = _tqdm() if sys.stderr.isatty() or in_notebook() else None
    if bar_class is None:
        yield _Lines(jobs, left)
        return
    options = {} if in_notebook() else {"file": sys.stderr}
    with bar_class(total=len(jobs), unit="job", smoothing=0.05, **options) as bar:
        yield _Bar(bar, left)


class _Bar:
    def __init__(self, bar: Any, left: Callable[[], Any]) -> None:
        self._bar, self._left, self._n_failed = bar, left, 0

    def __call__(self, record: Record) -> None:
        self._n_failed += record.status == FAILED
        left = self._left()
        text = f"{_failed(self._n_failed)}{left}{left.end()}"
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update()


class _Lines:
    def __init__(self, jobs: Sequence[Job], left: Callable[[], Any]) -> None:
        self._fold_of = {job.key: (job.dataset.name, job.learner.name, job.fold) for job in jobs}
        self._n_left = Counter(self._fold_of.values())
        self._n_folds, self._left = len(self._n_left), left
        self._n_done = self._n_failed = 0
        self._next = time.monotonic() + SECONDS_BETWEEN_LINES

    def __call__(self, record: Record) -> None:
        self._n_done += 1
        self._n_failed += record.status == FAILED
        fold = self._fold_of[record.key]
        self._n_left[fold] -= 1
        is_finished = not self._n_left[fold] and self._n_folds <= MOST_FOLD_LINES
        if is_finished or time.monotonic() >= self._next:
            print(self._line(), file=sys.stderr, flush=True)
            self._next = time.monotonic() + SECONDS_BETWEEN_LINES

    def _line(self) -> str:
        n_finished, left = sum(not count for count in self._n_left.values()), self._left()
        return (
            f"{n_finished} of {self._n_folds} folds, {self._n_done} of {len(self._fold_of)} jobs, "
            f"{_failed(self._n_failed)}{left}{left.end()}"
        )


def _failed(n_failed: int) -> str:
    return f"{n_failed} failed, " if n_failed else ""


def in_notebook() -> bool:
    """Return whether the code runs in a notebook, which shows other progress bars."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def _tqdm() -> Any:
    try:
        if not in_notebook():
            from tqdm import tqdm

            return tqdm
        with warnings.catch_warnings():
            # Without ipywidgets it draws the bar as text, and warns.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm as notebook_tqdm
    except ImportError:
        return None
    return notebook_tqdm
