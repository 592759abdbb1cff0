"""Find samples that are equal in every feature, and those among them whose labels differ."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._equal_rows import bytes_of_rows, equal_row_groups
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix


def conflicting_samples(X: Any, Y: LabelMatrix) -> int:
    """Count the samples that equal others in every feature but have different labels.

    A label that is unknown in one of two samples is not compared.

    >>> import numpy as np
    >>> Y = LabelMatrix.of([[1, 0], [0, 1], [1, 1], [1, np.nan]])
    >>> conflicting_samples(np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 4.0], [3.0, 4.0]]), Y)
    2
    """
    features = equal_row_groups(X)
    if Y.unknown is not None:
        return _known_conflicts(features, Y)
    pairs = np.unique(np.column_stack([features, equal_row_groups(Y.positives)]), axis=0)
    several = np.flatnonzero(np.bincount(pairs[:, 0]) > 1)
    return int(np.isin(features, several).sum())


def _known_conflicts(features: Array, Y: LabelMatrix) -> int:
    """Count samples with a known label whose other class is known in an equal sample."""
    repeated = np.flatnonzero(np.bincount(features)[features] > 1)
    _, unit = np.unique(features[repeated], return_inverse=True)
    known = Y.take(repeated)
    is_positive = known.positives.toarray() == 1
    is_negative = ~is_positive & ((known.with_nan().toarray()) == 0)
    has_positive, has_negative = (
        np.zeros((unit.max(initial=-1) + 1, Y.shape[1]), dtype=bool) for _ in range(2)
    )
    np.logical_or.at(has_positive, unit, is_positive)
    np.logical_or.at(has_negative, unit, is_negative)
    differs = (is_positive & has_negative[unit]) | (is_negative & has_positive[unit])
    return int(differs.any(axis=1).sum())


def comparable_rows(features: Features) -> Any:
    """Return rows that are equal for equal samples: their numbers, or digests for Dask collections.

    Digests have 128 bits, so different samples do not share one.
    """
    if features.backend is None:
        return features.numbers
    return features.per_sample(_digests)


def _digests(matrix: Matrix) -> Array:
    digests = [blake2b(row, digest_size=16).digest() for row in bytes_of_rows(matrix)]
    return np.frombuffer(b"".join(digests), dtype="V16")
