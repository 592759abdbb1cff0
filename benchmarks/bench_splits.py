"""Iterative stratification, side by side with the package iterative-stratification.

Run with ``python -m benchmarks.bench_splits``. Both split the same labels in the same run: process
time, the best of three, and how far the labels' shares are from even: the mean over labels and
folds of |share of the label's positive samples − 1/k|, averaged over three seeds.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks._measure import DATA, absent, scaled, show
from rarelabels.datasets import load_mulan
from rarelabels.model_selection import IterativeStratifiedKFold

NAMES = ("yeast", "bibtex", "corel5k")
SEEDS = range(3)


def main() -> None:
    try:
        from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
    except ImportError:
        print("splits: skipped, the package iterative-stratification is not installed")
        return
    if absent("splits", NAMES):
        return
    rows = [("data", "folds", "CPU-s", "ratio", "unevenness ours", "theirs", "least possible")]
    for name in NAMES:
        Y = read_labels(name)
        for n_splits in (2, 5, 10):
            ours = measure(IterativeStratifiedKFold, Y, n_splits)
            theirs = measure(MultilabelStratifiedKFold, Y, n_splits)
            rows.append(row(name, n_splits, ours, theirs, least_unevenness(Y, n_splits)))
    show("Iterative stratification, compared with the package iterative-stratification", rows)


def read_labels(name: str) -> np.ndarray:
    Y = load_mulan(DATA / name / f"{name}.arff", DATA / name / f"{name}.xml").Y
    dense = Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)
    return dense[: scaled(len(dense))]


def measure(splitter: type, Y: np.ndarray, n_splits: int) -> tuple[float, float]:
    seconds, uneven = [], []
    for seed in SEEDS:
        cv = splitter(n_splits=n_splits, shuffle=True, random_state=seed)
        start = time.process_time()
        splits = list(cv.split(Y, Y))
        seconds.append(time.process_time() - start)
        uneven.append(unevenness(Y, [test for _, test in splits]))
    return min(seconds), float(np.mean(uneven))


def unevenness(Y: np.ndarray, tests: list[np.ndarray]) -> float:
    totals = Y.sum(axis=0)
    positives = np.array([Y[test].sum(axis=0) for test in tests])[:, totals > 0]
    return float(np.abs(positives / totals[totals > 0] - 1 / len(tests)).mean())


def least_unevenness(Y: np.ndarray, n_splits: int) -> float:
    """Return the value where each label on its own is spread as evenly as whole samples allow."""
    totals = Y.sum(axis=0)
    totals = totals[totals > 0]
    left_over = totals % n_splits
    return float(np.mean(2 * left_over * (n_splits - left_over) / (totals * n_splits**2)))


def row(
    name: str, n_splits: int, ours: tuple[float, float], theirs: tuple[float, float], least: float
) -> tuple[str, ...]:
    unevenness_cells = (f"{value:.5f}" for value in (ours[1], theirs[1], least))
    return (
        name,
        str(n_splits),
        f"{ours[0]:.3f}",
        f"{ours[0] / theirs[0]:.2f}",
        *unevenness_cells,
    )


if __name__ == "__main__":
    main()
