"""Run a job: fold, members, scores."""

from __future__ import annotations

import math
import time
import traceback
import warnings
from collections.abc import Collection
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.ensemble.members import timed
from rarelabels.experiment.plan import Job
from rarelabels.experiment.runner._fold import Fold, fold_of
from rarelabels.experiment.runner._members import FoldMember, members_of
from rarelabels.experiment.runner._memo import Memo
from rarelabels.experiment.runner._memory import peak_memory, reset_peak
from rarelabels.experiment.store import DONE, FAILED, Record, now
from rarelabels.learners.thresholds import best_thresholds, check_criterion
from rarelabels.metrics import METRICS, disagreement

DISAGREEMENT, LEFT_OUT = "disagreement", "n_labels_left_out"
SCORE_NAMES = (*(metric.name for metric in METRICS), DISAGREEMENT, LEFT_OUT)


def run_job(
    job: Job, memo: Memo | None = None, wanted: int = 0, trusted: Collection[str] = ()
) -> Record:
    """Run a job and return its record, also where it fails.

    Parameters
    ----------
    job : Job
        What to run.
    memo : Memo, optional
        Shared with the jobs before and after; without it the job stands alone and gives the same.
    wanted : int
        The most neighbors that the jobs to come may need.
    trusted : collection of str
        Packages of which base classifiers may be, beyond scikit-learn and this one.

    Returns
    -------
    Record
        With scores, or with the error that the job ended with.

    Examples
    --------
    >>> from rarelabels.experiment import load_plan, run_job
    >>> plan = load_plan({"datasets": ["flags"], "learners": ["br"], "methods": ["mlsol"]})
    >>> run_job(plan.jobs()[0]).status  # doctest: +SKIP
    'done'
    """
    started, began = now(), time.perf_counter()
    reset_peak()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = evaluated(job, memo or Memo(), wanted, trusted)
            result: dict[str, Any] = {"status": DONE, **found}
        except Exception as error:
            result = {"status": FAILED, "error": error_text(error)}
    return Record(
        job.key,
        warnings=distinct_messages(caught),
        seconds=time.perf_counter() - began,
        peak_memory=peak_memory(),
        started=started,
        **result,
    )


def evaluated(job: Job, memo: Memo, wanted: int, trusted: Collection[str]) -> dict[str, Any]:
    """Fit, predict and score."""
    fold = fold_of(job, memo)
    found = members_of(job, fold, memo, wanted, trusted)
    members, scores = found.members, np.mean([member.scores for member in found.members], axis=0)
    decisions, seconds = decided(job, fold, members, scores)
    by_label = scores_by_label(fold.Y_test, decisions, scores)
    summary = macro_scores(by_label)
    if job.method.is_ensemble:
        summary[DISAGREEMENT] = disagreement([member.decisions for member in members])
    return {
        "scores": summary,
        "label_scores": _named(by_label, fold.label_names) if job.per_label else {},
        "sampling_seconds": sum(member.sampling_seconds for member in members)
        + found.search_seconds,
        "training_seconds": sum(member.training_seconds for member in members) + seconds,
        "prediction_seconds": sum(member.prediction_seconds for member in members),
    }


def decided(job: Job, fold: Fold, members: list[FoldMember], scores: Array) -> tuple[Array, float]:
    """Return the decisions, and the seconds it takes to choose thresholds.

    By thresholds tuned on the training samples; or 0.5 for an ensemble, a single model's own
    decisions.
    """
    if job.method.threshold is None:
        return scores >= 0.5 if job.method.is_ensemble else members[0].decisions, 0.0
    criterion = check_criterion(job.method.threshold)
    on_training = [member.training_scores(fold) for member in members]
    mean = np.mean([training_scores for training_scores, _ in on_training], axis=0)
    thresholds, seconds = timed(lambda: best_thresholds(fold.Y_train, mean, criterion))
    return scores >= thresholds, seconds + sum(seconds for _, seconds in on_training)


def scores_by_label(Y: Any, decisions: Array, scores: Array) -> dict[str, Array]:
    """Score each label by each metric, NaN where it is undefined in the test samples."""
    chosen = decisions.astype(int)
    return {
        metric.name: metric.label_scores(Y, y_pred=chosen, y_score=scores).values
        for metric in METRICS
    }


def macro_scores(by_label: dict[str, Array]) -> dict[str, float | None]:
    """Average over the labels that have a score, and count those that lack one of them."""
    means = {name: _mean(values) for name, values in by_label.items()}
    return {**means, LEFT_OUT: float(max(np.isnan(values).sum() for values in by_label.values()))}


def error_text(error: BaseException) -> str:
    """Return the message first, then where it came from."""
    name = type(error).__name__
    return f"{name}: {error}\n\n{''.join(traceback.format_exception(error))}".rstrip()


def distinct_messages(caught: list[warnings.WarningMessage]) -> str | None:
    """Return each warning once, in the order they came."""
    lines = dict.fromkeys(f"{found.category.__name__}: {found.message}" for found in caught)
    return "\n".join(lines) or None


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
