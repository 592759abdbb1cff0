"""Measure what models for rare labels cost and reach, side by side on one fold of each data set.

``python experiments/model_cost.py [TARGET] [--datasets flags yeast]`` fits each model to the first
half of the first repetition of ``paper.toml`` and predicts the second half. It writes the CPU
seconds of the fit and the macro F, AUC and average precision to TARGET, by default
``experiments/results/model_cost.json``, after every model. What is there already is not measured
again, so it may be stopped at any time. Run it with one thread (``OMP_NUM_THREADS=1``).
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from rarelabels.experiment import load_plan
from rarelabels.experiment.evaluate._fold import Fold, fold_of
from rarelabels.experiment.evaluate._memo import Memo
from rarelabels.learners import (
    BinaryRelevance,
    KernelRidgeClassifier,
    MultiLabelForest,
    RareLabelClassifier,
    ThresholdedClassifier,
)
from rarelabels.learners.scores import fit_multilabel, label_scores, label_votes
from rarelabels.metrics import macro_auc_pr, macro_auc_roc, macro_f1

FOLDER = Path(__file__).parent
PLAN, RESULTS = FOLDER / "paper.toml", FOLDER / "results" / "model_cost.json"
SEED = 1
NEEDS_DENSE = {"gradient boosting"}


def logistic_regression() -> Any:
    """Return one logistic regression for each label."""
    return BinaryRelevance(LogisticRegression(max_iter=1000))


MODELS: dict[str, Callable[[], Any]] = {
    "logistic regression": logistic_regression,
    "logistic regression, thresholds": lambda: ThresholdedClassifier(
        logistic_regression(), random_state=SEED
    ),
    "KernelRidgeClassifier": lambda: KernelRidgeClassifier(random_state=SEED),
    "MultiLabelForest": lambda: MultiLabelForest(random_state=SEED),
    "RareLabelClassifier": lambda: RareLabelClassifier(random_state=SEED),
    "extra trees of scikit-learn": lambda: ExtraTreesClassifier(
        150, bootstrap=True, oob_score=False, random_state=SEED
    ),
    "RBF support vector machine": lambda: BinaryRelevance(SVC()),
    "gradient boosting": lambda: BinaryRelevance(HistGradientBoostingClassifier(random_state=SEED)),
}


def folds(names: list[str] | None) -> list[Any]:
    """Return the job of the first fold of each data set."""
    return [
        job
        for job in load_plan(PLAN).jobs()
        if (job.learner.name, job.method.name, job.fold) == ("MLkNN", "Default", 0)
        and (names is None or job.dataset.name in names)
    ]


def measured(model: Any, fold: Fold, *, dense: bool) -> dict[str, float]:
    """Fit and score a model, and return what it took."""
    X_train, X_test = fold.X_train, fold.X_test
    if dense and sparse.issparse(X_train):
        X_train, X_test = X_train.toarray(), X_test.toarray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.process_time()
        fitted = fit_multilabel(model, X_train, fold.Y_train)
        seconds = time.process_time() - began
        n_labels = len(fold.label_names)
        scores = label_scores(fitted, X_test, n_labels)
        decisions = label_votes(fitted, X_test, n_labels)
        return {
            "fit_cpu_seconds": round(seconds, 4),
            "macro_f1": round(float(macro_f1(fold.Y_test, decisions)), 5),
            "macro_auc_roc": round(float(macro_auc_roc(fold.Y_test, scores)), 5),
            "macro_auc_pr": round(float(macro_auc_pr(fold.Y_test, scores)), 5),
        }


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", nargs="?", type=Path, default=RESULTS)
    parser.add_argument("--datasets", nargs="*")
    parser.add_argument("--models", nargs="*", default=[*MODELS])
    arguments = parser.parse_args()
    target = arguments.target
    results = json.loads(target.read_text()) if target.exists() else {}
    # Compiled code is compiled before anything is timed.
    warm_up()
    for job in folds(arguments.datasets):
        memo = Memo()
        of_dataset = results.setdefault(job.dataset.name, {})
        for name in arguments.models:
            if name in of_dataset:
                continue
            fold = fold_of(job, memo)
            of_dataset[name] = measured(MODELS[name](), fold, dense=name in NEEDS_DENSE)
            target.write_text(json.dumps(results, indent=1) + "\n")
            print(job.dataset.name, name, of_dataset[name], flush=True)


def warm_up() -> None:
    """Fit each compiled model to small data, dense and sparse."""
    fold = fold_of(folds(["flags"])[0], Memo())
    for make in (MODELS["MultiLabelForest"], MODELS["RareLabelClassifier"]):
        for X in (fold.X_train, sparse.csr_array(abs(fold.X_train) > 1).astype(float)):
            make().fit(X, fold.Y_train)


if __name__ == "__main__":
    main()
