"""How it is run: jobs grouped into tasks, scheduled, and done by workers."""

from rarelabels.experiment.runner._evaluate import SCORE_NAMES, run_job
from rarelabels.experiment.runner._run import RunSummary, run
from rarelabels.experiment.runner._schedule import duration

__all__ = ["SCORE_NAMES", "RunSummary", "duration", "run", "run_job"]
