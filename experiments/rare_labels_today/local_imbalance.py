"""Local imbalance of each label, and whether it predicts where sampling helps."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from rare_labels_today.datasets import DATASETS, half, is_present
from rarelabels.measures import local_imbalance

MEASURED = Path(__file__).parents[1] / "results" / "rare_labels_today_measures.json"
# Fewer labels say nothing about a correlation.
FEWEST_LABELS = 10


def measure(repetitions: int, place: Path = MEASURED) -> None:
    """Measure the labels of the training halves that are not measured yet."""
    measured = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    for dataset in DATASETS:
        for fold in range(dataset.n_splits * repetitions):
            name = f"{dataset.name} {fold}"
            is_wanted = is_present(dataset) and not dataset.is_for_models_only
            if name not in measured and is_wanted:
                measured[name] = mean_local_imbalance(half(dataset, fold))
                place.write_text(json.dumps(measured) + "\n", encoding="utf-8")
                print(name, flush=True)


def mean_local_imbalance(data: Any) -> list[float]:
    """Return for each label the mean share of neighbors with the other class, in thousandths.

    The mean is taken over the samples that have the rarer class.
    """
    by_entry = local_imbalance(
        data.X_train, data.Y_train, categorical_features=list(data.categorical_features) or None
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        means = np.nanmean(by_entry, axis=0)
    return [round(1000 * float(mean)) for mean in np.nan_to_num(means)]


@cache
def measures() -> dict[str, list[float]]:
    """Return what was measured, by data set and fold."""
    return json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}


def correlations(
    grouped: dict[str, Any], method: str, base: str, key: str = "label_f1"
) -> list[float]:
    """Return the correlation on each data set that has enough labels."""
    values = [
        correlation(grouped[method][name], grouped[base][name], key)
        for name in grouped[method]
        if name in grouped[base]
    ]
    return [value for value in values if not np.isnan(value)]


def correlation(of_method: list[dict[str, Any]], of_base: list[dict[str, Any]], key: str) -> float:
    """Return Spearman's correlation of local imbalance and the gain of labels on a data set.

    The gain is the difference of two records of the same fold. NaN if there are too few labels.
    """
    by_fold = {record["fold"]: record for record in of_base}
    imbalance: list[float] = []
    gains: list[float] = []
    for record in of_method:
        other = by_fold.get(record["fold"])
        known = measures().get(f"{record['dataset']} {record['fold']}")
        if other is None or known is None:
            continue
        for value, ours, theirs in zip(known, record[key], other[key], strict=True):
            if ours is not None and theirs is not None:
                imbalance.append(value)
                gains.append(ours - theirs)
    if len(gains) < FEWEST_LABELS or len(set(gains)) < 2 or len(set(imbalance)) < 2:
        return float("nan")
    return float(spearmanr(imbalance, gains).statistic)
