"""Report during a comparison how long it will take, and show provisional tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from rarelabels._callbacks import (
    CallbackSupportMixin,
    fit_begins,
    fit_ends,
    fit_task,
    with_callbacks,
)
from rarelabels._tables import text_table
from rarelabels._wording import listed, signed
from rarelabels.advisor._estimate import FitTimes, advice_on_time, n_compared
from rarelabels.advisor.methods import ALONE
from rarelabels.comparison import FoldMean, corrected_t_test
from rarelabels.experiment import Job, Record
from rarelabels.experiment.engines import duration
from rarelabels.experiment.plan import Plan
from rarelabels.experiment.store import DONE
from rarelabels.metrics import find_metric

T = TypeVar("T")

# An estimate that differs by less than this factor is not worth a second line.
SIMILAR = 1.5
# Seconds; in a longer fold, the first table does not wait for ensembles.
LONG_FOLD = 15.0


class Pilot:
    """Estimate from the first fit of the model alone how long the run will take.

    Parameters
    ----------
    plan : Plan
        The jobs of the run.
    say : callable
        Called with each line.
    n_folds : int
        Number of folds that are run.
    n_jobs : int or None
        Number of processes.
    is_most : bool
        Whether methods may need fewer folds.
    option : callable
        Formats an option and its value for Python or for the command line.
    max_minutes : float or None
        The time limit.
    """

    def __init__(
        self,
        plan: Plan,
        say: Callable[[str], None],
        n_folds: int,
        n_jobs: int | None,
        *,
        is_most: bool,
        option: Callable[[str, Any], str],
        max_minutes: float | None = None,
    ) -> None:
        self._plan, self._say, self._n_folds, self._is_most = plan, say, n_folds, is_most
        self._option, self._max_minutes = option, max_minutes
        self._n_workers = max(1, min(n_processes(n_jobs), n_folds))
        self._is_done, self._said = False, 0.0

    def expect(self, times: FitTimes) -> None:
        """Report how long a run on many samples will take, before it begins."""
        n_training = n_compared(self._plan) * (self._plan.n_splits - 1) / self._plan.n_splits
        seconds = times.expected(n_training)
        if seconds is not None:
            self._say_estimate(seconds, "expected from fits to a few thousand samples")

    def record(self, job: Job, record: Record) -> None:
        """Note the first record of the model alone; raise an error if this fit failed."""
        if self._is_done or job.method.name != ALONE:
            return
        if record.status != DONE:
            reason = str(record.error).splitlines()[0]
            raise RuntimeError(f"the model alone cannot be fitted to the first fold: {reason}")
        self._is_done = True
        self._say_estimate(float(record.seconds or 0.0), "without the time for sampling")

    def _say_estimate(self, seconds: float, how: str) -> None:
        plan, n_folds = self._plan, self._n_folds
        n_models = models_per_fold(plan)
        at_most = " at most" if self._is_most else ""
        total = seconds * n_models * n_folds / self._n_workers
        if self._said / SIMILAR <= total <= self._said * SIMILAR:
            return
        self._said = total
        self._say(
            f"The run takes about {duration(total)}{at_most}: {n_folds} folds × {n_models} models "
            f"of {seconds:.2g} s, {self._n_workers} at a time ({how}).{self._limit(total)}"
        )
        limit = None if self._max_minutes is None else 60 * self._max_minutes
        for line in advice_on_time(plan, total, self._option, limit):
            self._say(line)

    def _limit(self, seconds: float) -> str:
        """State that the run will end before it is complete, if this is expected."""
        if self._max_minutes is None or seconds <= 60 * self._max_minutes:
            return ""
        return f" It stops after {duration(60 * self._max_minutes)}, with the folds done by then."


class Comparison(CallbackSupportMixin):
    """Report to callbacks of scikit-learn: each fit of a method on a fold is a task.

    Parameters
    ----------
    callbacks : sequence of callbacks
        Callbacks for scikit-learn's estimators, from version 1.9 on.
    """

    def __init__(self, callbacks: Sequence[Any]) -> None:
        if callbacks and not hasattr(self, "set_callbacks"):
            raise ImportError(
                "callbacks require scikit-learn 1.9 or newer; without them, use verbose=1."
            )
        if callbacks:
            self.set_callbacks(*callbacks)
        self._n_ended = 0

    @with_callbacks
    def followed(self, call: Callable[[], T], X: Any, y: Any, n_tasks: int) -> T:
        """Return the result of a call, with at most `n_tasks` tasks for callbacks."""
        fit_begins(self, X, y, n_tasks)
        result = call()
        fit_ends(self, X, y)
        return result

    def has_ended(self, job: Job) -> None:
        """Report to callbacks that a fit has ended."""
        with fit_task(self, self._n_ended, f"{job.method.name}, fold {job.fold + 1}"):
            self._n_ended += 1


class Provisional:
    """Provisional tables of all methods during a run: after 1, 2, 4, 8 … folds.

    If a fold takes long, the first table comes when its methods without an ensemble are done.

    Parameters
    ----------
    plan : Plan
        The jobs of the run.
    metric : str
        The metric in the tables.
    say : callable
        Called with each line of a table.
    scores : mapping of str to mapping of int to float or None
        Known scores of each method on each fold; None if the method failed.
    """

    def __init__(
        self,
        plan: Plan,
        metric: str,
        say: Callable[[str], None],
        scores: Mapping[str, Mapping[int, float | None]],
    ) -> None:
        self._plan, self._metric, self._say = plan, metric, say
        self._sign = -1 if find_metric(metric).lower_is_better else 1
        self._n_folds = plan.n_splits * plan.n_repeats
        self._scores = {name: dict(column) for name, column in scores.items()}
        self._needed = dict.fromkeys(scores, self._n_folds)
        self._next = self._n_complete() + 1
        self._quick = {method.name for method in plan.methods if not method.n_estimators}
        self._has_first = self._next > 1 or len(self._quick) == len(plan.methods)
        self._began = time.monotonic()

    def record(self, job: Job, record: Record) -> None:
        """Note a record, and show the table when enough folds are complete."""
        scores = record.scores or {}
        self._scores[job.method.name][job.fold] = scores.get(self._metric)
        n_complete = self._n_complete()
        if self._next <= n_complete < self._n_folds:
            self._next, self._has_first = 2 * n_complete, True
            self._show(f"After {n_complete} of at most {self._n_folds} folds, provisional:")
        elif not self._has_first and time.monotonic() - self._began >= LONG_FOLD:
            # Ensembles take most of the time of a fold.
            self._has_first = self._n_complete(self._quick) > 0
            if self._has_first:
                self._show("After the first fold without ensembles, provisional:")

    def wait_for(self, needed: Mapping[str, int]) -> None:
        """Count only folds that these methods need, by the number of folds of each."""
        self._needed = dict(needed)

    def say_who_goes_on(self, needed: Mapping[str, int]) -> None:
        """Report which methods are run in the next repetition."""
        self.wait_for(needed)
        most = max(needed.values())
        active = [name for name, count in needed.items() if count == most and name != ALONE]
        if len(active) < len(needed) - 1:
            names = listed([ALONE, *active])
            self._say(f"To {most} folds of at most {self._n_folds}: {names}.")

    def _n_complete(self, names: Collection[str] | None = None) -> int:
        """Count the folds that are complete for all of the methods that need them."""
        needed = {n: c for n, c in self._needed.items() if names is None or n in names}
        return sum(
            all(fold in self._scores[name] for name, count in needed.items() if fold < count)
            for fold in range(max(needed.values()))
        )

    def _show(self, head: str) -> None:
        for line in [head, *self._table().splitlines()]:
            self._say(line)

    def _table(self) -> str:
        base = _known(self._scores[ALONE])
        gains = {name: self._gain(base, _known(self._scores[name])) for name in self._scores}
        shown = {name: gain for name, gain in gains.items() if gain is not None}
        mean = float(np.mean(list(base.values()))) if base else np.nan
        sign = self._sign
        # The mean of a method is that of the model alone plus its gain, as in the answer.
        return text_table(
            ["method", find_metric(self._metric).title, "gain", "95 % interval"],
            [
                [name, f"{mean + sign * shown[name].mean:.3f}", *_gain_cells(name, shown[name])]
                for name in sorted(shown, key=lambda name: -shown[name].mean)
            ],
        )

    def _gain(self, base: dict[int, float], scores: dict[int, float]) -> FoldMean | None:
        """Return the test of a gain on the common folds, or None without such folds."""
        folds = sorted(base.keys() & scores.keys())
        differences = [self._sign * (scores[fold] - base[fold]) for fold in folds]
        if not differences:
            return None
        return corrected_t_test(differences, n_splits=self._plan.n_splits)


def _known(scores: Mapping[int, float | None]) -> dict[int, float]:
    return {fold: score for fold, score in scores.items() if score is not None}


def _gain_cells(name: str, gain: FoldMean) -> list[str]:
    if name == ALONE:
        return ["", ""]
    if gain.n_folds < 2:
        return [signed(gain.mean), ""]
    low, high = gain.interval()
    return [signed(gain.mean), f"{signed(low)} to {signed(high)}"]


def n_processes(n_jobs: int | None) -> int:
    """Return the number of processes for a number of jobs."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def models_per_fold(plan: Plan) -> int:
    """Return how many models are fitted for each fold.

    Methods share models: thresholds use those of the model alone, and a sampler uses the first
    member of its ensemble. Out-of-fold thresholds need further models of the same method.
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
