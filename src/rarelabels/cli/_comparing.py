"""Comparing on one data set: the plan, its run into a store, and what is shown of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from rarelabels.cli._errors import Failure, Misuse, as_misuse, say

BASELINE = "none"
DEFAULT_SAMPLERS = "none,mlros,mlsmote,mlsol,mlul"


def folds(text: str) -> dict[str, int]:
    """Read ``--cv``: repetitions × folds of each.

    >>> folds("5x2"), folds("10")
    ({'n_repeats': 5, 'n_splits': 2}, {'n_repeats': 1, 'n_splits': 10})
    """
    found = re.fullmatch(r"(?:(\d+)[x×])?(\d+)", text.strip().lower())
    if not found or int(found[2]) < 2 or int(found[1] or 1) < 1:
        raise Misuse(
            "--cv must be like 5x2 (five repetitions of two folds) or 10 (ten folds, once), "
            f"got {text!r}."
        )
    return {"n_repeats": int(found[1] or 1), "n_splits": int(found[2])}


def methods(samplers: list[str], ensemble: int) -> list[dict[str, Any]]:
    """Return a plan's methods: each sampler and, if asked for, its ensemble; the baseline first.

    An ensemble also learns thresholds, so the baseline is there with them too.
    """
    from rarelabels.report.words import sampler_title

    chosen = list(dict.fromkeys(name.lower() for name in samplers if name.lower() != BASELINE))
    single = [{"name": sampler_title(name), "sampler": name} for name in chosen]
    found: list[dict[str, Any]] = [{"name": BASELINE, "sampler": "default"}, *single]
    if ensemble:
        found.append({"name": "thresholds alone", "sampler": "default", "threshold": "f1"})
        found += [{**one, "name": f"E{one['name']}", "n_estimators": ensemble} for one in single]
    return found


def make_plan(
    entry: dict[str, Any],
    samplers: list[str],
    *,
    learner: str,
    ensemble: int,
    cv: str,
    seed: int,
) -> Any:
    """Return the plan of a comparison."""
    from rarelabels.experiment import PlanError, load_plan

    values = {
        "name": "compare",
        "datasets": [entry],
        "learners": [learner],
        "methods": methods(samplers, ensemble),
        "folds": folds(cv),
        "seed": seed,
        "per_label": True,
    }
    with as_misuse(PlanError):
        return load_plan(values)


def check_metric(metric: str) -> None:
    """Refuse a metric that is not known."""
    from rarelabels.metrics import find_metric

    try:
        find_metric(metric)
    except ValueError as error:
        raise Misuse(f"--metric: {error}") from None


def run_into(plan: Any, store: Any, jobs: int) -> Any:
    """Run what is missing; an interrupted run says how far it came."""
    from rarelabels.experiment import run

    engine = "inline" if jobs == 1 else None
    try:
        return run(plan, store, n_jobs=jobs, engine=engine, progress=sys.stderr.isatty())
    except KeyboardInterrupt:
        n_jobs = len(plan.jobs())
        n_done = n_jobs - len(store.pending(plan.jobs()))
        raise Failure(
            f"interrupted: {n_done} of {n_jobs} fits are done and kept in {store.path}; the same "
            "command again goes on from there."
        ) from None


def report_failures(store: Any, plan: str) -> int:
    """Name the methods that failed, each with its first reason, and count the failures."""
    failures = store.failures(plan)
    reasons: dict[str, str] = {}
    for row in failures:
        reasons.setdefault(row["method"], str(row["error"]).splitlines()[0])
    for method, reason in reasons.items():
        count = sum(row["method"] == method for row in failures)
        say(f"note: {method} failed on {count} folds: {reason}")
    return len(failures)


def failed(n_failed: int, store: Any, what: str = "jobs") -> Failure:
    """Return the error of a run with failures; trying again helps only once the cause is gone."""
    return Failure(
        f"{n_failed} {what} failed, see above. Once the cause is removed, rarelabels retry "
        f"--store {store} runs them again."
    )


def store_place(data: str, report: str | None, store: str | None) -> Path:
    """Return where results are kept: as given, beside the page, or here by the data's name."""
    if store is not None:
        return Path(store)
    if report not in (None, "-"):
        return Path(str(report)).with_suffix(".sqlite")
    return Path(f"compare-{Path(data).name.split('.')[0]}.sqlite")
