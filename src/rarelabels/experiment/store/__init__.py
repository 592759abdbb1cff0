"""Results in one file, read as tables, packed and merged."""

from rarelabels.experiment.store._database import StoreError
from rarelabels.experiment.store._pack import UnpackSummary, pack, unpack
from rarelabels.experiment.store._results import DONE, FAILED, Record, ScoreTable, failure, now
from rarelabels.experiment.store._store import Store, opened

__all__ = [
    "DONE",
    "FAILED",
    "Record",
    "ScoreTable",
    "Store",
    "StoreError",
    "UnpackSummary",
    "failure",
    "now",
    "opened",
    "pack",
    "unpack",
]
