"""Ranks and tests over data sets of a store's table of scores, as a dict."""

from __future__ import annotations

import warnings
from typing import Any

from rarelabels._plain import plain
from rarelabels.comparison import average_ranks, friedman_test, wilcoxon_bergmann_hommel
from rarelabels.experiment import ScoreTable
from rarelabels.metrics import find_metric

FEWEST_FOR_TESTS = 5


def tables_summary(table: ScoreTable, *, metric: str, learner: str = "") -> dict[str, Any]:
    """Rank and test methods over data sets.

    Parameters
    ----------
    table : ScoreTable
        Means over folds, with a row for each data set. Data sets without all scores are left out of
        ranks and tests.
    metric, learner : str
        The metric and the learner of the scores. The metric says whether lower is better.

    Returns
    -------
    dict
        "metric", "learner", "datasets", "methods", "scores" (rows), "n_complete", "ranks", and
        if enough data sets are complete, "friedman", "wins" and "losses"; "note" says what is not
        tested, and why. It can be written as JSON.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.experiment import ScoreTable
    >>> from rarelabels.report import tables_summary
    >>> table = ScoreTable(np.array([[0.5, 0.6], [0.7, np.nan]]), ("a", "b"), ("none", "MLSOL"))
    >>> tables_summary(table, metric="macro_f1")["ranks"]
    {'none': 2.0, 'MLSOL': 1.0}
    """
    complete = table.complete()
    columns = complete.columns()
    direction = {"lower_is_better": find_metric(metric).lower_is_better}
    summary = {
        "metric": metric,
        "learner": learner,
        "datasets": list(table.datasets),
        "methods": list(table.methods),
        "scores": table.values,
        "n_complete": len(complete.datasets),
        "ranks": average_ranks(columns, **direction) if complete.datasets else {},
    }
    n_complete = len(complete.datasets)
    if len(table.methods) > 1:
        summary |= (
            _tests(columns, direction) if n_complete >= FEWEST_FOR_TESTS else _too_few(n_complete)
        )
    return plain(summary)


def _too_few(n_complete: int) -> dict[str, str]:
    """Say why methods are not tested."""
    are = "data set is" if n_complete == 1 else "data sets are"
    return {
        "note": f"{n_complete} complete {are} too few for tests, which need at least "
        f"{FEWEST_FOR_TESTS}."
    }


def _tests(columns: dict[str, list[float]], direction: dict[str, bool]) -> dict[str, Any]:
    with warnings.catch_warnings():
        # That Holm's correction takes over for many methods is said by "correction".
        warnings.simplefilter("ignore", UserWarning)
        pairs = wilcoxon_bergmann_hommel(columns, **direction)
    friedman = friedman_test(columns).pvalue if len(columns) > 2 else None
    return {
        "friedman": friedman,
        "wins": pairs.wins,
        "losses": pairs.losses,
        "correction": pairs.correction,
        "note": pairs.note,
    }
