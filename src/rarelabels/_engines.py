"""The engines that run the jobs of experiments: one record for each, in one tuple.

Plans, `rarelabels.experiment.run` and the command line all go by `ENGINES`. A new engine is a
function in `rarelabels.experiment.engines` and an entry here. Nothing here imports NumPy: a
command's ``--help`` must not wait for it.
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
        What `engine=` and ``--engine`` take.
    records : callable
        ``records(tasks, workers, stop)`` runs the tasks of a `Schedule` with `Workers` and yields
        the record of each job as soon as it is done. It ends when all jobs are done, or soon after
        the event `stop` is set.
    has_workers : bool
        Whether `n_jobs` workers share the jobs.
    has_cluster : bool
        Whether it is the engine for the address of a cluster, or a client of one.
    """

    name: str
    records: Callable[[Any, Any, Any], Iterator[Any]]
    has_workers: bool = True
    has_cluster: bool = False


# The first one is the default.
ENGINES: tuple[Engine, ...] = (
    Engine("processes", Deferred("rarelabels.experiment.engines._processes:process_records")),
    Engine("dask", Deferred("rarelabels.experiment.engines._dask:dask_records"), has_cluster=True),
    Engine(
        "inline",
        Deferred("rarelabels.experiment.engines._inline:inline_records"),
        has_workers=False,
    ),
)


def engine_names() -> tuple[str, ...]:
    """Return the engines' names, the default first."""
    return tuple(engine.name for engine in ENGINES)


def find_engine(engine: Any) -> Engine:
    """Return the engine of a name, or the one for the address or client of a cluster."""
    is_name = isinstance(engine, str) and "://" not in engine
    for one in ENGINES:
        if one.name == engine if is_name else one.has_cluster:
            return one
    raise ValueError(f"engine must be one of {engine_names()} or an address, got {engine!r}.")
