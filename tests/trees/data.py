"""Small data with ties, categories, zeros and, on request, missing values."""

import numpy as np

from rarelabels._tasks import Tasks

CATEGORICAL = [0, 1]


def make_data(seed, n=80, share_of_zeros=0.0, missing=0.0, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)).round(1)
    X[:, 0], X[:, 1] = rng.integers(0, 4, n), rng.integers(0, 2, n)
    X[:, 2] = rng.integers(0, 2, n)
    X[rng.random(X.shape) < share_of_zeros] = 0
    noise = rng.normal(scale=0.8, size=n)
    score = X[:, 3] + (X[:, 0] == 2) - X[:, 1] + noise
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def make_tasks(seed, y, n_tasks=5, size=50, n_classes=2):
    """Bootstrapped tasks whose classes are y with some noise."""
    rng = np.random.default_rng(seed)
    samples = rng.integers(0, y.size, (n_tasks, size))
    flips = rng.random(samples.shape) < 0.1
    classes = np.where(flips, rng.integers(0, n_classes, samples.shape), y[samples])
    return Tasks(np.arange(n_tasks + 1) * size, samples.ravel(), classes.ravel(), n_classes)


def same_forest(one, other):
    return np.array_equal(one.roots, other.roots) and all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for a, b in zip(one.trees, other.trees, strict=True)
    )
