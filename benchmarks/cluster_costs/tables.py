"""Tables of the page on clusters, from the stored measurements, checks and simulations."""

from __future__ import annotations

from collections.abc import Callable
from math import log10
from typing import Any

import numpy as np

from benchmarks.cluster_costs.fitting import DRIVER, GROUPS, OVERHEAD, SCHEDULING, Check
from benchmarks.cluster_costs.formulas import APPROXIMATE, EXACT
from benchmarks.cluster_costs.predictions import (
    ASSUMED,
    load_like_measured,
    obstacles,
    predicted,
)

# A caption, and rows, the first of which names the columns.
Table = tuple[str, list[list[str]]]
SIZES = [10**6, 10**7, 10**8, 10**9]
WORKERS = [10, 100, 1000]
METHODS = {"exact": EXACT, "approximate": APPROXIMATE}
USES = {
    "exact": "exact search",
    "approximate": "approximate search",
    "MLSOL": "synthetic samples of MLSOL",
    "ridge": "fit of KernelRidgeClassifier",
    "prediction": "prediction with KernelRidgeClassifier",
    "splitting": "dividing centers into groups",
}
SCENARIOS = {
    "slow": "5 % of workers slow",
    "deaths": "0.01 deaths per hour",
    "many deaths": "0.1 deaths per hour",
}


def duration(seconds: float) -> str:
    """Return a duration in words.

    >>> [duration(seconds) for seconds in (4.04, 100, 5400, 1e6, 1e9)]
    ['4.0 s', '1.7 min', '1.5 h', '12 days', '32 years']
    """
    for unit, length in (("years", 365.25 * 86400), ("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length * (1.5 if unit in ("years", "days") else 1):
            return f"{_two_digits(seconds / length)} {unit}"
    return f"{_two_digits(seconds)} s"


def size(n_bytes: float) -> str:
    """Return a number of bytes in words.

    >>> [size(n_bytes) for n_bytes in (0, 5e5, 3.14e9, 2.5e14)]
    ['0 MB', '0.5 MB', '3.1 GB', '250 TB']
    """
    for unit, length in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9)):
        if n_bytes >= length:
            return f"{_two_digits(n_bytes / length)} {unit}"
    return f"{_two_digits(n_bytes / 1e6)} MB"


def _two_digits(number: float) -> str:
    if number >= 10 or number == 0:
        return f"{float(f'{number:.2g}'):,.0f}"
    return f"{number:.1f}"


def power_of_ten(number: int) -> str:
    """Return a power of ten with its exponent.

    >>> power_of_ten(10**7)
    '10⁷'
    """
    exponent = round(log10(number))
    return "10" + str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _percent(error: float) -> str:
    return f"{100 * error:+.0f} %"


def checks_table(kept: dict[str, Any]) -> Table:
    """Return predictions next to measurements, for sizes that were not fitted."""
    found: dict[str, dict[str, Check]] = {}
    for entry in kept["checks"]:
        if entry["purpose"] == "check":
            check = Check(entry["run"], entry["quantity"], entry["predicted"], entry["measured"])
            found.setdefault(check.run, {})[check.quantity] = check
    order = list(USES)
    runs = sorted(found, key=lambda run: order.index(kept["runs"][run]["use"]))
    rows = [
        ["what", "samples × features", "CPU seconds", "sent between workers", "to the driver",
         "memory of a worker"]
    ]  # fmt: skip
    for run in runs:
        checks, stored = found[run], kept["runs"][run]
        n_samples, n_features = stored["run"]["n_samples"], stored["run"]["n_features"]
        rows_of_panel = stored["run"].get("panel_rows")
        panels = f", panels of {rows_of_panel}" if rows_of_panel else ""
        row = [USES[stored["use"]], f"{n_samples:,} × {n_features}{panels}"]
        row.append(_compared(checks.get("CPU seconds"), lambda seconds: f"{seconds:.1f}"))
        row += [_compared(checks.get(name), size) for name in ("moved", "to the driver", "memory")]
        rows.append(row)
    caption = "Predicted / measured, and the relative error, for four workers and other sizes"
    return caption, rows


def _compared(check: Check | None, text: Callable[[float], str]) -> str:
    if check is None:
        return "none"
    return f"{text(check.predicted)} / {text(check.measured)}, {_percent(check.error)}"


def errors_table(kept: dict[str, Any]) -> Table:
    """Return the usual and the largest error of each quantity."""
    rows = [["quantity", "runs", "median error", "largest error"]]
    groups = {
        "CPU seconds": "CPU seconds",
        "tasks": "number of tasks",
        "moved": "bytes between workers",
        "to the driver": "bytes to the driver",
        "memory": "memory of a worker",
    }
    for quantity, name in groups.items():
        errors = [
            entry["predicted"] / entry["measured"] - 1
            for entry in kept["checks"]
            if entry["purpose"] == "check" and entry["quantity"] == quantity
        ]
        rows.append([name, *_summarized(errors)])
    errors = [entry["predicted"] / entry["measured"] - 1 for entry in kept["held_out"]]
    name = "CPU seconds of searches on one and two workers, each predicted from all other runs"
    rows.append([name, *_summarized(errors)])
    return "Relative errors of the predictions", rows


def _summarized(errors: list[float]) -> list[str]:
    sizes = np.abs(errors)
    largest = errors[int(sizes.argmax())]
    return [str(len(errors)), f"{100 * np.median(sizes):.0f} %", _percent(largest)]


def predictions_table(kept: dict[str, Any], n_features: int) -> Table:
    """Return predicted times, bytes and memory of searches."""
    rows = [
        [
            "samples", "workers", "search", "time", "sent", "memory of a worker",
            "of the driver", "tasks", "beyond the limits",
        ]
    ]  # fmt: skip
    for n_samples in SIZES:
        for n_workers in WORKERS:
            load = load_like_measured(kept["runs"], n_samples, n_features, n_workers)
            for method, steps in METHODS.items():
                found = predicted(load, steps, kept["constants"])
                rows.append(
                    [
                        power_of_ten(n_samples), f"{n_workers:,}", method, duration(found.seconds),
                        size(found.moved), size(found.memory), size(found.driver_memory),
                        _large(found.n_tasks), ", ".join(obstacles(found)) or "none",
                    ]
                )  # fmt: skip
    return f"Predicted searches among samples of {n_features} features in single precision", rows


def _large(number: float) -> str:
    """Return a large number in words.

    >>> [_large(number) for number in (1234, 5.6e6, 8e10)]
    ['1,200', '5.6 million', '80 billion']
    """
    for unit, length in (("billion", 1e9), ("million", 1e6)):
        if number >= length:
            return f"{_two_digits(number / length)} {unit}"
    return _two_digits(number)


def steps_table(kept: dict[str, Any], n_samples: int, n_features: int) -> Table:
    """Return the time of each step of an approximate search, and what limits it."""
    loads = [
        load_like_measured(kept["runs"], n_samples, n_features, n_workers) for n_workers in WORKERS
    ]
    found = [predicted(load, APPROXIMATE, kept["constants"]) for load in loads]
    head = ["step"]
    for load in loads:
        head += [f"{load.n_workers:,} workers", "limited by"]
    rows = [head]
    for step in APPROXIMATE:
        row = [step]
        for one in found:
            row += [duration(one.of_steps[step]), one.bounds[step]]
        rows.append(row)
    samples = power_of_ten(n_samples)
    caption = f"Steps of an approximate search among {samples} samples of {n_features} features"
    return caption, rows


def constants_table(kept: dict[str, Any]) -> Table:
    """Return the seconds of each unit of work."""
    rows = [["work", "unit", "nanoseconds"]]
    groups = [
        *((group.name, group.units) for group in GROUPS),
        ("Dask on workers", OVERHEAD),
        ("the scheduler of Dask", SCHEDULING),
        ("the driver", DRIVER),
    ]
    for name, units in groups:
        for unit in units:
            nanoseconds = 1e9 * kept["constants"][unit]
            text = f"{nanoseconds:.2g}" if nanoseconds < 100 else f"{nanoseconds:,.0f}"
            rows.append([name, unit, text])
    return "CPU time of each unit of work on one core", rows


def deaths_table(kept: dict[str, Any]) -> Table:
    """Return how much of a search ran again after a worker was killed."""
    names = {"search_pair": "pairs of panels", "search_region": "regions"}
    rows = [["search", "what is counted", "done before the death", "done in total", "needed",
             "done again"]]  # fmt: skip
    for death in kept["failures"]["deaths"]:
        total, needed = death["calls"][death["function"]], death["needed"]
        again = (total - needed) / death["before"]
        rows.append(
            [death["search"], names[death["function"]], f"{death['before']:.0f}", f"{total:.0f}",
             f"{needed:.0f}", f"{100 * again:.0f} %"]
        )  # fmt: skip
    return "One of three workers is killed during a search", rows


def sleeping_table(kept: dict[str, Any]) -> Table:
    """Return measured and simulated times of sleeping tasks with a fault."""
    rows = [["fault", "simulated", "measured", "error"]]
    for fault, times in kept["failures"]["sleeping"].items():
        error = times["simulated"] / times["measured"] - 1
        rows.append(
            [fault, f"{times['simulated']:.1f} s", f"{times['measured']:.1f} s", _percent(error)]
        )
    return "Elapsed time of sleeping tasks on three workers", rows


def faults_table(kept: dict[str, Any]) -> Table:
    """Return the simulated overhead of slow workers and of deaths."""
    rows = [["samples", "workers", "search", "without faults", *SCENARIOS.values()]]
    for row in kept["simulation"]["rows"]:
        cells = [
            power_of_ten(row["n_samples"]), f"{row['n_workers']:,}", row["method"],
            duration(row["seconds"]),
        ]  # fmt: skip
        for name in SCENARIOS:
            found = row["scenarios"][name]
            cells.append(
                "does not end" if found is None else "{:.2f} ({:.2f} to {:.2f})".format(*found)
            )
        rows.append(cells)
    n_features = kept["simulation"]["assumed"]["n_features"]
    return f"Simulated time relative to that without faults, {n_features} features", rows


def assumptions(kept: dict[str, Any]) -> str:
    """Say what predictions assume."""
    limits = ASSUMED
    data = load_like_measured(kept["runs"], 10**6, 100, 1)
    wide = load_like_measured(kept["runs"], 10**6, 768, 1)
    return (
        f"These predictions assume that each worker and the driver receive "
        f"{limits.bandwidth / 1e9:.2f} GB per second, that X is persisted, and {data.n_neighbors} "
        f"neighbors. Samples visit {data.visits:.2f} other regions with 100 features, and "
        f"{wide.visits:.2f} with 768, as in the largest searches that were measured. The limits "
        f"are {limits.most_days:.0f} days, {_large(limits.most_tasks)} tasks, "
        f"{size(limits.most_worker_memory)} for each worker and "
        f"{size(limits.most_driver_memory)} for the driver with the scheduler."
    )


TABLES: dict[str, Callable[[dict[str, Any]], Table]] = {
    "checks": checks_table,
    "errors": errors_table,
    "predictions-100": lambda kept: predictions_table(kept, 100),
    "predictions-768": lambda kept: predictions_table(kept, 768),
    "steps": lambda kept: steps_table(kept, 10**8, 100),
    "constants": constants_table,
    "deaths": deaths_table,
    "sleeping": sleeping_table,
    "faults": faults_table,
}
