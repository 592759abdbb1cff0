"""Experiments that resume: a plan becomes jobs, a runner does them, a store keeps the results."""

from rarelabels.experiment._run import RunSummary, run
from rarelabels.experiment.evaluate import SCORE_NAMES, run_job
from rarelabels.experiment.plan import (
    DatasetSpec,
    Job,
    LearnerSpec,
    MethodSpec,
    Plan,
    PlanError,
    load_plan,
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
    "ScoreTable",
    "Store",
    "StoreError",
    "UnpackSummary",
    "load_plan",
    "pack",
    "run",
    "run_job",
    "unpack",
]
