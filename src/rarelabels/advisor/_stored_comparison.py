"""Compare methods on one data set by the results in a store."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from rarelabels._wording import listed
from rarelabels.comparison import comparison_summary
from rarelabels.experiment.failures import failures_of
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
    simplest_first: Sequence[str] = (),
    n_folds: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Compare the methods of a plan of one data set and one learner.

    Parameters
    ----------
    store : Store
        The results.
    plan : str
        The plan's name in it.
    metric : str
        The name of one of `rarelabels.metrics.METRICS`.
    baseline : str
        The method that the others are compared with.
    n_splits : int
        Parts of each repetition of the cross-validation.
    labels : sequence of str
        The labels' names, in the data set's order.
    positives : sequence of int
        The number of samples with each label.
    margin : float, default=0.01
        Gains up to this size are considered irrelevant.
    without_sampling : collection of str
        Methods besides the baseline that do not resample.
    simplest_first : sequence of str
        The methods, the simplest first, for the recommendation.
    n_folds : mapping of str to int, optional
        How many of the first folds count, for each method; by default, all that have a score.

    Returns
    -------
    dict
        As :func:`~rarelabels.comparison.comparison_summary` gives it, with "unfinished": methods
        of `simplest_first` with too few folds in common with the baseline, which are left out; and
        "failures": how many folds each method failed on, and the first reason.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarelabels.advisor import stored_comparison
    >>> from rarelabels.datasets import make_local_imbalance, save_csv
    >>> from rarelabels.experiment import Store, run
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
    ...     comparison = stored_comparison(
    ...         store, "small", metric="macro_f1", baseline="Default", n_splits=2,
    ...         labels=data.label_names, positives=data.Y.sum(axis=0),
    ...     )
    >>> sorted(method["name"] for method in comparison["methods"])
    ['Default', 'MLSOL']
    """
    counted = {} if n_folds is None else n_folds
    results = [
        row
        for row in _results(store, plan, metric)
        if row["fold"] < counted.get(row["method"], math.inf)
    ]
    results = comparable(results, baseline)
    summary = comparison_summary(
        results,
        metric=metric,
        baseline=baseline,
        n_splits=n_splits,
        margin=margin,
        label_scores=_label_scores(store, plan, metric, labels, results, baseline),
        labels=labels,
        positives=[int(count) for count in positives],
        without_sampling=without_sampling,
        simplest_first=simplest_first,
    )
    failures = failures_of(store, plan)
    compared = {row["method"] for row in results} | failures.keys()
    unfinished = [name for name in simplest_first if name not in compared]
    if unfinished:
        _say_unfinished(summary["conclusion"], unfinished, len(summary["methods"]))
    return {**summary, "unfinished": unfinished, "failures": failures}


def _say_unfinished(conclusion: dict[str, Any], names: list[str], n_compared: int) -> None:
    if n_compared == 1:
        conclusion["headline"] = (
            "There was time for the model alone only, so nothing can be compared yet."
        )
    were = "was" if len(names) == 1 else "were"
    sentence = f"{listed(names)} {were} not finished in time and left out."
    conclusion["details"].append(f"{sentence[0].upper()}{sentence[1:]}")


def comparable(results: list[dict[str, Any]], baseline: str) -> list[dict[str, Any]]:
    """Return the results of the methods that have two folds in common with the baseline.

    One fold is enough if no method has two.

    >>> rows = [("none", 0), ("none", 1), ("a", 0), ("a", 1), ("b", 2)]
    >>> results = [{"method": method, "fold": fold} for method, fold in rows]
    >>> [row["method"] for row in comparable(results, "none")]
    ['none', 'none', 'a', 'a']
    """
    folds: dict[str, set[int]] = {}
    for row in results:
        folds.setdefault(row["method"], set()).add(row["fold"])
    if baseline not in folds:
        raise NothingFinished
    n_common = {name: len(own & folds[baseline]) for name, own in folds.items()}
    for least in (2, 1):
        names = {name for name, count in n_common.items() if count >= least}
        if names - {baseline}:
            break
    return [row for row in results if row["method"] in {*names, baseline}]


class NothingFinished(ValueError):
    """The model alone has no result, so there is nothing to compare with."""

    def __init__(self) -> None:
        super().__init__("no fold has a score of the model alone: run the comparison to its end.")


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
    store: Store,
    plan: str,
    metric: str,
    labels: Sequence[str],
    results: list[dict[str, Any]],
    baseline: str,
) -> dict[str, Any]:
    """Return a table of the baseline's folds × labels for each method, of the given results."""
    folds = sorted(row["fold"] for row in results if row["method"] == baseline)
    row_of, column_of = {f: i for i, f in enumerate(folds)}, {n: j for j, n in enumerate(labels)}
    compared = {(row["method"], row["fold"]) for row in results}
    scores: dict[str, Any] = {}
    for row in store.label_scores_by_fold(metric, plan):
        is_compared = (row["method"], row["fold"]) in compared
        if is_compared and row["fold"] in row_of and row["label"] in column_of:
            if row["method"] not in scores:
                scores[row["method"]] = np.full((len(folds), len(labels)), np.nan)
            value = np.nan if row["value"] is None else row["value"]
            scores[row["method"]][row_of[row["fold"]], column_of[row["label"]]] = value
    return scores
