"""Models for rare labels, side by side with one logistic regression for each label.

Run with ``python -m benchmarks models``. All samples of a data set train. The figures are CPU
seconds of one fit on one thread, the better of two in turns.
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
from rarelabels.learners import (
    BinaryRelevance,
    KernelRidgeClassifier,
    MultiLabelForest,
    RareLabelClassifier,
)

NAMES = ("yeast", "enron", "bibtex")
# What grows while the two others stay, and what it grows to.
GROWTH = {
    "samples": (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000),
    "features": (10, 30, 100, 300, 1_000, 3_000),
    "labels": (3, 10, 30, 100, 300, 1_000),
}
FIXED = {"samples": 2_000, "features": 50, "labels": 20}
LOGISTIC = "logistic regression"
TURNS = 2


def main() -> None:
    warnings.simplefilter("ignore")
    warm_up()
    if not absent("models", NAMES):
        bench_data_sets()
    for dimension in GROWTH:
        bench_growth(dimension)


def models() -> dict[str, Any]:
    logistic = BinaryRelevance(LogisticRegression(max_iter=1000), n_jobs=1)
    options = {"n_jobs": 1, "random_state": 0}
    return {
        "KernelRidgeClassifier": KernelRidgeClassifier(**options),
        "MultiLabelForest": MultiLabelForest(**options),
        "RareLabelClassifier": RareLabelClassifier(**options),
        LOGISTIC: logistic,
    }


def warm_up() -> None:
    """Compile before anything is timed."""
    X, Y = generated(samples=60, features=5, labels=3)
    for model in models().values():
        model.fit(X, Y)


def bench_data_sets() -> None:
    rows = [("data", "samples", "labels", *models())]
    for name in NAMES:
        X, Y = load(DATA, name)
        n_samples = scaled(Y.shape[0])
        times = fit_seconds(X[:n_samples], Y[:n_samples])
        rows.append((name, f"{n_samples:,}", Y.shape[1], *times))
    show("CPU-seconds of a fit", rows)


def bench_growth(dimension: str) -> None:
    rows = [(dimension, *models())]
    for size in GROWTH[dimension]:
        size = scaled(size) if dimension == "samples" else size
        X, Y = generated(**FIXED | {"samples": scaled(FIXED["samples"])} | {dimension: size})
        rows.append((f"{size:,}", *fit_seconds(X, Y)))
    others = ", ".join(f"{size:,} {name}" for name, size in FIXED.items() if name != dimension)
    show(f"CPU-seconds of a fit by the number of {dimension}: {others}", rows)


def generated(*, samples: int, features: int, labels: int) -> Any:
    return make_multilabel(
        samples, features, labels, signal=0.5, sparse_output=False, random_state=0
    )


def fit_seconds(X: Any, Y: Any) -> list[str]:
    """Return the CPU seconds of a fit of each model."""
    # In turns, so that a busy moment hits all of them.
    turns = [
        [seconds(partial(model.fit, X, Y), repeats=1)[0] for model in models().values()]
        for _ in range(TURNS)
    ]
    return [f"{time:.3g}" for time in np.min(turns, axis=0)]


if __name__ == "__main__":
    main()
