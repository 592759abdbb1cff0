"""Summarize which rare labels occur with which frequent ones, as SCUMBLE measures."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._plain import plain
from rarelabels.measures import scumble_per_instance

SHOWN_LABELS = 12
BINS = 20


def cooccurrence_summary(Y: sparse.csr_array, names: list[str], irlbl: Any) -> dict[str, Any]:
    """Count samples that rare labels share with frequent ones.

    Parameters
    ----------
    Y : csr_array of shape (n_samples, n_labels)
        The labels.
    names : list of str
        Their names.
    irlbl : ndarray of shape (n_labels,)
        Their IRLbl; those above the mean count as rare, as SCUMBLE's authors have it.

    Returns
    -------
    dict
        "rare" and "frequent" (names), "together" (samples they share), "share" (of the rare label's
        samples), "never_alone" (share of the rare labels' samples that carry a frequent label too)
        and "scumble" (a histogram over the samples).
    """
    rare, frequent = _rare_and_frequent(irlbl)
    counts = np.asarray(Y.sum(axis=0)).ravel()
    shown_rare, shown_frequent = rare[:SHOWN_LABELS], frequent[:SHOWN_LABELS]
    together = (Y[:, shown_rare].T @ Y[:, shown_frequent]).toarray()
    return {
        "rare": [names[j] for j in shown_rare],
        "frequent": [names[j] for j in shown_frequent],
        "n_rare": rare.size,
        "n_frequent": frequent.size,
        "together": plain(together),
        "share": plain(together / np.maximum(counts[shown_rare], 1)[:, None]),
        "never_alone": _share_with_frequent_labels(Y, rare, frequent),
        "scumble": _histogram(scumble_per_instance(Y)),
    }


def _rare_and_frequent(irlbl: Any) -> tuple[Any, Any]:
    """Return the labels above the mean IRLbl, rarest first, and the others, most frequent first."""
    present = np.flatnonzero(np.isfinite(irlbl))
    by_rarity = present[np.argsort(-irlbl[present], kind="stable")]
    is_rare = irlbl[by_rarity] > irlbl[present].mean() if present.size else np.empty(0, dtype=bool)
    return by_rarity[is_rare], by_rarity[~is_rare][::-1]


def _share_with_frequent_labels(Y: sparse.csr_array, rare: Any, frequent: Any) -> float | None:
    carries_rare = np.asarray(Y[:, rare].sum(axis=1)).ravel() > 0
    carries_frequent = np.asarray(Y[:, frequent].sum(axis=1)).ravel() > 0
    if not carries_rare.any():
        return None
    return float(carries_frequent[carries_rare].mean())


def _histogram(values: Any) -> dict[str, Any]:
    top = max(float(values.max(initial=0.0)), 0.01)
    counts, edges = np.histogram(values, bins=BINS, range=(0.0, top))
    return {"edges": plain(edges), "counts": plain(counts)}
