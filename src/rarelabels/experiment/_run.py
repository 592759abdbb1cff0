"""Run a plan: what has no result yet, wherever it is to run, into the store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from joblib import effective_n_jobs

from rarelabels._engines import Engine, engine_names, find_engine
from rarelabels._parameter_docs import shared_parameters
from rarelabels.experiment._signals import ending_on_signals
from rarelabels.experiment.engines import (
    JobTimes,
    Limits,
    Remaining,
    Schedule,
    Workers,
    tasks_of,
)
from rarelabels.experiment.plan import Job, Plan, load_plan, plan_errors
from rarelabels.experiment.progress import progress_shown
from rarelabels.experiment.store import DONE, FAILED, Record, Store, opened


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
        How long those are expected to take on one worker, if there are any.

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


@shared_parameters
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
    on_record: Callable[[Job, Record], None] | None = None,
    only: Callable[[Job], bool] | None = None,
) -> RunSummary:
    """Run the jobs of a plan that have no result in the store yet.

    Interrupt it at any time and call it again: finished jobs are never repeated. When the process
    ends, however it ends, its workers end too. SIGTERM and SIGHUP raise SystemExit here, unless the
    program handles them itself.

    Parameters
    ----------
    plan : Plan, path-like or mapping
        What to run; see :func:`load_plan`.
    store : Store or path-like
        Where results go. A second run on the same store is refused until this one has ended.
    n_jobs : int, default=None
        Worker processes; -1 for one per core, None for one. Scores do not depend on it.
    {engine}
    max_minutes : float, default=None
        When to end. Jobs that are not done by then have no result and are left for another time.
    progress : bool, default=True
        Show on standard error how far the run is and how long it will still take, by the times of
        the folds that are done: a bar on a terminal and in a notebook, if tqdm is installed;
        otherwise a line for each fold that is finished, or every five minutes if there are more
        than 200 folds.
    retry : bool, default=False
        Also run the jobs that failed again. Jobs that succeeded are not repeated.
    nice : int, default=0
        Niceness of worker processes, if the system supports it (Linux and macOS).
    trusted : collection of str, default=()
        Packages of which base classifiers may be, beyond those that a plan may name anyway: public
        classes of scikit-learn and this package, and what other packages add by entry points.
    on_record : callable, default=None
        Called with each job and its record before the record is stored; what it raises ends the
        run, and the record is not stored.
    only : callable, default=None
        Takes a job and returns whether to run it; by default, all jobs are run.

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
    split, the neighbors of the training samples (searched once, for the largest number asked for)
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
    chosen, cluster = _chosen_engine(engine, plan)
    workers = Workers(n_jobs, Limits(plan.timeout, plan.memory, nice=nice), cluster)
    with opened(store) as target, ending_on_signals(target.remove_lock), target.only_run():
        jobs = plan.jobs()
        target.register(plan.name, jobs)
        wanted = [job for job in jobs if only is None or only(job)]
        to_do = target.pending(wanted, retry=retry)
        check_datasets(to_do)
        work = Work(plan, to_do, JobTimes(jobs, target.seconds()), chosen, workers)
        n_failed, left = _fill(target, work, max_minutes, progress, on_record)
    return RunSummary(
        done=len(to_do) - len(left) - n_failed,
        failed=n_failed,
        skipped=len(wanted) - len(to_do),
        left=len(left),
        remaining=Remaining.of(left, work.times) if left else None,
    )


@dataclass(frozen=True)
class Work:
    """What a run has to do, and where."""

    plan: Plan
    jobs: list[Job]
    times: JobTimes
    engine: Engine
    workers: Workers

    @property
    def n_workers(self) -> int:
        """The number of jobs that run at once."""
        return effective_n_jobs(self.workers.n_jobs) if self.engine.has_workers else 1

    def records(self, stop: threading.Event) -> Generator[Record, None, None]:
        """Run the jobs and yield each record immediately when its job ends."""
        tasks = tasks_of(self.jobs, self.plan.trusted)
        if tasks:
            schedule = Schedule(tuple(tasks), self.times)
            yield from self.engine.records(schedule, self.workers, stop)


def _fill(
    store: Store,
    work: Work,
    max_minutes: float | None,
    progress: bool,
    on_record: Callable[[Job, Record], None] | None,
) -> tuple[int, list[Job]]:
    """Run jobs, write each record when it comes; return how many failed, and those left."""
    waiting, n_workers, n_failed = {job.key: job for job in work.jobs}, work.n_workers, 0
    end = time.monotonic() + (float("inf") if max_minutes is None else 60 * max_minutes)

    def left() -> Remaining:
        limit = end - time.monotonic()
        return Remaining.of(waiting.values(), work.times, n_workers, limit)

    with (
        stop_after(max_minutes) as stop,
        closing(work.records(stop)) as records,
        progress_shown(work.jobs, show=progress, left=left) as report,
    ):
        for record in records:
            if on_record is not None:
                on_record(waiting[record.key], record)
            store.write(record)
            waiting.pop(record.key)
            n_failed += record.status == FAILED
            if record.status == DONE and record.seconds is not None:
                work.times.add(record.key, record.seconds)
            report(record)
    return n_failed, list(waiting.values())


def check_datasets(jobs: Sequence[Job]) -> None:
    """Refuse data sets that cannot be read, before the first job."""
    for dataset in dict.fromkeys(job.dataset for job in jobs):
        with plan_errors(f"the data set {dataset.name!r} cannot be read"):
            dataset.check()


def _chosen_engine(engine: Any, plan: Plan) -> tuple[Engine, Any]:
    """Return the engine of the caller or the plan, and the cluster that the caller gives."""
    if engine is None:
        chosen = plan.engine or engine_names()[0]
        if chosen not in engine_names():
            raise ValueError(f"a plan's engine must be one of {engine_names()}, got {chosen!r}.")
        return find_engine(chosen), None
    return find_engine(engine), None if engine in engine_names() else engine


@contextmanager
def stop_after(minutes: float | None) -> Iterator[threading.Event]:
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
