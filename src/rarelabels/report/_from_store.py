"""A comparison on one data set out of a store of results."""

from __future__ import annotations

from typing import Any

from rarelabels.experiment import Store
from rarelabels.report._comparison_summary import comparison_summary

SECONDS = ("sampling_seconds", "training_seconds", "prediction_seconds")


def stored_comparison(
    store: Store,
    plan: str,
    *,
    metric: str,
    baseline: str,
    n_splits: int,
    labels: tuple[str, ...],
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
    labels : tuple of str
        The labels' names, in the data set's order.

    Returns
    -------
    dict
        As :func:`comparison_summary` gives it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarelabels.datasets import make_local_imbalance, save_csv
    >>> from rarelabels.experiment import Store, run
    >>> from rarelabels.report import stored_comparison
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
    ...         labels=data.label_names,
    ...     )
    >>> sorted(method["name"] for method in found["methods"])
    ['Default', 'MLSOL']
    """
    return comparison_summary(
        _results(store, plan, metric),
        metric=metric,
        baseline=baseline,
        n_splits=n_splits,
        label_scores=_label_scores(store, plan, metric, labels),
        labels=labels,
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


def _label_scores(
    store: Store, plan: str, metric: str, labels: tuple[str, ...]
) -> dict[str, list[float | None]]:
    found: dict[str, dict[str, float]] = {}
    for row in store.label_scores(metric, plan):
        found.setdefault(row["method"], {})[row["label"]] = row["value"]
    return {name: [values.get(label) for label in labels] for name, values in found.items()}
