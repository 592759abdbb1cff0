"""What to run: a plan, read and checked, becomes jobs."""

from rarelabels.experiment.plan._entries import PlanError
from rarelabels.experiment.plan._frozen import canonical_json
from rarelabels.experiment.plan._held import (
    HeldDataset,
    held_dataset,
    held_learner,
    held_method,
)
from rarelabels.experiment.plan._job import Job
from rarelabels.experiment.plan._plan import Plan, load_plan
from rarelabels.experiment.plan._specs import DatasetSpec, LearnerSpec, MethodSpec

__all__ = [
    "DatasetSpec",
    "HeldDataset",
    "Job",
    "LearnerSpec",
    "MethodSpec",
    "Plan",
    "PlanError",
    "canonical_json",
    "held_dataset",
    "held_learner",
    "held_method",
    "load_plan",
]
