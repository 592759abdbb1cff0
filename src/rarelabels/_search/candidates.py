"""What a search that is not yet done has found for the samples of a panel."""

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
        The row that each is near to, and the sample.
    key : ndarray of floats
        Its distance, as `FeatureSpace.distance_keys` has it.
    """

    row: Array
    sample: Array
    key: Array

    @classmethod
    def of(cls, row: Array, sample: Array, key: Array) -> Candidates:
        """Keep candidates in as little memory as they need."""
        return cls(row.astype(np.int32), sample.astype(np.int32), key)

    def __sizeof__(self) -> int:
        # By this Dask decides where tasks run, and what memory holds.
        return self.row.nbytes + self.sample.nbytes + self.key.nbytes


@dataclass(frozen=True)
class NearestSoFar:
    """The nearest samples found so far for each row of a panel, by distance and sample.

    Attributes
    ----------
    sample : (m, k) ndarray of int32
        The samples, -1 behind them where there are fewer.
    key : (m, k) ndarray of floats
        Their distances, as `FeatureSpace.distance_keys` has them; infinite where there are fewer.
    """

    sample: Array
    key: Array

    @classmethod
    def of(cls, sample: Array, key: Array, n_neighbors: int) -> NearestSoFar:
        """Make room for as many neighbours as are looked for."""
        room = ((0, 0), (0, n_neighbors - sample.shape[1]))
        samples = np.pad(sample.astype(np.int32), room, constant_values=-1)
        return cls(samples, np.pad(key, room, constant_values=np.inf))

    def __sizeof__(self) -> int:
        # As of candidates.
        return self.sample.nbytes + self.key.nbytes

    @property
    def limits(self) -> Array:
        """The key of the last of each row."""
        return self.key[:, -1]

    def with_candidates(self, found: list[Candidates]) -> NearestSoFar:
        """Return the nearest of these and of candidates; rows without any stay as they are."""
        row, sample, key = (
            np.concatenate([getattr(part, name) for part in found])
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
        made = NearestSoFar(self.sample.copy(), self.key.copy())
        made.sample[rows], made.key[rows] = sample[nearest], key[nearest]
        return made


def _order(row: Array, key: Array, sample: Array) -> Array:
    """Return the order by row, key and sample."""
    both = np.empty(row.size, dtype=np.complex128)
    both.real, both.imag = row, key
    # One sort of pairs takes a third of the time of three, and ties are rare.
    order = np.argsort(both)
    ordered = both[order]
    if (ordered[1:] == ordered[:-1]).any():
        return np.lexsort((sample, key, row))
    return order
