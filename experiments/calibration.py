"""Measure how good calibrated probabilities are, by the number of positives of a label.

``python experiments/calibration.py [TARGET] [--datasets flags yeast]`` fits KernelRidgeClassifier
and RareLabelClassifier to each half of the first repetition of ``paper.toml``, and calibrates their
out-of-sample scores in two ways: pooled over labels of similar frequency, as the models do, and
label by label with Platt's method as scikit-learn has it. It writes the errors of each band of
labels to TARGET, by default ``experiments/results/calibration.json``, after every fold. Folds that
are there already are not computed again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import xlogy
from sklearn.calibration import _SigmoidCalibration

from rarelabels._validation import check_labels
from rarelabels.experiment import load_plan
from rarelabels.experiment.evaluate._fold import Fold, fold_of
from rarelabels.experiment.evaluate._memo import Memo
from rarelabels.learners import KernelRidgeClassifier, RareLabelClassifier

FOLDER = Path(__file__).parent
PLAN, RESULTS = FOLDER / "paper.toml", FOLDER / "results" / "calibration.json"
SEED = 1
# Numbers of positives in the training half, from and up to.
BANDS = ((1, 2), (3, 4), (5, 9), (10, 29), (30, 99), (100, None))
# Bins of the expected calibration error, with about as many entries each.
N_BINS = 15
POOLED, PLATT, FREQUENCY = "pooled", "Platt, label by label", "frequency in training"
MODELS: dict[str, tuple[Callable[[], Any], str]] = {
    "KernelRidgeClassifier": (
        lambda: KernelRidgeClassifier(random_state=SEED),
        "leave_one_out_scores_",
    ),
    "RareLabelClassifier": (
        lambda: RareLabelClassifier(random_state=SEED),
        "out_of_sample_scores_",
    ),
}


def measured(fold: Fold) -> dict[str, Any]:
    """Return the errors of each model and calibration, by band."""
    Y = check_labels(fold.Y_train).matrix.toarray() == 1
    Y_test = check_labels(fold.Y_test).matrix.toarray() == 1
    errors = {}
    for name, (make, scores) in MODELS.items():
        model = make().fit(fold.X_train, fold.Y_train)
        probabilities = {
            POOLED: model.predict_proba(fold.X_test),
            PLATT: platt(Y, getattr(model, scores), model.decision_function(fold.X_test)),
            FREQUENCY: np.broadcast_to((Y.sum(axis=0) + 1) / (len(Y) + 2), Y_test.shape),
        }
        errors[name] = {
            way: by_band(Y.sum(axis=0), Y_test, np.asarray(p)) for way, p in probabilities.items()
        }
    return errors


def platt(Y: Any, scores: Any, new_scores: Any) -> Any:
    """Return probabilities of new scores by one logistic curve for each label."""
    columns = []
    for truth, known, new in zip(Y.T, scores.T, np.asarray(new_scores).T, strict=True):
        if truth.all() or not truth.any():
            columns.append(np.full(len(new), (truth.sum() + 1) / (len(truth) + 2)))
            continue
        columns.append(_SigmoidCalibration().fit(known, truth).predict(new))
    return np.column_stack(columns)


def by_band(n_positive: Any, Y: Any, probabilities: Any) -> list[dict[str, float] | None]:
    """Return the errors of the labels of each band, None for a band without labels."""
    return [
        errors_of(Y[:, in_band], probabilities[:, in_band]) if in_band.any() else None
        for low, high in BANDS
        for in_band in [(n_positive >= low) & (n_positive <= (np.inf if high is None else high))]
    ]


def errors_of(Y: Any, probabilities: Any) -> dict[str, float]:
    """Return the number of labels, Brier score, log loss and expected calibration error."""
    y, p = Y.ravel().astype(float), probabilities.ravel().clip(1e-12, 1 - 1e-12)
    bins = np.array_split(np.argsort(p, kind="stable"), N_BINS)
    gaps = [abs((p - y)[entries].sum()) for entries in bins]
    loss = -(xlogy(y, p) + xlogy(1 - y, 1 - p)).mean()
    return {
        "n_labels": Y.shape[1],
        "brier": round(float(((y - p) ** 2).mean()), 7),
        "log_loss": round(float(loss), 7),
        "calibration_error": round(float(sum(gaps) / y.size), 7),
    }


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", nargs="?", type=Path, default=RESULTS)
    parser.add_argument("--datasets", nargs="*")
    arguments = parser.parse_args()
    target = arguments.target
    results = json.loads(target.read_text()) if target.exists() else {"bands": BANDS, "folds": {}}
    memo = Memo()
    for job in load_plan(PLAN).jobs():
        is_wanted = arguments.datasets is None or job.dataset.name in arguments.datasets
        place = f"{job.dataset.name} {job.fold}"
        chosen = (job.learner.name, job.method.name) == ("MLkNN", "Default") and job.fold < 2
        if not (is_wanted and chosen) or place in results["folds"]:
            continue
        results["folds"][place] = measured(fold_of(job, memo))
        target.write_text(json.dumps(results, indent=1) + "\n")
        print(place, flush=True)


if __name__ == "__main__":
    main()
