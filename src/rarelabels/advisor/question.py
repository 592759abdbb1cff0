"""The question: which methods, on which folds, and the run that answers it."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rarelabels.advisor._estimate import (
    advice_on_time,
    seconds_of_a_fit,
    threads_of_a_worker,
)
from rarelabels.advisor._result import SamplingHelp
from rarelabels.advisor._stored_comparison import NothingFinished, stored_comparison
from rarelabels.advisor.methods import ALONE, WITHOUT_SAMPLING
from rarelabels.experiment import Job, Record, run
from rarelabels.experiment.engines import duration
from rarelabels.experiment.plan import Plan, loaded
from rarelabels.experiment.store import DONE, Store


def check_margin(margin: Any) -> None:
    """Refuse a margin that is no number of at least 0, before anything is fitted."""
    if not margin >= 0:
        raise ValueError(f"margin must be at least 0, got {margin!r}.")


def read_folds(cv: Any) -> dict[str, int]:
    """Read repetitions and folds of each.

    >>> read_folds("5x2"), read_folds(10)
    ({'n_repeats': 5, 'n_splits': 2}, {'n_repeats': 1, 'n_splits': 10})
    """
    text = "x".join(map(str, cv)) if isinstance(cv, tuple) else str(cv)
    found = re.fullmatch(r"(?:(\d+)[x×])?(\d+)", text.strip().lower())
    if not found or int(found[2]) < 2 or int(found[1] or 1) < 1:
        raise ValueError(
            "cv must be like 5x5 (five repetitions of five folds) or 10 (ten folds, once), "
            f"got {cv!r}."
        )
    return {"n_repeats": int(found[1] or 1), "n_splits": int(found[2])}


# An estimate that differs by less than this factor is not worth a second line.
SIMILAR = 1.5


@dataclass(frozen=True)
class Question:
    """A comparison to run: its plan of one data set and one model, the model alone first.

    Attributes
    ----------
    plan : Plan
        What to run.
    metric : str
        What to compare by.
    margin : float
        The largest gain that does not matter.
    say : callable
        Takes lines on how it goes.
    """

    plan: Plan
    metric: str
    margin: float
    say: Callable[[str], None]

    def with_data(self) -> Question:
        """Return the question with its data in memory, read here and nowhere else."""
        datasets = tuple(loaded(dataset) for dataset in self.plan.datasets)
        return replace(self, plan=replace(self.plan, datasets=datasets))

    def answered(self, store: Store, **how: Any) -> SamplingHelp:
        """Run what is missing, and say what comes out."""
        began = time.monotonic()
        pending = store.pending(self.plan.jobs(), retry=bool(how.get("retry")))
        pilot = Pilot(self, len({job.fold for job in pending}), how.get("n_jobs"))
        if pending:
            pilot.fit_few_samples()
        limit = how.pop("max_minutes", None)
        left = None if limit is None else max(limit - (time.monotonic() - began) / 60, 0.0)
        provisional = Provisional(self, store)

        def watch(job: Job, record: Record) -> None:
            pilot.record(job, record)
            provisional.record(job, record)

        done = run(self.plan, store, on_record=watch, max_minutes=left, **how)
        self.say(str(done))
        if limit is not None and done.left:
            self.say(f"Stopped after {time.monotonic() - began:.0f} s: max_minutes is {limit:g}.")
        try:
            return self.answer(store)
        except NothingFinished as error:
            raise RuntimeError(
                f"no fit of the model alone was finished within {limit:g} minutes, so there is "
                "nothing to compare. Allow more time, or give fewer samples."
            ) from error

    def answer(self, store: Store) -> SamplingHelp:
        """Say what comes out of the results in a store."""
        data = self.plan.datasets[0].load()
        summary = stored_comparison(
            store,
            self.plan.name,
            metric=self.metric,
            baseline=ALONE,
            n_splits=self.plan.n_splits,
            labels=data.label_names,
            positives=np.asarray(data.Y.sum(axis=0)).ravel().tolist(),
            margin=self.margin,
            without_sampling=WITHOUT_SAMPLING,
            simplest_first=[method.name for method in self.plan.methods],
        )
        return SamplingHelp(summary, self.plan, failures_of(store, self.plan.name))


class Pilot:
    """The first fit of the model alone, which tells how long the run will take.

    Parameters
    ----------
    question : Question
        What is run.
    n_folds : int
        Folds that are to be run.
    n_jobs : int or None
        Processes.
    """

    def __init__(self, question: Question, n_folds: int, n_jobs: int | None) -> None:
        self._question, self._n_folds = question, n_folds
        self._n_workers = max(1, min(n_processes(n_jobs), n_folds))
        self._is_done, self._said = False, 0.0

    def fit_few_samples(self) -> None:
        """Say how long a run on many samples will take, before it begins."""
        plan = self._question.plan
        seconds = seconds_of_a_fit(plan, threads_of_a_worker(self._n_workers))
        if seconds is not None:
            self._say_estimate(seconds, "expected from fits to a few thousand samples")

    def record(self, job: Job, record: Record) -> None:
        """Take note of the first record of the model alone; without it there is no comparison."""
        if self._is_done or job.method.name != ALONE:
            return
        if record.status != DONE:
            reason = str(record.error).splitlines()[0]
            raise RuntimeError(f"the model alone cannot be fitted to the first fold: {reason}")
        self._is_done = True
        self._say_estimate(float(record.seconds or 0.0), "sampling comes on top")

    def _say_estimate(self, seconds: float, how: str) -> None:
        plan, n_folds = self._question.plan, self._n_folds
        n_models = models_per_fold(plan)
        total = seconds * n_models * n_folds / self._n_workers
        if self._said / SIMILAR <= total <= self._said * SIMILAR:
            return
        self._said = total
        self._question.say(
            f"The run takes about {duration(total)}: {n_folds} folds × {n_models} models of "
            f"{seconds:.2g} s, {self._n_workers} at a time ({how})."
        )
        for line in advice_on_time(plan, total):
            self._question.say(line)


class Provisional:
    """The means of all methods while a run goes on: after 1, 2, 4, 8 … folds.

    Parameters
    ----------
    question : Question
        What is run.
    store : Store
        The results so far.
    """

    def __init__(self, question: Question, store: Store) -> None:
        self._question = question
        self._names = [method.name for method in question.plan.methods]
        self._n_folds = question.plan.n_splits * question.plan.n_repeats
        # By fold: the scores of the methods that are done, None for those that failed.
        self._folds: dict[int, dict[str, float | None]] = defaultdict(dict)
        for row in store.rows(question.plan.name):
            if row["metric"] == question.metric:
                self._folds[row["fold"]][row["method"]] = row["value"]
        self._next = self._n_complete() + 1

    def record(self, job: Job, record: Record) -> None:
        """Take note of a record, and say the means when enough folds are complete."""
        scores = record.scores or {}
        self._folds[job.fold][job.method.name] = scores.get(self._question.metric)
        n_complete = self._n_complete()
        if self._next <= n_complete < self._n_folds:
            self._next = 2 * n_complete
            self._question.say(self._line(n_complete))

    def _n_complete(self) -> int:
        return sum(len(scores) == len(self._names) for scores in self._folds.values())

    def _line(self, n_complete: int) -> str:
        complete = [one for one in self._folds.values() if len(one) == len(self._names)]
        columns = {name: [fold[name] for fold in complete] for name in self._names}
        means = {
            name: float(np.mean([score for score in scores if score is not None]))
            for name, scores in columns.items()
            if any(score is not None for score in scores)
        }
        ranked = sorted(means, key=lambda name: -means[name])
        return f"After {n_complete} of {self._n_folds} folds, provisional: " + ", ".join(
            f"{name} {means[name]:.3f}" for name in ranked
        )


def failures_of(store: Store, plan: str) -> dict[str, tuple[int, str]]:
    """Return for each method that failed on how many folds, and the first reason."""
    found: dict[str, tuple[int, str]] = {}
    for row in store.failures(plan):
        count, reason = found.get(row["method"], (0, str(row["error"]).splitlines()[0]))
        found[row["method"]] = (count + 1, reason)
    return found


def n_processes(n_jobs: int | None) -> int:
    """Return how many processes a number of jobs stands for."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def models_per_fold(plan: Plan) -> int:
    """Return how many models a fold takes.

    Methods share models: thresholds those of the model alone, a sampler the first of its ensemble.
    Out-of-fold thresholds take further models of the same method.
    """
    sizes: dict[Any, int] = {}
    for method in plan.methods:
        which = (method.sampler, method.params, method.learner_params, method.learner)
        sizes[which] = max(sizes.get(which, 0), method.n_estimators or 1)
    tuned = sum(
        (one.threshold_cv or 0) * (one.threshold_members or one.n_estimators or 1)
        for one in plan.methods
    )
    return sum(sizes.values()) + tuned
