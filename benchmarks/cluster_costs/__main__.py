"""Measure, fit and simulate: ``python -m benchmarks.cluster_costs [measure|fail|fit|simulate]``.

Without a command, all are done. Measuring continues where it was interrupted, and ends after
``--minutes``.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict

from benchmarks._results import installed, surroundings
from benchmarks.cluster_costs import failures, fault_study, fitting, measuring, predictions, storage


def measure(minutes: float) -> None:
    """Run what was not measured yet."""
    kept, end = storage.load(), time.monotonic() + 60 * minutes
    for run in measuring.RUNS:
        if run.name in kept["runs"]:
            continue
        if time.monotonic() > end:
            print("Stopped. Start the program again to continue.")
            break
        for use, record in measuring.measured(run).items():
            name = run.name if use == run.use else f"{use} after {run.name}"
            kept["runs"][name] = {**measuring.as_json(run, record), "use": use}
            total = record.worker_seconds + record.driver_seconds + record.scheduler_seconds
            print(f"{name}: {total:.1f} CPU-s, {record.wall_seconds:.1f} s", flush=True)
        packages = {name: installed(name) for name in ("dask", "distributed")}
        kept["measured"] = {**surroundings(), **packages}
        storage.store(kept)


def fail(minutes: float) -> None:
    """Kill and pause workers, unless this was done before."""
    kept = storage.load()
    if "failures" in kept:
        return
    deaths = [failures.death_during_search(*death) for death in failures.DEATHS]
    pauses = {
        fault: {
            "measured": failures.sleeping_tasks(fault),
            "simulated": failures.simulated_sleep(fault),
        }
        for fault in failures.FAULTS
    }
    kept["failures"] = {"deaths": deaths, "sleeping": pauses}
    storage.store(kept)


def fit(minutes: float) -> None:
    """Turn measurements into seconds for each unit of work, and compare with other runs."""
    kept = storage.load()
    kept["constants"] = fitting.fit(kept["runs"])
    kept["checks"] = [
        {**asdict(check), "purpose": purpose}
        for purpose in ("fit", "check")
        for check in fitting.checks(kept["runs"], kept["constants"], purpose)
    ]
    kept["held_out"] = [asdict(check) for check in fitting.held_out(kept["runs"])]
    storage.store(kept)


def simulate(minutes: float) -> None:
    """Simulate slow workers and deaths."""
    kept = storage.load()
    loads = [
        predictions.load_like_measured(kept["runs"], n_samples, fault_study.N_FEATURES, n_workers)
        for n_samples in fault_study.SIZES
        for n_workers in fault_study.WORKERS
    ]
    rows = fault_study.study(kept["constants"], loads)
    kept["simulation"] = {"assumed": fault_study.assumptions(), "rows": rows}
    storage.store(kept)


COMMANDS = {"measure": measure, "fail": fail, "fit": fit, "simulate": simulate}


def main() -> None:
    """Run the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", metavar="COMMAND")
    parser.add_argument("--minutes", type=float, default=12.0)
    arguments = parser.parse_args()
    unknown = set(arguments.commands) - set(COMMANDS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; use {', '.join(COMMANDS)}.")
    for command in arguments.commands or COMMANDS:
        COMMANDS[command](arguments.minutes)


if __name__ == "__main__":
    main()
