"""The leaderboard: mean scores of each method, and F by the number of positives."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from rare_labels_today.datasets import CONFIRMATORY, DATASETS, EXPLORATORY
from rare_labels_today.evaluate import BANDS

ROLES = {dataset.name: dataset.role for dataset in DATASETS}
DEFAULT_RULE = "pooled_f1"
BAND_NAMES = [f"{low}+" if high is None else f"{low}–{high}" for low, high in BANDS]


def by_dataset(
    records: list[dict[str, Any]], role: str | None = None
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return the finished records of each method and data set."""
    grouped: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        is_wanted = role is None or ROLES.get(record["dataset"]) == role
        if record["status"] == "done" and is_wanted:
            grouped[record["method"]][record["dataset"]].append(record)
    return grouped


def scores_of(records: list[dict[str, Any]], rule: str = DEFAULT_RULE) -> dict[str, float]:
    """Return the mean scores of a method's records on a data set."""
    return {
        "F": float(np.mean([record["macro_f1"][rule] for record in records])),
        "AUC": float(np.mean([record["macro_auc_roc"] for record in records])),
        "AUCPR": float(np.mean([record["macro_auc_pr"] for record in records])),
        "CPU-s": float(np.mean([record["cpu_seconds"] for record in records])),
    }


def band_scores(records: list[dict[str, Any]], rule: str = DEFAULT_RULE) -> list[float]:
    """Return F of each band on a data set, NaN if it has no such label."""
    values = np.array(
        [
            [np.nan if band["f1"][rule] is None else band["f1"][rule] for band in record["bands"]]
            for record in records
        ]
    )
    counts = (~np.isnan(values)).sum(axis=0)
    totals = np.nan_to_num(values).sum(axis=0)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan).tolist()


def paired(
    grouped: dict[str, Any], first: str, second: str
) -> dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Return the records of two methods by data set, of the folds that both have."""
    pairs = {}
    for name in ROLES:
        ours, theirs = grouped[first].get(name, []), grouped[second].get(name, [])
        folds = {one["fold"] for one in ours} & {one["fold"] for one in theirs}
        if folds:
            pairs[name] = tuple(
                [one for one in records if one["fold"] in folds] for records in (ours, theirs)
            )
    return pairs


def leaderboard(records: list[dict[str, Any]], reference: str = "RareLabelClassifier") -> str:
    """Return the leaderboard as text, for each role of data sets.

    Methods may lack data sets that are too large for them, so each row also has the difference to
    the reference on the data sets that both have.
    """
    return "\n\n".join(
        table_of(records, role, reference)
        for role in (EXPLORATORY, CONFIRMATORY)
        if reference in by_dataset(records, role)
    )


def table_of(records: list[dict[str, Any]], role: str, reference: str) -> str:
    """Return the table of a role, the method with the smallest loss of F first."""
    grouped = by_dataset(records, role)
    rows = []
    for method in list(grouped):
        pairs = paired(grouped, method, reference).values()
        if not pairs:
            continue
        ours, theirs = ([scores_of(records) for records in of] for of in zip(*pairs, strict=True))
        gains = {
            key: np.mean([a[key] - b[key] for a, b in zip(ours, theirs, strict=True)])
            for key in ("F", "AUC", "AUCPR")
        }
        f1 = np.mean([one["F"] for one in ours])
        seconds = np.exp(np.mean([np.log(max(one["CPU-s"], 1e-3)) for one in ours]))
        rows.append((gains, method, len(pairs), f1, seconds))
    rows.sort(key=lambda row: -row[0]["F"])
    head = f"{'method':34s} sets     F  F gain AUC gain AP gain   CPU-s"
    lines = [
        f"{method:34s} {n:4d} {f1:.3f} {gains['F']:+7.3f} {gains['AUC']:+8.3f} "
        f"{gains['AUCPR']:+7.3f} {seconds:7.1f}"
        for gains, method, n, f1, seconds in rows
    ]
    title = f"{role.capitalize()} data sets, thresholds by {DEFAULT_RULE}, gains over {reference}"
    return "\n".join([title, head, *lines])
