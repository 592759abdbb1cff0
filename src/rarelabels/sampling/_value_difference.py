"""The value difference metric: categories are close if samples with them have a label as often."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, column_of
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import feature_space, neighbors_in_space


def neighbors_by_value_difference(
    X: Features,
    Y: LabelMatrix,
    groups: dict[int, Array],
    n_neighbors: int,
    *,
    scale_features: bool,
    neighbors: Any,
    n_jobs: int | None,
) -> list[Array]:
    """Return the nearest of a label's samples for each of them, by the metric of that label.

    Parameters
    ----------
    X : Features
        The features.
    Y : LabelMatrix
        The labels.
    groups : dict of int to ndarray
        The samples that carry each of some labels, at least two.
    n_neighbors : int
        Neighbors of each sample; smaller groups have as many as there are.
    scale_features, neighbors, n_jobs
        As in `find_neighbors`.

    Returns
    -------
    list of (m, k) ndarray
        For each label, as numbers of all samples.
    """
    space = feature_space(X, scale_features=scale_features, numbers_alone=True)
    places = np.flatnonzero(X.categorical)
    numbers = X.numbers.tocsc() if sparse.issparse(X.numbers) else X.numbers
    codes = [np.unique(column_of(numbers, j), return_inverse=True)[1] for j in places.tolist()]
    positives, unknown = Y.positives.tocsc(), None if Y.unknown is None else Y.unknown.tocsc()
    neighbors_of_labels = []
    for label, samples in groups.items():
        has_label = column_of(positives, label) != 0
        known = np.ones(Y.n_samples, dtype=bool)
        if unknown is not None:
            known = column_of(unknown, label) == 0
        columns = [difference_columns(column, has_label, known, samples) for column in codes]
        part = space.take(samples)
        if columns:
            part = part.with_columns(np.hstack(columns))
        width = min(n_neighbors, samples.size - 1)
        neighbors_of_labels.append(
            samples[neighbors_in_space(part, width, neighbors, n_jobs).indices]
        )
    return neighbors_of_labels


def difference_columns(codes: Array, has_label: Array, known: Array, samples: Array) -> Array:
    """Return columns for some samples whose squared Euclidean distance is the metric.

    The metric of two values is the sum over both classes of the difference of their shares, which
    is twice the difference of the shares of positive samples. Values are sorted by these shares,
    and there is a column for each two successive shares: it is the root of twice their difference
    for samples above them, and 0 for those below.

    Parameters
    ----------
    codes : (n,) ndarray of ints
        The category of each sample.
    has_label, known : (n,) ndarray of bools
        Which samples have the label, and which know it.
    samples : (m,) ndarray of ints
        The samples to return.
    """
    n_known = np.bincount(codes, known)
    n_positive = np.bincount(codes, has_label & known)
    overall = n_positive.sum() / max(n_known.sum(), 1)
    shares = np.where(n_known > 0, n_positive / np.maximum(n_known, 1), overall)
    levels, place = np.unique(shares[codes[samples]], return_inverse=True)
    is_above = place[:, None] > np.arange(levels.size - 1)
    return is_above * np.sqrt(2 * np.diff(levels))
