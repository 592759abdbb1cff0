"""The engine that runs jobs in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from rarelabels.experiment.engines._schedule import Schedule, Workers
from rarelabels.experiment.evaluate import Memo, Stopped, run_job
from rarelabels.experiment.store import Record


def inline_records(tasks: Schedule, workers: Workers, stop: threading.Event) -> Iterator[Record]:
    """Run jobs in this process, one after the other, without limits of time and memory.

    When the time is up, the current fit is finished, but its job has no result.
    """
    memo = Memo()
    for task in tasks:
        for job in task.jobs:
            if stop.is_set():
                return
            try:
                record = run_job(job, memo, task.wanted, task.trusted, stop)
            except Stopped:
                return
            yield record
