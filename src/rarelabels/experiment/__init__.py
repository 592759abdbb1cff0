"""Experiments that resume: a plan becomes jobs, their results go into a store."""

from rarelabels.experiment._entries import PlanError
from rarelabels.experiment._evaluate import SCORE_NAMES
from rarelabels.experiment._job import Job
from rarelabels.experiment._pack import UnpackSummary, pack, unpack
from rarelabels.experiment._plan import Plan, load_plan
from rarelabels.experiment._record import Record
from rarelabels.experiment._run import RunSummary, run
from rarelabels.experiment._schema import StoreError
from rarelabels.experiment._specs import DatasetSpec, LearnerSpec, MethodSpec
from rarelabels.experiment._store import Store
from rarelabels.experiment._table import ScoreTable

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
    "unpack",
]
