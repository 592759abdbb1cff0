"""What is read from a store: rows, averages over folds, and records."""

from __future__ import annotations

from typing import Any

from rarelabels.experiment.store._database import Database
from rarelabels.experiment.store._record import Record
from rarelabels.experiment.store._schema import store_errors
from rarelabels.experiment.store._table import ScoreTable, table_of

LIBRARIES = ("python", "numpy", "scipy", "sklearn", "rarelabels")
OF_JOB = ("plan", "key", "dataset", "learner", "method", "fold", "seed")
OF_RESULT = (
    "status", "error", "warnings",
    "sampling_seconds", "training_seconds", "prediction_seconds", "seconds", "peak_memory",
    "started", "host", *LIBRARIES,
)  # fmt: skip
COLUMNS = (*OF_JOB, "metric", "value", *OF_RESULT)
# Of our own names for columns; values are bound.
ROWS = f"""
SELECT {", ".join(f"jobs.{name}" for name in OF_JOB)}, scores.metric, scores.value,
       {", ".join(f"results.{name}" for name in OF_RESULT)}
FROM jobs JOIN results USING (key) LEFT JOIN scores USING (key)
WHERE :plan IS NULL OR jobs.plan = :plan
ORDER BY jobs.plan, jobs.position, scores.metric
"""  # noqa: S608
CELLS = """
SELECT dataset, method, avg(value) AS value, count(value) AS folds
FROM jobs LEFT JOIN scores ON scores.key = jobs.key AND metric = ?
WHERE plan = ? AND learner = ? GROUP BY dataset, method ORDER BY min(position)
"""
LABEL_SCORES = """
SELECT dataset, learner, method, label, avg(value) AS value, count(value) AS folds
FROM jobs JOIN label_scores USING (key) WHERE metric = :metric AND (:plan IS NULL OR plan = :plan)
GROUP BY dataset, learner, method, label ORDER BY min(position), label
"""
FOLD_LABEL_SCORES = """
SELECT method, fold, label, value FROM jobs JOIN label_scores USING (key)
WHERE metric = ? AND plan = ? ORDER BY position
"""
PLANS = "SELECT plan FROM jobs GROUP BY plan ORDER BY min(position)"
LEARNERS = "SELECT learner FROM jobs WHERE plan = ? GROUP BY learner ORDER BY min(position)"


def result_rows(database: Database, plan: str | None) -> list[dict[str, Any]]:
    """Return one row for each job and metric, in the plan's order."""
    return [dict(row) for row in database.read(ROWS, {"plan": plan})]


def mean_scores(
    database: Database, metric: str, learner: str | None, plan: str | None, partial: bool
) -> ScoreTable:
    """Return the means over folds of one learner's methods on each data set."""
    plan = plan or _only(database, "plan", PLANS)
    learner = learner or _only(database, "learner", LEARNERS, plan)
    cells = database.read(CELLS, [metric, plan, learner])
    folds = database.read("SELECT count(DISTINCT fold) FROM jobs WHERE plan = ?", [plan])
    return table_of(map(dict, cells), None if partial else folds[0][0])


def label_scores_of_folds(database: Database, metric: str, plan: str) -> list[dict[str, Any]]:
    """Return each label's score on each fold."""
    return [dict(row) for row in database.read(FOLD_LABEL_SCORES, [metric, plan])]


def mean_label_scores(database: Database, metric: str, plan: str | None) -> list[dict[str, Any]]:
    """Return the means over folds of each label's scores."""
    return [dict(row) for row in database.read(LABEL_SCORES, {"metric": metric, "plan": plan})]


def all_records(database: Database) -> list[Record]:
    """Return every result with its scores."""
    scores: dict[str, dict[str, float | None]] = {}
    for row in database.read("SELECT * FROM scores ORDER BY key, metric"):
        scores.setdefault(row["key"], {})[row["metric"]] = row["value"]
    by_label: dict[str, dict[str, dict[str, float | None]]] = {}
    for row in database.read("SELECT * FROM label_scores"):
        of_job = by_label.setdefault(row["key"], {})
        of_job.setdefault(row["metric"], {})[row["label"]] = row["value"]
    found = database.read("SELECT * FROM results ORDER BY key")
    with store_errors(database.path):
        return [
            _record_of(dict(row), scores.get(row["key"], {}), by_label.get(row["key"], {}))
            for row in found
        ]


def _record_of(row: dict[str, Any], scores: Any, label_scores: Any) -> Record:
    versions = {name: row.pop(name) for name in LIBRARIES}
    return Record(**row, versions=versions, scores=scores, label_scores=label_scores)


def _only(database: Database, column: str, query: str, *values: str) -> str:
    names = [row[0] for row in database.read(query, values)]
    if len(names) == 1:
        return str(names[0])
    listed = ", ".join(map(repr, names)) or "none"
    raise ValueError(f"pass {column}=: the store has {listed}.")
