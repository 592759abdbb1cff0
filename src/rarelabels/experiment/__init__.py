"""Experiments that resume: a plan becomes jobs, a runner does them, a store keeps the results."""

from rarelabels.experiment.plan import (
    DatasetSpec,
    Job,
    LearnerSpec,
    MethodSpec,
    Plan,
    PlanError,
    load_plan,
)
from rarelabels.experiment.runner import SCORE_NAMES, RunSummary, run, run_job
from rarelabels.experiment.sampling_help import (
    SamplingHelp,
    does_sampling_help,
    load_model,
    save_model,
    stored_comparison,
)
from rarelabels.experiment.store import (
    Record,
    ScoreTable,
    Store,
    StoreError,
    UnpackSummary,
    pack,
    unpack,
)

__all__ = [
    "SCORE_NAMES",
    "DatasetSpec",
    "Job",
    "LearnerSpec",
    "MethodSpec",
    "Plan",
    "PlanError",
    "Record",
    "RunSummary",
    "SamplingHelp",
    "ScoreTable",
    "Store",
    "StoreError",
    "UnpackSummary",
    "does_sampling_help",
    "load_model",
    "load_plan",
    "pack",
    "run",
    "run_job",
    "save_model",
    "stored_comparison",
    "unpack",
]
