"""Predict time, bytes and memory of searches on clusters that were not measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from benchmarks.cluster_costs.fitting import OVERHEAD, SCHEDULING, load_of, priced
from benchmarks.cluster_costs.formulas import Cost, Workload, costs


@dataclass(frozen=True)
class Cluster:
    """What is assumed of machines that were not measured.

    Attributes
    ----------
    bandwidth : float
        Bytes per second that a worker, or the driver, receives.
    most_worker_memory, most_driver_memory : float
        Bytes of memory of a worker, and of the machine with the driver and the scheduler.
    most_tasks : float
        Number of tasks of one graph beyond which a scheduler is not sensible.
    most_days : float
        Days beyond which a search is not sensible.
    """

    bandwidth: float = 1.25e9
    most_worker_memory: float = 64e9
    most_driver_memory: float = 256e9
    most_tasks: float = 10e6
    most_days: float = 7.0


ASSUMED = Cluster()


def load_like_measured(
    runs: dict[str, Any], n_samples: int, n_features: int, n_workers: int
) -> Workload:
    """Return a workload in which queries are as frequent as in the largest measured search."""
    searches = [
        stored
        for stored in runs.values()
        if stored["use"] == "approximate" and stored["run"]["n_features"] == n_features
    ]
    largest = load_of(max(searches, key=lambda stored: stored["run"]["n_samples"]))
    return replace(largest, n_samples=n_samples, n_workers=n_workers)


@dataclass(frozen=True)
class Prediction:
    """What several steps take one after another.

    Attributes
    ----------
    seconds : float
        Elapsed time.
    of_steps : dict of str to float
        The elapsed time of each step.
    bounds : dict of str to str
        What takes the most time in each step.
    moved, to_driver, memory, driver_memory, n_tasks : float
        Bytes, and the number of tasks.
    """

    seconds: float
    of_steps: dict[str, float]
    bounds: dict[str, str]
    moved: float
    to_driver: float
    memory: float
    driver_memory: float
    n_tasks: float


def step_times(
    cost: Cost, n_workers: int, constants: dict[str, float], cluster: Cluster = ASSUMED
) -> dict[str, float]:
    """Return the elapsed times of what a step does.

    Workers, scheduler and network work at the same time. What one worker or the driver does alone
    is added.
    """
    work = priced(cost.work, constants)
    overhead = dict(zip(OVERHEAD, (cost.n_tasks, cost.moved, work), strict=True))
    turns = ceil(cost.n_parts / n_workers) * n_workers / cost.n_parts
    of_tasks = dict(zip(SCHEDULING[:2], (cost.n_tasks, cost.to_driver), strict=True))
    alone = priced(cost.alone, constants)
    return {
        "workers": (work * turns + priced(overhead, constants)) / n_workers,
        "scheduler": priced(of_tasks, constants),
        "network": moved_bytes(cost, n_workers, constants) / n_workers / cluster.bandwidth,
        "one worker": alone,
        "driver": priced(cost.driver, constants) + cost.to_driver / cluster.bandwidth,
    }


def moved_bytes(cost: Cost, n_workers: int, constants: dict[str, float]) -> float:
    """Return the bytes that workers send each other, with the parts of X that need not move."""
    return cost.moved + constants["stray share"] * cost.read * (1 - 1 / n_workers)


def elapsed(times: dict[str, float]) -> float:
    """Return the elapsed time of a step."""
    together = max(times[name] for name in ("workers", "scheduler", "network"))
    return together + times["one worker"] + times["driver"]


def predicted(
    load: Workload,
    steps: tuple[str, ...],
    constants: dict[str, float],
    cluster: Cluster = ASSUMED,
) -> Prediction:
    """Predict the steps of a search."""
    found = costs(load, steps)
    times = {
        name: step_times(cost, load.n_workers, constants, cluster) for name, cost in found.items()
    }
    of_steps = {name: elapsed(parts) for name, parts in times.items()}
    at_once = max(cost.n_tasks / cost.n_graphs for cost in found.values())
    of_tasks = at_once * constants["scheduler byte of a task"]
    return Prediction(
        sum(of_steps.values()),
        of_steps,
        {name: max(parts, key=parts.__getitem__) for name, parts in times.items()},
        sum(moved_bytes(cost, load.n_workers, constants) for cost in found.values()),
        sum(cost.to_driver for cost in found.values()),
        max(cost.memory for cost in found.values()),
        max(cost.driver_memory for cost in found.values()) + of_tasks,
        sum(cost.n_tasks for cost in found.values()),
    )


def obstacles(prediction: Prediction, cluster: Cluster = ASSUMED) -> list[str]:
    """Return why a search is not sensible, an empty list if it is."""
    limits = [
        ("time", prediction.seconds, cluster.most_days * 86400),
        ("tasks", prediction.n_tasks, cluster.most_tasks),
        ("memory of workers", prediction.memory, cluster.most_worker_memory),
        ("memory of the driver", prediction.driver_memory, cluster.most_driver_memory),
    ]
    return [name for name, value, most in limits if value > most]
