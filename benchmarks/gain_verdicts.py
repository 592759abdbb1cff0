"""How often the verdict of "does sampling help" is wrong, and what it finds: 5×2 beside 5×5 folds.

Three labels, each of which moves the means of two features of its own. Two classifiers of one kind
look at features of their own of the same samples, and are scored by macro-F1 on the folds of a
repeated cross-validation. Features of the same distribution are exchangeable: the classifiers are
equally good by construction, and "helps" and "hurts" are type-I errors. Where one classifier's
features tell the labels further apart, its true gain is the mean over the data sets.

The correlation between folds decides whether the test errs too often. It is measured over the data
sets: between two folds of one repetition, whose test samples differ, and of two repetitions. The
test takes both to be 1 / k; from one data set the first cannot be estimated at all (Bengio and
Grandvalet 2004).

    python -m benchmarks.gain_verdicts [--part 0.1] [--keep chunks.json]

prints the tables; with ``--keep`` it goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from rarelabels.comparison import gains_over_baseline

DESIGNS = {"5x2": (5, 2), "5x5": (5, 5)}
N_SAMPLES, N_LABELS, FEATURES_OF_LABEL = 200, 3, 2
N_NEIGHBORS, PENALTY = 7, 1.0
# Data sets that are drawn and kept together.
CHUNK = 50

Tests = list[np.ndarray]
Classifier = Callable[[np.ndarray, np.ndarray, Tests], list[np.ndarray]]


@dataclass(frozen=True)
class Case:
    """What is drawn, and what looks at it.

    `apart` is how far a label moves the means of its features, which have unit variance; for the
    second classifier `extra` more. `share` of the samples have a label.
    """

    kind: str
    design: str = "5x5"
    apart: float = 1.5
    share: float = 0.3
    extra: float = 0.0

    @property
    def key(self) -> str:
        """Its name in the file of what is done."""
        return " ".join(map(str, astuple(self)))


@dataclass(frozen=True)
class Sums:
    """Sums over data sets: verdicts, gains, and products of the gains on two folds."""

    n: float = 0.0
    better: float = 0.0
    worse: float = 0.0
    plain: float = 0.0
    score: float = 0.0
    gain: float = 0.0
    square: float = 0.0
    same_repetition: float = 0.0
    other_repetition: float = 0.0

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def share(self, name: str) -> float:
        """Return a sum over the number of data sets."""
        return float(getattr(self, name)) / self.n

    @property
    def found(self) -> float:
        """Share of the data sets on which a difference was found: between equals, an error."""
        return self.share("better") + self.share("worse")

    @property
    def standard_error(self) -> float:
        """Of `found`, by the number of data sets."""
        return float(np.sqrt(self.found * (1 - self.found) / self.n))

    def correlation(self, which: str) -> float:
        """Return the correlation between gains on two folds, where the true gain is 0."""
        return float(getattr(self, which)) / self.square


def ridge(X: np.ndarray, Y: np.ndarray, tests: Tests) -> list[np.ndarray]:
    """Predict labels by linear regression on 0 and 1 with a penalty."""
    return [_ridge(X[train], Y[train], X[test]) for train, test in _parts(len(X), tests)]


def _ridge(X: np.ndarray, Y: np.ndarray, others: np.ndarray) -> np.ndarray:
    center, mean = X.mean(axis=0), Y.mean(axis=0)
    moved = X - center
    weights = np.linalg.solve(moved.T @ moved + PENALTY * np.eye(X.shape[1]), moved.T @ (Y - mean))
    return (others - center) @ weights + mean >= 0.5


def neighbors(X: np.ndarray, Y: np.ndarray, tests: Tests) -> list[np.ndarray]:
    """Predict labels that at least half of the nearest neighbors have."""
    distances = (X**2).sum(axis=1) - 2 * X @ X.T
    return [_vote(distances, Y, test) for test in tests]


def _vote(distances: np.ndarray, Y: np.ndarray, test: np.ndarray) -> np.ndarray:
    to_train = distances[test].copy()
    to_train[:, test] = np.inf
    nearest = np.argpartition(to_train, N_NEIGHBORS, axis=1)[:, :N_NEIGHBORS]
    return Y[nearest].mean(axis=1) >= 0.5


def trees(X: np.ndarray, Y: np.ndarray, tests: Tests) -> list[np.ndarray]:
    """Predict each label by a tree of its own, all trees of all folds grown at once."""
    from rarelabels._tasks import Tasks
    from rarelabels.trees import EntropyTreeClassifier
    from rarelabels.trees._coding import Encoder

    trains = [train for train, _ in _parts(len(X), tests) for _ in range(Y.shape[1])]
    labels = [j for _ in tests for j in range(Y.shape[1])]
    tasks = Tasks(
        np.cumsum([0, *map(len, trains)]),
        np.concatenate(trains),
        np.concatenate([Y[train, j] for train, j in zip(trains, labels, strict=True)]),
        2,
    )
    tree = EntropyTreeClassifier()
    forest = tree.fit_many(tree.code(X), tasks, seeds=range(len(tasks)))
    scores = forest.probability(Encoder(forest.schema).encode(X), 1)
    by_fold = scores.reshape(len(X), len(tests), Y.shape[1])
    return [by_fold[test, fold] >= 0.5 for fold, test in enumerate(tests)]


def _parts(n_samples: int, tests: Tests) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    everyone = np.arange(n_samples)
    return [(np.delete(everyone, test), test) for test in tests]


CLASSIFIERS: dict[str, Classifier] = {"ridge": ridge, "kNN": neighbors, "trees": trees}

# Groups of cases, and of how many data sets each: 1,200 leave a standard error of .008 at most.
EQUAL = [
    Case(kind, design, share=share)
    for design in ("5x5", "5x2")
    for share in (0.5, 0.3)
    for kind in CLASSIFIERS
]
BETTER = [
    Case(kind, design, extra=extra)
    for kind in CLASSIFIERS
    for extra in (0.2, 0.4, 0.6)
    for design in DESIGNS
]
# Equal classifiers that hardly learn: a label on every tenth sample, features that tell little.
HARD = [
    Case(kind, apart=apart, share=share)
    for apart, share in ((1.5, 0.1), (0.8, 0.5), (0.8, 0.3))
    for kind in CLASSIFIERS
]
GROUPS = ((EQUAL, 1200), (BETTER, 300), (HARD, 600))


def simulate(case: Case, n_chunks: int, done: dict[str, list[float]] | None = None) -> Sums:
    """Cross-validate both classifiers on many data sets, and judge each time."""
    kept = {} if done is None else done
    total = Sums()
    for chunk in range(n_chunks):
        key = f"{case.key} #{chunk}"
        if key not in kept:
            kept[key] = list(astuple(_chunk(case, chunk)))
        total += Sums(*kept[key])
    return total


def _chunk(case: Case, chunk: int) -> Sums:
    # The same seed for every case: kinds and designs see the same data sets.
    rng = np.random.default_rng(chunk)
    return sum((judged(case, scores_on_folds(case, rng)) for _ in range(CHUNK)), Sums())


def judged(case: Case, scores: dict[str, np.ndarray]) -> Sums:
    """Return the verdict on one data set, and what the correlation is made of."""
    n_repeats, n_splits = DESIGNS[case.design]
    gains = scores["second"] - scores["first"]
    verdict = gains_over_baseline(scores, "first", n_splits=n_splits)["second"].verdict
    by_repeat = gains.reshape(n_repeats, n_splits)
    square, same, total = (gains**2).sum(), (by_repeat.sum(axis=1) ** 2).sum(), gains.sum() ** 2
    return Sums(
        n=1,
        better=verdict == "helps",
        worse=verdict == "hurts",
        plain=bool(gains.std() and stats.ttest_1samp(gains, 0).pvalue <= 0.05),
        score=scores["first"].mean(),
        gain=gains.mean(),
        square=square / gains.size,
        same_repetition=(same - square) / (gains.size * (n_splits - 1)),
        other_repetition=(total - same) / (gains.size * (gains.size - n_splits)),
    )


def scores_on_folds(case: Case, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw a data set and return the macro-F1 of both classifiers on each fold."""
    n_repeats, n_splits = DESIGNS[case.design]
    Y = (rng.random((N_SAMPLES, N_LABELS)) < case.share).astype(float)
    signal = np.repeat(Y, FEATURES_OF_LABEL, axis=1)
    first, second = (
        rng.normal(size=signal.shape) + shift * signal
        for shift in (case.apart, case.apart + case.extra)
    )
    tests = [test for _ in range(n_repeats) for test in stratified_folds(Y, n_splits, rng)]
    return {
        "first": macro_f1_on_folds(CLASSIFIERS[case.kind](first, Y, tests), Y, tests),
        "second": macro_f1_on_folds(CLASSIFIERS[case.kind](second, Y, tests), Y, tests),
    }


def stratified_folds(Y: np.ndarray, n_splits: int, rng: np.random.Generator) -> Tests:
    """Deal the samples of each labelset out to the folds, in random order."""
    labelsets = Y @ 2 ** np.arange(Y.shape[1])
    dealt = np.lexsort([rng.random(len(Y)), labelsets])
    return [np.sort(dealt[fold::n_splits]) for fold in range(n_splits)]


def macro_f1_on_folds(found: list[np.ndarray], Y: np.ndarray, tests: Tests) -> np.ndarray:
    """Return the mean F1 over the labels that a fold has or is predicted to have."""
    return np.array([_macro_f1(p, Y[test] == 1) for p, test in zip(found, tests, strict=True)])


def _macro_f1(predicted: np.ndarray, truth: np.ndarray) -> float:
    hits = (predicted & truth).sum(axis=0)
    total = predicted.sum(axis=0) + truth.sum(axis=0)
    return float((2 * hits[total > 0] / total[total > 0]).mean()) if total.any() else 0.0


HEADS = "model  folds  apart  share  F1     gain   better   worse    s.e.   plain  same  other"


def line(case: Case, out: Sums) -> str:
    """Write a case and what was found as a line of the table."""
    text = (
        f"{case.kind:5s}  {case.design:5s}  {case.apart:5.1f}  {case.share:5.1f}  "
        f"{out.share('score'):.2f}  {out.share('gain'):+.3f}   {out.share('better'):.3f}   "
        f"{out.share('worse'):.3f}   {out.standard_error:.3f}   {out.share('plain'):.3f}"
    )
    if case.extra:
        return text
    inside, across = (out.correlation(f"{which}_repetition") for which in ("same", "other"))
    return f"{text}  {inside:.2f}  {across:.2f}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n")[0])
    parser.add_argument("--part", type=float, default=1.0, help="of the data sets, for a look")
    parser.add_argument("--keep", type=Path, help="what is done, to go on from")
    options = parser.parse_args()
    done = json.loads(options.keep.read_text()) if options.keep and options.keep.exists() else {}
    print(HEADS)
    for cases, n_datasets in GROUPS:
        for case in cases:
            n_chunks = max(1, round(options.part * n_datasets / CHUNK))
            for n_so_far in range(1, n_chunks + 1):
                found = simulate(case, n_so_far, done)
                if options.keep:
                    options.keep.write_text(json.dumps(done))
            print(line(case, found), flush=True)


if __name__ == "__main__":
    main()
