"""Run a job: fold, members, scores."""

from __future__ import annotations

import math
import threading
import time
import traceback
import warnings
from collections.abc import Collection
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.ensemble.members import Recipe, recipe_of, timed
from rarelabels.experiment._signals import Ended
from rarelabels.experiment.evaluate._fold import Fold, fold_of, preprocessed_fold
from rarelabels.experiment.evaluate._members import FoldMember, members_of
from rarelabels.experiment.evaluate._memo import Memo, Stopped
from rarelabels.experiment.evaluate._memory import is_out_of_memory, peak_memory, reset_peak
from rarelabels.experiment.plan import Job, model_of
from rarelabels.experiment.store import DONE, FAILED, Record, now
from rarelabels.learners.known_labels import allowing_unknown
from rarelabels.metrics import METRICS, disagreement

DISAGREEMENT, LEFT_OUT = "disagreement", "n_labels_left_out"
SCORE_NAMES = (*(metric.name for metric in METRICS), DISAGREEMENT, LEFT_OUT)


def run_job(
    job: Job,
    memo: Memo | None = None,
    wanted: int = 0,
    trusted: Collection[str] = (),
    stop: threading.Event | None = None,
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
    stop : Event, optional
        Ends the job before its next fit when it is set.

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
            values = evaluated(job, memo or Memo(), wanted, trusted, stop or threading.Event())
            result: dict[str, Any] = {"status": DONE, **values}
        except (Stopped, Ended):
            raise
        except (Exception, SystemExit) as error:
            # A model that calls sys.exit ends its job, not the run.
            result = {"status": FAILED, "error": error_text(error)}
    return Record(
        job.key,
        warnings=distinct_messages(caught),
        seconds=time.perf_counter() - began,
        peak_memory=peak_memory(),
        started=started,
        **result,
    )


def evaluated(
    job: Job, memo: Memo, wanted: int, trusted: Collection[str], stop: threading.Event
) -> dict[str, Any]:
    """Fit, predict and score."""
    fold = preprocessed_fold(fold_of(job, memo), job, memo)
    categorical, seed = fold.categorical_features, job.model_seed
    model = model_of(job.learner, job.method, categorical, trusted, seed=seed)
    recipe = recipe_of(allowing_unknown(model) if fold.has_unknown_labels else model)
    fitted = members_of(job, recipe, fold, memo, wanted, stop)
    members, scores = fitted.members, recipe.scores([member.scores for member in fitted.members])
    decisions, seconds = decided(recipe, fold, members, scores)
    is_partly_known = {"has_unknown": fold.has_unknown_labels}
    by_label = scores_by_label(fold.Y_test, decisions, scores, **is_partly_known)
    overall = overall_scores(fold.Y_test, decisions, scores, **is_partly_known)
    summary = {**macro_scores(by_label), **overall}
    if recipe.is_ensemble:
        summary[DISAGREEMENT] = disagreement([member.decisions for member in members])
    return {
        "scores": summary,
        "label_scores": _named(by_label, fold.label_names) if job.per_label else {},
        "sampling_seconds": sum(member.sampling_seconds for member in members)
        + fitted.search_seconds,
        "training_seconds": sum(member.training_seconds for member in members) + seconds,
        "prediction_seconds": sum(member.prediction_seconds for member in members),
    }


def decided(
    recipe: Recipe, fold: Fold, members: list[FoldMember], scores: Array
) -> tuple[Array, float]:
    """Return the decisions, and the seconds it takes to choose thresholds."""
    if recipe.tuner is not None:
        tuned, seconds = timed(
            lambda: recipe.tuned_thresholds(fold.X_train, fold.Y_train, fold.groups_train)
        )
        return recipe.decisions(scores, tuned, members[0].decisions), seconds
    tunes = recipe.threshold is not None
    on_training = [member.training_scores(fold) for member in members] if tunes else []

    def training_scores() -> Array:
        return recipe.scores([scores for scores, _ in on_training])

    thresholds, seconds = timed(lambda: recipe.thresholds(fold.Y_train, training_scores))
    # Members are shared: their seconds are those of the first time.
    seconds += sum(seconds for _, seconds in on_training)
    return recipe.decisions(scores, thresholds, members[0].decisions), seconds


def scores_by_label(
    Y: Any, decisions: Array, scores: Array, *, has_unknown: bool = False
) -> dict[str, Array]:
    """Score each label by each metric, NaN if it is undefined in the test samples.

    A metric need not know about unknown labels unless there are some.
    """
    chosen = decisions.astype(int)
    options = {"allow_missing_labels": True} if has_unknown else {}
    return {
        metric.name: metric.label_scores(Y, y_pred=chosen, y_score=scores, **options).values
        for metric in METRICS
        if metric.per_label is not None
    }


def overall_scores(
    Y: Any, decisions: Array, scores: Array, *, has_unknown: bool = False
) -> dict[str, float | None]:
    """Score all labels together by the metrics that do so, None if a score is undefined."""
    chosen = decisions.astype(int)
    options = {"allow_missing_labels": True} if has_unknown else {}
    values = {
        metric.name: metric.score(Y, y_pred=chosen, y_score=scores, **options)
        for metric in METRICS
        if metric.per_label is None
    }
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def macro_scores(by_label: dict[str, Array]) -> dict[str, float | None]:
    """Average over the labels that have a score, and count those that lack one of them."""
    means = {name: _mean(values) for name, values in by_label.items()}
    return {**means, LEFT_OUT: float(max(np.isnan(values).sum() for values in by_label.values()))}


def error_text(error: BaseException) -> str:
    """Return the message first, then where it came from.

    What a lack of memory led to, such as a thread that cannot be started, is named after its cause.
    """
    name = type(error).__name__
    if not isinstance(error, MemoryError) and is_out_of_memory(error):
        name = f"MemoryError: {name}"
    return f"{name}: {error}\n\n{''.join(traceback.format_exception(error))}".rstrip()


def distinct_messages(caught: list[warnings.WarningMessage]) -> str | None:
    """Return each warning once, in the order they came."""
    lines = dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    return "\n".join(lines) or None


def _mean(values: Array) -> float | None:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else None


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
