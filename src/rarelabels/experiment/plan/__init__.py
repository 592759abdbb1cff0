"""What to run: a plan, read and checked, becomes jobs."""

from rarelabels.experiment.plan._entries import PlanError, plan_errors
from rarelabels.experiment.plan._frozen import canonical_json
from rarelabels.experiment.plan._in_memory import (
    InMemoryDataset,
    in_memory_dataset,
    in_memory_learner,
    in_memory_method,
    loaded,
    with_rows,
    with_splits,
)
from rarelabels.experiment.plan._job import Job
from rarelabels.experiment.plan._model import model_of, preprocessing_of
from rarelabels.experiment.plan._plan import Plan, load_plan
from rarelabels.experiment.plan._specs import DatasetSpec, LearnerSpec, MethodSpec

__all__ = [
    "DatasetSpec",
    "InMemoryDataset",
    "Job",
    "LearnerSpec",
    "MethodSpec",
    "Plan",
    "PlanError",
    "canonical_json",
    "in_memory_dataset",
    "in_memory_learner",
    "in_memory_method",
    "load_plan",
    "loaded",
    "model_of",
    "plan_errors",
    "preprocessing_of",
    "with_rows",
    "with_splits",
]
