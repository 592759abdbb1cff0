"""The question: which methods, on which folds, and the run that answers it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels.advisor._result import SamplingHelp
from rarelabels.advisor._stored_comparison import NothingFinished, stored_comparison
from rarelabels.advisor._watch import Pilot, Provisional
from rarelabels.advisor.methods import ALONE, WITHOUT_SAMPLING
from rarelabels.comparison import StoppingRule
from rarelabels.experiment import Job, Record, RunSummary, run
from rarelabels.experiment.plan import Plan, loaded
from rarelabels.experiment.store import Store
from rarelabels.learners.out_of_fold import check_undivided, is_number_of_folds
from rarelabels.metrics import find_metric


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


def gives_splits(cv: Any) -> bool:
    """Whether `cv` is a splitter or splits, rather than repetitions and folds.

    >>> gives_splits("5x2"), gives_splits((5, 2)), gives_splits([([0], [1]), ([1], [0])])
    (False, False, True)
    """
    if is_number_of_folds(cv):
        return False
    return not (isinstance(cv, tuple) and all(np.ndim(part) == 0 for part in cv))


def given_splits(
    cv: Any, labels: Labels, groups: Any
) -> tuple[list[tuple[Array, Array]], dict[str, int]]:
    """Return the splits of a splitter, or those that were given, and how many repetitions they are.

    Test parts of a fifth of the samples make five folds; more splits are repetitions.
    """
    n_samples = labels.values.n_samples
    y = labels.values.positives.toarray()
    splitter = check_cv(cv if hasattr(cv, "split") else list(cv))
    pairs = splitter.split(np.empty((n_samples, 1)), y, groups)
    splits = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
    if not splits:
        raise ValueError("cv has no splits; give at least two pairs of training and test samples.")
    for train, test in splits:
        check_undivided(groups, train, test)
    n_folds = max(2, round(n_samples / np.mean([test.size for _, test in splits])))
    if len(splits) % n_folds:
        n_folds = len(splits)
    return splits, {"n_repeats": len(splits) // n_folds, "n_splits": n_folds}


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
    all_folds : bool
        Whether methods are run on all folds, also when their verdict is settled.
    """

    plan: Plan
    metric: str
    margin: float
    say: Callable[[str], None]
    all_folds: bool = False

    def with_data(self) -> Question:
        """Return the question with its data in memory, read here and nowhere else."""
        datasets = tuple(loaded(dataset) for dataset in self.plan.datasets)
        return replace(self, plan=replace(self.plan, datasets=datasets))

    @property
    def ends_early(self) -> bool:
        """Whether methods end when their verdict is settled."""
        return not self.all_folds and self.plan.n_repeats > 1

    def folds_needed(self, store: Store) -> dict[str, int]:
        """Return how many folds each method needs, by the results in a store."""
        if not self.ends_early:
            n_folds = self.plan.n_repeats * self.plan.n_splits
            return {method.name: n_folds for method in self.plan.methods}
        names = [method.name for method in self.plan.methods]
        rule = StoppingRule(
            ALONE, self.plan.n_splits, self.plan.n_repeats, names, margin=self.margin
        )
        sign = -1 if find_metric(self.metric).lower_is_better else 1
        signed = {
            name: {fold: None if one is None else sign * one for fold, one in column.items()}
            for name, column in self.scores(store).items()
        }
        return rule.folds_needed(signed)

    def scores(self, store: Store) -> dict[str, dict[int, float | None]]:
        """Return the scores in a store, by method and fold; None where a method failed."""
        values = store.values(self.metric)
        scores: dict[str, dict[int, float | None]] = {
            method.name: {} for method in self.plan.methods
        }
        for job in self.plan.jobs():
            if job.key in values:
                scores[job.method.name][job.fold] = values[job.key]
        return scores

    def answered(self, store: Store, *, max_minutes: float | None = None, **how: Any) -> Any:
        """Run what is missing, and say what comes out.

        Parameters
        ----------
        store : Store
            Takes the results.
        max_minutes : float or None
            When to stop.
        **how : values
            Parameters of :func:`rarelabels.experiment.run`.

        Returns
        -------
        SamplingHelp
            The answer.
        """
        began = time.monotonic()
        for line in self._run(store, began, max_minutes, how):
            self.say(line)
        try:
            return self.answer(store)
        except NothingFinished as error:
            raise RuntimeError(
                f"no fit of the model alone was finished within {max_minutes:g} minutes, so there "
                "is nothing to compare. Allow more time, or give fewer samples."
            ) from error

    def _run(
        self, store: Store, began: float, max_minutes: float | None, how: dict[str, Any]
    ) -> list[str]:
        """Run one repetition after the other, until no method needs more folds; say how it went."""
        jobs = self.plan.jobs()
        pending = store.pending(jobs, retry=bool(how.get("retry")))
        provisional = Provisional(self.plan, self.metric, self.say, self.scores(store))
        watch = self._watch(pending, provisional, how.get("n_jobs"))
        rounds: list[RunSummary] = []
        while not rounds or not rounds[-1].left:
            needed = self.folds_needed(store)
            if rounds and not store.pending(job for job in jobs if _is_needed(needed, job)):
                break
            if rounds:
                provisional.say_who_goes_on(needed)
            left = None if max_minutes is None else _minutes_left(max_minutes, began)
            only = partial(_is_needed, needed)
            rounds.append(
                run(self.plan, store, on_record=watch, max_minutes=left, only=only, **how)
            )
            # What fails again is not tried a third time.
            how = {**how, "retry": False}
        n_known, seconds = len(jobs) - len(pending), time.monotonic() - began
        return _how_it_went(rounds, len(jobs), n_known, seconds, max_minutes)

    def _watch(
        self, pending: list[Job], provisional: Provisional, n_jobs: int | None
    ) -> Callable[[Job, Record], None]:
        """Return what takes note of each record; say how long the run will take."""
        n_folds = len({job.fold for job in pending})
        pilot = Pilot(self.plan, self.say, n_folds, n_jobs, is_most=self.ends_early)
        if pending:
            pilot.fit_few_samples()

        def watch(job: Job, record: Record) -> None:
            pilot.record(job, record)
            provisional.record(job, record)

        return watch

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
            positives=np.asarray(data.label_matrix.positives.sum(axis=0)).ravel().tolist(),
            margin=self.margin,
            without_sampling=WITHOUT_SAMPLING,
            simplest_first=[method.name for method in self.plan.methods],
            n_folds=self.folds_needed(store),
        )
        return SamplingHelp(summary, self.plan, failures_of(store, self.plan.name))


def _is_needed(needed: Mapping[str, int], job: Job) -> bool:
    return job.fold < needed[job.method.name]


def _minutes_left(limit: float, began: float) -> float:
    return max(limit - (time.monotonic() - began) / 60, 0.0)


def _how_it_went(
    rounds: list[RunSummary],
    n_jobs: int,
    n_known: int,
    seconds: float,
    max_minutes: float | None,
) -> list[str]:
    last = rounds[-1]
    n_done, n_failed = sum(one.done for one in rounds), sum(one.failed for one in rounds)
    total = RunSummary(n_done, n_failed, n_known, last.left, last.remaining)
    lines = [str(total)]
    n_saved = n_jobs - n_known - n_done - n_failed - last.left
    if max_minutes is not None and last.left:
        lines.append(f"Stopped after {seconds:.0f} s: max_minutes is {max_minutes:g}.")
    elif n_saved > 0:
        lines.append(
            f"{n_saved} of {n_jobs} fits were not needed: the verdicts are settled, or more folds "
            "would hardly change them."
        )
    return lines


def failures_of(store: Store, plan: str) -> dict[str, tuple[int, str]]:
    """Return for each method that failed on how many folds, and the first reason."""
    found: dict[str, tuple[int, str]] = {}
    for row in store.failures(plan):
        count, reason = found.get(row["method"], (0, str(row["error"]).splitlines()[0]))
        found[row["method"]] = (count + 1, reason)
    return found
