"""MultiLabelForest next to scikit-learn's ExtraTreesClassifier: time, memory and quality.

Run with ``python -m benchmarks.bench_forest``. Half of the samples train, the other half is
predicted; CPU-seconds on one thread. What compiles does so before anything is measured. Memory is
that of the fitted model, pickled. scikit-learn's forest also computes its out-of-bag scores; labels
that are constant in the training half are left out, since it cannot do that with them.
"""

from __future__ import annotations

import pickle
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier

from benchmarks._measure import DATA, absent, scaled, show
from benchmarks.ensemble_pays import halves, load
from rarelabels.datasets import make_multilabel
from rarelabels.learners import MultiLabelForest
from rarelabels.metrics import macro_auc_pr, macro_auc_roc

NAMES = ["scene", "yeast", "cal500", "medical", "enron", "corel5k", "rcv1subset1"]
MANY = "synthetic"


def main() -> None:
    if absent("forest", NAMES):
        return
    warnings.simplefilter("ignore")
    rows = [
        ("data", "d", "q", "fit CPU-s", "theirs", "times as fast", "predict CPU-s", "theirs",
         "model MB", "theirs", "AUCPR", "theirs", "AUC", "theirs"),
    ]  # fmt: skip
    rows += [compared(name, *halved(name)) for name in [*NAMES, MANY]]
    show("MultiLabelForest and ExtraTreesClassifier(bootstrap=True), 150 trees", rows)


def halved(name: str) -> tuple[Any, ...]:
    """Return training and test halves, with the labels that vary in the training half."""
    if name == MANY:
        X, Y = make_multilabel(1000, 50, 1000, random_state=0)  # 346 labels vary in a half
    else:
        X, Y = load(DATA, name)
    Y = np.asarray(Y.toarray() if sparse.issparse(Y) else Y)
    train, test = (half[: scaled(half.size)] for half in halves(Y.shape[0], seed=0))
    n_positive = Y[train].sum(axis=0)
    Y = Y[:, (n_positive > 0) & (n_positive < train.size)]
    return X[train], Y[train], X[test], Y[test]


def compared(name: str, X: Any, Y: Any, X_test: Any, Y_test: Any) -> tuple[Any, ...]:
    MultiLabelForest(2, random_state=0).fit(X, Y).predict_proba(X_test)
    theirs = ExtraTreesClassifier(150, bootstrap=True, oob_score=True, random_state=0)
    one = measured(MultiLabelForest(150, random_state=0), X, Y, X_test, Y_test)
    other = measured(theirs, X, Y, X_test, Y_test)
    (fit, predict, size, precision, auc), (fit_2, predict_2, size_2, precision_2, auc_2) = (
        one,
        other,
    )
    return (
        name, X.shape[1], Y.shape[1], f"{fit:.2f}", f"{fit_2:.2f}", f"{fit_2 / fit:.1f}",
        f"{predict:.3f}", f"{predict_2:.3f}", f"{size:.1f}", f"{size_2:.1f}",
        f"{precision:.3f}", f"{precision_2:.3f}", f"{auc:.3f}", f"{auc_2:.3f}",
    )  # fmt: skip


def measured(forest: Any, X: Any, Y: Any, X_test: Any, Y_test: Any) -> tuple[float, ...]:
    start = time.process_time()
    forest.fit(X, Y)
    fitted = time.process_time()
    found = forest.predict_proba(X_test)
    predicted = time.process_time()
    if isinstance(found, list):
        found = np.column_stack([probability[:, 1] for probability in found])
    size = len(pickle.dumps(forest)) / 2**20
    scores = (macro_auc_pr(Y_test, found), macro_auc_roc(Y_test, found))
    return (fitted - start, predicted - fitted, size, *scores)


if __name__ == "__main__":
    main()
