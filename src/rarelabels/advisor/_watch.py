"""What is said while a comparison runs: how long it will take, and provisional tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


class Pilot:
    """The first fit of the model alone, which tells how long the run will take.

    Parameters
    ----------
    plan : Plan
        What is run.
    say : callable
        Takes lines.
    n_folds : int
        Folds that are to be run.
    n_jobs : int or None
        Processes.
    is_most : bool
        Whether methods may need fewer folds.
    option : callable
        Writes an option and its value as the caller does.
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
    ) -> None:
        self._plan, self._say, self._n_folds, self._is_most = plan, say, n_folds, is_most
        self._option = option
        self._n_workers = max(1, min(n_processes(n_jobs), n_folds))
        self._is_done, self._said = False, 0.0

    def expect(self, times: FitTimes) -> None:
        """Say how long a run on many samples will take, before it begins."""
        n_training = n_compared(self._plan) * (self._plan.n_splits - 1) / self._plan.n_splits
        seconds = times.expected(n_training)
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
        plan, n_folds = self._plan, self._n_folds
        n_models = models_per_fold(plan)
        at_most = " at most" if self._is_most else ""
        total = seconds * n_models * n_folds / self._n_workers
        if self._said / SIMILAR <= total <= self._said * SIMILAR:
            return
        self._said = total
        self._say(
            f"The run takes about {duration(total)}{at_most}: {n_folds} folds × {n_models} models "
            f"of {seconds:.2g} s, {self._n_workers} at a time ({how})."
        )
        for line in advice_on_time(plan, total, self._option):
            self._say(line)


class Comparison(CallbackSupportMixin):
    """What callbacks of scikit-learn follow: each fit of a method on a fold is a task.

    Parameters
    ----------
    callbacks : sequence of callbacks
        As scikit-learn's estimators take them, from version 1.9 on.
    """

    def __init__(self, callbacks: Sequence[Any]) -> None:
        if callbacks and not hasattr(self, "set_callbacks"):
            raise ImportError(
                "callbacks need scikit-learn 1.9 or newer; without them, verbose=1 shows progress."
            )
        if callbacks:
            self.set_callbacks(*callbacks)
        self._n_ended = 0

    @with_callbacks
    def followed(self, call: Callable[[], T], X: Any, y: Any, n_tasks: int) -> T:
        """Return the result of a call; callbacks expect so many tasks at most."""
        fit_begins(self, X, y, n_tasks)
        result = call()
        fit_ends(self, X, y)
        return result

    def has_ended(self, job: Job) -> None:
        """Tell callbacks that a fit has ended."""
        with fit_task(self, self._n_ended, f"{job.method.name}, fold {job.fold + 1}"):
            self._n_ended += 1


class Provisional:
    """A table of all methods while a run goes on: after 1, 2, 4, 8 … folds.

    Parameters
    ----------
    plan : Plan
        What is run.
    metric : str
        The metric that is shown.
    say : callable
        Takes the table.
    scores : mapping of str to mapping of int to float or None
        What is known before: for each method its score on each fold, None where it failed.
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

    def record(self, job: Job, record: Record) -> None:
        """Take note of a record, and show the table when enough folds are complete."""
        scores = record.scores or {}
        self._scores[job.method.name][job.fold] = scores.get(self._metric)
        n_complete = self._n_complete()
        if self._next <= n_complete < self._n_folds:
            self._next = 2 * n_complete
            for line in self._table(n_complete).splitlines():
                self._say(line)

    def wait_for(self, needed: Mapping[str, int]) -> None:
        """Count folds of these methods only, of each the first so many."""
        self._needed = dict(needed)

    def say_who_goes_on(self, needed: Mapping[str, int]) -> None:
        """Say which methods are run on the next repetition."""
        self.wait_for(needed)
        most = max(needed.values())
        active = [name for name, count in needed.items() if count == most and name != ALONE]
        if len(active) < len(needed) - 1:
            names = listed([ALONE, *active])
            self._say(f"To {most} folds of at most {self._n_folds}: {names}.")

    def _n_complete(self) -> int:
        """Count the folds on which all methods are done that need them."""
        return sum(
            all(fold in self._scores[name] for name, count in self._needed.items() if fold < count)
            for fold in range(max(self._needed.values()))
        )

    def _table(self, n_complete: int) -> str:
        base = _known(self._scores[ALONE])
        gains = {name: self._gain(base, _known(self._scores[name])) for name in self._scores}
        shown = {name: gain for name, gain in gains.items() if gain is not None}
        mean = float(np.mean(list(base.values()))) if base else np.nan
        sign = self._sign
        # The mean of a method is that of the model alone plus its gain, as in the answer.
        table = text_table(
            ["method", find_metric(self._metric).title, "gain", "95 % interval"],
            [
                [name, f"{mean + sign * shown[name].mean:.3f}", *_gain_cells(name, shown[name])]
                for name in sorted(shown, key=lambda name: -shown[name].mean)
            ],
        )
        return f"After {n_complete} of at most {self._n_folds} folds, provisional:\n{table}"

    def _gain(self, base: dict[int, float], own: dict[int, float]) -> FoldMean | None:
        """Return the test of a gain on the folds in common; None if there are none."""
        folds = sorted(base.keys() & own.keys())
        differences = [self._sign * (own[fold] - base[fold]) for fold in folds]
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
