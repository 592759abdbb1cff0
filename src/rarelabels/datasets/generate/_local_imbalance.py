"""Generate data sets that differ only in local imbalance."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from rarelabels._random import RandomState, as_generator
from rarelabels.datasets._dataset import MultiLabelDataset

# Scatter of the points of a cluster, as a fraction of the distance between two clusters.
TIGHT, LOOSE = 0.12, 0.8


def make_local_imbalance(
    n_samples: int = 300,
    n_labels: int = 3,
    *,
    n_features: int = 2,
    difficulty: float = 0.0,
    cluster_size: int = 10,
    random_state: RandomState = None,
) -> MultiLabelDataset:
    """Generate a data set with a chosen local imbalance and a fixed global imbalance.

    Y is the same for every difficulty, and so is every measure of global imbalance:
    label counts, cardinality, MeanIR, CVIR, MeanImR, CVImR and SCUMBLE. The positions of the
    samples differ, and therefore LImb. As in the first figure of the paper, a data set is difficult
    for two reasons: sub-concepts, where the positive samples of a label form separate clusters, and
    overlap between clusters.

    Samples with the same labels form clusters, which are arranged on a grid. At difficulty 0, the
    clusters of a label are next to each other, compact and separate from the others. With
    increasing difficulty, more of them change places at random and all of them become wider. At
    difficulty 1 their positions are random and they overlap.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples.
    n_labels : int, default=3
        Number of labels. The first is positive in 30 % of the samples, the last in 10 %, and
        each shares half of its samples with the next.
    n_features : int, default=2
        Number of features, at least 2. With two features the data can be plotted; with more, it is
        the same plane in a random orientation.
    difficulty : float, default=0.0
        Difficulty from 0 to 1.
    cluster_size : int, default=10
        Minimum number of samples in a cluster, if so many samples have the same labels.
        Neighborhoods larger than this include other clusters even at difficulty 0.
    random_state : int, RandomState, Generator or None, default=None
        Random seed. With the same seed, data sets of different difficulty differ only in X.

    Returns
    -------
    MultiLabelDataset
        The data set, with X and Y as arrays; ``X, Y = make_local_imbalance()`` unpacks them.

    References
    ----------
    B. Liu, K. Blekas and G. Tsoumakas: Multi-Label Sampling based on Local Label Imbalance, Fig. 1.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> easy = make_local_imbalance(200, difficulty=0, random_state=0)
    >>> hard = make_local_imbalance(200, difficulty=1, random_state=0)
    >>> easy.Y.sum(axis=0), bool((easy.Y == hard.Y).all())
    (array([60, 40, 20]), True)
    """
    _check(n_samples, n_labels, n_features, difficulty, cluster_size)
    rng = as_generator(random_state)
    Y = overlapping_arcs(n_samples, n_labels)
    clusters = clusters_of_equal_samples(Y, cluster_size)
    cells = exchanged(clusters[-1] + 1, difficulty, rng)[clusters]
    spread = TIGHT + difficulty * (LOOSE - TIGHT)
    points = grid_points(cells) + spread * rng.standard_normal((n_samples, 2))
    X = points if n_features == 2 else points @ random_plane(n_features, rng)
    order = rng.permutation(n_samples)
    return MultiLabelDataset(X[order], Y[order], name=f"local-imbalance-{difficulty:g}")


def overlapping_arcs(n_samples: int, n_labels: int) -> npt.NDArray[np.int64]:
    """Place the samples on a circle; each label has an arc that shares half with the next."""
    lengths = counts_of_labels(n_samples, n_labels)
    starts = np.concatenate([[0], np.cumsum((lengths + 1) // 2)[:-1]])
    offsets = (np.arange(n_samples)[:, None] - starts) % n_samples
    return (offsets < lengths).astype(np.int64)


def counts_of_labels(n_samples: int, n_labels: int) -> npt.NDArray[np.int64]:
    """Return the positives of each label: from 30 % of the samples down to 10 % for the last.

    >>> counts_of_labels(200, 3)
    array([60, 40, 20])
    """
    counts = np.rint(n_samples * np.linspace(0.3, 0.1, n_labels)).astype(np.int64)
    return np.maximum(counts, 1)


def clusters_of_equal_samples(Y: npt.NDArray[np.int64], cluster_size: int) -> npt.NDArray[np.int64]:
    """Number the clusters of the samples: runs with equal labels, cut into equal pieces."""
    is_first = np.r_[True, (Y[1:] != Y[:-1]).any(axis=1)]
    lengths = np.diff(np.r_[np.flatnonzero(is_first), len(Y)])
    runs = np.repeat(np.arange(lengths.size), lengths)
    pieces = np.maximum(lengths // cluster_size, 1)
    place = np.arange(len(Y)) - np.flatnonzero(is_first)[runs]
    piece = place * pieces[runs] // lengths[runs]
    return np.concatenate([[0], np.cumsum(pieces)[:-1]])[runs] + piece


def exchanged(
    n_clusters: int, difficulty: float, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return the cell of each cluster; a fraction of the clusters exchange cells at random."""
    ranks, cells = rng.permutation(n_clusters), np.arange(n_clusters)
    # Both draws are made for every difficulty, so that a harder set moves the same clusters first.
    shuffled = rng.permutation(n_clusters)
    moving = np.flatnonzero(ranks < math.ceil(difficulty * n_clusters))
    cells[moving] = moving[np.argsort(shuffled[moving])]
    return cells


def grid_points(cells: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the positions of the cells on a square grid, row by row in alternating direction."""
    width = math.ceil(math.sqrt(cells.max() + 1))
    row, column = np.divmod(cells, width)
    column = np.where(row % 2, width - 1 - column, column)
    return np.column_stack([column, row]).astype(np.float64)


def random_plane(n_features: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return two orthogonal directions of length 1 in a space of more dimensions."""
    directions, _ = np.linalg.qr(rng.standard_normal((n_features, 2)))
    return directions.T


def _check(
    n_samples: int, n_labels: int, n_features: int, difficulty: float, cluster_size: int
) -> None:
    if not 0 <= difficulty <= 1:
        raise ValueError(f"difficulty must be from 0 to 1, got {difficulty!r}.")
    if n_features < 2:
        raise ValueError(f"n_features must be at least 2, got {n_features!r}.")
    if n_labels < 1 or cluster_size < 1:
        raise ValueError("n_labels and cluster_size must be at least 1.")
    if n_samples < 10:
        raise ValueError(f"n_samples must be at least 10 for labels of 10 %, got {n_samples!r}.")
