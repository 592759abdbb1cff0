"""KernelRidgeClassifier, side by side with one logistic regression for each label, and its growth.

Run with ``python -m benchmarks.bench_kernel_ridge``. All samples of a data set train. Process time
of one fit, the better of two in turns.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import DATA, absent, scaled, seconds, show
from benchmarks.ensemble_pays import load
from rarelabels.datasets import make_multilabel
from rarelabels.learners import BinaryRelevance, KernelRidgeClassifier

NAMES = ("yeast", "enron", "bibtex")
SIZES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
TURNS = 2


def main() -> None:
    warnings.simplefilter("ignore")
    if not absent("kernel_ridge", NAMES):
        bench_data_sets()
    bench_growth()


def bench_data_sets() -> None:
    rows = [("data", "samples", "labels", "CPU-s", "logistic regression", "ratio")]
    for name in NAMES:
        X, Y = load(DATA, name)
        n_samples = scaled(Y.shape[0])
        X, Y = X[:n_samples], Y[:n_samples]
        ours, theirs = fit_seconds(models(), X, Y)
        sizes = (f"{n_samples:,}", Y.shape[1])
        rows.append((name, *sizes, f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}"))
    title = "Fits of KernelRidgeClassifier and of BinaryRelevance(LogisticRegression)"
    show(title, rows)


def models() -> list[Any]:
    logistic = BinaryRelevance(LogisticRegression(max_iter=1000), n_jobs=1)
    return [KernelRidgeClassifier(n_jobs=1, random_state=0), logistic]


def bench_growth() -> None:
    rows = [("samples", "solution", "CPU-s", "logistic regression", "ratio")]
    for size in SIZES:
        n_samples = scaled(size)
        X, Y = make_multilabel(n_samples, 50, 20, signal=0.5, sparse_output=False, random_state=0)
        kernel_ridge, logistic = models()
        ours, theirs = fit_seconds([kernel_ridge, logistic], X, Y)
        n_landmarks = kernel_ridge.n_landmarks_
        solution = "exact" if n_landmarks is None else f"{n_landmarks:,} landmarks"
        times = (f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}")
        rows.append((f"{n_samples:,}", solution, *times))
    show("Growth of a fit with the samples: 50 features, 20 labels", rows)


def fit_seconds(learners: list[Any], X: Any, Y: Any) -> list[float]:
    """Return the CPU seconds of a fit of each learner."""
    # In turns, so that a busy moment hits all of them.
    turns = [
        [seconds(partial(learner.fit, X, Y), repeats=1)[0] for learner in learners]
        for _ in range(TURNS)
    ]
    return np.min(turns, axis=0).tolist()


if __name__ == "__main__":
    main()
