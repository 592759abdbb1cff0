"""MLSOL with an approximate search on two workers, for growing X that is read from a file.

``python -m benchmarks.bench_approximate_cluster 250000 1000000`` measures these numbers of samples.

Claims: each worker grows by less than half of X for 2,000,000 samples, and the time per sample
hardly depends on their number. The CPU time is that of workers, scheduler and driver, from the
search to the last synthetic sample. Growth is the peak beyond a worker that has done the same with
few samples. Its peak is shown for the search, next to what was estimated, and for all. The result
is computed block by block, as if it were written to files. One thread each.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks._measure import scaled, show
from benchmarks.bench_cluster import Watch
from rarelabels import find_neighbors
from rarelabels.sampling import MLSOL

SIZES = (250_000, 500_000, 1_000_000, 2_000_000)
# This is also measured on one machine.
ONE_MACHINE = 1_000_000
WARM = 60_000
N_FEATURES, N_LABELS, N_CLUSTERS, BLOCK = 100, 100, 2000, scaled(50_000)


def write_samples(path, n_samples):
    """Write samples around normal centers to a file, block by block."""
    centers = np.random.default_rng(0).normal(size=(N_CLUSTERS, N_FEATURES)).astype(np.float32)
    with path.open("wb") as file:
        for start in range(0, n_samples, BLOCK):
            rng, size = np.random.default_rng([1, start]), min(BLOCK, n_samples - start)
            noise = rng.standard_normal((size, N_FEATURES), dtype=np.float32)
            file.write((centers[rng.integers(N_CLUSTERS, size=size)] + noise).tobytes())


def read_samples(path, start, size):
    at = start * N_FEATURES * 4
    return np.fromfile(path, np.float32, size * N_FEATURES, offset=at).reshape(size, N_FEATURES)


def block_at(start, path, n_samples):
    return read_samples(path, int(start[0]), min(BLOCK, n_samples - int(start[0])))


def samples_in(path, n_samples):
    """Return the samples of a file as a Dask array, which reads it whenever it is computed."""
    import dask.array as da

    starts = np.arange(0, n_samples, BLOCK)
    sizes = tuple(np.minimum(BLOCK, n_samples - starts).tolist())
    return da.from_array(starts, chunks=1).map_blocks(
        block_at, str(path), n_samples, new_axis=1, chunks=(sizes, (N_FEATURES,)),
        dtype=np.float32, meta=np.empty((0, N_FEATURES), np.float32),
    )  # fmt: skip


def labels_of(n_samples):
    rng = np.random.default_rng(2)
    return sparse.random_array((n_samples, N_LABELS), density=0.03, rng=rng).astype(bool).tocsr()


class Estimates(logging.Handler):
    """Remember the memory that searches estimate before they begin."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.megabytes = 0.0

    def emit(self, record):
        """Take the estimate from a message about a plan."""
        for plan in record.args or ():
            self.megabytes = max(self.megabytes, 1000 * getattr(plan, "gigabytes", 0.0))


@contextmanager
def estimates():
    logger, handler = logging.getLogger("rarelabels"), Estimates()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield handler
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def resampled(X, y, watch=None):
    """Search and resample, and compute the result block by block; return the search's result."""
    import dask

    neighbors = find_neighbors(X, neighbors="approximate")
    grown = watch.peaks() - watch.memory if watch else None
    X_new, _ = MLSOL(neighbors=neighbors, random_state=0).fit_resample(X, y)
    dask.compute(*[dask.delayed(float)(block.sum()) for block in X_new.to_delayed().ravel()])
    return neighbors, grown


def on_two_workers(folder, n_samples):
    """Return a row of the table."""
    from distributed import Client, LocalCluster

    path, warm = folder / "samples", folder / "few"
    write_samples(path, n_samples)
    write_samples(warm, scaled(WARM))
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        # What libraries and compiled code take is no part of what is measured.
        resampled(samples_in(warm, scaled(WARM)), labels_of(scaled(WARM)))
        gc.collect()
        client.run(gc.collect)
        time.sleep(1)
        y = labels_of(n_samples)
        watch = Watch([os.getpid(), *(worker.pid for worker in cluster.workers.values())])
        with estimates() as estimated:
            neighbors, grown = resampled(samples_in(path, n_samples), y, watch)
        cpu, most = watch.seconds() - watch.cpu, watch.peaks() - watch.memory
    size = n_samples * N_FEATURES * 4 / 1e6
    return (
        f"{n_samples:,}", f"{size:.0f}", f"{neighbors.recall:.4f}", f"{cpu.sum():.0f}",
        f"{cpu.sum() / n_samples * 1e6:.0f}", f"{estimated.megabytes:.0f}",
        " and ".join(f"{mb:.0f}" for mb in grown[1:]), " and ".join(f"{mb:.0f}" for mb in most[1:]),
    )  # fmt: skip


def on_one_machine(folder, n_samples):
    """Return a row of the table for a search and a resampling in memory."""
    path = folder / "samples"
    write_samples(path, n_samples)
    y, start = labels_of(n_samples), time.process_time()
    X = read_samples(path, 0, n_samples)
    neighbors = find_neighbors(X, neighbors="approximate", n_jobs=1)
    MLSOL(neighbors=neighbors, random_state=0).fit_resample(X, y)
    cpu = time.process_time() - start
    size, each = X.nbytes / 1e6, cpu / n_samples * 1e6
    return (f"{n_samples:,}, one machine", f"{size:.0f}", f"{neighbors.recall:.4f}",
            f"{cpu:.0f}", f"{each:.0f}", "", "", "")  # fmt: skip


def main(sizes=SIZES) -> None:
    rows = [("samples", "X in MB", "recall", "CPU-s", "µs per sample", "estimated MB",
             "grown in the search", "grown by MB")]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        rows += [on_two_workers(Path(folder), scaled(size)) for size in sizes]
        if ONE_MACHINE in sizes:
            rows.append(on_one_machine(Path(folder), scaled(ONE_MACHINE)))
    show(f"MLSOL with an approximate search on two workers: {N_FEATURES} features, "
         f"{N_CLUSTERS:,} clusters, {N_LABELS} labels", rows)  # fmt: skip


if __name__ == "__main__":
    main(*[[int(size) for size in sys.argv[1:]]] if sys.argv[1:] else [])
