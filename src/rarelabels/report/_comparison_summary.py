"""Everything the page says of a comparison of methods on one data set, as a dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rarelabels.comparison import (
    Gain,
    average_ranks,
    corrected_t_test,
    gains_over_baseline,
    holm,
    indistinct_runs,
)
from rarelabels.metrics import find_metric
from rarelabels.report._conclusion import conclusion
from rarelabels.report._plain import plain

ALPHA = 0.05
MARGIN = 0.01


def comparison_summary(
    results: Sequence[dict[str, Any]],
    *,
    metric: str,
    baseline: str,
    n_splits: int,
    margin: float = MARGIN,
    label_scores: Mapping[str, Sequence[float | None]] | None = None,
    labels: Sequence[str] = (),
) -> dict[str, Any]:
    """Compare methods by their scores on the same folds of one data set.

    Parameters
    ----------
    results : sequence of dict
        One a method and fold: "method", "fold", "score" and "seconds".
    metric : str
        The name of one of `rarelabels.metrics.METRICS`; higher is better.
    baseline : str
        The method that the others are held against.
    n_splits : int
        Folds of each repetition of the cross-validation.
    margin : float, default=0.01
        The largest gain that does not matter.
    label_scores : mapping of str to list, optional
        For each method the mean score of each label, None where there is none.
    labels : sequence of str
        Names of the labels, in the order of `label_scores`.

    Returns
    -------
    dict
        "methods" (each with its mean, interval, rank, gain over the baseline, verdict, time),
        "alike" (runs of methods, by rank, that do not differ), "gains" (for each method one for
        each label) and "conclusion". JSON can hold it.

    Examples
    --------
    >>> from rarelabels.report import comparison_summary
    >>> gains = {"none": 0.0, "mlsol": 0.1}
    >>> results = [
    ...     {"method": name, "fold": fold, "score": 0.5 + gain + fold / 100, "seconds": 1.0}
    ...     for name, gain in gains.items() for fold in range(10)
    ... ]
    >>> found = comparison_summary(results, metric="macro_f1", baseline="none", n_splits=2)
    >>> found["conclusion"]["headline"]
    'mlsol helps by a relevant amount: macro-F1 goes from 0.545 to 0.645 (+0.100).'
    """
    scored = find_metric(metric)
    scores = _by_method(results, "score", baseline)
    gains = gains_over_baseline(scores, baseline, n_splits=n_splits, margin=margin, alpha=ALPHA)
    rank = average_ranks(scores)
    seconds = _by_method(results, "seconds", baseline)
    methods = [
        {
            **_method(name, scores[name], gains.get(name), n_splits),
            "rank": rank[name],
            "seconds": float(np.mean(seconds[name])),
        }
        for name in scores
    ]
    found: dict[str, Any] = {
        "metric": metric,
        "metric_title": scored.title,
        "label_title": scored.label_title,
        "baseline": baseline,
        "n_folds": len(next(iter(scores.values()))),
        "n_splits": n_splits,
        "margin": margin,
        "methods": methods,
        "alike": _alike(scores, rank, n_splits),
        "labels": list(labels),
        "gains": plain(_label_gains(label_scores or {}, baseline)),
    }
    return plain({**found, "conclusion": conclusion(found)})


def _by_method(results: Sequence[dict[str, Any]], what: str, baseline: str) -> dict[str, Any]:
    """Return a column for each method, over the folds that all of them have; the baseline first."""
    names = sorted(dict.fromkeys(row["method"] for row in results), key=lambda n: n != baseline)
    table = {name: {r["fold"]: r[what] for r in results if r["method"] == name} for name in names}
    common = sorted(set.intersection(*(set(column) for column in table.values())))
    if not common:
        raise ValueError("no fold has a score of every method: run the comparison to its end.")
    return {name: [column[fold] for fold in common] for name, column in table.items()}


def _method(name: str, scores: Any, gain: Gain | None, n_splits: int) -> dict[str, Any]:
    own = corrected_t_test(scores, n_splits=n_splits)
    low, high = own.interval()
    row = {
        "name": name,
        "mean": own.mean,
        "sd": float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        "score_low": low,
        "score_high": high,
        "scores": list(scores),
    }
    if gain is None:
        return {**row, "gain": 0.0, "low": 0.0, "high": 0.0, "p_value": None, "verdict": "baseline"}
    return {
        **row,
        "gain": gain.mean,
        "low": gain.low,
        "high": gain.high,
        "p_value": gain.adjusted_pvalue,
        "probability_helps": gain.probability_helps,
        "probability_hurts": gain.probability_hurts,
        "smallest_detectable": gain.smallest_detectable,
        "repeats_needed": gain.repeats_needed,
        "verdict": gain.verdict,
        "is_relevant": gain.is_relevant,
    }


def _alike(scores: dict[str, Any], rank: dict[str, float], n_splits: int) -> list[list[str]]:
    """Return runs of methods, in the order of their ranks, among which no two differ."""
    if len(scores) < 2:
        return []
    names = sorted(scores, key=lambda name: rank[name])
    rows, columns = np.triu_indices(len(names), 1)
    p_values = [
        corrected_t_test(np.subtract(scores[names[a]], scores[names[b]]), n_splits=n_splits).pvalue
        for a, b in zip(rows, columns, strict=True)
    ]
    alike = np.ones((len(names), len(names)), dtype=bool)
    alike[rows, columns] = alike[columns, rows] = ~(holm(p_values) <= ALPHA)
    return [[names[first], names[last]] for first, last in indistinct_runs(alike)]


def _label_gains(scores: Mapping[str, Sequence[float | None]], baseline: str) -> dict[str, Any]:
    """Return each method's gain over the baseline, label by label."""
    tables = {name: np.array(values, dtype=float) for name, values in scores.items()}
    base = tables.pop(baseline, None)
    return {} if base is None else {name: table - base for name, table in tables.items()}
