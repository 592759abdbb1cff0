"""Turn measured runs into seconds for each unit of work, and compare predictions with other runs.

Seconds are fitted by nonnegative least squares of relative errors, separately for the tasks of
each kind of work, for the overhead of Dask, and for the driver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchmarks.cluster_costs.formulas import (
    APPROXIMATE,
    EXACT,
    Amounts,
    Cost,
    Workload,
    costs,
    split_amounts,
)
from benchmarks.cluster_costs.measuring import SPLITS, Run

STEPS_OF = {
    "exact": EXACT,
    "approximate": APPROXIMATE,
    "MLSOL": ("reading the ranges of columns", "synthetic samples of MLSOL"),
    "ridge": ("fitting KernelRidgeClassifier",),
    "prediction": ("predicting block by block",),
}


@dataclass(frozen=True)
class Group:
    """Functions whose tasks do the same kind of work, and the units of it.

    The seconds of `known` units, which other groups have, are subtracted.
    """

    name: str
    functions: tuple[str, ...]
    units: tuple[str, ...]
    known: tuple[str, ...] = ()


SPLITTING = ("split cube", "split flop")
GROUPS = (
    Group("ranges of columns", ("column_statistics",), ("scanned entry",)),
    Group("column layout", ("summarize_block", "reach_in"), ("layout entry",)),
    Group(
        "pairs of panels",
        ("search_itself", "search_pair", "side"),
        ("tile flop", "tile pair", "host entry", "row of a pair"),
    ),
    Group("merging candidates", ("with_candidates",), ("staged row",)),
    Group("dividing centers", ("split",), SPLITTING),
    Group(
        "learning regions",
        ("trained",),
        ("train flop", "trained pair", "bundled sample"),
        known=SPLITTING,
    ),
    Group("measuring the recall", ("search_exactly",), ("pilot flop", "pilot pair")),
    Group(
        "assigning samples",
        ("assigned", "cells_of"),
        ("assign flop", "assigned sample", "assigned entry"),
    ),
    Group("sending samples", ("sent",), ("sent entry", "sent part")),
    Group(
        "searching regions",
        ("search_region",),
        ("region flop", "scan flop", "ranked entry", "region pair", "region pair flop", "query"),
    ),
    Group("synthetic samples", ("grown", "in_order", "take"), ("gathered entry", "piece")),
    Group("kernel ridge regression", ("called",), ("ridge flop", "ridge entry", "ridge read")),
    Group(
        "prediction",
        ("predicted",),
        ("prediction flop", "predicted similarity", "predicted label"),
    ),
)
# The overhead of Dask in the processes of workers, and in that of the scheduler.
OVERHEAD = ("task of a worker", "moved byte", "worker's busy second")
SCHEDULING = ("task of the scheduler", "gathered byte", "scheduler's busy second")
DRIVER = (
    "graph task", "merged entry", "label neighbor", "labeled sample", "driver cube",
    "calibrated score",
)  # fmt: skip


def load_of(stored: dict[str, Any]) -> Workload:
    """Return the sizes of a run, and what depends on its data."""
    facts = stored["facts"]
    found = {
        "visits": facts.get("visits"),
        "probes": facts.get("probes"),
        "searched_exactly": facts.get("searched exactly"),
    }
    given = {name: value for name, value in found.items() if value is not None}
    return replace(Run(**stored["run"]).load, **given)


def cost_of(stored: dict[str, Any]) -> dict[str, Cost]:
    """Return the costs of the steps of a run."""
    load = load_of(stored)
    if stored["use"] == "splitting":
        amounts = split_amounts(load.n_samples, load.n_features, SPLITS)
        return {"dividing centers": Cost(alone=amounts)}
    return costs(load, STEPS_OF[stored["use"]])


def amounts_of(found: dict[str, Cost], *fields: str) -> Amounts:
    """Return the sums of some amounts over the steps."""
    total: Amounts = {}
    for cost in found.values():
        for name in fields:
            for unit, amount in getattr(cost, name).items():
                total[unit] = total.get(unit, 0.0) + amount
    return total


def fitted(rows: list[Amounts], seconds: list[float], units: tuple[str, ...]) -> dict[str, float]:
    """Return nonnegative seconds for each unit with the least relative errors."""
    table = np.array([[row.get(unit, 0.0) for unit in units] for row in rows])
    seconds_of = np.array(seconds)
    used = (table.sum(axis=1) > 0) & (seconds_of > 0)
    table, seconds_of = table[used], seconds_of[used]
    if not used.any():
        return dict.fromkeys(units, 0.0)
    # Columns of similar size keep the problem well conditioned.
    sizes = table.max(axis=0, initial=0)
    sizes[sizes == 0] = 1
    found, _ = nnls(table / sizes / seconds_of[:, None], np.ones(len(seconds_of)))
    return dict(zip(units, (found / sizes).tolist(), strict=True))


def seconds_in(stored: dict[str, Any], group: Group) -> float:
    """Return the measured CPU seconds of the tasks of a group."""
    # Dask joins the names of functions that it runs in one task.
    return sum(
        seconds
        for name, seconds in stored["seconds"].items()
        if not set(name.split("-")).isdisjoint(group.functions)
    )


def fit(runs: dict[str, Any]) -> dict[str, float]:
    """Return the seconds of each unit of work, from the runs that are for fitting."""
    used = [stored for stored in runs.values() if stored["run"]["purpose"] == "fit"]
    found = [cost_of(stored) for stored in used]
    work = [amounts_of(cost, "work", "alone") for cost in found]
    constants: dict[str, float] = {}
    for group in GROUPS:
        seconds = [
            seconds_in(stored, group)
            - priced({unit: row.get(unit, 0.0) for unit in group.known}, constants)
            for stored, row in zip(used, work, strict=True)
        ]
        constants |= fitted(work, seconds, group.units)
    # Dask takes no part in dividing centers.
    pairs = [(stored, cost) for stored, cost in zip(used, found, strict=True) if stored["calls"]]
    used, found = [stored for stored, _ in pairs], [cost for _, cost in pairs]
    driver = [amounts_of(cost, "driver") for cost in found]
    constants |= fitted(driver, [stored["driver_seconds"] for stored in used], DRIVER)
    busy = [task_seconds(cost, constants) for cost in found]
    for units, amounts, name in (
        (OVERHEAD, worker_overhead, "other_seconds"),
        (SCHEDULING, scheduling, "scheduler_seconds"),
    ):
        rows = [amounts(cost, seconds) for cost, seconds in zip(found, busy, strict=True)]
        constants |= fitted(rows, [stored[name] for stored in used], units)
    return constants | _scheduler_memory(pairs) | _stray_share(pairs)


def _stray_share(pairs: list[tuple[dict[str, Any], dict[str, Cost]]]) -> dict[str, float]:
    """Return the share of X that Dask moves in each read, though it need not.

    It is that of the searches in regions and of predictions. In other runs the formulas account
    for what is moved.
    """
    used = [(one, found) for one, found in pairs if one["use"] in ("approximate", "prediction")]
    rows = [{"stray share": reads_elsewhere(one, found)} for one, found in used]
    more = [one["moved"] - totals(found)[1] for one, found in used]
    return fitted(rows, more, ("stray share",))


def reads_elsewhere(stored: dict[str, Any], found: dict[str, Cost]) -> float:
    """Return the bytes of X that would be moved if each read were on a random worker."""
    return sum(cost.read for cost in found.values()) * load_of(stored).elsewhere


def worker_overhead(found: dict[str, Cost], busy: float) -> Amounts:
    """Return the amounts of the overhead of workers."""
    tasks, moved, _ = totals(found)
    return dict(zip(OVERHEAD, (tasks, moved, busy), strict=True))


def scheduling(found: dict[str, Cost], busy: float) -> Amounts:
    """Return the amounts of the work of the scheduler."""
    tasks, _, gathered = totals(found)
    return dict(zip(SCHEDULING, (tasks, gathered, busy), strict=True))


def _scheduler_memory(pairs: list[tuple[dict[str, Any], dict[str, Cost]]]) -> dict[str, float]:
    """Return the memory of a task, from exact searches, whose tasks are all in one graph."""
    exact = [(stored, found) for stored, found in pairs if stored["use"] == "exact"]
    rows = [
        {"scheduler byte of a task": totals(found)[0], "array": driver_memory(found)}
        for _, found in exact
    ]
    grown = [stored["driver_memory"] for stored, _ in exact]
    kept = fitted(rows, grown, ("scheduler byte of a task", "array"))
    return {"scheduler byte of a task": kept["scheduler byte of a task"]}


def totals(found: dict[str, Cost]) -> tuple[float, float, float]:
    """Return the tasks, and the bytes sent between workers and to the driver."""
    return (
        sum(cost.n_tasks for cost in found.values()),
        sum(cost.moved for cost in found.values()),
        sum(cost.to_driver for cost in found.values()),
    )


def driver_memory(found: dict[str, Cost]) -> float:
    """Return the largest memory of the driver."""
    return max(cost.driver_memory for cost in found.values())


def priced(amounts: Amounts, constants: dict[str, float]) -> float:
    """Return the seconds of amounts of work."""
    return sum(amount * constants[unit] for unit, amount in amounts.items())


def task_seconds(found: dict[str, Cost], constants: dict[str, float]) -> float:
    """Return the predicted CPU seconds of all tasks."""
    return priced(amounts_of(found, "work", "alone"), constants)


def cpu_seconds(found: dict[str, Cost], constants: dict[str, float]) -> float:
    """Return the predicted CPU seconds of all processes."""
    busy = task_seconds(found, constants)
    if not totals(found)[0]:
        return busy
    others = (worker_overhead(found, busy), scheduling(found, busy), amounts_of(found, "driver"))
    return busy + sum(priced(part, constants) for part in others)


@dataclass(frozen=True)
class Check:
    """A prediction and a measurement of one quantity of one run."""

    run: str
    quantity: str
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """The relative error of the prediction."""
        return self.predicted / self.measured - 1


def checks(runs: dict[str, Any], constants: dict[str, float], purpose: str) -> list[Check]:
    """Compare predictions with the runs of a purpose."""
    compared = []
    for name, stored in runs.items():
        if stored["run"]["purpose"] != purpose:
            continue
        found = cost_of(stored)
        measured_cpu = sum(stored[f"{part}_seconds"] for part in ("worker", "driver", "scheduler"))
        tasks, moved, gathered = totals(found)
        load = load_of(stored)
        share = load.n_samples * load.n_features * load.itemsize / load.n_workers
        growth = max(cost.memory for cost in found.values()) - share
        if stored["use"] in ("approximate", "prediction"):
            moved += constants["stray share"] * reads_elsewhere(stored, found)
        quantities = [
            ("CPU seconds", cpu_seconds(found, constants), measured_cpu),
            ("tasks", tasks, sum(stored["calls"].values())),
            ("moved", moved, stored["moved"]),
            ("to the driver", gathered, stored["to_driver"]),
            ("memory", growth, stored["memory"]),
        ]
        compared += [Check(name, *one) for one in quantities if one[2] > 0]
    return compared


def held_out(runs: dict[str, Any]) -> list[Check]:
    """Predict the CPU seconds of each search that is for fitting from a fit to all other runs."""
    found = []
    for name, stored in runs.items():
        if stored["run"]["purpose"] == "fit" and stored["use"] in ("exact", "approximate"):
            constants = fit({other: run for other, run in runs.items() if other != name})
            alone = checks({name: stored}, constants, "fit")
            found += [check for check in alone if check.quantity == "CPU seconds"]
    return found
