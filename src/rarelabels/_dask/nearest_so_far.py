"""Intermediate results of a search for the samples of a panel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rarelabels._containers import Array


@dataclass(frozen=True)
class Candidates:
    """Samples near to some rows of a panel, in any order.

    Attributes
    ----------
    row, sample : ndarray of int32
        The row of the panel, and the sample near to it.
    key : ndarray of floats
        Its distance, as a key of `FeatureSpace.distance_keys`.
    """

    row: Array
    sample: Array
    key: Array

    @classmethod
    def of(cls, row: Array, sample: Array, key: Array) -> Candidates:
        """Store candidates in little memory."""
        return cls(row.astype(np.int32), sample.astype(np.int32), key)

    def __sizeof__(self) -> int:
        # Dask uses this to decide where tasks run and how much memory is in use.
        return self.row.nbytes + self.sample.nbytes + self.key.nbytes


@dataclass(frozen=True)
class NearestSoFar:
    """The nearest samples found so far for each row of a panel, by distance and sample.

    Attributes
    ----------
    sample : (m, k) ndarray of int32
        The samples; -1 at the end if there are fewer.
    key : (m, k) ndarray of floats
        Their distance keys; infinite if there are fewer.
    """

    sample: Array
    key: Array

    @classmethod
    def of(cls, sample: Array, key: Array, n_neighbors: int) -> NearestSoFar:
        """Pad the nearest samples to the number of neighbors."""
        padding = ((0, 0), (0, n_neighbors - sample.shape[1]))
        samples = np.pad(sample.astype(np.int32), padding, constant_values=-1)
        return cls(samples, np.pad(key, padding, constant_values=np.inf))

    def __sizeof__(self) -> int:
        # As for candidates.
        return self.sample.nbytes + self.key.nbytes

    @property
    def limits(self) -> Array:
        """The key of the last of each row."""
        return self.key[:, -1]

    def with_candidates(self, candidates: list[Candidates]) -> NearestSoFar:
        """Return the nearest of these and of candidates. Rows without candidates do not change."""
        row, sample, key = (
            np.concatenate([getattr(part, name) for part in candidates])
            for name in ("row", "sample", "key")
        )
        counts, k = np.bincount(row, minlength=len(self.sample)), self.sample.shape[1]
        rows = np.flatnonzero(counts)
        row = np.concatenate([np.repeat(rows, k), row])
        sample = np.concatenate([self.sample[rows].ravel(), sample])
        key = np.concatenate([self.key[rows].ravel(), key])
        order = _order(row, key, sample)
        ends = np.cumsum(counts[rows] + k)
        nearest = order[(ends - counts[rows] - k)[:, None] + np.arange(k)]
        updated = NearestSoFar(self.sample.copy(), self.key.copy())
        updated.sample[rows], updated.key[rows] = sample[nearest], key[nearest]
        return updated


def _order(row: Array, key: Array, sample: Array) -> Array:
    """Return the order by row, key and sample."""
    both = np.empty(row.size, dtype=np.complex128)
    both.real, both.imag = row, key
    # One sort of pairs takes a third of the time of three sorts, and ties are rare.
    order = np.argsort(both)
    ordered = both[order]
    if (ordered[1:] == ordered[:-1]).any():
        return np.lexsort((sample, key, row))
    return order
