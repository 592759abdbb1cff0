"""Results in one file, read as tables, packed and merged."""

from rarelabels.experiment.store._pack import UnpackSummary, pack, unpack
from rarelabels.experiment.store._record import DONE, FAILED, Record, failure, now
from rarelabels.experiment.store._schema import StoreError
from rarelabels.experiment.store._store import Store, opened
from rarelabels.experiment.store._table import ScoreTable

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
