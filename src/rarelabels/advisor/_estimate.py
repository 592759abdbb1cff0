"""How long a comparison takes, expected from fits to a few samples, and what would be faster."""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from threadpoolctl import threadpool_limits

from rarelabels._containers import Array
from rarelabels._random import as_generator
from rarelabels.comparison import corrected_t_test, smallest_detectable_gain
from rarelabels.datasets import MultiLabelDataset
from rarelabels.experiment.engines import duration
from rarelabels.experiment.evaluate import without_column
from rarelabels.experiment.plan import Plan, model_of
from rarelabels.learners.known_labels import allowing_unknown

# Below this many samples, the first fit of the run itself tells soon enough.
LARGE = 10_000
SIZES = 250, 1_000, 4_000
# Seconds that the next of these fits may be expected to take; with more, it is not made.
PILOT_SECONDS = 5.0
# How the seconds of a fit may grow with the number of samples.
SLOWEST_GROWTH, FASTEST_GROWTH = 0.5, 2.0
LONG = 3600.0


def seconds_of_a_fit(plan: Plan, n_threads: int) -> float | None:
    """Expect how long the model alone takes to fit a training fold, from fits to a few samples.

    None if there are few samples anyway, if the model cannot be fitted to so few, or if these fits
    take too long.

    Parameters
    ----------
    plan : Plan
        With the model alone as its first method.
    n_threads : int
        Threads that a worker process may use.
    """
    data = plan.datasets[0].load()
    n_training = data.n_samples * (plan.n_splits - 1) / plan.n_splits
    if data.n_samples < LARGE:
        return None
    seconds: dict[int, float] = {}
    with threadpool_limits(n_threads):
        for size in SIZES:
            last = max(seconds, default=size)
            if seconds and seconds[last] * size / last > PILOT_SECONDS:
                break
            # Labels may have one class among so few samples, which not every model takes.
            with suppress(Exception):
                seconds[size] = _seconds(plan, data, size)
    # One fit does not tell how seconds grow; the first fit of the run will tell more.
    return _expected(seconds, n_training) if len(seconds) > 1 else None


def _expected(seconds: dict[int, float], n_samples: float) -> float:
    """Return the seconds of a fit to more samples, from those of fits to a few.

    >>> round(_expected({1000: 1.0, 4000: 4.0}, 40_000))
    40
    """
    few, most = min(seconds), max(seconds)
    growth = np.log(seconds[most] / seconds[few]) / np.log(most / few)
    growth = float(np.clip(growth, SLOWEST_GROWTH, FASTEST_GROWTH))
    return float(seconds[most] * (n_samples / most) ** growth)


def _seconds(plan: Plan, data: MultiLabelDataset, size: int) -> float:
    rows: Array = as_generator(plan.seed).choice(data.n_samples, size, replace=False)
    model = model_of(
        plan.learners[0], plan.methods[0], data.categorical_features, plan.trusted, seed=plan.seed
    )
    if data.has_unknown_labels:
        allowing_unknown(model)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(_safe_indexing(without_column(data.X), rows), data.Y[rows])
    return time.perf_counter() - began


def faster_ways(plan: Plan, seconds: float) -> list[str]:
    """Say what fewer repetitions or samples would take, and which gains they could still show."""
    n_folds = plan.n_repeats * plan.n_splits
    lines = []
    if plan.n_repeats > 1:
        fewer = detectable(plan.n_splits, plan.n_splits) / detectable(n_folds, plan.n_splits)
        lines.append(
            f'cv="1x{plan.n_splits}" would take about {duration(seconds / plan.n_repeats)} and '
            f"could show gains {fewer:.1f} times as large."
        )
    n_samples = plan.datasets[0].load().n_samples
    fewer_samples = round_down(n_samples * LONG / seconds)
    if 0 < fewer_samples < n_samples:
        larger = float(np.sqrt(n_samples / fewer_samples))
        share = fewer_samples / n_samples
        lines.append(
            f"{fewer_samples:,} of the samples, drawn at random, would take about "
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


def advice_on_time(plan: Plan, seconds: float) -> list[str]:
    """Return what would be faster, if a run takes longer than an hour."""
    return faster_ways(plan, seconds) if seconds > LONG else []


def threads_of_a_worker(n_workers: int) -> Any:
    """Return how many threads each worker process uses."""
    from joblib import cpu_count

    return max(1, cpu_count() // max(1, n_workers))
