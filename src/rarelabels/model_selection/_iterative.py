"""Iterative stratification (Sechidis, Tsoumakas & Vlahavas 2011) as functions on arrays.

A *unit* is assigned to a fold: a sample, or a group of samples that must stay together. The desire
of a fold for a label is the number of positive samples that it should still get. Desires are
integers, multiplied by the sum of the shares of the folds, so that ties are exact.

The loop uses lists instead of arrays: it processes one unit and a few folds at a time, for which
lists are several times faster.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Integers = npt.NDArray[np.integer[Any]]


def iterative_folds(
    counts: sparse.csr_array,
    sizes: Integers,
    shares: Sequence[int],
    *,
    rng: np.random.Generator | None = None,
    capped: bool = False,
) -> Integers:
    """Assign every unit to a fold.

    Parameters
    ----------
    counts : csr_array of shape (n_units, n_labels)
        Number of positive samples of each label in each unit.
    sizes : ndarray of shape (n_units,)
        Number of samples in each unit.
    shares : sequence of int
        Relative sizes of the folds.
    rng : Generator or None
        Breaks ties between labels and between folds, and shuffles the units. If None, ties go to
        the first label, unit and fold.
    capped : bool
        Whether a fold that has its share of the samples gets no more.

    Returns
    -------
    ndarray of shape (n_units,)
        The fold of each unit.
    """
    units = _Units(counts, sizes, rng)
    remaining = _Remaining(units.totals, rng)
    quotas = _RemainingQuotas(units, shares, capped)
    folds = [-1] * len(units.sizes)
    while (label := remaining.rarest()) is not None:
        for unit in units.carrying(label):
            if folds[unit] < 0:
                folds[unit] = quotas.assign(unit, label)
                remaining.remove(units.labels[unit], units.counts[unit])
        remaining.settle()
    for unit in units.by_size():
        if folds[unit] < 0:
            folds[unit] = quotas.assign(unit, None)
    return np.array(folds, dtype=np.intp)


class _Units:
    """The units: their labels, their sizes and the order in which they are assigned."""

    def __init__(
        self, counts: sparse.csr_array, sizes: Integers, rng: np.random.Generator | None
    ) -> None:
        self.totals = np.asarray(counts.sum(axis=0, dtype=np.int64)).ravel().tolist()
        self.sizes = sizes.tolist()
        bounds = counts.indptr.tolist()
        self.labels = _slices(counts.indices.tolist(), bounds)
        self.counts = _slices(counts.data.tolist(), bounds)
        n_units = len(self.sizes)
        self._turn = np.arange(n_units) if rng is None else rng.permutation(n_units)
        self._by_label = sparse.csc_array(counts[self._turn])
        self.lots = [0.0] * n_units if rng is None else rng.random(n_units).tolist()

    def carrying(self, label: int) -> list[int]:
        """Return the units that carry a label, largest count first; smaller ones then balance."""
        column = slice(*self._by_label.indptr[label : label + 2])
        most_first = np.argsort(-self._by_label.data[column], kind="stable")
        return self._turn[self._by_label.indices[column][most_first]].tolist()

    def by_size(self) -> list[int]:
        """Return all units, the largest first."""
        most_first = np.argsort(-np.array(self.sizes)[self._turn], kind="stable")
        return self._turn[most_first].tolist()


class _Remaining:
    """The positive samples of each label that have not been assigned to a fold."""

    def __init__(self, totals: list[int], rng: np.random.Generator | None) -> None:
        n_labels = len(totals)
        self._counts = list(totals)
        self._tie = (np.arange(n_labels) if rng is None else rng.permutation(n_labels)).tolist()
        self._heap: list[tuple[int, int, int]] = []
        self._changed = set(range(n_labels))
        self.settle()

    def remove(self, labels: list[int], counts: list[int]) -> None:
        """Remove the positive samples of a unit."""
        for label, count in zip(labels, counts, strict=True):
            self._counts[label] -= count
        self._changed.update(labels)

    def settle(self) -> None:
        """Update the heap for the labels that have changed."""
        for label in self._changed:
            if self._counts[label]:
                heapq.heappush(self._heap, (self._counts[label], self._tie[label], label))
        self._changed.clear()

    def rarest(self) -> int | None:
        """Return the label with the fewest remaining samples, or None if there are none."""
        while self._heap:
            count, _, label = heapq.heappop(self._heap)
            if count == self._counts[label]:
                return label
        return None


class _RemainingQuotas:
    """Numbers of positives of each label, and of samples, that each fold should still get."""

    def __init__(self, units: _Units, shares: Sequence[int], capped: bool) -> None:
        self._units = units
        self._scale = sum(shares)
        self._labels = [[share * total for share in shares] for total in units.totals]
        self._samples = [share * sum(units.sizes) for share in shares]
        self._open = list(range(len(shares)))
        self._capped = capped

    def assign(self, unit: int, label: int | None) -> int:
        """Assign a unit to the fold that needs the label most; if it is None, the most samples."""
        folds = self._open if label is None else _greatest(self._open, self._labels[label])
        if len(folds) > 1:
            folds = self._breaking_ties(unit, folds)
        fold = folds[int(self._units.lots[unit] * len(folds))]
        self._take(unit, fold)
        return fold

    def _breaking_ties(self, unit: int, folds: list[int]) -> list[int]:
        labels = self._units.labels[unit]
        if len(labels) > 1:
            wants = [self._labels[label] for label in labels]
            folds = _greatest(folds, {fold: sum([want[fold] for want in wants]) for fold in folds})
        return _greatest(folds, self._samples)

    def _take(self, unit: int, fold: int) -> None:
        labels, counts = self._units.labels[unit], self._units.counts[unit]
        for label, count in zip(labels, counts, strict=True):
            self._labels[label][fold] -= self._scale * count
        self._samples[fold] -= self._scale * self._units.sizes[unit]
        if self._capped and self._samples[fold] <= 0:
            self._open = [other for other in self._open if other != fold] or [fold]


def _greatest(folds: list[int], wants: Any) -> list[int]:
    most = max([wants[fold] for fold in folds])
    return [fold for fold in folds if wants[fold] == most]


def _slices(values: list[int], bounds: list[int]) -> list[list[int]]:
    return [values[start:end] for start, end in pairwise(bounds)]
