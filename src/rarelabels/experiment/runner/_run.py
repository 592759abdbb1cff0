"""Run a plan: what has no result yet, wherever it is to run, into the store."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from joblib import effective_n_jobs

from rarelabels.experiment.plan import Job, Plan, load_plan
from rarelabels.experiment.runner._engines import inline_records, object_records, process_records
from rarelabels.experiment.runner._process import Limits
from rarelabels.experiment.runner._progress import progress_shown
from rarelabels.experiment.runner._schedule import JobTimes, Remaining, Schedule, tasks_of
from rarelabels.experiment.store import DONE, FAILED, Record, Store, opened

ENGINES = ("joblib", "dask", "inline", "objects")


@dataclass(frozen=True)
class RunSummary:
    """How a run ended.

    Attributes
    ----------
    done, failed : int
        Jobs that were run, with and without success.
    skipped : int
        Jobs that had a result before.
    left : int
        Jobs that the time was too short for.
    remaining : Remaining or None
        How long those are expected to take on one worker, where there are any.

    Examples
    --------
    >>> from rarelabels.experiment import RunSummary
    >>> print(RunSummary(done=90, failed=1, skipped=9, left=0))
    90 done, 1 failed, 9 had a result before, 0 left
    """

    done: int
    failed: int
    skipped: int
    left: int
    remaining: Remaining | None = None

    def __str__(self) -> str:
        expected = f" ({self.remaining} on one worker)" if self.remaining else ""
        return (
            f"{self.done} done, {self.failed} failed, {self.skipped} had a result before, "
            f"{self.left} left{expected}"
        )


def run(
    plan: Any,
    store: Any,
    *,
    n_jobs: int | None = None,
    engine: Any = None,
    max_minutes: float | None = None,
    progress: bool = True,
    retry: bool = False,
    nice: int = 0,
    trusted: Collection[str] = (),
) -> RunSummary:
    """Run the jobs of a plan that have no result in the store yet.

    Interrupt it at any time and call it again: what is done is never repeated.

    Parameters
    ----------
    plan : Plan, path-like or mapping
        What to run; see :func:`load_plan`.
    store : Store or path-like
        Where results go. A second run on the same store is refused while this one goes on.
    n_jobs : int, default=None
        Worker processes; -1 for one per core, None for one. Scores do not depend on it.
    engine : {"joblib", "dask", "inline", "objects"}, address or distributed.Client, default=None
        Where jobs run: worker processes of this machine; a Dask cluster, on this machine or that
        of a scheduler's address such as ``"tcp://scheduler:8786"``; this process, without limits
        of time and memory; or joblib's processes, without such limits either, for plans of data
        and models in memory. None: what the plan says, or "joblib".
    max_minutes : float, default=None
        When to end. Jobs that are not done by then have no result and are left for another time.
    progress : bool, default=True
        Show on standard error how far the run is and how long it will still take, by the times of
        the folds that are done: a bar on a terminal, if tqdm is installed, elsewhere a line every
        five minutes.
    retry : bool, default=False
        Run the jobs that failed again, too. Nothing that is done is.
    nice : int, default=0
        By how much worker processes give way to others, where the system can (Linux and macOS).
    trusted : collection of str, default=()
        Packages of which base classifiers may be, beyond scikit-learn, this package and those that
        add to it by entry points.

    Returns
    -------
    RunSummary
        How many jobs were done, failed, skipped and left.

    Raises
    ------
    StoreError
        If the store cannot be written, or another run is filling it.

    Notes
    -----
    Jobs of the same data set, fold and learner go to one worker in a row. It keeps the data, the
    split, the neighbours of the training samples (searched once, for the largest number asked for)
    and the models that methods have in common: a sampler's model is the first member of its
    ensemble. Each is determined by what it is looked up by, so a job alone gives the same scores.
    Within a fold the longest tasks start first, as soon as times of other folds are known.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarelabels.datasets import make_local_imbalance, save_csv
    >>> from rarelabels.experiment import Store, run
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "made.csv"
    >>> save_csv(make_local_imbalance(80, difficulty=0.3, random_state=0), file)
    >>> plan = {
    ...     "datasets": [{"path": str(file), "labels": "label_"}],
    ...     "learners": ["BR"],
    ...     "methods": ["default", "MLSOL"],
    ...     "folds": {"n_splits": 2, "n_repeats": 1},
    ... }
    >>> with Store(":memory:") as store:
    ...     print(run(plan, store, engine="inline"))
    ...     print(store.scores("macro_f1").methods)
    4 done, 0 failed, 0 had a result before, 0 left
    ('Default', 'MLSOL')
    """
    plan = load_plan(plan, trusted=trusted)
    with opened(store) as target, target.only_run():
        jobs = plan.jobs()
        target.register(plan.name, jobs)
        to_do = target.pending(jobs, retry=retry)
        work = Work(plan, to_do, JobTimes(jobs, target.seconds()), n_jobs, engine, nice)
        n_failed, left = _fill(target, work, max_minutes, progress)
    return RunSummary(
        done=len(to_do) - len(left) - n_failed,
        failed=n_failed,
        skipped=len(jobs) - len(to_do),
        left=len(left),
        remaining=Remaining.of(left, work.times) if left else None,
    )


@dataclass(frozen=True)
class Work:
    """What a run has to do, and where."""

    plan: Plan
    jobs: list[Job]
    times: JobTimes
    n_jobs: int | None
    engine: Any
    nice: int

    @property
    def limits(self) -> Limits:
        """What a job may take."""
        return Limits(self.plan.timeout, self.plan.memory, nice=self.nice)

    def schedule(self) -> Schedule:
        """Return the tasks in the order in which they should start."""
        return Schedule(tuple(tasks_of(self.jobs, self.plan.trusted)), self.times)


def _fill(
    store: Store, work: Work, max_minutes: float | None, progress: bool
) -> tuple[int, list[Job]]:
    """Run jobs, write each record when it comes; return how many failed, and those left."""
    waiting, n_workers, n_failed = {job.key: job for job in work.jobs}, _n_workers(work), 0

    def left() -> Remaining:
        return Remaining.of(waiting.values(), work.times, n_workers)

    with (
        _stop_after(max_minutes) as stop,
        closing(_records(work, stop)) as records,
        progress_shown(len(work.jobs), show=progress, left=left) as report,
    ):
        for record in records:
            store.write(record)
            waiting.pop(record.key)
            n_failed += record.status == FAILED
            if record.status == DONE and record.seconds is not None:
                work.times.add(record.key, record.seconds)
            report(record)
    return n_failed, list(waiting.values())


def _n_workers(work: Work) -> int:
    return 1 if work.engine == "inline" else effective_n_jobs(work.n_jobs)


def _records(work: Work, stop: threading.Event) -> Any:
    tasks, plan = work.schedule(), work.plan
    chosen = work.engine if work.engine is not None else plan.engine or ENGINES[0]
    if not tasks:
        return _nothing()
    if chosen == "inline":
        return inline_records(tasks, stop)
    if chosen == "objects":
        return object_records(tasks, work.n_jobs, stop)
    if chosen == "joblib":
        return process_records(tasks, work.limits, work.n_jobs, stop)
    if isinstance(chosen, str) and chosen != "dask" and "://" not in chosen:
        raise ValueError(f"engine must be one of {ENGINES} or an address, got {chosen!r}.")
    from rarelabels.experiment.runner._dask import dask_records

    cluster = plan.scheduler if chosen == "dask" else chosen
    return dask_records(tasks, work.limits, cluster, work.n_jobs, stop)


def _nothing() -> Iterator[Record]:
    yield from ()


@contextmanager
def _stop_after(minutes: float | None) -> Iterator[threading.Event]:
    """Return an event that is set when the time is up."""
    stop = threading.Event()
    timer = threading.Timer(60 * minutes, stop.set) if minutes is not None else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield stop
    finally:
        stop.set()
        if timer is not None:
            timer.cancel()
