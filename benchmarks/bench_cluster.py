"""MLSOL on a Dask array of two workers, beside the same on one machine.

Claims: equal to one machine bit for bit, and at most twice its CPU time, which is that of scheduler
and workers together: Dask adds about a tenth of a second for each second that it waits, so a busy
machine makes it more. Shown: what each worker grows by while it holds its share of X. One thread
each. And wide data, equal too, with workers that may have less memory than X has, Python and its
libraries included: as Dask starts workers, which write to disk what they cannot hold.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks._measure import SMOKE, scaled, show
from rarelabels.sampling import MLSOL

N_SAMPLES, N_FEATURES, N_LABELS, N_BLOCKS = 100_000, 50, 20, 16
# X of 2.1 GB, of which a worker may have 0.95.
WIDE_SAMPLES, WIDE_FEATURES, WIDE_LIMIT = 32_768, 8_192, 0.95
# Dask ends a worker that grows by more than this many times the size of X.
GROWTH = 2
# A worker pauses or writes to disk long before, by shares of its memory that its libraries exceed.
LIMITS = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.999,
}
# Dask has workers give memory back at once, and asking for it again takes longer than its use.
KEPT = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": str(2**27),
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": str(2**25),
}


def block_of(number, n_rows, n_features):
    """Make some samples around 40 centers."""
    centers = np.random.default_rng(0).normal(size=(40, n_features))
    rng = np.random.default_rng([1, number])
    return centers[rng.integers(40, size=n_rows)] + rng.normal(size=(n_rows, n_features))


def labels_of(n_samples):
    rng = np.random.default_rng(2)
    return sparse.random_array((n_samples, N_LABELS), density=0.03, rng=rng).astype(bool).tocsr()


def digest(block):
    return hashlib.sha256(np.ascontiguousarray(block).tobytes()).hexdigest()


class Watch:
    """CPU time and peak memory of processes, from where it starts."""

    def __init__(self, pids):
        self.folders = [Path(f"/proc/{pid}") for pid in pids]
        for folder in self.folders:
            (folder / "clear_refs").write_text("5")
        self.memory, self.cpu = self.peaks(), self.seconds()

    def peaks(self):
        """Return the peak resident megabytes of each."""
        texts = [(folder / "status").read_text() for folder in self.folders]
        return np.array([int(text.split("VmHWM:")[1].split()[0]) * 1024 / 1e6 for text in texts])

    def seconds(self):
        """Return the CPU-seconds of each."""
        import psutil

        times = [psutil.Process(int(folder.name)).cpu_times() for folder in self.folders]
        return np.array([one.user + one.system for one in times])


def idle_megabytes():
    """Return the resident size of a worker that has done a small task."""
    import psutil

    with two_workers("auto") as (cluster, _):
        return max(
            psutil.Process(worker.pid).memory_info().rss / 1e6
            for worker in cluster.workers.values()
        )


@contextmanager
def two_workers(memory_limit):
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, memory_limit=memory_limit) as cluster, Client(cluster) as client:
        # What libraries and Dask itself take for any task is no part of what is measured.
        MLSOL(random_state=0).fit_resample(spread(100, 50), labels_of(100 * N_BLOCKS))
        yield cluster, client


def spread(n_rows, n_features):
    """Make the samples where the workers are, and keep them there."""
    import dask.array as da
    from distributed import wait

    import dask

    parts = [dask.delayed(block_of)(number, n_rows, n_features) for number in range(N_BLOCKS)]
    arrays = [da.from_delayed(part, (n_rows, n_features), dtype=float) for part in parts]
    kept = da.concatenate(arrays).persist()
    wait(kept)
    return kept


def on_one_machine(n_rows, n_features, y):
    """Return CPU-seconds, digests of kept and synthetic samples, and the labels."""
    X = np.concatenate([block_of(number, n_rows, n_features) for number in range(N_BLOCKS)])
    start = time.process_time()
    X_new, y_new = MLSOL(n_jobs=1, random_state=0).fit_resample(X, y)
    seconds = time.process_time() - start
    return seconds, [digest(part) for part in np.split(X_new, [len(X)])], y_new


def on_two_workers(n_rows, n_features, y, limit):
    """Return what the processes took, and digests and labels as on one machine."""
    from distributed import wait

    with two_workers(f"{limit:.0f}MB") as (cluster, client):
        data = spread(n_rows, n_features)
        pids = [worker.pid for worker in cluster.workers.values()]
        watch = Watch([os.getpid(), *pids])
        X_new, y_new = MLSOL(random_state=0).fit_resample(data, y)
        X_new = X_new.persist()
        wait(X_new)
        cpu, grown = watch.seconds() - watch.cpu, watch.peaks() - watch.memory
        sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total / 1e6)
        found = digests_of(X_new, y.shape[0])
        if pids != [worker.pid for worker in cluster.workers.values()]:
            raise MemoryError(f"a worker took more than {limit:.0f} MB")
        return cpu, grown, sum(sent.values()), found, y_new


def main() -> None:
    narrow()
    wide()


def narrow() -> None:
    import distributed  # noqa: F401 (its settings come with it)

    import dask

    n_rows = scaled(N_SAMPLES) // N_BLOCKS
    y = labels_of(n_rows * N_BLOCKS)
    size = y.shape[0] * N_FEATURES * 8 / 1e6
    one, digests, y_one = on_one_machine(n_rows, N_FEATURES, y)
    rows = [("", "CPU-s", "of one machine", "grown by MB", "sent MB", "equal", "claim")]
    rows.append(("one machine", f"{one:.1f}", "", "", "", "", ""))
    for name, memory in {"as Dask starts workers": {}, "workers that keep memory": KEPT}.items():
        with dask.config.set(LIMITS | memory):
            limit = idle_megabytes() + (100 if SMOKE else GROWTH * size)
            cpu, grown, sent, found, y_new = on_two_workers(n_rows, N_FEATURES, y, limit)
        more = " and ".join(f"{mb:.0f}" for mb in grown[1:])
        is_equal = found == digests and (y_new != y_one).nnz == 0
        rows.append((name, f"{cpu.sum():.1f}", f"{cpu.sum() / one:.2f}", more, f"{sent:.0f}",
                     is_equal, "≤ 2"))  # fmt: skip
    show(
        f"MLSOL on two workers: {y.shape[0]:,}×{N_FEATURES} ({size:.0f} MB), {N_LABELS} labels",
        rows,
    )


def wide() -> None:
    n_rows = scaled(WIDE_SAMPLES) // N_BLOCKS
    y = labels_of(n_rows * N_BLOCKS)
    size = y.shape[0] * WIDE_FEATURES * 8 / 1e6
    limit = 1000 if SMOKE else WIDE_LIMIT * size
    cpu, _, sent, found, y_new = on_two_workers(n_rows, WIDE_FEATURES, y, limit)
    one, digests, y_one = on_one_machine(n_rows, WIDE_FEATURES, y)
    is_equal = found == digests and (y_new != y_one).nnz == 0
    rows = [("CPU-s", "of one machine", "a worker may have", "sent MB", "equal")]
    share = f"{limit:.0f} MB, {limit / size:.2f} of X"
    rows.append((f"{cpu.sum():.0f}", f"{cpu.sum() / one:.2f}", share, f"{sent:.0f}", is_equal))
    show(f"MLSOL on two workers with less memory than X has: {y.shape[0]:,}×{WIDE_FEATURES:,} "
         f"({size:.0f} MB)", rows)  # fmt: skip


def digests_of(X_new, n_kept):
    """Return the digests of kept and synthetic samples, block by block."""
    found, blocks, seen = [hashlib.sha256(), hashlib.sha256()], X_new.to_delayed().ravel(), 0
    for block, n_rows in zip(blocks, X_new.chunks[0], strict=True):
        found[seen >= n_kept].update(np.ascontiguousarray(block.compute()).tobytes())
        seen += n_rows
    return [one.hexdigest() for one in found]


if __name__ == "__main__":
    main()
