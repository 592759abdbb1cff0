"""A comparison on one data set out of a store of results."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from rarelabels.comparison import comparison_summary
from rarelabels.experiment.store import Store

SECONDS = ("sampling_seconds", "training_seconds", "prediction_seconds")


def stored_comparison(
    store: Store,
    plan: str,
    *,
    metric: str,
    baseline: str,
    n_splits: int,
    labels: Sequence[str],
    positives: Sequence[int],
    margin: float = 0.01,
    without_sampling: Collection[str] = (),
) -> dict[str, Any]:
    """Compare the methods of a plan of one data set and one learner.

    Parameters
    ----------
    store : Store
        The results.
    plan : str
        The plan's name in it.
    metric : str
        The name of one of `rarelabels.metrics.METRICS`, higher is better.
    baseline : str
        The method that the others are held against.
    n_splits : int
        Parts of each repetition of the cross-validation.
    labels : sequence of str
        The labels' names, in the data set's order.
    positives : sequence of int
        Samples that carry each of them.
    margin : float, default=0.01
        The largest gain that does not matter.
    without_sampling : collection of str
        Methods beside the baseline that do not resample.

    Returns
    -------
    dict
        As :func:`~rarelabels.comparison.comparison_summary` gives it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarelabels.datasets import make_local_imbalance, save_csv
    >>> from rarelabels.experiment import Store, run, stored_comparison
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "made.csv"
    >>> data = make_local_imbalance(80, difficulty=0.3, random_state=0)
    >>> save_csv(data, file)
    >>> plan = {
    ...     "name": "small",
    ...     "datasets": [{"path": str(file), "labels": "label_"}],
    ...     "learners": ["BR"],
    ...     "methods": ["default", "MLSOL"],
    ...     "folds": {"n_splits": 2, "n_repeats": 2},
    ...     "per_label": True,
    ... }
    >>> with Store(":memory:") as store:
    ...     _ = run(plan, store, engine="inline")
    ...     found = stored_comparison(
    ...         store, "small", metric="macro_f1", baseline="Default", n_splits=2,
    ...         labels=data.label_names, positives=data.Y.sum(axis=0),
    ...     )
    >>> sorted(method["name"] for method in found["methods"])
    ['Default', 'MLSOL']
    """
    results = _results(store, plan, metric)
    return comparison_summary(
        results,
        metric=metric,
        baseline=baseline,
        n_splits=n_splits,
        margin=margin,
        label_scores=_label_scores(store, plan, metric, labels, _common_folds(results)),
        labels=labels,
        positives=[int(count) for count in positives],
        without_sampling=without_sampling,
    )


def _results(store: Store, plan: str, metric: str) -> list[dict[str, Any]]:
    return [
        {
            "method": row["method"],
            "fold": row["fold"],
            "score": row["value"],
            "seconds": sum(row[part] or 0.0 for part in SECONDS),
        }
        for row in store.rows(plan)
        if row["metric"] == metric and row["value"] is not None
    ]


def _common_folds(results: list[dict[str, Any]]) -> list[int]:
    """Return the folds on which every method has a score."""
    by_method: dict[str, set[int]] = {}
    for row in results:
        by_method.setdefault(row["method"], set()).add(row["fold"])
    return sorted(set.intersection(*by_method.values())) if by_method else []


def _label_scores(
    store: Store, plan: str, metric: str, labels: Sequence[str], folds: list[int]
) -> dict[str, Any]:
    """Return a table of folds × labels for each method."""
    row_of, column_of = {f: i for i, f in enumerate(folds)}, {n: j for j, n in enumerate(labels)}
    found: dict[str, Any] = {}
    for row in store.label_scores_by_fold(metric, plan):
        if row["fold"] in row_of and row["label"] in column_of:
            if row["method"] not in found:
                found[row["method"]] = np.full((len(folds), len(labels)), np.nan)
            value = np.nan if row["value"] is None else row["value"]
            found[row["method"]][row_of[row["fold"]], column_of[row["label"]]] = value
    return found
