"""The engines that run the jobs of experiments: one record for each, in one tuple.

Plans, `rarelabels.experiment.run` and the command line all use `ENGINES`. A new engine is a
function in `rarelabels.experiment.engines` and an entry here. This module does not import NumPy, so
that ``--help`` of commands is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rarelabels._registry import Deferred


@dataclass(frozen=True)
class Engine:
    """An engine.

    Attributes
    ----------
    name : str
        The name that `engine=` and ``--engine`` accept.
    place : str
        Where it runs jobs, in the documentation of the parameter `engine`.
    records : callable
        ``records(tasks, workers, stop)`` runs the tasks of a `Schedule` with `Workers` and yields
        the record of each finished job immediately. It ends when all jobs are done, or soon after
        the event `stop` is set.
    has_workers : bool
        Whether `n_jobs` workers share the jobs.
    has_cluster : bool
        Whether it is the engine for the address or the client of a cluster.
    """

    name: str
    place: str
    records: Callable[[Any, Any, Any], Iterator[Any]]
    has_workers: bool = True
    has_cluster: bool = False


# The first one is the default.
ENGINES: tuple[Engine, ...] = (
    Engine(
        "processes",
        "in worker processes of this machine",
        Deferred("rarelabels.experiment.engines._processes:process_records"),
    ),
    Engine(
        "dask",
        "on a local Dask cluster, or on the one at a scheduler's address such as "
        "``tcp://scheduler:8786``",
        Deferred("rarelabels.experiment.engines._dask:dask_records"),
        has_cluster=True,
    ),
    Engine(
        "inline",
        "in this process, without limits of time and memory",
        Deferred("rarelabels.experiment.engines._inline:inline_records"),
        has_workers=False,
    ),
)


def engine_names() -> tuple[str, ...]:
    """Return the names of the engines, the default first."""
    return tuple(engine.name for engine in ENGINES)


def find_engine(engine: Any) -> Engine:
    """Return the engine with a name, or the one for the address or client of a cluster."""
    is_name = isinstance(engine, str) and "://" not in engine
    for one in ENGINES:
        if one.name == engine if is_name else one.has_cluster:
            return one
    raise ValueError(f"engine must be one of {engine_names()} or an address, got {engine!r}.")
