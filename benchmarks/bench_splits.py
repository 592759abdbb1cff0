"""Iterative stratification, side by side with the package iterative-stratification.

Run with ``python -m benchmarks.bench_splits``. Both split the same labels in the same run: process
time, the best of three, and how far the labels' shares are from even: the mean over labels and
folds of |share of the label's positive rows − 1/k|, averaged over three seeds.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from rarelabels.datasets import load_mulan
from rarelabels.model_selection import IterativeStratifiedKFold

DATA = Path(os.environ.get("RARELABELS_DATA", Path(__file__).parents[2] / "shared" / "data"))
NAMES = ("yeast", "bibtex", "corel5k")
SEEDS = range(3)


def main() -> None:
    try:
        from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
    except ImportError:
        print("splits: skipped, the package iterative-stratification is not installed")
        return
    missing = [name for name in NAMES if not (DATA / name).is_dir()]
    if missing:
        print(f"splits: skipped, no {', '.join(missing)} in {DATA} (set RARELABELS_DATA)")
        return
    print("data      k   seconds: ours   theirs  ratio   unevenness: ours   theirs  best there is")
    for name in NAMES:
        Y = read_labels(name)
        for n_splits in (2, 5, 10):
            ours = measure(IterativeStratifiedKFold, Y, n_splits)
            theirs = measure(MultilabelStratifiedKFold, Y, n_splits)
            print(line(name, n_splits, ours, theirs, least_unevenness(Y, n_splits)))


def read_labels(name: str) -> np.ndarray:
    Y = load_mulan(DATA / name / f"{name}.arff", DATA / name / f"{name}.xml").Y
    return Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)


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
    """Give the value where each label on its own is spread as evenly as whole rows allow."""
    totals = Y.sum(axis=0)
    totals = totals[totals > 0]
    left_over = totals % n_splits
    return float(np.mean(2 * left_over * (n_splits - left_over) / (totals * n_splits**2)))


def line(
    name: str, n_splits: int, ours: tuple[float, float], theirs: tuple[float, float], least: float
) -> str:
    return (
        f"{name:8} {n_splits:2}   {ours[0]:13.3f} {theirs[0]:8.3f} {ours[0] / theirs[0]:6.2f}   "
        f"{ours[1]:16.5f} {theirs[1]:8.5f} {least:14.5f}"
    )


if __name__ == "__main__":
    main()
