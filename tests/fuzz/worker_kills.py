"""Kill workers of a Dask cluster at random times, and see that results stay the same.

Run as ``python tests/fuzz/worker_kills.py 30`` for that many kills, with a seed as second argument.
While samples are searched exactly or approximately, or sparse ones by cosine, and resampled, a
worker is killed after a random time. Its nanny starts another one. Then a worker is stopped for
some seconds instead, and another one joins. A result must equal that of one process, and an error
must say that a worker was killed.
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
from scipy import sparse

import dask
from rarelabels import find_neighbors
from rarelabels.sampling import MLSOL

N_SAMPLES, N_FEATURES, N_BLOCKS = 60_000, 20, 12
KINDS = ("exact", "approximate", "sparse")
N_WORDS, N_TEXTS = 3000, 2000
N_WORKERS = 2
# Seconds for which a worker is stopped.
STOPPED = 4


def block(number: int) -> np.ndarray:
    """Return some samples of 300 clusters."""
    centers = 5 * np.random.default_rng(0).normal(size=(300, N_FEATURES))
    rng = np.random.default_rng(number + 1)
    size = N_SAMPLES // N_BLOCKS
    return centers[rng.integers(300, size=size)] + rng.normal(size=(size, N_FEATURES))


def texts(number: int) -> sparse.csr_array:
    """Return some samples of few words each, most of them frequent ones."""
    rng = np.random.default_rng(number + 1)
    words = (N_WORDS * rng.random((N_TEXTS, 30)) ** 3).astype(int)
    rows = np.repeat(np.arange(N_TEXTS), 30)
    shape = (N_TEXTS, N_WORDS)
    return sparse.csr_array((rng.random(rows.size), (rows, words.ravel())), shape=shape)


def samples(kind: str) -> da.Array:
    """Return all samples, or half of them for the exact search, as a Dask array."""
    n_blocks = N_BLOCKS if kind == "approximate" else N_BLOCKS // 2
    if kind == "sparse":
        parts, shape = (
            [dask.delayed(texts)(number) for number in range(n_blocks)],
            (N_TEXTS, N_WORDS),
        )
        meta = sparse.csr_array((0, N_WORDS))
        return da.concatenate([da.from_delayed(part, shape, meta=meta) for part in parts])
    shape = (N_SAMPLES // N_BLOCKS, N_FEATURES)
    parts = [dask.delayed(block)(number) for number in range(n_blocks)]
    return da.concatenate([da.from_delayed(part, shape, dtype=float) for part in parts])


def resampled(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Search for neighbors, and resample with them. Return the samples and the neighbors."""
    X = samples(kind)
    y = (np.random.default_rng(0).random((X.shape[0], 5)) < [0.01, 0.05, 0.1, 0.2, 0.5]).astype(int)
    search = "approximate" if kind == "approximate" else None
    metric = "cosine" if kind == "sparse" else "euclidean"
    neighbors = find_neighbors(X, neighbors=search, metric=metric)
    X_new = MLSOL(neighbors=neighbors, metric=metric, random_state=0).fit_resample(X, y)[0]
    blocks = dask.compute(*X_new.to_delayed().ravel())
    rows = [part.toarray() if sparse.issparse(part) else part for part in blocks]
    return np.concatenate(rows), neighbors.indices


class Trouble:
    """Kill or stop a worker, or add one, after some seconds, unless the work is done before."""

    def __init__(self, cluster: LocalCluster, client: Client, what: str, seconds: float) -> None:
        self.n_made = 0
        self._cluster, self._what = cluster, what
        self._pid, self._done = next(iter(client.run(os.getpid).values())), threading.Event()
        self._thread = threading.Thread(target=self._wait, args=(seconds,))

    def __enter__(self) -> Trouble:
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._done.set()
        self._thread.join()

    def _wait(self, seconds: float) -> None:
        if not self._done.wait(seconds):
            with suppress(ProcessLookupError):
                self._make()
                self.n_made += 1

    def _make(self) -> None:
        if self._what == "added":
            self._cluster.scale(N_WORKERS + 1)
        elif self._what == "stopped":
            os.kill(self._pid, signal.SIGSTOP)
            time.sleep(STOPPED)
            os.kill(self._pid, signal.SIGCONT)
        else:
            os.kill(self._pid, signal.SIGKILL)


def main(n_kills: int, seed: int) -> int:
    """Kill `n_kills` times; print what was seen, and return the number of wrong results."""
    rng, seen, took, expected = random.Random(seed), Counter(), {}, {}
    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
        for kind in KINDS:
            with dask.config.set(scheduler="synchronous"):
                expected[kind] = resampled(kind)
            start = time.monotonic()
            resampled(kind)
            took[kind] = time.monotonic() - start
        wanted = {"killed": n_kills, "stopped": -(-n_kills // 5), "added": -(-n_kills // 5)}
        for what, number in wanted.items():
            while seen[what] < number:
                # All kinds take turns, so that a slow one is not met more often.
                kind = KINDS[seen[what] % len(KINDS)]
                cluster.scale(N_WORKERS)
                client.wait_for_workers(N_WORKERS)
                try:
                    with Trouble(cluster, client, what, rng.uniform(0, took[kind])) as trouble:
                        found = resampled(kind)
                    pairs = zip(found, expected[kind], strict=True)
                    is_right = all(np.array_equal(*pair) for pair in pairs)
                    seen["right" if is_right else "wrong"] += trouble.n_made
                except KilledWorker:
                    seen["clear errors"] += trouble.n_made
                seen[what] += trouble.n_made
                seen[kind] += trouble.n_made
                print(dict(seen), file=sys.stderr)
    print(", ".join(f"{what}: {count}" for what, count in seen.items()))
    return seen["wrong"]


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*[*numbers, *[30, 0][len(numbers) :]]))
