"""The failed jobs of a plan, by method."""

from __future__ import annotations

from rarelabels.experiment.store import Store


def failures_of(store: Store, plan: str) -> dict[str, tuple[int, str]]:
    """Return how many folds each method failed on, and the first reason."""
    failures: dict[str, tuple[int, str]] = {}
    for row in store.failures(plan):
        count, reason = failures.get(row["method"], (0, str(row["error"]).splitlines()[0]))
        failures[row["method"]] = (count + 1, reason)
    return failures
