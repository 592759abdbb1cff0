"""Estimate how long a comparison takes from fits to a few samples, and suggest faster ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._random import as_generator
from rarelabels.comparison import corrected_t_test, smallest_detectable_gain
from rarelabels.experiment.engines import duration
from rarelabels.experiment.evaluate import samples_of
from rarelabels.experiment.pilot import seconds_of_jobs
from rarelabels.experiment.plan import Job, Plan, with_splits

# With fewer samples, the first fit of the run itself gives an estimate soon enough.
LARGE = 10_000
SIZES = 250, 1_000, 4_000
N_TESTED = 100
MOST_DRAWN = max(SIZES) + N_TESTED
# The pilot ends after a fit that took longer, in seconds.
PILOT_SECONDS = 8.0
# With fewer, a comparison says little about rare labels.
FEWEST = 2_000
# How the seconds of a fit may grow with the number of samples.
SLOWEST_GROWTH, FASTEST_GROWTH = 0.5, 2.0
LONG = 3600.0


@dataclass(frozen=True)
class FitTimes:
    """Seconds of fits of the model alone, by the number of training samples.

    Attributes
    ----------
    seconds : dict of int to float
        The times that are known; it may be empty.

    Examples
    --------
    >>> times = FitTimes({1000: 1.0, 4000: 4.0})
    >>> round(times.expected(40_000)), round(times.most_samples(20.0))
    (40, 20000)
    """

    seconds: dict[int, float]

    def expected(self, n_samples: float) -> float | None:
        """Return the expected seconds of a fit to more samples; None if too little is known.

        A single fit does not show how the time grows; the first fit of the run will.
        """
        if len(self.seconds) < 2:
            return None
        most = max(self.seconds)
        return float(self.seconds[most] * (n_samples / most) ** self._growth)

    def most_samples(self, seconds: float) -> float:
        """Return how many samples can be fitted in a time, and at least enough for a comparison."""
        if not self.seconds:
            return SIZES[0]
        most = max(self.seconds)
        return max(float(most * (seconds / self.seconds[most]) ** (1 / self._growth)), FEWEST)

    @property
    def _growth(self) -> float:
        few, most = min(self.seconds), max(self.seconds)
        if few == most:
            return 1.0
        growth = np.log(self.seconds[most] / self.seconds[few]) / np.log(most / few)
        return float(np.clip(growth, SLOWEST_GROWTH, FASTEST_GROWTH))


def is_large(plan: Plan) -> bool:
    """Whether a run has so many samples that a few fits are timed first."""
    return n_compared(plan) >= LARGE


def fit_times(plan: Plan, n_workers: int, limit: float) -> FitTimes:
    """Time fits of the model alone to a few samples, in a process like those of the run.

    Parameters
    ----------
    plan : Plan
        With the model alone as its first method.
    n_workers : int
        Worker processes of the run.
    limit : float
        The time limit, in seconds.
    """
    rng, data = as_generator(plan.seed), plan.datasets[0].load()
    rows = compared_rows(plan)
    drawn: Array = rng.choice(data.n_samples if rows is None else rows, MOST_DRAWN, replace=False)
    groups = None if data.groups is None else data.groups[drawn]
    few = replace(data, X=samples_of(data.X, drawn), Y=data.Y[drawn], groups=groups)
    splits = [(np.arange(size), np.arange(size, size + N_TESTED)) for size in SIZES]
    pilot = replace(
        plan,
        datasets=(with_splits(plan.datasets[0], few, splits),),
        methods=plan.methods[:1],
        n_splits=len(SIZES),
        n_repeats=1,
        per_label=False,
    )
    seconds = seconds_of_jobs(pilot, n_workers=n_workers, limit=limit, goes_on=_is_short)
    return FitTimes({SIZES[fold]: taken for fold, taken in seconds.items()})


def _is_short(job: Job, seconds: dict[int, float]) -> bool:
    """Whether the last fit was short enough for another one."""
    return not seconds or seconds[max(seconds)] <= PILOT_SECONDS


def drawn_rows(plan: Plan, n_samples: int) -> Array | None:
    """Draw samples to compare on, in their order, with whole groups; return None for all."""
    data = plan.datasets[0].load()
    if n_samples >= data.n_samples:
        return None
    rng = as_generator(plan.seed)
    if data.groups is None:
        rows: Array = np.sort(rng.choice(data.n_samples, n_samples, replace=False))
        return rows
    # Groups in random order, as long as their samples are not too many.
    _, group = np.unique(data.groups, return_inverse=True)
    sizes = np.bincount(group)
    order = rng.permutation(sizes.size)
    n_kept = max(2, int((np.cumsum(sizes[order]) <= n_samples).sum()))
    return np.flatnonzero(np.isin(group, order[:n_kept]))


def compared_rows(plan: Plan) -> Array | None:
    """Return the samples that are divided into folds; None for all."""
    return getattr(plan.datasets[0], "in_memory_rows", None)


def n_compared(plan: Plan) -> int:
    """Return how many samples are divided into folds."""
    rows = compared_rows(plan)
    return int(plan.datasets[0].load().n_samples if rows is None else len(rows))


def faster_ways(plan: Plan, seconds: float, option: Callable[[str, Any], str]) -> list[str]:
    """State what fewer repetitions or samples would take, and which gains they could still show."""
    n_folds = plan.n_repeats * plan.n_splits
    lines = []
    if plan.n_repeats > 1:
        fewer = detectable(plan.n_splits, plan.n_splits) / detectable(n_folds, plan.n_splits)
        once = option("cv", f"1x{plan.n_splits}")
        lines.append(
            f"{once} would take about {duration(seconds / plan.n_repeats)} and "
            f"could show gains {fewer:.1f} times as large."
        )
    n_samples = n_compared(plan)
    fewer_samples = round_down(n_samples * LONG / seconds)
    if FEWEST <= fewer_samples < n_samples:
        larger = float(np.sqrt(n_samples / fewer_samples))
        share = fewer_samples / n_samples
        lines.append(
            f"{option('max_samples', fewer_samples)}, samples drawn at random, would take about "
            f"{duration(seconds * share)} and could show gains about {larger:.1f} times as large."
        )
    return lines


def detectable(n_folds: int, n_splits: int) -> float:
    """Return the smallest gain that a run finds, in standard deviations of a fold's gain.

    >>> round(detectable(25, 5), 2), round(detectable(5, 5), 2)
    (1.57, 2.52)
    """
    differences = np.resize([1.0, -1.0], n_folds)
    differences = (differences - differences.mean()) / differences.std(ddof=1)
    return smallest_detectable_gain(corrected_t_test(differences, n_splits=n_splits))


def round_down(number: float) -> int:
    """Return a number with one digit that is not zero.

    >>> round_down(23_456.7), round_down(999)
    (20000, 900)
    """
    unit = 10 ** int(np.log10(max(number, 1)))
    return int(number // unit * unit)


def within_limit(
    plan: Plan, seconds: float, option: Callable[[str, Any], str], limit: float
) -> list[str]:
    """State how many samples a single repetition could have to be complete within a time limit."""
    n_samples = n_compared(plan)
    fewer_samples = round_down(n_samples * limit * plan.n_repeats / seconds)
    if not FEWEST <= fewer_samples < n_samples:
        return []
    once = option("cv", f"1x{plan.n_splits}")
    samples = option("max_samples", fewer_samples)
    return [f"With {once} and {samples}, the run would take about {duration(limit)}."]


def advice_on_time(
    plan: Plan, seconds: float, option: Callable[[str, Any], str], limit: float | None = None
) -> list[str]:
    """Return what would be faster, if a run takes longer than an hour or a time limit."""
    if limit is not None and limit < min(seconds, LONG):
        return within_limit(plan, seconds, option, limit)
    return faster_ways(plan, seconds, option) if seconds > LONG else []
