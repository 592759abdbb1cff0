"""Run a job: fold, members, scores."""

from __future__ import annotations

import math
import traceback
import warnings
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.experiment._fold import Fold, fold_of
from rarelabels.experiment._job import Job
from rarelabels.experiment._members import Member, members_of, timed, votes_of
from rarelabels.experiment._memo import Memo
from rarelabels.experiment._memory import peak_memory, reset_peak
from rarelabels.experiment._record import DONE, FAILED, Record, now
from rarelabels.learners.scores import label_scores
from rarelabels.learners.thresholds import best_thresholds, check_criterion
from rarelabels.metrics import METRICS, disagreement

DISAGREEMENT, LEFT_OUT = "disagreement", "n_labels_left_out"
SCORE_NAMES = (*(metric.name for metric in METRICS), DISAGREEMENT, LEFT_OUT)


def run_job(job: Job, memo: Memo | None = None, wanted: int = 0) -> Record:
    """Run a job and give its record, whatever happens.

    Parameters
    ----------
    job : Job
        What to run.
    memo : Memo, optional
        Shared with the jobs before and after; without it the job stands alone and gives the same.
    wanted : int
        Neighbours that jobs to come may need.
    """
    started = now()
    reset_peak()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result: dict[str, Any] = {"status": DONE, **evaluated(job, memo or Memo(), wanted)}
        except Exception as error:
            result = {"status": FAILED, "error": told(error)}
    return Record(
        job.key,
        warnings=distinct_messages(caught),
        peak_memory=peak_memory(),
        started=started,
        **result,
    )


def evaluated(job: Job, memo: Memo, wanted: int) -> dict[str, Any]:
    """Fit, predict and score."""
    fold = fold_of(job, memo)
    members = members_of(job, fold, memo, wanted)
    scores = np.mean([member.scores for member in members], axis=0)
    votes = [votes_of(member, fold) for member in members] if _votes_count(job) else []
    decisions, seconds = timed(lambda: decided(job, fold, members, scores, votes))
    by_label = scores_by_label(fold.Y_test, decisions, scores)
    summary = macro_scores(by_label)
    if job.method.is_ensemble:
        summary[DISAGREEMENT] = disagreement(votes)
    return {
        "scores": summary,
        "label_scores": _named(by_label, fold.label_names) if job.per_label else {},
        "sampling_seconds": sum(member.sampling_seconds for member in members),
        "training_seconds": sum(member.training_seconds for member in members) + seconds,
        "prediction_seconds": sum(member.prediction_seconds for member in members),
    }


def decided(
    job: Job, fold: Fold, members: list[Member], scores: Array, votes: list[Array]
) -> Array:
    """Give the decisions: by thresholds learned from the training rows, or the model's own."""
    if job.method.threshold is None:
        return scores >= 0.5 if job.method.is_ensemble else votes[0] == 1
    criterion, n_labels = check_criterion(job.method.threshold), len(fold.label_names)
    on_train = [label_scores(member.estimator, fold.X_train, n_labels) for member in members]
    return scores >= best_thresholds(_matrix(fold.Y_train), np.mean(on_train, axis=0), criterion)


def scores_by_label(Y: Any, decisions: Array, scores: Array) -> dict[str, Array]:
    """Score each label by each metric, NaN where the test rows hold one class of it."""
    chosen = decisions.astype(int)
    return {
        metric.name: metric.label_scores(Y, y_pred=chosen, y_score=scores).values
        for metric in METRICS
    }


def macro_scores(by_label: dict[str, Array]) -> dict[str, float | None]:
    """Average over the labels that have a score, and count the others."""
    one = next(iter(by_label.values()))
    means = {name: _mean(values) for name, values in by_label.items()}
    return {**means, LEFT_OUT: float(np.isnan(one).sum())}


def told(error: BaseException) -> str:
    """Give the message first, then where it came from."""
    name = type(error).__name__
    return f"{name}: {error}\n\n{''.join(traceback.format_exception(error))}".rstrip()


def distinct_messages(caught: list[warnings.WarningMessage]) -> str | None:
    """Give each warning once, in the order they came."""
    lines = dict.fromkeys(f"{found.category.__name__}: {found.message}" for found in caught)
    return "\n".join(lines) or None


def _votes_count(job: Job) -> bool:
    return job.method.is_ensemble or job.method.threshold is None


def _matrix(Y: Any) -> Any:
    from rarelabels._validation import check_labels

    return check_labels(Y).matrix


def _mean(values: Array) -> float | None:
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if kept.size else None


def _named(
    by_label: dict[str, Array], names: tuple[str, ...]
) -> dict[str, dict[str, float | None]]:
    return {
        metric: {
            name: None if math.isnan(value) else float(value)
            for name, value in zip(names, values, strict=True)
        }
        for metric, values in by_label.items()
    }
