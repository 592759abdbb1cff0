"""Run the steps on a cluster of local processes, and record seconds, bytes and memory.

Dask measures the CPU seconds of the tasks of each function. What the processes of the workers take
in addition is the overhead of Dask. The scheduler runs in this process, in another thread than the
library, so the times of threads separate the two.
"""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy import sparse

from benchmarks.cluster_costs.formulas import Workload
from rarelabels import Neighbors, find_neighbors
from rarelabels._dask import search
from rarelabels._dask.regions import _grouped
from rarelabels._neighbors.approximate import SampleCells
from rarelabels.learners import KernelRidgeClassifier
from rarelabels.sampling import MLSOL

# Otherwise Dask writes to disk, or ends workers, by shares of memory that libraries exceed.
SETTINGS = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.admin.low-level-log-length": 1_000_000,
}
SAMPLES_PER_CLUSTER = 500
# Groups into which centers are divided when this is measured alone.
SPLITS = 64
LABEL_DENSITY = 0.03


@dataclass(frozen=True)
class Run:
    """What is measured: a use of the library, the size of the data, and the workers."""

    use: str
    n_samples: int
    n_features: int
    n_workers: int
    purpose: str = "fit"
    n_landmarks: int = 300
    panel_rows: int = 0

    @property
    def name(self) -> str:
        """A name that is the same in every program run."""
        landmarks = f", {self.n_landmarks} landmarks" if self.use == "ridge" else ""
        size = f"{self.n_samples:,} × {self.n_features}"
        size += f" in panels of {self.panel_rows}" if self.panel_rows else ""
        workers = "1 worker" if self.n_workers == 1 else f"{self.n_workers} workers"
        return f"{self.use}, {size}{landmarks}, {workers}"

    @property
    def load(self) -> Workload:
        """The sizes for the formulas."""
        return Workload(
            self.n_samples,
            self.n_features,
            self.n_workers,
            n_labels=100,
            positives=100 * LABEL_DENSITY,
            n_landmarks=self.n_landmarks,
            given_rows=self.panel_rows,
        )


@dataclass
class Record:
    """What was measured.

    Attributes
    ----------
    seconds, calls : dict of str to float
        CPU seconds and number of the tasks of each function.
    worker_seconds, other_seconds : float
        CPU seconds of all processes of workers, and those of them outside of tasks.
    driver_seconds, scheduler_seconds : float
        CPU seconds of the thread that calls the library, and of the other threads of its process.
    wall_seconds : float
        Elapsed time.
    moved, to_driver : float
        Bytes that workers received from each other, and sent to the driver.
    memory, driver_memory : float
        Growth of the peak memory, the largest of the workers, and of the driver with the scheduler.
    facts : dict of str to float
        What depends on the data: visits and probes, and the memory that the library stated.
    """

    seconds: dict[str, float]
    calls: dict[str, float]
    worker_seconds: float
    other_seconds: float
    driver_seconds: float
    scheduler_seconds: float
    wall_seconds: float
    moved: float
    to_driver: float
    memory: float
    driver_memory: float
    facts: dict[str, float] = field(default_factory=dict)


def block_of(number, n_rows, n_features, n_clusters):
    """Make some samples in clusters."""
    centers = np.random.default_rng(0).normal(size=(n_clusters, n_features)).astype(np.float32)
    rng = np.random.default_rng([1, number])
    noise = rng.standard_normal(size=(n_rows, n_features), dtype=np.float32)
    return centers[rng.integers(n_clusters, size=n_rows)] + np.float32(0.3) * noise


def spread(load):
    """Make the samples on the workers, one block for each panel, and keep them there."""
    import dask.array as da
    from distributed import wait

    import dask

    edges = [load.n_samples * part // load.n_panels for part in range(load.n_panels + 1)]
    sizes, d = np.diff(edges).tolist(), load.n_features
    clusters = max(100, load.n_samples // SAMPLES_PER_CLUSTER)
    make = dask.delayed(block_of)
    blocks = [
        da.from_delayed(make(number, size, d, clusters), (size, d), dtype=np.float32)
        for number, size in enumerate(sizes)
    ]
    X = da.concatenate(blocks).persist()
    wait(X)
    return X


def labels_of(n_samples):
    """Make labels of which few are positive."""
    rng = np.random.default_rng(2)
    return sparse.random_array((n_samples, 100), density=LABEL_DENSITY, rng=rng).astype(bool)


@contextmanager
def workers(number):
    """Start workers with one thread each, which have loaded the library."""
    from distributed import Client, LocalCluster

    import dask

    with dask.config.set(SETTINGS):
        options = {"n_workers": number, "threads_per_worker": 1, "memory_limit": 0}
        with (
            LocalCluster(**options, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            find_neighbors(spread(Workload(1000 * number, 20, number)))
            client.run(_prepare)
            yield client


def _prepare():
    """Load faiss, and record how many cells of a region are searched."""
    import faiss  # noqa: F401

    nearest = SampleCells.nearest

    def recorded(cells, *arguments):
        steps, cells_of_index = [], cells._index

        def remembered():
            steps.append(cells_of_index())
            return steps[0]

        cells._index = remembered
        result = nearest(cells, *arguments)
        PROBES.append(steps[0].nprobe if result is not None else np.nan)
        return result

    SampleCells.nearest = recorded


PROBES: list[float] = []


def _state(dask_worker):
    """Return what a worker has counted since it started."""
    seconds = {
        key[2]: 0.0 for key in dask_worker.digests_total if key[0] == "execute" and len(key) == 5
    }
    for key, value in dask_worker.digests_total.items():
        if key[0] == "execute" and key[3:] == ("thread-cpu", "seconds"):
            seconds[key[2]] += value
    received = sum(entry["total"] for entry in dask_worker.transfer_incoming_log)
    return {
        "seconds": seconds,
        "cpu": time.process_time(),
        "received": float(received),
        "sent": float(dask_worker.transfer_outgoing_bytes_total),
        "memory": peak_memory(),
        "probes": list(PROBES),
    }


def peak_memory():
    """Return the largest resident bytes of this process since `forget_peak`."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024.0


def forget_peak():
    """Let the peak of the memory begin at the current use."""
    Path("/proc/self/clear_refs").write_text("5")


def _calls(dask_scheduler):
    prefixes = dask_scheduler.task_prefixes
    return {name: float(prefix.state_counts["memory"]) for name, prefix in prefixes.items()}


class PlanReader(logging.Handler):
    """Keeps what the approximate search states before it sends samples."""

    def __init__(self):
        super().__init__()
        self.plans = []

    def emit(self, record):
        """Keep the plan of a message."""
        self.plans += [part for part in record.args or () if hasattr(part, "gigabytes")]


@contextmanager
def panels_of_rows(rows):
    """Let the library use panels of a number of rows, if it is given."""
    with ExitStack() as patches:
        if rows:
            # There are never too few panels, so that they have the least number of rows.
            for name, value in (("PANEL_ROWS", rows), ("LEAST_PANELS", 2**31)):
                patches.enter_context(patch.object(search, name, value))
        yield


@contextmanager
def watched_plans():
    """Keep the plans of approximate searches."""
    logger, reader = logging.getLogger("rarelabels"), PlanReader()
    level = logger.level
    logger.addHandler(reader)
    logger.setLevel("INFO")
    try:
        yield reader
    finally:
        logger.removeHandler(reader)
        logger.setLevel(level)


def measured(run: Run) -> dict[str, Record]:
    """Run a use of the library on a new cluster. Prediction is recorded separately."""
    if run.use == "splitting":
        return {run.use: _split(run)}
    with panels_of_rows(run.panel_rows), workers(run.n_workers) as client:
        X = spread(run.load)
        if run.use != "ridge":
            return {run.use: _watched(client, lambda: USES[run.use](X))}
        model = KernelRidgeClassifier(n_landmarks=run.n_landmarks, random_state=0)
        y = labels_of(run.n_samples).tocsr()
        fitted = _watched(client, lambda: _fitted(model, X, y))
        predicted = _watched(client, lambda: _persisted(model.predict_proba(X)))
        return {"ridge": fitted, "prediction": predicted}


def _split(run: Run) -> Record:
    """Divide centers into groups, as one worker does to learn regions."""
    centers = np.random.default_rng(0).normal(size=(run.n_samples, run.n_features))
    start = time.process_time()
    weights = np.ones(run.n_samples, dtype=np.intp)
    _grouped(centers.astype(np.float32), weights, run.n_samples / SPLITS)
    seconds = time.process_time() - start
    return Record({"split": seconds}, {}, seconds, 0.0, 0.0, 0.0, seconds, 0.0, 0.0, 0.0, 0.0)


def _watched(client, work) -> Record:
    client.run(forget_peak)
    forget_peak()
    before, calls_before = client.run(_state), client.run_on_scheduler(_calls)
    peak, thread = peak_memory(), time.thread_time()
    process, wall = time.process_time(), time.perf_counter()
    with watched_plans() as reader:
        recall = work()
    driver = time.thread_time() - thread
    others = time.process_time() - process - driver
    wall = time.perf_counter() - wall
    driver_memory = peak_memory() - peak
    after, calls = client.run(_state), client.run_on_scheduler(_calls)
    pairs = [(before[worker], after[worker]) for worker in after]

    def grown(name):
        return [new[name] - old[name] for old, new in pairs]

    seconds: dict[str, float] = {}
    for old, new in pairs:
        for name, value in new["seconds"].items():
            seconds[name] = seconds.get(name, 0.0) + value - old["seconds"].get(name, 0.0)
    seconds = {name: round(value, 6) for name, value in seconds.items() if value > 0}
    new_calls = {name: count - calls_before.get(name, 0) for name, count in calls.items()}
    probes = [probe for old, new in pairs for probe in new["probes"][len(old["probes"]) :]]
    received, sent = sum(grown("received")), sum(grown("sent"))
    return Record(
        seconds,
        {name: count for name, count in new_calls.items() if count},
        sum(grown("cpu")),
        sum(grown("cpu")) - sum(seconds.values()),
        driver,
        others,
        wall,
        received,
        sent - received,
        max(grown("memory")),
        driver_memory,
        _facts(reader.plans, probes, recall),
    )


def _facts(plans, probes, recall):
    facts = {} if recall is None else {"recall": float(recall)}
    probes = [probe for probe in probes if np.isfinite(probe)]
    if plans:
        plan = plans[-1]
        facts["visits"] = float(plan.n_visits.sum() / plan.n_targets.sum())
        facts["regions"] = float(plan.n_targets.size)
        facts["stated gigabytes"] = plan.gigabytes
        facts["attempts"] = float(len(plans))
        # Small regions are searched exactly, and those in which few cells are not enough.
        facts["searched exactly"] = 1 - len(probes) / facts["regions"] / len(plans)
    if probes:
        facts["probes"] = float(np.mean(probes))
    return facts


def _persisted(data):
    from distributed import wait

    wait(data.persist())


def _fitted(model, X, y):
    model.fit(X, y)


def _resampled(X):
    rng = np.random.default_rng(3)
    neighbors = Neighbors(rng.integers(X.shape[0], size=(X.shape[0], 5)))
    y = labels_of(X.shape[0]).tocsr()
    X_new, _ = MLSOL(neighbors=neighbors, random_state=0).fit_resample(X, y)
    _persisted(X_new)


USES = {
    "exact": lambda X: find_neighbors(X).recall,
    "approximate": lambda X: find_neighbors(X, neighbors="approximate").recall,
    "MLSOL": _resampled,
}

RUNS = [
    # Centers instead of samples.
    *(Run("splitting", cells, d, 1) for cells, d in [
        (2_048, 20), (2_048, 100), (16_384, 100), (2_048, 768), (16_384, 768),
    ]),
    Run("splitting", 8_192, 300, 1, "check"),
    *(Run("exact", n, d, w) for n, d, w in [
        (10_000, 20, 1), (30_000, 20, 2), (10_000, 100, 1), (30_000, 100, 2), (60_000, 100, 1),
        (6_000, 768, 1), (12_000, 768, 2), (20_000, 768, 1),
    ]),
    *(Run("approximate", n, d, w) for n, d, w in [
        (120_000, 20, 1), (300_000, 20, 2), (100_000, 100, 1), (150_000, 100, 2),
        (300_000, 100, 1), (400_000, 100, 2), (800_000, 20, 1), (60_000, 768, 2),
        (90_000, 768, 1),
    ]),
    *(Run("MLSOL", n, d, w) for n, d, w in [
        (100_000, 20, 1), (60_000, 100, 2), (200_000, 100, 1), (20_000, 768, 2),
    ]),
    *(Run("ridge", n, d, w, n_landmarks=m) for n, d, w, m in [
        (20_000, 20, 1, 300), (20_000, 100, 2, 600), (40_000, 100, 1, 300), (10_000, 768, 2, 500),
    ]),
    *(Run("exact", n, d, 4, "check") for n, d in [
        (50_000, 20), (40_000, 50), (100_000, 100), (15_000, 768),
    ]),
    # Far more tasks than in other runs.
    Run("exact", 60_000, 20, 4, "check", panel_rows=500),
    *(Run("approximate", n, d, 4, "check") for n, d in [
        (500_000, 20), (250_000, 50), (200_000, 100), (500_000, 100), (120_000, 768),
    ]),
    *(Run("MLSOL", n, d, 4, "check") for n, d in [(150_000, 100), (30_000, 768)]),
    *(Run("ridge", n, d, 4, "check", m) for n, d, m in [(40_000, 100, 1_000), (30_000, 300, 600)]),
]  # fmt: skip


def as_json(run: Run, record: Record) -> dict:
    """Return what is stored of a run."""
    values = {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in asdict(record).items()
    }
    return {"run": asdict(run), **values}
