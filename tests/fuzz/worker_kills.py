"""Kill workers of a Dask cluster at random times, and see that results stay the same.

Run as ``python tests/fuzz/worker_kills.py 30`` for that many kills, with a seed as second argument.
While samples are searched exactly or approximately and resampled, a worker is killed after a random
time. Its nanny starts another one. A result must equal that of one process, and an error must
say that a worker was killed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import suppress

import dask.array as da
import numpy as np
from distributed import Client, KilledWorker, LocalCluster

import dask
from rarelabels import find_neighbors
from rarelabels.sampling import MLSOL

N_SAMPLES, N_FEATURES, N_BLOCKS = 60_000, 20, 12
KINDS = ("exact", "approximate")


def block(number: int) -> np.ndarray:
    """Return some samples of 300 clusters."""
    centers = 5 * np.random.default_rng(0).normal(size=(300, N_FEATURES))
    rng = np.random.default_rng(number + 1)
    size = N_SAMPLES // N_BLOCKS
    return centers[rng.integers(300, size=size)] + rng.normal(size=(size, N_FEATURES))


def samples(kind: str) -> da.Array:
    """Return all samples, or half of them for the exact search, as a Dask array."""
    n_blocks = N_BLOCKS if kind == "approximate" else N_BLOCKS // 2
    shape = (N_SAMPLES // N_BLOCKS, N_FEATURES)
    parts = [dask.delayed(block)(number) for number in range(n_blocks)]
    return da.concatenate([da.from_delayed(part, shape, dtype=float) for part in parts])


def resampled(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Search for neighbors, and resample with them."""
    X = samples(kind)
    y = (np.random.default_rng(0).random((X.shape[0], 5)) < [0.01, 0.05, 0.1, 0.2, 0.5]).astype(int)
    neighbors = find_neighbors(X, neighbors=None if kind == "exact" else "approximate")
    return MLSOL(neighbors=neighbors, random_state=0).fit_resample(X, y)[0].compute(), neighbors


class Killer:
    """Kill a worker after some seconds, unless the work is done before."""

    def __init__(self, client: Client, seconds: float) -> None:
        self.n_killed = 0
        self._pids, self._done = list(client.run(os.getpid).values()), threading.Event()
        self._thread = threading.Thread(target=self._kill, args=(seconds,))

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._done.set()
        self._thread.join()

    def _kill(self, seconds: float) -> None:
        if not self._done.wait(seconds):
            with suppress(ProcessLookupError):
                os.kill(self._pids[0], signal.SIGKILL)
                self.n_killed += 1


def main(n_kills: int, seed: int) -> int:
    """Kill `n_kills` times; print what was seen, and return the number of wrong results."""
    rng, seen, took, expected = random.Random(seed), Counter(), {}, {}
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
        for kind in KINDS:
            with dask.config.set(scheduler="synchronous"):
                expected[kind] = resampled(kind)
            start = time.monotonic()
            resampled(kind)
            took[kind] = time.monotonic() - start
        while seen["kills"] < n_kills:
            kind = rng.choice(KINDS)
            client.wait_for_workers(2)
            try:
                with Killer(client, rng.uniform(0, took[kind])) as killer:
                    found = resampled(kind)
                is_right = np.array_equal(found[0], expected[kind][0])
                is_right &= np.array_equal(found[1].indices, expected[kind][1].indices)
                seen["right" if is_right else "wrong"] += killer.n_killed
            except KilledWorker:
                seen["clear errors"] += killer.n_killed
            seen["kills"] += killer.n_killed
            seen[kind] += killer.n_killed
            print(dict(seen), file=sys.stderr)
    print(", ".join(f"{what}: {count}" for what, count in seen.items()))
    return seen["wrong"]


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*[*numbers, *[30, 0][len(numbers) :]]))
