"""Failures on a real cluster of local processes: what a death repeats, and how long a pause lasts.

A worker is killed during a search, and the tasks that run again are counted. A worker is paused, or
killed, while tasks sleep, and the elapsed time is compared with the simulation. Sleeping tasks need
no processor, so the result does not depend on the number of cores.
"""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np

from benchmarks.cluster_costs.formulas import Workload
from benchmarks.cluster_costs.measuring import _calls, spread, watched_plans, workers
from benchmarks.cluster_costs.simulation import Faults, Stage, simulated_seconds
from rarelabels import find_neighbors

N_WORKERS = 3
# What is searched, its size, the function whose tasks are counted, and how many are awaited.
DEATHS = [
    (None, 40_000, 100, "search_pair", 30),
    (None, 40_000, 100, "search_pair", 60),
    (None, 40_000, 100, "search_pair", 100),
    ("approximate", 200_000, 20, "search_region", 6),
    ("approximate", 200_000, 20, "search_region", 15),
]
# Sleeping tasks, their seconds, and when a worker is paused or killed.
N_SLEEPING, SLEEP = 60, 0.4
PAUSE_AT, PAUSE = 2.0, 5.0
KILL_AT = 4.0


def death_during_search(neighbors, n_samples, n_features, function, awaited):
    """Kill a worker when some tasks have ended, and return how many ran before and in total."""
    load = Workload(n_samples, n_features, N_WORKERS)
    with watched_plans() as reader, workers(N_WORKERS) as client:
        X = spread(load)
        before = client.run_on_scheduler(_calls)
        victim = next(iter(client.run(os.getpid).values()))
        search = threading.Thread(target=find_neighbors, args=(X,), kwargs={"neighbors": neighbors})
        search.start()
        done = 0.0
        while done < awaited and search.is_alive():
            time.sleep(0.02)
            done = _since(client, before).get(function, 0.0)
        os.kill(victim, signal.SIGKILL)
        search.join()
        calls = _since(client, before)
    pairs = load.n_panels * (load.n_panels - 1) / 2
    needed = float(reader.plans[-1].n_targets.size) if reader.plans else pairs
    sendings = len(reader.plans[-1].rounds) * load.n_panels if reader.plans else 0
    found = {"function": function, "before": done, "needed": needed, "calls": calls}
    return {"search": neighbors or "exact", "sendings": sendings, **found}


def _since(client, before):
    calls = client.run_on_scheduler(_calls)
    return {name: count - before.get(name, 0) for name, count in calls.items()}


def sleeping_tasks(fault):
    """Return the elapsed seconds of sleeping tasks, with a worker paused or killed."""
    from distributed import wait

    with workers(N_WORKERS) as client:
        pids = list(client.run(os.getpid).values())
        # Dask starts with a guess of how long tasks take.
        wait(client.map(_sleep, range(N_WORKERS), [0.01] * N_WORKERS, pure=False))
        start = time.perf_counter()
        futures = client.map(_sleep, range(N_SLEEPING), [SLEEP] * N_SLEEPING, pure=False)
        timers = [threading.Timer(at, os.kill, (pids[0], sign)) for at, sign in FAULTS[fault]]
        for timer in timers:
            timer.start()
        wait(futures)
        elapsed = time.perf_counter() - start
        for timer in timers:
            timer.join()
    return elapsed


def _sleep(number, seconds):
    time.sleep(seconds)


FAULTS = {
    "none": [],
    "a pause": [(PAUSE_AT, signal.SIGSTOP), (PAUSE_AT + PAUSE, signal.SIGCONT)],
    "a death": [(KILL_AT, signal.SIGKILL)],
}


def simulated_sleep(fault):
    """Return what the simulation predicts for the sleeping tasks."""
    faults = {
        "none": Faults(),
        "a pause": Faults(pauses=((0, PAUSE_AT, PAUSE),)),
        "a death": Faults(deaths=((0, KILL_AT),), restart=RESTART),
    }[fault]
    stage = Stage(N_SLEEPING, SLEEP)
    return simulated_seconds([stage], N_WORKERS, faults, np.random.default_rng(0))


# Seconds until a local worker that was killed runs tasks again.
RESTART = 2.0
