"""The one door to Dask, which is imported when a Dask collection comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from rarelabels._blocks.watch import WorkerWatch

# Results of so many blocks are put together in one task.
FAN_IN = 16
# Seconds of waiting after which somebody looks whether there are workers.
LOOK_AFTER = 1.0
WAITING = (
    "tasks wait for one. A worker that takes more memory than it may is ended by Dask: smaller "
    "chunks or more memory may help. Start one, or interrupt."
)

TAKEN_BY = (
    "find_neighbors, describe, limb, local_imbalance, label_types, MLSOL, MLUL, MLSMOTE, MLROS, "
    "MLRUS, REMEDIAL and a SamplerChain of these"
)


def is_collection(data: Any) -> bool:
    """Whether data is a Dask collection."""
    return hasattr(data, "__dask_graph__") and type(data).__module__.startswith("dask.")


def persisted(data: Any) -> Any:
    """Have a Dask collection kept where it is computed; return any other data as it is."""
    return data.persist() if is_collection(data) else data


def refuse_collection(data: Any) -> None:
    """Refuse a Dask collection where data in memory is needed."""
    if is_collection(data):
        raise TypeError(
            f"got a Dask {type(data).__name__}, which is taken by {TAKEN_BY} alone; compute() "
            "returns it in the memory of one machine."
        )


def delayed(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Return a function whose calls become tasks."""
    from dask.delayed import delayed as task_of

    return task_of(function, **options)


def constant(value: Any) -> Any:
    """Return a value as a task, so that many tasks can share it."""
    from dask.delayed import delayed as task_of

    return task_of(value, traverse=False)


def compute(tasks: Sequence[Any]) -> list[Any]:
    """Return what the tasks return; warn where they wait for workers that are not there."""
    client = _client()
    if client is None:
        from dask.base import compute as computed

        return list(computed(*tasks))
    from distributed import wait

    futures, watch = client.compute(list(tasks)), WorkerWatch(client, WAITING)
    while not all(future.done() for future in futures):
        watch.look()
        with suppress(TimeoutError):
            wait(futures, timeout=LOOK_AFTER)
    found: list[Any] = client.gather(futures)
    return found


def reduced(tasks: Sequence[Any], join: Callable[[list[Any]], Any]) -> Any:
    """Join what the tasks return, some at a time."""
    parts = list(tasks)
    while len(parts) > 1:
        groups = [parts[start : start + FAN_IN] for start in range(0, len(parts), FAN_IN)]
        parts = [delayed(join)(group) for group in groups]
    return compute(parts)[0]


class TaskGraph:
    """Tasks that build on each other, in one graph: long chains of them would be slow to join."""

    def __init__(self) -> None:
        self._token = uuid4().hex
        self._tasks: dict[Any, Any] = {}
        self._sources: list[Any] = []
        self._where: dict[Any, Any] = {}

    def source(self, task: Any) -> Any:
        """Take a task from elsewhere, and return its key."""
        self._sources.append(task)
        return task.key

    def add(self, function: Callable[..., Any], *arguments: Any, where: Any) -> Any:
        """Add the call of a function, and return its key.

        Arguments may be keys, lists of keys and constants that are neither strings nor tuples. The
        task runs where the source of the key `where` is, unless that worker is gone.
        """
        key = (f"{function.__name__.strip('_')}-{self._token}", len(self._tasks))
        self._tasks[key] = (function, *arguments)
        self._where[key] = where
        return key

    def compute(self, keys: Sequence[Any]) -> list[Any]:
        """Return what the tasks of some keys return."""
        from dask.base import annotate
        from dask.delayed import Delayed
        from dask.highlevelgraph import HighLevelGraph

        name, (sources, workers) = f"tasks-{self._token}", _located(self._sources)
        homes = {key: workers[where] for key, where in self._where.items() if where in workers}
        rules = {"workers": homes.get, "allow_other_workers": True} if homes else {}
        with annotate(**rules):
            graph = HighLevelGraph.from_collections(name, self._tasks, dependencies=sources)
        return compute([Delayed(key, graph, layer=name) for key in keys])


def _located(tasks: list[Any]) -> tuple[list[Any], dict[Any, list[str]]]:
    """Have workers compute tasks, and return them with the addresses of each; or leave them."""
    from dask.base import persist

    client = _client()
    if client is None:
        return tasks, {}
    from distributed import futures_of, wait

    kept = list(persist(*tasks))
    wait(kept)
    found = client.who_has(futures_of(kept))
    return kept, {key: list(addresses) for key, addresses in found.items()}


def _client() -> Any:
    """Return the client of the cluster that runs tasks, None where this process does."""
    from dask.base import get_scheduler

    client: Any = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "who_has") else None


def homes_of(data: Any) -> list[list[str]]:
    """Return the addresses of the workers that hold each block of a collection, if any does."""
    from dask.core import flatten

    keys, client = list(flatten(data.__dask_keys__())), _client()
    if client is None:
        return [[] for _ in keys]
    from distributed import futures_of, wait

    futures = futures_of(data)
    wait(futures)
    found = client.who_has(futures)
    return [list(found.get(key, ())) for key in keys]


def delayed_at(home: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose calls become tasks of some workers, unless these are gone.

    A scheduler that does not know how long a task takes may else move all of X to share the work.
    """
    return _annotated({"workers": home, "allow_other_workers": True} if home else {}, function)


def delayed_beside(block: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose calls become tasks of the workers that make a block."""
    (layer,) = block.__dask_layers__()
    return _annotated(block.dask.layers[layer].annotations or {}, function)


def _annotated(rules: dict[str, Any], function: Callable[..., Any]) -> Callable[..., Any]:
    from dask.base import annotate

    def call(*arguments: Any) -> Any:
        with annotate(**rules):
            return delayed(function)(*arguments)

    return call


def n_workers() -> int:
    """Return the number of threads that run tasks."""
    import dask

    try:
        from distributed import get_client

        return max(1, sum(get_client().nthreads().values()))
    except (ImportError, ValueError):  # Without a client Dask runs tasks in this process.
        return int(dask.config.get("num_workers", None) or dask.system.CPU_COUNT)
