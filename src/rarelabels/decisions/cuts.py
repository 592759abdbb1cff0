"""Counts above every cut between two scores of a label, which all rules choose from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array

# Entries of a block of labels, so that a rule needs little memory besides its input.
ENTRIES_AT_ONCE = 2**22
# The place of the cut above all scores, which predicts nothing.
NOTHING = -1


@dataclass(frozen=True)
class Cuts:
    """Counts of samples above each cut of some labels; one row per label, from high to low scores.

    Attributes
    ----------
    scores : ndarray of floats of shape (n_labels, n_samples)
        Sorted from high to low. Entries that count for nothing come last, as minus infinity.
    hits, predicted : ndarrays of shape (n_labels, n_samples)
        Weight of the positive samples and of all samples down to each place.
    is_cut : ndarray of bools of shape (n_labels, n_samples)
        Whether a threshold can lie below this place: equal scores stay on one side.
    n_positive, n_samples : ndarrays of shape (n_labels,)
        Weight of all positive samples, and of all samples.
    """

    scores: Array
    hits: Array
    predicted: Array
    is_cut: Array
    n_positive: Array
    n_samples: Array

    @property
    def has_positives(self) -> Array:
        """Whether a label has a positive sample."""
        return self.n_positive > 0

    @property
    def has_negatives(self) -> Array:
        """Whether a label has a negative sample."""
        return self.n_positive < self.n_samples

    def counts_at(self, places: Array) -> tuple[Array, Array]:
        """Return the weight of the positive and of all samples above cuts of each label."""
        rows, inside = self._rows(places), np.maximum(places, 0)
        hits, predicted = self.hits[rows, inside], self.predicted[rows, inside]
        return np.where(places < 0, 0, hits), np.where(places < 0, 0, predicted)

    def nearest(self, label: int, wanted: Array, *, or_none: bool = False) -> Array:
        """Return the places whose cuts predict about the wanted number of samples of a label.

        If two cuts are equally near, the one that predicts fewer is returned. The cut that predicts
        nothing is only considered with `or_none`.
        """
        places = np.flatnonzero(self.is_cut[label])
        counts = self.predicted[label, places].astype(float)
        if or_none:
            places, counts = np.append(NOTHING, places), np.append(0.0, counts)
        above = np.minimum(np.searchsorted(counts, wanted), counts.size - 1)
        below = np.maximum(above - 1, 0)
        is_below_nearer = wanted - counts[below] <= counts[above] - wanted
        return places[np.where(is_below_nearer, below, above)]

    def thresholds(self, places: Array) -> Array:
        """Return the thresholds of the cuts below some places, (n_labels,) or (n_labels, …).

        The threshold is infinity for a label without positives, and minus infinity for a label
        without negatives.
        """
        rows = self._rows(places)
        high = self.scores[rows, np.maximum(places, 0)]
        n_samples = self.scores.shape[1]
        low = self.scores[rows, np.minimum(places + 1, n_samples - 1)]
        low = np.where(places + 1 < n_samples, low, -np.inf)
        chosen = np.where(places < 0, np.nextafter(high, np.inf), between(high, low))
        shape = rows.shape
        chosen = np.where(self.has_negatives.reshape(shape), chosen, -np.inf)
        return np.where(self.has_positives.reshape(shape), chosen, np.inf)

    def take(self, labels: slice) -> Cuts:
        """Return the cuts of some labels."""
        return Cuts(*(part[labels] for part in vars(self).values()))

    def _rows(self, places: Array) -> Array:
        """Return the labels' numbers in a shape that goes with places of each label."""
        return np.arange(len(self.scores)).reshape(-1, *[1] * (places.ndim - 1))


def between(high: Array, low: Array) -> Array:
    """Return the middle of low and high, never low itself, which must stay below."""
    # In halves: the sum of two large numbers would overflow.
    middle = low / 2 + high / 2
    return np.where(middle > low, middle, np.where(np.isinf(low), low, high))


def exact_thresholds(
    criterion: str, Y: Array, scores: Array, weights: Any = None, known: Any = None
) -> Array:
    """Return the best cut of each label by one of `CRITERIA`."""
    blocks = cuts_of_blocks(Y, scores, weights, known)
    return np.concatenate([cuts.thresholds(best_places(cuts, criterion)) for cuts in blocks])


def best_places(cuts: Cuts, criterion: str) -> Array:
    """Return the place of the highest of the best cuts."""
    return np.where(cuts.is_cut, CRITERIA[criterion](cuts), -np.inf).argmax(axis=1)


def f1_of(cuts: Cuts) -> Array:
    """Return F at each place."""
    total = cuts.predicted + cuts.n_positive[:, None]
    return 2 * cuts.hits / np.where(total > 0, total, 1)


def gmean_of(cuts: Cuts) -> Array:
    """Return the product of recall and specificity at each place, up to a factor for each label.

    Whole numbers stay whole, so that equally good cuts compare equal.
    """
    n_negative = (cuts.n_samples - cuts.n_positive)[:, None]
    return cuts.hits * (n_negative - (cuts.predicted - cuts.hits))


def balanced_accuracy_of(cuts: Cuts) -> Array:
    """Return recall minus the false positive rate, up to a factor for each label."""
    n_negative = (cuts.n_samples - cuts.n_positive)[:, None]
    return cuts.hits * n_negative - (cuts.predicted - cuts.hits) * cuts.n_positive[:, None]


CRITERIA = {"f1": f1_of, "gmean": gmean_of, "balanced_accuracy": balanced_accuracy_of}


def cuts_of_blocks(
    Y: Array, scores: Array, weights: Any = None, known: Any = None, order: Array | None = None
) -> Iterator[Cuts]:
    """Return the cuts of one block of labels after another.

    Parameters
    ----------
    Y : (n_samples, n_labels) ndarray
        True labels.
    scores : (n_samples, n_labels) ndarray or csc_array
        Scores, which are finite for known entries.
    weights : None, or ndarray of shape (n_samples,) or (n_samples, n_labels)
        An entry of weight 2 counts as two samples, one of weight 0 as none.
    known : None, or ndarray of bools of shape (n_samples, n_labels)
        Other entries count for nothing.
    order : None, or ndarray of ints of shape (n_labels,)
        The order in which labels are wanted.
    """
    n_samples, n_labels = scores.shape
    step = max(1, ENTRIES_AT_ONCE // max(1, n_samples))
    for start in range(0, n_labels, step):
        part: Any = slice(start, start + step) if order is None else order[start : start + step]
        of_part = weights[:, part] if weights is not None and weights.ndim == 2 else weights
        yield cuts_of(
            Y[:, part], dense_scores(scores[:, part]), of_part,
            None if known is None else known[:, part],
        )  # fmt: skip


def dense_scores(scores: Any) -> Array:
    """Return scores as an array; missing sparse entries are just below the lowest stored score."""
    if not sparse.issparse(scores):
        return np.asarray(scores)
    columns = sparse.csc_array(scores)
    starts, ends = columns.indptr[:-1], columns.indptr[1:]
    lowest = np.array(
        [columns.data[a:b].min(initial=np.inf) for a, b in zip(starts, ends, strict=True)]
    )
    table = np.tile(
        np.nextafter(np.where(starts < ends, lowest, 0.0), -np.inf), (scores.shape[0], 1)
    )
    table[columns.indices, np.repeat(np.arange(columns.shape[1]), ends - starts)] = columns.data
    return table


def cuts_of(Y: Array, scores: Array, weights: Array | None, known: Array | None) -> Cuts:
    """Sort the scores of each label once, and count what lies above each cut."""
    rows, truth = np.array(scores.T, dtype=float, order="C"), np.asarray(Y, dtype=bool).T
    counted = entry_weights(weights, known, scores.shape)
    if counted is not None:
        rows[counted == 0] = -np.inf
    order = np.argsort(-rows, axis=1)
    sorted_scores = np.take_along_axis(rows, order, axis=1)
    is_positive = np.take_along_axis(truth, order, axis=1)
    if counted is None:
        hits = np.cumsum(is_positive, axis=1)
        predicted = np.broadcast_to(np.arange(1, rows.shape[1] + 1), rows.shape)
    else:
        sorted_weights = np.take_along_axis(counted, order, axis=1)
        hits = np.cumsum(is_positive * sorted_weights, axis=1)
        predicted = np.cumsum(sorted_weights, axis=1)
    is_cut = np.ones(rows.shape, dtype=bool)
    is_cut[:, :-1] = sorted_scores[:, :-1] > sorted_scores[:, 1:]
    is_cut &= sorted_scores > -np.inf
    return Cuts(sorted_scores, hits, predicted, is_cut, hits[:, -1], predicted[:, -1])


def entry_weights(
    weights: Array | None, known: Array | None, shape: tuple[int, int]
) -> Array | None:
    """Return the weight of each entry, (n_labels, n_samples), or None where each counts once."""
    if weights is None:
        return None if known is None else np.asarray(known, dtype=np.int64).T
    columns = weights[:, None] if weights.ndim == 1 else weights
    table = np.broadcast_to(columns, shape).astype(float).T
    return table if known is None else np.where(known.T, table, 0.0)
