"""Thresholds from scores of models that learned from parts of the samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.decisions._chance import at_frequency
from rarelabels.decisions._targets import UnreachableTarget
from rarelabels.decisions.cuts import NOTHING, cuts_of_blocks, entry_weights


def out_of_fold_thresholds(
    rule: Any,
    Y: Array,
    scores: Array,
    learned: Array,
    weights: Array | None = None,
    known: Array | None = None,
) -> Array:
    """Return thresholds by a rule from scores of several models.

    Parameters
    ----------
    rule : rule
        As `check_rule` returns it.
    Y, scores : ndarrays of shape (n_samples, n_labels)
        True labels, and scores by a model that did not learn from the sample.
    learned : ndarray of bools of shape (n_samples, n_labels)
        Whether that model learned from some positive sample of the label. Other scores say nothing
        and are left out; a label whose positives all have such scores is predicted as often as it
        occurs.
    weights : None, or ndarray of shape (n_samples,) or (n_samples, n_labels)
        Weights of samples or entries.
    known : None, or ndarray of bools of shape (n_samples, n_labels)
        Whether a label is known.
    """
    usable = learned if known is None else learned & known
    thresholds = rule.thresholds(Y, scores, weights, None if usable.all() else usable)
    counted = entry_weights(weights, known, Y.shape)
    counted = np.ones(Y.shape) if counted is None else counted.T
    n_positive, n_samples = (counted * Y).sum(axis=0), counted.sum(axis=0)
    lost = np.flatnonzero((n_positive > 0) & ((counted * Y * usable).sum(axis=0) == 0))
    if lost.size and getattr(rule, "falls_back", True):
        entries = weights[:, lost] if weights is not None and weights.ndim == 2 else weights
        share = n_positive[lost] / n_samples[lost]
        thresholds = thresholds.copy()
        thresholds[lost] = as_frequent(share, scores[:, lost], entries, usable[:, lost])
    return thresholds


@contextmanager
def named_labels(names: Sequence[str]) -> Iterator[None]:
    """Add the names of labels to the error of a target that cannot be reached."""
    try:
        yield
    except UnreachableTarget as error:
        raise UnreachableTarget(error.target, error.reasons, names) from None


def as_frequent(share: Array, scores: Array, weights: Array | None, known: Array) -> Array:
    """Return thresholds that predict given shares of the samples, as closely as ties allow."""
    thresholds, start = [], 0
    for cuts in cuts_of_blocks(np.zeros(scores.shape, dtype=bool), scores, weights, known):
        part = share[start : start + len(cuts.scores)]
        wanted = replace(cuts, n_positive=part * cuts.n_samples)
        nothing = np.full(part.size, NOTHING)
        thresholds.append(wanted.thresholds(at_frequency(wanted, nothing, wanted.has_positives)))
        start += part.size
    return np.concatenate(thresholds)
