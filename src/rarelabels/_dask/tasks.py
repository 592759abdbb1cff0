"""Schedule tasks with Dask. No other module of the package does."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from rarelabels._dask.worker_watch import WorkerWatch

# Number of results that one task joins.
FAN_IN = 16
# Seconds of waiting between checks for workers.
LOOK_AFTER = 1.0
WAITING = (
    "tasks wait for one. Dask terminates workers that exceed their memory limit: smaller chunks or "
    "more memory may help. Start a worker, or interrupt."
)


def delayed(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Return a function whose calls become tasks."""
    from dask.delayed import delayed as task_of

    return task_of(function, **options)


def constant(value: Any) -> Any:
    """Return a value as a task, so that many tasks can share it.

    The scheduler keeps the value with its graph, so it survives the death of a worker. Data that a
    client scatters does not.
    """
    from dask.delayed import delayed as task_of

    return task_of(value, traverse=False)


def compute(tasks: Sequence[Any], at_once: int | None = None) -> list[Any]:
    """Return the results of tasks. Warn if they wait for workers and there are none.

    A cluster gets so many tasks for each thread at once, or all. Dask may compute the blocks that
    tasks need long before the tasks, so this bounds the blocks in memory.
    """
    client = _client()
    if client is None:
        from dask.base import compute as computed

        return list(computed(*tasks))
    futures = _submitted(client, client.compute, tasks, at_once)
    results: list[Any] = client.gather(futures)
    release(futures)
    return results


def kept(tasks: Sequence[Any], at_once: int | None = None) -> list[Any]:
    """Compute tasks once, as `compute` does, and keep each result on its worker."""
    from dask.base import persist

    client = _client()
    if client is None:
        return list(persist(*tasks))
    return _submitted(client, client.persist, tasks, at_once)


def release(kept_tasks: Sequence[Any]) -> None:
    """Let workers forget the results of tasks that were kept.

    They would once the tasks are deleted. But Dask refers to them in cycles after it has waited,
    so this might be much later.
    """
    if _client() is not None:
        from distributed import futures_of

        for future in futures_of(list(kept_tasks)):
            future.release()


def _submitted(
    client: Any, submit: Callable[[list[Any]], list[Any]], tasks: Sequence[Any], at_once: int | None
) -> list[Any]:
    """Return what the client makes of tasks, some at a time, once all are computed."""
    from distributed import futures_of

    import dask

    watch, left = WorkerWatch(client, WAITING), list(tasks)
    submitted: list[Any] = []
    waiting: set[Any] = set()
    while left or waiting:
        n_free = len(left) if at_once is None else at_once * n_workers() - len(waiting)
        if left and 2 * n_free >= len(waiting):
            # A graph may hold a large constant, which is sent once. Dask's warning does not apply.
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
                part = submit(left[:n_free])
            submitted += part
            left = left[n_free:]
            waiting |= set(futures_of(part))
        watch.look()
        waiting = _unfinished(waiting)
    return submitted


def _unfinished(futures: set[Any]) -> set[Any]:
    """Wait until some futures are done, or for a moment, and return the others."""
    from distributed import wait

    with suppress(TimeoutError):
        wait(list(futures), timeout=LOOK_AFTER, return_when="FIRST_COMPLETED")
    return {future for future in futures if not future.done()}


def reduced(tasks: Sequence[Any], join: Callable[[list[Any]], Any], at_once: int = FAN_IN) -> Any:
    """Join the results of tasks, some at a time."""
    parts = list(tasks)
    while len(parts) > 1:
        groups = [parts[start : start + at_once] for start in range(0, len(parts), at_once)]
        parts = [delayed(join)(group) for group in groups]
    return compute(parts)[0]


class TaskGraph:
    """Tasks that depend on each other, in one graph, since joining many graphs is slow."""

    def __init__(self) -> None:
        self._token = uuid4().hex
        self._tasks: dict[Any, Any] = {}
        self._sources: list[Any] = []
        self._where: dict[Any, Any] = {}

    def source(self, task: Any) -> Any:
        """Add a task of another graph, and return its key."""
        self._sources.append(task)
        return task.key

    def add(self, function: Callable[..., Any], *arguments: Any, where: Any) -> Any:
        """Add the call of a function, and return its key.

        Arguments may be keys, lists of keys and constants that are neither strings nor tuples. The
        task runs on the worker that has the source `where`, unless that worker is gone.
        """
        key = (f"{function.__name__.strip('_')}-{self._token}", len(self._tasks))
        self._tasks[key] = (function, *arguments)
        self._where[key] = where
        return key

    def compute(self, keys: Sequence[Any]) -> list[Any]:
        """Return the results of the tasks with some keys."""
        from dask.base import annotate
        from dask.delayed import Delayed
        from dask.highlevelgraph import HighLevelGraph

        name, (sources, workers) = f"tasks-{self._token}", _located(self._sources)
        homes = {key: workers[where] for key, where in self._where.items() if where in workers}
        rules = {"workers": homes.get, "allow_other_workers": True} if homes else {}
        with annotate(**rules):
            graph = HighLevelGraph.from_collections(name, self._tasks, dependencies=sources)
        results = compute([Delayed(key, graph, layer=name) for key in keys])
        release(sources)
        return results


def _located(tasks: list[Any]) -> tuple[list[Any], dict[Any, list[str]]]:
    """Compute tasks on a cluster, and return them with the addresses of their workers."""
    from dask.base import persist

    client = _client()
    if client is None:
        return tasks, {}
    from distributed import futures_of, wait

    kept = list(persist(*tasks))
    wait(kept)
    workers_of = client.who_has(futures_of(kept))
    return kept, {key: list(addresses) for key, addresses in workers_of.items()}


def _client() -> Any:
    """Return the client of the cluster that runs tasks, None if this process runs them."""
    from dask.base import get_scheduler

    client: Any = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "who_has") else None


def homes_of(data: Any) -> list[list[str]]:
    """Return the addresses of the workers that have each block of a collection, if any."""
    from dask.core import flatten

    keys, client = list(flatten(data.__dask_keys__())), _client()
    if client is None:
        return [[] for _ in keys]
    from distributed import futures_of, wait

    futures = futures_of(data)
    wait(futures)
    workers_of = client.who_has(futures)
    return [list(workers_of.get(key, ())) for key in keys]


def delayed_at(home: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose calls become tasks of some workers, unless these are gone.

    Otherwise a scheduler that does not know how long a task takes might move all of X.
    """
    return _annotated({"workers": home, "allow_other_workers": True} if home else {}, function)


def delayed_beside(block: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose calls become tasks of the workers that compute a block."""
    (layer,) = block.__dask_layers__()
    return _annotated(block.dask.layers[layer].annotations or {}, function)


def _annotated(rules: dict[str, Any], function: Callable[..., Any]) -> Callable[..., Any]:
    from dask.base import annotate

    def call(*arguments: Any) -> Any:
        with annotate(**rules):
            return delayed(function)(*arguments)

    return call


def trim_memory() -> None:
    """Return unused memory to the system. The GNU C library does so only at the end of its heap."""
    if sys.platform == "linux":
        # Other C libraries do not have this function.
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def n_workers() -> int:
    """Return the number of threads that run tasks."""
    import dask

    try:
        from distributed import get_client

        return max(1, sum(get_client().nthreads().values()))
    except (ImportError, ValueError):  # Without a client Dask runs tasks in this process.
        return int(dask.config.get("num_workers", None) or dask.system.CPU_COUNT)
