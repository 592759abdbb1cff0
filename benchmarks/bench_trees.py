"""Trees grown in batches, side by side with scikit-learn's trees under the same learners.

Run with ``python -m benchmarks.bench_trees [DATA …]``. Half of the samples train, the other half is
predicted; CPU-seconds on one thread. What compiles does so before anything is measured.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

from sklearn.tree import DecisionTreeClassifier

from benchmarks._measure import DATA, absent, seconds, show
from benchmarks.bench_learners import split
from benchmarks.ensemble_pays import load
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    BinaryRelevance,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    LabelPowerset,
    RAkEL,
)
from rarelabels.trees import C45Classifier, EntropyTreeClassifier

THEIRS = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
OURS = {
    "entropy": EntropyTreeClassifier(),
    "C4.5": C45Classifier(categorical_features=None),
}
LEARNERS = (
    BinaryRelevance,
    LabelPowerset,
    RAkEL,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    COCOA,
    ECCRU3,
)
WARMING = 200  # samples on which everything is compiled
MOST_LABELS = 60


def main() -> None:
    names = ["yeast", "bibtex"]
    if not absent("trees", names):
        run(names)


def run(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    data = {name: split(*load(DATA, name)) for name in names}
    bench_single(data)
    bench_learners({name: thinned(*given) for name, given in data.items()})


def bench_single(data: dict[str, Any]) -> None:
    """One tree at a time, on the first label: what a call costs on top of the tree."""
    rows = [("data", "scikit-learn CPU-s", *(f"times as fast, {name}" for name in OURS))]
    for name, (X, Y, _) in data.items():
        y = Y[:, [0]].toarray().ravel() if hasattr(Y, "toarray") else Y[:, 0]
        for tree in OURS.values():
            tree.fit(X[:WARMING], y[:WARMING])
        theirs, _ = seconds(lambda X=X, y=y: THEIRS.fit(X, y))
        ours = [seconds(lambda X=X, y=y, tree=tree: tree.fit(X, y))[0] for tree in OURS.values()]
        rows.append((name, f"{theirs:.3f}", *(f"{theirs / took:.1f}" for took in ours)))
    show("One tree on one label", rows)


def bench_learners(data: dict[str, Any]) -> None:
    """All trees of a learner: one after the other by scikit-learn, as a batch here."""
    labels = ", ".join(f"{given[1].shape[1]} of {name}" for name, given in data.items())
    columns = (f"{what} times as fast, {name}" for name in OURS for what in ("fit", "predict"))
    rows = [("data", "learner", "fit CPU-s", "predict CPU-s", *columns)]
    for name, given in data.items():
        for learner in LEARNERS:
            theirs = costs(learner(THEIRS, n_jobs=1, random_state=0), *given)
            ratios = []
            for tree in OURS.values():
                model = learner(tree, n_jobs=1, random_state=0)
                model.fit(given[0][:WARMING], given[1][:WARMING]).predict_proba(given[2][:WARMING])
                ours = costs(model, *given)
                ratios += [f"{a / b:.1f}" for a, b in zip(theirs, ours, strict=True)]
            rows.append((name, learner.__name__, *(f"{took:.2f}" for took in theirs), *ratios))
    title = "Learners on scikit-learn's trees, and how much faster on trees grown in batches"
    show(f"{title} (labels: {labels})", rows)


def thinned(X: Any, Y: Any, X_test: Any) -> tuple[Any, Any, Any]:
    """Leave out labels, evenly, where there are many: one tree after the other takes long."""
    return X, Y[:, :: -(-Y.shape[1] // MOST_LABELS)], X_test


def costs(model: Any, X: Any, Y: Any, X_test: Any) -> tuple[float, float]:
    """Return the CPU-seconds of fitting and of predicting."""
    start = time.process_time()
    model.fit(X, Y)
    middle = time.process_time()
    model.predict_proba(X_test)
    return middle - start, time.process_time() - middle


if __name__ == "__main__":
    run(sys.argv[1:]) if sys.argv[1:] else main()
