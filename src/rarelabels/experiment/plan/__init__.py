"""What to run: a plan, read and checked, becomes jobs."""

from rarelabels.experiment.plan._entries import PlanError
from rarelabels.experiment.plan._frozen import canonical_json
from rarelabels.experiment.plan._job import Job
from rarelabels.experiment.plan._plan import Plan, load_plan
from rarelabels.experiment.plan._specs import DatasetSpec, LearnerSpec, MethodSpec

__all__ = [
    "DatasetSpec",
    "Job",
    "LearnerSpec",
    "MethodSpec",
    "Plan",
    "PlanError",
    "canonical_json",
    "load_plan",
]
