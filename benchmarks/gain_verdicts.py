"""How often the test behind "does sampling help" is wrong, and what it finds: 5×2 beside 5×5 folds.

Two nearest-centroid classifiers look at different features of the same samples and are scored by
accuracy on the folds of a repeated cross-validation. Where the features are drawn from the same
distribution the two are equally good by construction: what is found then is a type-I error. Where
one classifier's features tell the classes further apart, its true gain is the mean over many data
sets. ``python -m benchmarks.gain_verdicts`` prints the table.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from rarelabels.comparison import corrected_t_test

DESIGNS = {"5x2": (5, 2), "5x5": (5, 5)}
# How much further apart the second classifier's features have the classes' means.
EXTRA = (0.0, 0.1, 0.2, 0.3)
N_SAMPLES, N_FEATURES, APART = 200, 5, 0.35


@dataclass(frozen=True)
class Outcome:
    """What was found over many data sets: the true gain, and shares of them."""

    true_gain: float
    found_better: float
    found_worse: float
    plain_found: float
    covered: float


def simulate(design: str, extra: float, n_datasets: int, seed: int) -> Outcome:
    """Cross-validate both classifiers on many data sets, and test each time."""
    from scipy import stats

    n_repeats, n_splits = DESIGNS[design]
    rng = np.random.default_rng(seed)
    gains = np.array([gains_on_folds(extra, n_repeats, n_splits, rng) for _ in range(n_datasets)])
    tests = [corrected_t_test(folds, n_splits=n_splits) for folds in gains]
    significant = np.array([test.pvalue <= 0.05 for test in tests])
    means, true_gain = gains.mean(axis=1), float(gains.mean())
    with np.errstate(all="ignore"):
        plain = stats.ttest_1samp(gains, 0, axis=1).pvalue <= 0.05
    within = [low <= true_gain <= high for low, high in (test.interval() for test in tests)]
    return Outcome(
        true_gain,
        float((significant & (means > 0)).mean()),
        float((significant & (means < 0)).mean()),
        float(plain.mean()),
        float(np.mean(within)),
    )


def gains_on_folds(
    extra: float, n_repeats: int, n_splits: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw a data set and return the second classifier's gain on each fold."""
    y = rng.permutation(np.arange(N_SAMPLES) % 2)
    shifts = np.repeat([APART, APART + extra], N_FEATURES)
    X = rng.normal(size=(N_SAMPLES, 2 * N_FEATURES)) + y[:, None] * shifts
    orders = [rng.permutation(N_SAMPLES) for _ in range(n_repeats)]
    tests = [np.sort(part) for order in orders for part in np.array_split(order, n_splits)]
    return np.array([gain_on_fold(X, y, test) for test in tests])


def gain_on_fold(X: np.ndarray, y: np.ndarray, test: np.ndarray) -> float:
    """Return the difference of the two accuracies on the test samples."""
    train = np.ones(y.size, dtype=bool)
    train[test] = False
    centres = np.stack([X[train & (y == kind)].mean(axis=0) for kind in (0, 1)])
    gaps = (X[test, None] - centres) ** 2
    halves = gaps.reshape(test.size, 2, 2, N_FEATURES).sum(axis=3)
    right = halves.argmin(axis=1) == y[test, None]
    return float(right[:, 1].mean() - right[:, 0].mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=4000)
    options = parser.parse_args()
    print("folds  true gain  found better  found worse  plain t-test  95 % interval covers")
    for extra in EXTRA:
        for design in DESIGNS:
            out = simulate(design, extra, options.datasets, seed=int(100 * extra))
            print(
                f"{design:5s}  {out.true_gain:+9.4f}  {out.found_better:12.3f}  "
                f"{out.found_worse:11.3f}  {out.plain_found:12.3f}  {out.covered:20.3f}"
            )


if __name__ == "__main__":
    main()
