"""Run jobs on a Dask cluster; the results come to the client, and the store stays with it."""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rarelabels._dask.worker_watch import WorkerWatch
from rarelabels.experiment.engines._schedule import Schedule, Task, Workers
from rarelabels.experiment.engines._worker_process import Limits, Process
from rarelabels.experiment.evaluate import Stopped
from rarelabels.experiment.plan import Job
from rarelabels.experiment.store import Record, failure

# The processes of a Dask worker, kept from task to task; each serves one task at a time.
_IDLE: queue.LifoQueue[tuple[Limits, Process]] = queue.LifoQueue()

# A local cluster gives up a worker that is not there so long after it was killed, also one that was
# killed a second time and is just starting. Without workers a run would wait for ever.
KEPT = {"distributed.deploy.lost-worker-timeout": "1 day"}


def dask_records(tasks: Schedule, workers: Workers, stop: threading.Event) -> Iterator[Record]:
    """Run tasks on a Dask cluster, which is started on this machine if none is given."""
    limits = workers.limits
    with _client(workers.cluster, workers.n_jobs) as client:
        arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        topic = f"rarelabels-{uuid.uuid4().hex}"
        client.subscribe_topic(topic, lambda event: arrived.put(event[1]))
        futures = {_submit(client, task, limits, topic, arrived): task for task in tasks}
        try:
            waits = (
                "the run waits for one. Start one, or interrupt the run: finished jobs are kept."
            )
            yield from _records(futures, arrived, stop, WorkerWatch(client, waits))
        finally:
            client.cancel(list(futures))
            client.unsubscribe_topic(topic)


def _submit(client: Any, task: Task, limits: Limits, topic: str, arrived: Any) -> Any:
    jobs = [job.to_dict() for job in task.jobs]
    future = client.submit(
        run_on_worker, jobs, task.wanted, task.trusted, limits, topic, pure=False
    )
    future.add_done_callback(arrived.put)
    return future


def _records(
    futures: dict[Any, Task],
    arrived: queue.SimpleQueue[Any],
    stop: threading.Event,
    watch: WorkerWatch,
) -> Iterator[Record]:
    """Return each record once: when it is announced, or at the latest with the task's result."""
    seen: set[str] = set()
    waiting = {future.key: task for future, task in futures.items()}
    while waiting and not stop.is_set():
        try:
            event = arrived.get(timeout=0.2)
        except queue.Empty:
            watch.look()
            continue
        if isinstance(event, dict):
            records = [Record(**event["record"])]
        else:
            records = _result(event, waiting.pop(event.key), seen)
        for record in records:
            if record.key not in seen:
                seen.add(record.key)
                yield record


def _result(future: Any, task: Task, seen: set[str]) -> list[Record]:
    try:
        return [Record(**values) for values in future.result()]
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return [failure(job.key, message) for job in task.jobs if job.key not in seen]


def run_on_worker(
    jobs: list[dict[str, Any]], wanted: int, trusted: tuple[str, ...], limits: Limits, topic: str
) -> list[dict[str, Any]]:
    """Run a task on a Dask worker, announcing each record; called there by Dask."""
    worker, records = _distributed().get_worker(), []
    process = _idle_process(limits)
    with suppress(Stopped):
        for values in jobs:
            record = process.run(Job.from_dict(values), wanted, trusted).to_dict()
            worker.log_event(topic, {"record": record})
            records.append(record)
    _IDLE.put((limits, process))
    return records


def _idle_process(limits: Limits) -> Process:
    with suppress(queue.Empty):
        known, process = _IDLE.get_nowait()
        if known == limits:
            return process
        process.end()
    return Process(limits, threading.Event())


@contextmanager
def _client(cluster: Any, n_jobs: int | None) -> Iterator[Any]:
    """Return a client: the one given, one for an address, or one of a cluster made for the run."""
    distributed = _distributed()
    if isinstance(cluster, distributed.Client):
        yield cluster
    elif cluster is not None:
        with distributed.Client(cluster) as client:
            yield client
    else:
        from dask import config

        # Any free port for the dashboard: there may be another cluster on this machine.
        options = {"n_workers": n_jobs or 1, "threads_per_worker": 1, "dashboard_address": ":0"}
        with (
            config.set(KEPT),
            distributed.LocalCluster(**options) as local,
            distributed.Client(local) as client,
        ):
            yield client


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            'engine="dask" needs Dask: pip install "rarelabels[dask]"; engine="processes" does not.'
        ) from error
    return distributed
