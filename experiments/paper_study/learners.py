"""How good the learners are, those of several plans beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .formats import Table
from .paper import METRICS
from .results import Results

SHOWN = ("Default", "Thresholds", "EMLSOL")


def learners_table(plans: Sequence[Results]) -> Table:
    """Return the mean scores of learners alone, with thresholds, and under EMLSOL.

    Parameters
    ----------
    plans : sequence of Results
        With the same data sets and folds.
    """
    rows = [
        (learner, method, *cells)
        for results in plans
        for learner in results.learners
        for method in SHOWN
        if method in results.methods and (cells := _means(results, learner, method))
    ]
    best = {
        (max(range(len(rows)), key=lambda i: float(rows[i][column])), column)
        for column in range(2, 2 + len(METRICS) * bool(rows))
    }
    caption = (
        "Mean scores over the thirteen data sets, the same folds for all: learners alone "
        "(Default), with thresholds chosen by F, and in an ensemble over MLSOL, which chooses "
        "thresholds too."
    )
    header = ("Base", "Method", *METRICS.values())
    return Table("learners", caption, header, tuple(rows), frozenset(best))


def _means(results: Results, learner: str, method: str) -> tuple[str, ...]:
    """Return the mean by each metric; nothing unless every data set has a whole repetition."""
    tables = [results.table(metric, learner, (method,)) for metric in METRICS]
    if any(set(table.datasets) != set(results.datasets) for table in tables):
        return ()
    return tuple(f"{np.mean(table.values):.4f}" for table in tables)
