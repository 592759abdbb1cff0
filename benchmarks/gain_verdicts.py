"""How often the verdict of "does sampling help" is wrong, and what it finds: 5×2 beside 5×5 folds.

Two classifiers of one kind look at different features of the same samples of three labels,
and are scored by macro-F1 on the folds of a repeated cross-validation. Where the features are drawn
from the same distribution the two are equally good by construction: "helps" and "hurts" are then
type-I errors. Where one classifier's features tell the labels further apart, its true gain is the
mean over many data sets. ``python -m benchmarks.gain_verdicts`` prints the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rarelabels.comparison import gains_over_baseline

DESIGNS = {"5x2": (5, 2), "5x5": (5, 5)}
# How much further apart the second classifier's features have the labels' means.
EXTRA = (0.0, 0.1, 0.2, 0.3)
N_SAMPLES, N_LABELS, FEATURES_OF_LABEL, APART = 200, 3, 2, 0.8
N_NEIGHBORS, PENALTY = 7, 1.0

Classifier = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Outcome:
    """What was found over many data sets: the true gain, and shares of them."""

    true_gain: float
    found_better: float
    found_worse: float
    plain_found: float
    covered: float

    @property
    def found_any(self) -> float:
        """Share of the data sets on which either was found."""
        return self.found_better + self.found_worse


def ridge(X: np.ndarray, Y: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Predict labels by linear regression on 0 and 1 with a penalty."""
    centre, mean = X.mean(axis=0), Y.mean(axis=0)
    moved = X - centre
    weights = np.linalg.solve(moved.T @ moved + PENALTY * np.eye(X.shape[1]), moved.T @ (Y - mean))
    return (others - centre) @ weights + mean > 0.5


def neighbors(X: np.ndarray, Y: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Predict labels that at least half of the nearest neighbors carry."""
    gaps = (others**2).sum(axis=1)[:, None] - 2 * others @ X.T + (X**2).sum(axis=1)
    nearest = np.argpartition(gaps, N_NEIGHBORS, axis=1)[:, :N_NEIGHBORS]
    return Y[nearest].mean(axis=1) > 0.5


def tree(X: np.ndarray, Y: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Predict labels by one decision tree for all of them."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=2, random_state=0).fit(X, Y).predict(others) == 1


CLASSIFIERS: dict[str, Classifier] = {"ridge": ridge, "kNN": neighbors, "tree": tree}


def simulate(
    design: str, extra: float, n_datasets: int, seed: int, kind: str = "ridge", share: float = 0.5
) -> Outcome:
    """Cross-validate both classifiers on many data sets, and judge each time."""
    from scipy import stats

    n_repeats, n_splits = DESIGNS[design]
    rng = np.random.default_rng(seed)
    folds = (n_repeats, n_splits)
    scores = [scores_on_folds(kind, extra, share, *folds, rng) for _ in range(n_datasets)]
    gains = np.array([table["second"] - table["first"] for table in scores])
    found = [gains_over_baseline(table, "first", n_splits=n_splits)["second"] for table in scores]
    true_gain = float(gains.mean())
    with np.errstate(all="ignore"):
        plain = stats.ttest_1samp(gains, 0, axis=1).pvalue <= 0.05
    return Outcome(
        true_gain,
        float(np.mean([one.verdict == "helps" for one in found])),
        float(np.mean([one.verdict == "hurts" for one in found])),
        float(plain.mean()),
        float(np.mean([one.low <= true_gain <= one.high for one in found])),
    )


def scores_on_folds(
    kind: str, extra: float, share: float, n_repeats: int, n_splits: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Draw a data set and return the macro-F1 of both classifiers on each fold."""
    Y = (rng.random((N_SAMPLES, N_LABELS)) < share).astype(float)
    signal = np.repeat(Y, FEATURES_OF_LABEL, axis=1)
    views = {
        name: rng.normal(size=signal.shape) + shift * signal
        for name, shift in (("first", APART), ("second", APART + extra))
    }
    tests = [test for _ in range(n_repeats) for test in stratified_folds(Y, n_splits, rng)]
    return {
        name: np.array([score_on_fold(CLASSIFIERS[kind], X, Y, test) for test in tests])
        for name, X in views.items()
    }


def stratified_folds(Y: np.ndarray, n_splits: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Deal the samples of each labelset out to the folds, in random order."""
    labelsets = Y @ 2 ** np.arange(Y.shape[1])
    dealt = np.lexsort([rng.random(len(Y)), labelsets])
    return [np.sort(dealt[fold::n_splits]) for fold in range(n_splits)]


def score_on_fold(classifier: Classifier, X: np.ndarray, Y: np.ndarray, test: np.ndarray) -> float:
    """Return the macro-F1 on the test samples."""
    train = np.ones(len(Y), dtype=bool)
    train[test] = False
    predicted, truth = classifier(X[train], Y[train], X[test]), Y[test] == 1
    hits = (predicted & truth).sum(axis=0)
    total = predicted.sum(axis=0) + truth.sum(axis=0)
    return float(np.mean(np.where(total > 0, 2 * hits / np.maximum(total, 1), 0.0)))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=2000)
    parser.add_argument("--kinds", nargs="*", default=list(CLASSIFIERS))
    parser.add_argument("--share", type=float, default=0.5, help="of the samples with a label")
    options = parser.parse_args()
    print("model  folds  true gain  found better  found worse  plain t-test  interval covers")
    for kind in options.kinds:
        for extra in EXTRA:
            for design in DESIGNS:
                out = simulate(
                    design, extra, options.datasets, int(100 * extra), kind, options.share
                )
                print(
                    f"{kind:5s}  {design:5s}  {out.true_gain:+9.4f}  {out.found_better:12.3f}  "
                    f"{out.found_worse:11.3f}  {out.plain_found:12.3f}  {out.covered:15.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
