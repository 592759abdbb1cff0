"""Score a method on a half by every decision rule."""

from __future__ import annotations

import platform
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from rare_labels_today.datasets import DataSet, half
from rare_labels_today.methods import Method, Scores
from rarelabels.decisions import check_rule
from rarelabels.decisions.out_of_fold import out_of_fold_thresholds
from rarelabels.metrics import label_auc_pr, label_auc_roc

# Numbers of positives in the training half, from and up to.
BANDS = ((1, 2), (3, 4), (5, 9), (10, 29), (30, 99), (100, None))
RULES = ("pooled_f1", "f1", "expected_f1", "micromacro", "fbr")
OWN = "0.5"
PACKAGES = ("rarelabels", "scikit-learn", "numpy", "scipy", "numba")
# Packages of some methods only.
MORE_PACKAGES = ("torch", "mlrl-boomer")


def evaluated(method: Method, dataset: DataSet, fold: int) -> dict[str, Any]:
    """Return the record of a job."""
    data = half(dataset, fold)
    record: dict[str, Any] = {
        "dataset": dataset.name, "fold": fold, "method": method.name,
        "versions": versions(), "processor": processor(),
    }  # fmt: skip
    if method.is_too_large(data):
        return {**record, "status": "too large"}
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = method.score(data)
    except Exception as error:
        return {**record, "status": "failed", "error": f"{type(error).__name__}: {error}"}
    seconds = time.process_time() - began
    Y_train, Y_test = data.Y_train.toarray() == 1, data.Y_test.toarray() == 1
    numbers = numbers_of(scores, Y_train, Y_test)
    return {**record, "status": "done", "cpu_seconds": round(seconds, 3), **numbers}


def numbers_of(scores: Scores, Y_train: Any, Y_test: Any) -> dict[str, Any]:
    """Return what is kept of a job's scores."""
    decisions = {OWN: scores.votes.astype(bool)}
    for name in RULES:
        thresholds = out_of_fold_thresholds(
            check_rule(name), Y_train, scores.unseen.astype(float), scores.learned
        )
        decisions[name] = scores.test >= thresholds
    n_positive = Y_train.sum(axis=0)
    f1 = {name: f1_of(Y_test, said) for name, said in decisions.items()}
    auc = label_auc_roc(Y_test.astype(int), scores.test).values
    ap = label_auc_pr(Y_test.astype(int), scores.test).values
    return {
        "macro_f1": {name: mean(values) for name, values in f1.items()},
        "macro_auc_roc": mean(auc),
        "macro_auc_pr": mean(ap),
        "bands": [
            band_of((n_positive >= low) & (n_positive <= (high or np.inf)), f1, auc, ap)
            for low, high in BANDS
        ],
        "entries": {name: entries_of(Y_test, said) for name, said in decisions.items()},
        "n_positive": n_positive.tolist(),
        "label_f1": thousandths(f1["pooled_f1"]),
        "label_auc_pr": thousandths(ap),
    }


def f1_of(Y: Any, said: Any) -> Any:
    """Return F of each label, NaN if it neither occurs nor is predicted."""
    total = Y.sum(axis=0) + said.sum(axis=0)
    return np.where(total > 0, 2 * (Y & said).sum(axis=0) / np.maximum(total, 1), np.nan)


def band_of(in_band: Any, f1: dict[str, Any], auc: Any, ap: Any) -> dict[str, Any]:
    """Return the number of labels of a band, and the mean of each score over those that have it."""
    return {
        "n_labels": int(in_band.sum()),
        "f1": {name: mean(values[in_band]) for name, values in f1.items()},
        "auc_roc": mean(auc[in_band]),
        "auc_pr": mean(ap[in_band]),
    }


def entries_of(Y: Any, said: Any) -> list[int]:
    """Return the numbers of hits, predicted and positive entries."""
    return [int((Y & said).sum()), int(said.sum()), int(Y.sum())]


def mean(values: Any) -> float | None:
    """Return the mean of the values that are defined, rounded so that it packs well."""
    defined = values[~np.isnan(values)]
    return round(float(defined.mean()), 9) if defined.size else None


def thousandths(values: Any) -> list[int | None]:
    """Return scores in thousandths, None if undefined."""
    return [None if np.isnan(value) else round(1000 * float(value)) for value in values]


def versions() -> dict[str, str]:
    """Return the versions that the scores may depend on."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        **{name: version(name) for name in MORE_PACKAGES if is_installed(name)},
    }


def is_installed(package: str) -> bool:
    """Whether a package is installed."""
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def processor() -> str:
    """Return the name of the processor, if the system says it."""
    place = Path("/proc/cpuinfo")
    lines = place.read_text(encoding="utf-8").splitlines() if place.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
