"""The engine that runs jobs in worker processes of this machine."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from joblib import Parallel, cpu_count, delayed, effective_n_jobs

from rarelabels.experiment.engines._objects import objects_folder
from rarelabels.experiment.engines._schedule import Schedule, Task, Workers
from rarelabels.experiment.engines._worker_process import Limits, Process
from rarelabels.experiment.evaluate import Stopped
from rarelabels.experiment.store import Record


def process_records(tasks: Schedule, workers: Workers, stop: threading.Event) -> Iterator[Record]:
    """Run jobs in processes that can be ended one by one.

    Each of joblib's threads controls one process. joblib's own processes cannot be ended without
    losing the jobs of the others.
    """
    n_workers = min(effective_n_jobs(workers.n_jobs), len(tasks))
    limits = replace(workers.limits, threads=threads_of_a_worker(n_workers))
    results: queue.SimpleQueue[Record | BaseException | None] = queue.SimpleQueue()
    feeder = threading.Thread(
        target=_feed, args=(tasks, limits, n_workers, stop, results), daemon=True
    )
    feeder.start()
    try:
        while (result := results.get()) is not None:
            if isinstance(result, BaseException):
                raise result
            yield result
    finally:
        stop.set()
        feeder.join()


def threads_of_a_worker(n_workers: int) -> int:
    """Return how many threads each worker process uses."""
    return int(max(1, cpu_count() // max(1, n_workers)))


@contextmanager
def one_process(tasks: Schedule, n_workers: int, stop: threading.Event) -> Iterator[Process]:
    """Return a process like each of `n_workers`, for some tasks."""
    limits = Limits(threads=threads_of_a_worker(n_workers))
    with objects_folder(tasks) as objects, _processes(1, limits, stop, objects) as idle:
        yield idle.get()


def _feed(
    tasks: Schedule,
    limits: Limits,
    n_workers: int,
    stop: threading.Event,
    results: queue.SimpleQueue[Record | BaseException | None],
) -> None:
    with objects_folder(tasks) as objects, _processes(n_workers, limits, stop, objects) as idle:
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
    n_workers: int, limits: Limits, stop: threading.Event, objects: str | None
) -> Iterator[queue.LifoQueue[Process]]:
    processes = [Process(limits, stop, objects) for _ in range(n_workers)]
    idle: queue.LifoQueue[Process] = queue.LifoQueue()
    for process in processes:
        idle.put(process)
    try:
        yield idle
    finally:
        for process in processes:
            process.end()
