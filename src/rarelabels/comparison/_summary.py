"""Summarize a comparison of methods on one data set as a dict, for the report page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._plain import plain
from rarelabels.comparison._conclusion import conclusion
from rarelabels.comparison._corrected_t import corrected_t_test
from rarelabels.comparison._gains import Gain, differences_of, gains_on_folds
from rarelabels.comparison._label_gains import FEWEST_POSITIVES, label_gains, rare_label_gains
from rarelabels.comparison._plot import indistinct_runs
from rarelabels.comparison._ranks import average_ranks
from rarelabels.comparison._recommendation import (
    adjusted_mean,
    clear_differences,
    recommended_method,
)
from rarelabels.metrics import find_metric

ALPHA = 0.05
MARGIN = 0.01


def comparison_summary(
    results: Sequence[dict[str, Any]],
    *,
    metric: str,
    baseline: str,
    n_splits: int,
    margin: float = MARGIN,
    label_scores: Mapping[str, Any] | None = None,
    labels: Sequence[str] = (),
    positives: Sequence[int] = (),
    without_sampling: Collection[str] = (),
    simplest_first: Sequence[str] = (),
) -> dict[str, Any]:
    """Compare methods by their scores on the same folds of one data set.

    Two methods are compared on the folds that both have. A method that lacks some folds of the
    baseline has the mean of the baseline plus its gain as its mean.

    Parameters
    ----------
    results : sequence of dict
        One dict per method and fold: "method", "fold", "score" and "seconds".
    metric : str
        The name of one of `rarelabels.metrics.METRICS`; its record says whether lower is better.
    baseline : str
        The method that the others are compared with.
    n_splits : int
        Folds of each repetition of the cross-validation.
    margin : float, default=0.01
        Gains up to this size are considered irrelevant.
    label_scores : mapping of str to array of shape (n_folds, n_labels), optional
        Score of each label on each fold of the baseline for each method, NaN if there is none.
    labels : sequence of str
        Names of the labels.
    positives : sequence of int
        Number of samples that carry each label.
    without_sampling : collection of str
        Methods other than the baseline that do not resample. The best method with sampling is also
        compared with the best of these.
    simplest_first : sequence of str
        The methods from the simplest to the most complex, for the recommendation. The baseline is
        simpler than all of them. Methods that are not listed are equally complex.

    Returns
    -------
    dict
        "methods" (each with its mean, interval, rank, gain over the baseline, verdict, time and
        number of folds), "alike" (runs of methods, by rank, that do not differ), "gains" (of each
        method on each label), "label_tests" (intervals, p-values and verdicts of the labels for
        each method), "rare_labels" (the labels with few positives as one score), "beyond" (sampling
        compared with the best method without sampling), "recommended" (the simplest method that no
        other is clearly better than), "focus" (the method whose labels are shown) and "conclusion".
        A gain is positive if the method is better, also for metrics of which lower values are
        better. The dict can be written as JSON.

    Examples
    --------
    >>> from rarelabels.comparison import comparison_summary
    >>> gains = {"none": 0.0, "mlsol": 0.1}
    >>> results = [
    ...     {"method": name, "fold": fold, "score": 0.5 + gain + fold / 100, "seconds": 1.0}
    ...     for name, gain in gains.items() for fold in range(10)
    ... ]
    >>> summary = comparison_summary(results, metric="macro_f1", baseline="none", n_splits=2)
    >>> summary["conclusion"]["headline"]
    'Use mlsol: macro-F1 rises from 0.545 to 0.645 (+0.100).'
    """
    scored = find_metric(metric)
    # Where lower is better, what follows sees minus the scores, so that a gain is a gain.
    sign = -1.0 if scored.lower_is_better else 1.0
    scores = {
        name: sign * column for name, column in _by_method(results, "score", baseline).items()
    }
    gains = gains_on_folds(scores, baseline, n_splits=n_splits, margin=margin, alpha=ALPHA)
    rank = _ranks(scores, baseline)
    seconds = _by_method(results, "seconds", baseline)
    methods = [
        {
            **_method(scores, name, baseline, gains.get(name), n_splits, sign),
            "rank": rank[name],
            "seconds": float(np.nanmean(seconds[name])),
            "samples": name != baseline and name not in without_sampling,
        }
        for name in scores
    ]
    differs = clear_differences(scores, gains, baseline, n_splits, ALPHA)
    recommended = recommended_method(scores, differs, baseline, simplest_first)
    summary: dict[str, Any] = {
        "metric": metric,
        "metric_title": scored.title,
        "label_title": scored.label_title,
        "lower_is_better": scored.lower_is_better,
        "baseline": baseline,
        "n_folds": len(next(iter(scores.values()))),
        "n_splits": n_splits,
        "margin": margin,
        "methods": methods,
        "alike": _alike(differs, list(scores), rank),
        "recommended": recommended,
        "focus": _focus(scores, recommended, baseline),
        "labels": list(labels),
        "positives": list(positives),
        **_labels(_signed(label_scores or {}, sign), baseline, positives, n_splits, margin),
        "beyond": _beyond(scores, baseline, without_sampling, n_splits),
    }
    return plain({**summary, "conclusion": conclusion(summary)})


def _signed(scores: Mapping[str, Any], sign: float) -> dict[str, Array]:
    return {name: sign * np.asarray(table, dtype=float) for name, table in scores.items()}


def _labels(
    scores: Mapping[str, Any],
    baseline: str,
    positives: Sequence[int],
    n_splits: int,
    margin: float,
) -> dict[str, Any]:
    """Return the gains of each method on each label, and on all labels with few positives."""
    if baseline not in scores:
        return {"gains": {}, "label_tests": {}, "rare_labels": None}
    settings: dict[str, Any] = {"positives": positives, "n_splits": n_splits, "alpha": ALPHA}
    tests = label_gains(scores, baseline, **settings)
    rare = rare_label_gains(scores, baseline, margin=margin, **settings)
    n_rare = int((np.asarray(positives) < FEWEST_POSITIVES).sum())
    return {
        "gains": {name: test.mean for name, test in tests.items()},
        "label_tests": {
            name: {
                "low": test.low,
                "high": test.high,
                "p_value": test.adjusted_pvalue,
                "verdict": list(test.verdict),
            }
            for name, test in tests.items()
        },
        "rare_labels": {
            "n_labels": n_rare,
            "fewest": FEWEST_POSITIVES,
            "methods": {name: _gain_row(gain) for name, gain in rare.items()},
        },
    }


def _beyond(
    scores: dict[str, Any], baseline: str, without_sampling: Collection[str], n_splits: int
) -> dict[str, Any] | None:
    """Compare the best method with sampling and the best one without, such as thresholds."""
    means = {name: adjusted_mean(scores, name, baseline) for name in scores}
    rivals = [name for name in means if name in without_sampling]
    others = [name for name in means if name != baseline and name not in without_sampling]
    if not rivals or not others:
        return None
    best, rival = max(others, key=means.__getitem__), max(rivals, key=means.__getitem__)
    differences = differences_of(scores, best, rival)
    if not differences.size:
        return None
    test = corrected_t_test(differences, n_splits=n_splits)
    low, high = test.interval()
    return {
        "method": best,
        "rival": rival,
        "gain": test.mean,
        "low": low,
        "high": high,
        "p_value": test.pvalue,
    }


def _by_method(results: Sequence[dict[str, Any]], field: str, baseline: str) -> dict[str, Array]:
    """Return a column for each method over the folds of the baseline, which comes first.

    A value is NaN if a method has no result.
    """
    names = sorted(dict.fromkeys(row["method"] for row in results), key=lambda n: n != baseline)
    table = {name: {r["fold"]: r[field] for r in results if r["method"] == name} for name in names}
    folds = sorted(table.get(baseline, ()))
    columns = {
        name: np.array([column.get(fold, np.nan) for fold in folds], dtype=float)
        for name, column in table.items()
    }
    if not folds or any(np.isnan(column).all() for column in columns.values()):
        raise ValueError(
            "every method needs at least one fold in common with the baseline; finish the "
            "comparison first."
        )
    return columns


def _ranks(scores: Mapping[str, Array], baseline: str) -> dict[str, float]:
    """Return average ranks over the folds that all methods have, or else the ranks of the means."""
    is_common = ~np.isnan(list(scores.values())).any(axis=0)
    columns: dict[str, Any] = {name: column[is_common] for name, column in scores.items()}
    if not is_common.any():
        columns = {name: [adjusted_mean(scores, name, baseline)] for name in scores}
    ranks: dict[str, float] = average_ranks(columns)
    return ranks


def _method(
    columns: Mapping[str, Array],
    name: str,
    baseline: str,
    gain: Gain | None,
    n_splits: int,
    sign: float,
) -> dict[str, Any]:
    """Return what a method scores and gains; a sign of -1 is that of the columns' scores."""
    scores = columns[name][~np.isnan(columns[name])]
    test, mean = corrected_t_test(scores, n_splits=n_splits), adjusted_mean(columns, name, baseline)
    low, high = sorted(sign * (end + mean - test.mean) for end in test.interval())
    row = {
        "name": name,
        "mean": sign * mean,
        "sd": float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        "score_low": low,
        "score_high": high,
        "scores": list(sign * scores),
        "n_folds": len(scores),
        "equals_baseline": not differences_of(columns, name, baseline).any(),
    }
    if gain is None:
        return {**row, "gain": 0.0, "low": 0.0, "high": 0.0, "p_value": None, "verdict": "baseline"}
    return {**row, **_gain_row(gain)}


def _gain_row(gain: Gain) -> dict[str, Any]:
    return {
        "gain": gain.mean,
        "low": gain.low,
        "high": gain.high,
        "p_value": gain.adjusted_pvalue,
        "probability_helps": gain.probability_helps,
        "probability_hurts": gain.probability_hurts,
        "smallest_detectable": gain.smallest_detectable,
        "repeats_needed": gain.repeats_needed,
        "what_it_would_take": gain.what_it_would_take(),
        "verdict": gain.verdict,
        "is_relevant": gain.is_relevant,
    }


def _alike(differs: Array, names: Sequence[str], rank: dict[str, float]) -> list[list[str]]:
    """Return runs of methods, in the order of their ranks, among which no two differ clearly."""
    if len(names) < 2:
        return []
    order = sorted(range(len(names)), key=lambda place: rank[names[place]])
    alike = ~differs[np.ix_(order, order)]
    return [[names[order[first]], names[order[last]]] for first, last in indistinct_runs(alike)]


def _focus(scores: Mapping[str, Any], recommended: str, baseline: str) -> str | None:
    """Return the method whose labels are shown: the recommended one, else the best other one."""
    if recommended != baseline:
        return recommended
    others = [name for name in scores if name != baseline]
    return max(others, key=lambda name: adjusted_mean(scores, name, baseline), default=None)
