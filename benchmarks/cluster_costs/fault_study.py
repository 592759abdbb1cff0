"""Simulate searches of the cost model with slow workers and with workers that die."""

from __future__ import annotations

from dataclasses import asdict
from math import ceil, inf
from typing import Any

import numpy as np

from benchmarks.cluster_costs.fitting import priced
from benchmarks.cluster_costs.formulas import APPROXIMATE, EXACT, Cost, Workload, costs, n_stages
from benchmarks.cluster_costs.predictions import ASSUMED, elapsed, step_times
from benchmarks.cluster_costs.simulation import (
    Faults,
    Stage,
    overheads,
    restarted_seconds,
    simulated_seconds,
)

SCENARIOS = {
    "slow": Faults(slow_share=0.05, slow_factor=3.0),
    "deaths": Faults(deaths_per_hour=0.01),
    "many deaths": Faults(deaths_per_hour=0.1),
}
SIZES = [10**7, 10**8, 10**9]
WORKERS = [10, 100, 1000]
N_FEATURES = 100
SEEDS = range(10)
# A search that takes so many times as long as without faults is said not to end.
MOST = 20.0
# Numbers of hosts for which an exact search is simulated.
SAMPLED_GUESTS = 12


def approximate_stages(load: Workload, constants: dict[str, float]) -> list[Stage]:
    """Return the stages of an approximate search.

    Searching the regions of a round begins when all samples of the round are sent. If the scheduler
    or the network takes longer than the workers to send them, workers wait for these. A death
    repeats the assignment of the samples that the worker had, and the sending of its part of the
    round.
    """
    found = costs(load, APPROXIMATE)
    times = {step: step_times(cost, load.n_workers, constants) for step, cost in found.items()}
    *first, assign, send, search = APPROXIMATE
    rounds, panels = load.n_rounds, load.n_panels
    workers = times[send]["workers"] / rounds
    sending = max(workers, times[send]["scheduler"] / rounds, times[send]["network"] / rounds)
    assign_work = _work(found[assign], constants)
    of_round = ceil(load.n_regions / rounds)
    merging = times[search]["driver"] / rounds
    stages = [
        Stage(panels, assign_work / panels, serial=sum(elapsed(times[step]) for step in first))
    ]
    for _ in range(rounds):
        again = sending + assign_work / load.n_workers
        stages += [
            Stage(panels, workers * load.n_workers / panels, queued=sending - workers),
            Stage(
                of_round,
                _work(found[search], constants) / rounds / of_round,
                serial=merging,
                again=again,
            ),
        ]
    return stages


def _work(cost: Cost, constants: dict[str, float]) -> float:
    return priced(cost.work, constants) + cost.n_tasks * constants["task of a worker"]


def exact_stages(load: Workload, constants: dict[str, float], hosts: int) -> list[Stage]:
    """Return the stages in which two guests are compared with a number of hosts each."""
    cost = costs(load, EXACT)["exact search"]
    seconds = _work(cost, constants) / cost.n_parts
    step = max(1, load.n_panels // 16)
    stages, left = [], hosts
    for _ in range(n_stages(hosts, load.n_panels)):
        size = min(step, left)
        stages.append(Stage(2 * size, seconds))
        left, step = left - size, 2 * step
    return stages


def exact_seconds(
    load: Workload, constants: dict[str, float], faults: Faults, rng: np.random.Generator
) -> float:
    """Return the elapsed seconds of an exact search without deaths, from some of its guests.

    The scheduler may take longer than the workers.
    """
    cost = costs(load, EXACT)["exact search"]
    times = step_times(cost, load.n_workers, constants)
    sampled = np.linspace(1, load.n_panels - 1, SAMPLED_GUESTS).astype(int).tolist()
    quick = Faults(slow_share=faults.slow_share, slow_factor=faults.slow_factor)
    of_pairs = [
        simulated_seconds(exact_stages(load, constants, hosts), load.n_workers, quick, rng)
        for hosts in sampled
    ]
    workers = float(np.mean(of_pairs)) * load.n_panels / 2
    return max(workers, times["scheduler"], times["network"]) + times["driver"]


def with_faults(
    load: Workload,
    constants: dict[str, float],
    method: str,
    faults: Faults,
    seed: int,
    most: float = inf,
) -> float:
    """Return the elapsed seconds of a search, infinite if it takes more than `most`.

    A death repeats an exact search: the results of a panel depend on those of all others.
    """
    rng = np.random.default_rng(seed)
    if method == "approximate":
        stages = approximate_stages(load, constants)
        return simulated_seconds(stages, load.n_workers, faults, rng, most)
    seconds = exact_seconds(load, constants, faults, rng)
    return restarted_seconds(seconds, load.n_workers, faults, rng, most)


def study(
    constants: dict[str, float], loads: list[Workload], seeds: range = SEEDS
) -> list[dict[str, Any]]:
    """Return the overhead of each scenario relative to no faults, with an interval over seeds."""
    rows = []
    for load in loads:
        for method in ("exact", "approximate"):
            alone = with_faults(load, constants, method, Faults(), 0)
            row = {
                "n_samples": load.n_samples, "n_workers": load.n_workers, "method": method,
                "seconds": alone, "scenarios": {},
            }  # fmt: skip
            for name, faults in SCENARIOS.items():
                row["scenarios"][name] = _overhead(load, constants, method, faults, seeds, alone)
            rows.append(row)
    return rows


def _overhead(
    load: Workload,
    constants: dict[str, float],
    method: str,
    faults: Faults,
    seeds: range,
    alone: float,
) -> tuple[float, float, float] | None:
    """Return the overhead and its interval, None if a search takes too long."""
    found = []
    for seed in seeds:
        found.append(with_faults(load, constants, method, faults, seed, MOST * alone))
        if found[-1] == inf:
            return None
    return overheads(found, alone)


def assumptions() -> dict[str, Any]:
    """Return what the study assumes."""
    return {
        "scenarios": {name: asdict(faults) for name, faults in SCENARIOS.items()},
        "seeds": len(SEEDS),
        "bandwidth": ASSUMED.bandwidth,
        "n_features": N_FEATURES,
    }
