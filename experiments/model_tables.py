"""Tables of what model_cost.py and calibration.py measured."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from text_table import Table

FOLDER = Path(__file__).parent / "results"
LOGISTIC = "logistic regression"
# As the page shows them: ours, then what they are compared with.
MODELS = (
    "KernelRidgeClassifier", "MultiLabelForest", "RareLabelClassifier", LOGISTIC,
    "logistic regression, thresholds", "extra trees of scikit-learn", "RBF support vector machine",
    "gradient boosting",
)  # fmt: skip
SCORES = {"macro_f1": "macro F", "macro_auc_roc": "macro AUC", "macro_auc_pr": "macro AUCPR"}
ERRORS = ("brier", "log_loss", "calibration_error")


@cache
def costs() -> dict[str, Any]:
    """Return what model_cost.py measured, by data set and model."""
    return json.loads((FOLDER / "model_cost.json").read_text(encoding="utf-8"))


@cache
def calibrations() -> dict[str, Any]:
    """Return what calibration.py measured."""
    return json.loads((FOLDER / "calibration.json").read_text(encoding="utf-8"))


def column(model: str, name: str) -> Any:
    """Return a number of a model for each data set."""
    return np.array([by_model[model][name] for by_model in costs().values()])


def ratios(model: str) -> Any:
    """Return the CPU time of a fit divided by that of logistic regression, for each data set."""
    return column(model, "fit_cpu_seconds") / column(LOGISTIC, "fit_cpu_seconds")


def cost() -> Table:
    """Return the CPU time of each model on each data set."""
    rows = [
        [name, *(f"{by_model[model]['fit_cpu_seconds']:.2f}" for model in MODELS)]
        for name, by_model in costs().items()
    ]
    means = [np.exp(np.log(ratios(model)).mean()) for model in MODELS]
    rows.append(["mean ratio", *(f"{mean:.2f}" for mean in means)])
    rows.append(["largest ratio", *(f"{ratios(model).max():.1f}" for model in MODELS)])
    caption = "CPU-seconds of one fit, and ratios to logistic regression (geometric mean, largest)"
    return Table(caption, ["data set", *MODELS], rows)


def quality() -> Table:
    """Return the mean scores of each model."""
    numbers = np.array([[column(model, name).mean() for name in SCORES] for model in MODELS])
    rows = [
        [model, *(f"{number:.3f}" for number in row)]
        for model, row in zip(MODELS, numbers, strict=True)
    ]
    bold = {(int(i), j + 1) for j, i in enumerate(numbers.argmax(axis=0))}
    return Table(
        "Scores on the other half, means of the data sets", ["model", *SCORES.values()], rows, bold
    )


def error_means(model: str, calibration: str, error: str) -> Any:
    """Return the mean error of each band, over the folds that have such labels."""
    bands = [
        [np.nan if band is None else band[error] for band in fold[model][calibration]]
        for fold in calibrations()["folds"].values()
    ]
    return np.nanmean(np.array(bands, dtype=float), axis=0)


def calibration(error: str, caption: str) -> Table:
    """Return an error of probabilities by the number of positives."""
    limits = calibrations()["bands"]
    names = [f"{low}+" if high is None else f"{low}–{high}" for low, high in limits]
    first = next(iter(calibrations()["folds"].values()))
    rows = [
        [model, way, *(f"{mean:.4f}" for mean in error_means(model, way, error))]
        for model, by_way in first.items()
        for way in by_way
    ]
    return Table(caption, ["model", "calibration", *names], rows)


TABLES = {
    "cost": cost,
    "quality": quality,
    "brier": lambda: calibration("brier", "Brier score by positives in the training half"),
    "log-loss": lambda: calibration("log_loss", "Log loss by positives in the training half"),
    "calibration-error": lambda: calibration(
        "calibration_error", "Expected calibration error by positives in the training half"
    ),
}
