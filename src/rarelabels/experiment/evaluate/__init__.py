"""Evaluate one job: fit its models on a fold, predict the test samples and score them."""

from rarelabels.experiment.evaluate._evaluate import SCORE_NAMES, error_text, run_job
from rarelabels.experiment.evaluate._fold import samples_of, without_column
from rarelabels.experiment.evaluate._memo import Memo, Stopped
from rarelabels.experiment.evaluate._memory import limit_memory

__all__ = [
    "SCORE_NAMES",
    "Memo",
    "Stopped",
    "error_text",
    "limit_memory",
    "run_job",
    "samples_of",
    "without_column",
]
