"""Time a few jobs in a worker process like those of a run, before the run begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rarelabels.experiment._run import stop_after
from rarelabels.experiment._signals import ending_on_signals
from rarelabels.experiment.engines import JobTimes, Schedule, one_process, tasks_of
from rarelabels.experiment.evaluate import Stopped
from rarelabels.experiment.plan import Job, Plan
from rarelabels.experiment.store import DONE


def seconds_of_jobs(
    plan: Plan,
    *,
    n_workers: int,
    limit: float,
    goes_on: Callable[[Job, dict[int, float]], bool],
) -> dict[int, float]:
    """Return the seconds that training and predicting take in each job of a plan, by its fold.

    The worker process has as many threads as each of `n_workers`. It is ended when the time is up,
    in the middle of a fit if need be.

    Parameters
    ----------
    plan : Plan
        Its jobs are run one after the other.
    n_workers : int
        Worker processes of the run to come.
    limit : float
        Seconds that all jobs may take together.
    goes_on : callable
        Takes the next job and the seconds so far, and returns whether to run it.

    Returns
    -------
    dict of int to float
        Jobs that failed, or that the time was too short for, are left out.
    """
    jobs, seconds = list(plan.jobs()), dict[int, float]()
    schedule = Schedule(tuple(tasks_of(jobs, plan.trusted)), JobTimes(jobs, {}))
    with (
        ending_on_signals(lambda: None),
        stop_after(limit / 60) as stop,
        one_process(schedule, n_workers, stop) as process,
    ):
        for task in schedule.tasks:
            for job in task.jobs:
                if not goes_on(job, seconds):
                    return seconds
                try:
                    record: Any = process.run(job, task.wanted, task.trusted)
                except Stopped:
                    return seconds
                if record.status == DONE:
                    seconds[job.fold] = record.training_seconds + record.prediction_seconds
    return seconds
