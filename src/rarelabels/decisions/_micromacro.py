"""micromacro: cuts that raise macro-F and micro-F together, one label after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.decisions._chance import repaired
from rarelabels.decisions.cuts import Cuts, cuts_of_blocks, entry_weights, f1_of


def micromacro_thresholds(Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
    """Return the cuts of labels in descending frequency, each the best for all labels so far.

    The value of a cut is the label's F, divided by the number of labels so far, plus the micro-F
    of all labels so far (L.-C. Lin and C.-J. Lin, CIKM 2023).
    """
    counted = entry_weights(weights, known, scores.shape)
    frequency = Y.sum(axis=0) if counted is None else (counted * Y.T).sum(axis=1)
    order = np.argsort(-frequency, kind="stable")
    thresholds, hits, total, n_labels = [], 0.0, 0.0, 0
    for block in cuts_of_blocks(Y, scores, weights, known, order):
        for label in range(len(block.scores)):
            cuts = block.take(slice(label, label + 1))
            n_labels += 1
            places = repaired(cuts, _best_place(cuts, hits, total, n_labels))
            threshold = cuts.thresholds(places)
            thresholds.append(threshold)
            # A label of one class is predicted nowhere or everywhere.
            true_positives, predicted = cuts.counts_at(places)
            if np.isinf(threshold[0]):
                is_all = threshold[0] < 0
                true_positives = cuts.n_positive if is_all else np.zeros(1)
                predicted = cuts.n_samples if is_all else np.zeros(1)
            hits += float(true_positives[0])
            total += float(predicted[0] + cuts.n_positive[0])
    chosen = np.empty(len(thresholds))
    chosen[order] = np.concatenate(thresholds)
    return chosen


def _best_place(cuts: Cuts, hits: float, total: float, n_labels: int) -> Array:
    """Return the best place of one label; `hits` and `total` are sums over the labels before it.

    F is twice the hits divided by the sum of predicted and positive samples.
    """
    all_of_both = total + cuts.predicted + cuts.n_positive[:, None]
    micro = 2 * (hits + cuts.hits) / np.where(all_of_both > 0, all_of_both, 1)
    value = f1_of(cuts) / n_labels + micro
    return np.where(cuts.is_cut, value, -np.inf).argmax(axis=1)
