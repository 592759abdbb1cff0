"""Where jobs run: in this process, or in worker processes of this machine.

An engine takes tasks, lists of jobs that share much, and yields records one by one.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace

from joblib import Parallel, cpu_count, delayed, effective_n_jobs

from rarelabels.experiment.runner._evaluate import run_job
from rarelabels.experiment.runner._memo import Memo
from rarelabels.experiment.runner._process import Limits, Process, Stopped
from rarelabels.experiment.runner._schedule import Schedule, Task
from rarelabels.experiment.store import Record


def inline_records(tasks: Schedule, stop: threading.Event) -> Iterator[Record]:
    """Run jobs in this process, one after the other: easy to debug, without limits."""
    memo = Memo()
    for task in tasks:
        for job in task.jobs:
            if stop.is_set():
                return
            yield run_job(job, memo, task.wanted, task.trusted)


def object_records(tasks: Schedule, n_jobs: int | None, stop: threading.Event) -> Iterator[Record]:
    """Run jobs that hold objects, which joblib's own processes take, task by task.

    What is being run when the time is up has no result.
    """
    n_workers = min(effective_n_jobs(n_jobs), len(tasks))
    run = Parallel(n_jobs=n_workers, return_as="generator_unordered", pre_dispatch="n_jobs")
    with closing(run(delayed(_task_records)(task) for task in tasks)) as found:
        for records in found:
            yield from records
            if stop.is_set():
                return


def _task_records(task: Task) -> list[Record]:
    memo = Memo()
    return [run_job(job, memo, task.wanted, task.trusted) for job in task.jobs]


def process_records(
    tasks: Schedule, limits: Limits, n_jobs: int | None, stop: threading.Event
) -> Iterator[Record]:
    """Run jobs in processes that can be ended one by one.

    joblib's threads each look after one process, for joblib's own processes cannot be ended
    without losing the jobs of the others.
    """
    n_workers = min(effective_n_jobs(n_jobs), len(tasks))
    limits = replace(limits, threads=max(1, cpu_count() // max(1, n_workers)))
    results: queue.SimpleQueue[Record | BaseException | None] = queue.SimpleQueue()
    feeder = threading.Thread(
        target=_feed, args=(tasks, limits, n_workers, stop, results), daemon=True
    )
    feeder.start()
    try:
        while (found := results.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        stop.set()
        feeder.join()


def _feed(
    tasks: Schedule,
    limits: Limits,
    n_workers: int,
    stop: threading.Event,
    results: queue.SimpleQueue[Record | BaseException | None],
) -> None:
    with _processes(n_workers, limits, stop) as idle:
        try:
            run = Parallel(n_jobs=n_workers, backend="threading", batch_size=1)
            run(delayed(_run_task)(task, idle, stop, results) for task in tasks)
        except BaseException as error:
            results.put(error)
    results.put(None)


def _run_task(
    task: Task,
    idle: queue.LifoQueue[Process],
    stop: threading.Event,
    results: queue.SimpleQueue[Record | BaseException | None],
) -> None:
    # The process used last is taken first: it likely holds the data already.
    process = idle.get()
    try:
        with suppress(Stopped):
            for job in task.jobs:
                if stop.is_set():
                    return
                results.put(process.run(job, task.wanted, task.trusted))
    finally:
        idle.put(process)


@contextmanager
def _processes(
    n_workers: int, limits: Limits, stop: threading.Event
) -> Iterator[queue.LifoQueue[Process]]:
    processes = [Process(limits, stop) for _ in range(n_workers)]
    idle: queue.LifoQueue[Process] = queue.LifoQueue()
    for process in processes:
        idle.put(process)
    try:
        yield idle
    finally:
        for process in processes:
            process.end()
