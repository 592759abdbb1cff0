"""Run the jobs of a schedule, in this process, in worker processes or on a Dask cluster.

`rarelabels._engines` lists the engines.
"""

from rarelabels.experiment.engines._processes import one_process
from rarelabels.experiment.engines._schedule import (
    JobTimes,
    Remaining,
    Schedule,
    Workers,
    duration,
    tasks_of,
)
from rarelabels.experiment.engines._worker_process import Limits

__all__ = [
    "JobTimes",
    "Limits",
    "Remaining",
    "Schedule",
    "Workers",
    "duration",
    "one_process",
    "tasks_of",
]
