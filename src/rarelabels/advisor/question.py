"""Define a comparison, its methods and folds, and run it."""

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
from rarelabels._validation import check_count
from rarelabels._wording import python_option
from rarelabels.advisor._estimate import (
    FitTimes,
    drawn_rows,
    fit_times,
    is_large,
    n_compared,
    round_down,
)
from rarelabels.advisor._result import SamplingHelp
from rarelabels.advisor._stored_comparison import NothingFinished, stored_comparison
from rarelabels.advisor._watch import Pilot, Provisional, models_per_fold, n_processes
from rarelabels.advisor.methods import ALONE, WITHOUT_SAMPLING, explanation
from rarelabels.comparison import StoppingRule
from rarelabels.experiment import Job, Record, RunSummary, run
from rarelabels.experiment.plan import MethodSpec, Plan, loaded, with_rows
from rarelabels.experiment.store import Store
from rarelabels.learners.out_of_fold import check_undivided, is_number_of_folds
from rarelabels.metrics import find_metric

# The largest number of seconds, and share of the time limit, for the fits before the run.
LONGEST_PILOT, PILOT_SHARE = 30.0, 0.25


def check_margin(margin: Any) -> None:
    """Check, before anything is fitted, that the margin is at least 0."""
    if not margin >= 0:
        raise ValueError(f"margin must be at least 0, got {margin!r}.")


def check_samples(max_samples: Any, *, has_splits: bool = False) -> int:
    """Check the largest number of samples to compare on."""
    if has_splits:
        raise ValueError("max_samples cannot be used with a cv that gives splits; leave one out.")
    return check_count("max_samples", max_samples, 10)


def read_folds(cv: Any) -> dict[str, int]:
    """Read repetitions and folds of each.

    >>> read_folds("5x2"), read_folds(10)
    ({'n_repeats': 5, 'n_splits': 2}, {'n_repeats': 1, 'n_splits': 10})
    """
    text = "x".join(map(str, cv)) if isinstance(cv, tuple) else str(cv)
    match = re.fullmatch(r"(?:(\d+)[x×])?(\d+)", text.strip().lower())
    if not match or int(match[2]) < 2 or int(match[1] or 1) < 1:
        raise ValueError(
            "cv must be like 5x5 (five repetitions of five folds) or 10 (ten folds, once), "
            f"got {cv!r}."
        )
    return {"n_repeats": int(match[1] or 1), "n_splits": int(match[2])}


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
        The jobs to run.
    metric : str
        The metric that methods are compared by.
    margin : float
        Gains up to this size are considered irrelevant.
    say : callable
        Called with each line of progress.
    all_folds : bool
        Whether methods are run on all folds even if their verdict is settled.
    max_samples : int or None
        The largest number of samples to compare on, drawn at random; None for all.
    fits_time : bool
        Whether to compare on fewer samples if the time is too short for all.
    option : callable
        Formats an option and its value for Python or for the command line.
    followed_by : callable or None
        Called with each job that has ended.
    """

    plan: Plan
    metric: str
    margin: float
    say: Callable[[str], None]
    all_folds: bool = False
    max_samples: int | None = None
    fits_time: bool = False
    option: Callable[[str, Any], str] = python_option
    followed_by: Callable[[Job], None] | None = None

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
        """Run the missing jobs, and return the answer.

        Parameters
        ----------
        store : Store
            Where the results are stored.
        max_minutes : float or None
            The time limit.
        **how : values
            Parameters of :func:`rarelabels.experiment.run`.

        Returns
        -------
        SamplingHelp
            The answer.
        """
        began = time.monotonic()
        asked = self._on_samples(self.max_samples)
        times, left = FitTimes({}), None if max_minutes is None else 60 * max_minutes
        if left != 0 and is_large(asked.plan) and store.pending(asked.plan.jobs()):
            times = asked._fit_times(left, how.get("n_jobs"))
            asked = asked._within(times, left)
        for line in asked._run(store, times, began, max_minutes, how):
            self.say(line)
        try:
            return asked.answer(store)
        except NothingFinished as error:
            n_samples = n_compared(asked.plan)
            fewer = ""
            if is_large(asked.plan):
                fewer = f", or use fewer samples: {self.option('max_samples', n_samples // 10)}"
            raise RuntimeError(
                f"no fit of the model alone to {n_samples:,} samples was finished within "
                f"{max_minutes:g} minutes, so there is nothing to compare. Allow more time{fewer}."
            ) from error

    def _on_samples(self, n_samples: int | None) -> Question:
        """Return the question for samples drawn at random, or for all if there are not more."""
        rows = None if n_samples is None else drawn_rows(self.plan, n_samples)
        if rows is None:
            return self
        dataset = with_rows(self.plan.datasets[0], rows)
        return replace(self, plan=replace(self.plan, datasets=(dataset,)))

    def _fit_times(self, seconds_left: float | None, n_jobs: int | None) -> FitTimes:
        """Time fits of the model alone to a few samples."""
        self.say("Fitting the model alone to a few samples, to see how long the run will take …")
        limit = LONGEST_PILOT
        if seconds_left is not None:
            limit = min(limit, PILOT_SHARE * seconds_left)
        return fit_times(self.plan, n_processes(n_jobs), limit)

    def _within(self, times: FitTimes, seconds_left: float | None) -> Question:
        """Return the question for as many samples as the time limit allows.

        The methods that need few models can then be run once on each fold.
        """
        if seconds_left is None or not self.fits_time:
            return self
        n_models = models_per_fold(replace(self.plan, methods=quick_methods(self.plan)))
        n_folds = self.plan.n_splits
        seconds = (1 - PILOT_SHARE) * seconds_left / (n_models * n_folds)
        n_samples = round_down(times.most_samples(seconds) * n_folds / (n_folds - 1))
        if n_samples >= n_compared(self.plan):
            return self
        minutes = seconds_left / 60
        are = "minute is" if minutes == 1 else "minutes are"
        self.say(
            f"{minutes:g} {are} too short for {n_compared(self.plan):,} samples: methods are "
            f"compared on {n_samples:,} of them, drawn at random."
        )
        return self._on_samples(n_samples)

    def _run(
        self,
        store: Store,
        times: FitTimes,
        began: float,
        max_minutes: float | None,
        how: dict[str, Any],
    ) -> list[str]:
        """Run repetitions until no method needs more folds, and return a summary in lines."""
        jobs = self.plan.jobs()
        pending = store.pending(jobs, retry=bool(how.get("retry")))
        provisional = Provisional(self.plan, self.metric, self.say, self.scores(store))
        watch = self._watch(pending, times, provisional, how.get("n_jobs"), max_minutes)
        rounds: list[RunSummary] = []
        is_short = self._is_short(times, began, max_minutes, how.get("n_jobs"))
        while not rounds or not rounds[-1].left:
            needed = self.folds_needed(store)
            if is_short and not rounds:
                # Rather several folds of some methods than one fold of all.
                needed = {method.name: self.plan.n_splits for method in quick_methods(self.plan)}
                provisional.wait_for(needed)
            elif rounds and not store.pending(job for job in jobs if _is_needed(needed, job)):
                break
            if rounds:
                provisional.say_who_goes_on(needed)
            left = None if max_minutes is None else _minutes_left(max_minutes, began)
            only = partial(_is_needed, needed)
            rounds.append(
                run(self.plan, store, on_record=watch, max_minutes=left, only=only, **how)
            )
            # Jobs that fail again are not tried a third time.
            how = {**how, "retry": False}
        n_known, seconds = len(jobs) - len(pending), time.monotonic() - began
        return _how_it_went(rounds, len(jobs), n_known, seconds, max_minutes)

    def _is_short(
        self, times: FitTimes, began: float, max_minutes: float | None, n_jobs: int | None
    ) -> bool:
        """Whether the time is expected to be too short for one repetition of all methods."""
        if max_minutes is None or not (times.seconds or is_large(self.plan)):
            return False
        n_folds = self.plan.n_splits
        seconds = times.expected(n_compared(self.plan) * (n_folds - 1) / n_folds)
        if seconds is None:
            return True
        n_workers = min(n_processes(n_jobs), n_folds)
        total = seconds * models_per_fold(self.plan) * n_folds / n_workers
        return total > 60 * _minutes_left(max_minutes, began)

    def _watch(
        self,
        pending: list[Job],
        times: FitTimes,
        provisional: Provisional,
        n_jobs: int | None,
        max_minutes: float | None,
    ) -> Callable[[Job, Record], None]:
        """Return the function that notes each record; report how long the run will take."""
        n_folds = len({job.fold for job in pending})
        pilot = Pilot(
            self.plan, self.say, n_folds, n_jobs, is_most=self.ends_early, option=self.option,
            max_minutes=max_minutes,
        )  # fmt: skip
        if pending:
            pilot.expect(times)

        def watch(job: Job, record: Record) -> None:
            pilot.record(job, record)
            provisional.record(job, record)
            if self.followed_by is not None:
                self.followed_by(job)

        return watch

    def answer(self, store: Store) -> SamplingHelp:
        """Return the answer for the results in a store."""
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
        self._explain(summary, data.n_samples)
        return SamplingHelp(summary, self.plan, summary.pop("failures"))

    def _explain(self, summary: dict[str, Any], n_samples: int) -> None:
        """Begin the details with what was compared on, and with what the recommended method is."""
        details, n_used = summary["conclusion"]["details"], n_compared(self.plan)
        if summary["recommended"] != ALONE:
            explained = {method.name: explanation(method) for method in self.plan.methods}
            details.insert(0, explained[summary["recommended"]])
        if n_used < n_samples:
            details.insert(
                0,
                f"This was found on {n_used:,} of {n_samples:,} samples, drawn at random; "
                "more samples may give another answer, above all for rare labels.",
            )


def quick_methods(plan: Plan) -> tuple[MethodSpec, ...]:
    """Return the methods without an ensemble."""
    return tuple(method for method in plan.methods if not method.n_estimators)


def _is_needed(needed: Mapping[str, int], job: Job) -> bool:
    return job.fold < needed.get(job.method.name, 0)


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
