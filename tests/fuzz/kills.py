"""Kill runs in random places, and see that nothing is lost, changed or done twice.

Run as ``python tests/fuzz/kills.py 100`` for that many kills, with a seed as second argument. What
is killed is the run itself (alone, with workers, on a Dask cluster), one of its workers, or
a worker of the cluster; each time after a random number of results and a random moment more. Then
the run goes on with the same store, until it has everything that a run in one go has.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from rarelabels.datasets import make_local_imbalance, save_csv
from rarelabels.experiment import Store, StoreError, run
from rarelabels.experiment.engines._dask import KEPT

# What is killed, and how often of ten times. Inline runs start at once, the others take seconds.
KINDS = {"run in one process": 4, "run": 2, "worker": 2, "run on Dask": 1, "worker of Dask": 1}
ENGINES = {"run in one process": "inline", "run": "processes", "worker": "processes"}
PRELOADED = ["rarelabels.experiment.evaluate._evaluate", "distributed"]
# Seconds after which a run that goes on counts as hanging.
PATIENCE = 600
# What a run writes of a job whose worker was killed, or on Dask several times in a row.
KILLED = ("ended by SIGKILL", "KilledWorker")


def main(n_kills: int, seed: int) -> int:
    """Kill `n_kills` times; print what was seen, and return the number of faults."""
    rng, seen, faults = random.Random(seed), Counter(), []
    with tempfile.TemporaryDirectory() as folder, Killing(Path(folder)) as killing:
        while seen["killed"] < n_kills:
            kind = rng.choices(tuple(KINDS), KINDS.values())[0]
            was_killed = killing.once(kind, rng)
            seen["killed"] += was_killed
            seen[kind] += was_killed
            seen["ended before"] += not was_killed
            print(f"{seen['killed']} of {n_kills} ({kind})", file=sys.stderr)
        killing.finish()
        seen["runs completed"], faults = killing.n_complete, killing.faults
    print(*faults, sep="\n")
    print(", ".join(f"{what}: {count}" for what, count in seen.items()), f"faults: {len(faults)}")
    return len(faults)


class Killing:
    """A plan that is run into one store after another, and what went wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.faults, self.n_complete = folder, [], 0
        save_csv(make_local_imbalance(80, difficulty=0.3, random_state=0), folder / "made.csv")
        self.plan = {
            "name": "killed",
            "datasets": [{"path": str(folder / "made.csv"), "labels": "label_"}],
            "learners": ["BR", "MLkNN"],
            "methods": ["default", "MLSOL", {"sampler": "MLROS", "n_estimators": 2}],
            "folds": {"n_splits": 2, "n_repeats": 2},
        }
        with Store(":memory:") as whole:
            run(self.plan, whole, engine="inline", progress=False)
            self.expected = scores_of(whole)
        self.processes = multiprocessing.get_context("forkserver")
        self.processes.set_forkserver_preload(PRELOADED)
        self.cluster = None

    def __enter__(self) -> Killing:
        return self

    def __exit__(self, *_) -> None:
        self.end_cluster()

    def end_cluster(self) -> None:
        if self.cluster is not None:
            end(self.cluster[0].pid)

    @property
    def path(self) -> Path:
        return self.folder / f"results-{self.n_complete}.sqlite"

    def once(self, kind: str, rng: random.Random) -> bool:
        """Start a run and kill; return whether there was still something to kill."""
        before, failed_before = done_in(self.path), failed_in(self.path)
        process = self.started(kind)
        n_more = rng.randrange(len(self.expected) - len(before))
        wait_for(process, self.path, len(before) + n_more, rng.uniform(0, 0.2 if n_more else 1.5))
        was_killed = process.is_alive() and self.killed(kind, process, rng)
        if kind.startswith("worker"):
            process.join(PATIENCE)
            self.check(not process.is_alive(), f"after the kill of a {kind} the run hangs")
        end(process.pid)
        process.join()
        self.compare(before, failed_before, kind)
        return was_killed

    def started(self, kind: str) -> multiprocessing.Process:
        engine = ENGINES.get(kind) or self.dask_address()
        arguments = self.plan, str(self.path), engine
        process = self.processes.Process(target=run_quietly, args=arguments)
        process.start()
        return process

    def killed(self, kind: str, process: multiprocessing.Process, rng: random.Random) -> bool:
        if kind == "worker":
            return kill_one(workers_of(process.pid), rng)
        if kind == "worker of Dask":
            return kill_one(workers_of(self.cluster[0].pid), rng)
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        return process.exitcode == -signal.SIGKILL

    def compare(self, before: dict, failed_before: dict, kind: str) -> None:
        """Compare what is in the store with what was there before and what must be there."""
        done, failed = done_in(self.path), failed_in(self.path)
        for key, record in before.items():
            self.check(key in done, f"{kind}: the result of {key} is lost")
            self.check(done.get(key) == record, f"{kind}: {key} was done a second time")
        for key, record in done.items():
            self.check(record.scores == self.expected[key], f"{kind}: {key} has other scores")
        # A failure stays until a run gets to it.
        for key, error in failed.items() - failed_before.items():
            is_killed = any(words in error for words in KILLED)
            self.check(is_killed and kind.startswith("worker"), f"{kind}: {key} failed: {error}")
        if len(done) == len(self.expected):
            self.n_complete += 1

    def finish(self) -> None:
        """Complete what was killed last."""
        before, failed_before = done_in(self.path), failed_in(self.path)
        with Store(self.path) as store:
            summary = run(self.plan, store, engine="inline", retry=True, progress=False)
        self.check(summary.skipped == len(before), "something was done a second time at the end")
        self.compare(before, failed_before, "the end")
        self.check(not self.path.exists(), "not everything is there at the end")

    def check(self, is_right: bool, fault: str) -> None:
        if not is_right:
            self.faults.append(fault)

    def dask_address(self) -> str:
        # On a crowded machine Dask may give up to start a worker anew; without any a run waits.
        if self.cluster is None or not workers_of(self.cluster[0].pid):
            self.end_cluster()
            ours, theirs = multiprocessing.Pipe()
            process = self.processes.Process(target=serve_cluster, args=(theirs,))
            process.start()
            self.cluster = process, ours.recv()
        return self.cluster[1]


def run_quietly(plan: dict, path: str, engine: str) -> None:
    run(plan, path, engine=engine, n_jobs=2, retry=True, progress=False)


def serve_cluster(pipe) -> None:
    """Keep a Dask cluster until this process is killed."""
    from distributed import LocalCluster

    from dask import config

    # As for a run's own cluster: else a worker that is killed again while it starts is given up.
    config.set(KEPT)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        pipe.send(cluster.scheduler_address)
        while True:
            time.sleep(1)


def wait_for(process: multiprocessing.Process, path: Path, n_done: int, seconds: float) -> None:
    """Wait until so many results are there, and some seconds more, unless the run ends before."""
    deadline = time.monotonic() + 120
    while process.is_alive() and len(done_in(path)) < n_done and time.monotonic() < deadline:
        time.sleep(0.01)
    process.join(seconds)


def workers_of(pid: int) -> list[psutil.Process]:
    """Return the processes that do the work of a run or of a cluster."""
    names = ("engines._worker", "spawn_main", "forkserver")
    with suppress(psutil.Error):
        found = psutil.Process(pid).children(recursive=True)
        return [one for one in found if any(name in " ".join(one.cmdline()) for name in names)]
    return []


def kill_one(found: list[psutil.Process], rng: random.Random) -> bool:
    if not found:
        return False
    with suppress(psutil.Error):
        rng.choice(found).kill()
        return True
    return False


def end(pid: int) -> None:
    """Kill a process and all that it started."""
    with suppress(psutil.Error):
        parent = psutil.Process(pid)
        for process in [*parent.children(recursive=True), parent]:
            with suppress(psutil.Error):
                process.kill()


def done_in(path: Path) -> dict:
    return {key: record for key, record in records_in(path).items() if record.status == "done"}


def failed_in(path: Path) -> dict:
    found = records_in(path).items()
    return {key: record.error for key, record in found if record.status == "failed"}


def records_in(path: Path) -> dict:
    if not path.exists():
        return {}
    # A file may be there before its tables are.
    with suppress(StoreError), Store(path) as store:
        return {record.key: record for record in store.records()}
    return {}


def scores_of(store: Store) -> dict:
    return {record.key: record.scores for record in store.records()}


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]] + [10, 0][len(sys.argv) - 1 :]
    sys.exit(min(main(*arguments), 1))
