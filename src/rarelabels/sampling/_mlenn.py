"""MLeNN: remove samples of frequent labels whose neighbors have different labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import Neighbors
from rarelabels._parameter_docs import shared_parameters
from rarelabels.base import NeighborSampler, Resample
from rarelabels.sampling._label_groups import count_labels, label_groups
from rarelabels.sampling._labelsets import adjusted_hamming, check_threshold


@shared_parameters
class MLeNN(NeighborSampler):
    """Multi-label edited nearest neighbors: remove samples that differ from their neighbors.

    A sample without minority labels (IRLbl above the mean, MeanIR) is removed if the labelsets of
    at least half of its neighbors are too different from its labelset. Samples that carry a
    minority label are never removed. The method is deterministic.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number of neighbors of each sample.
    threshold : float, default=0.75
        Adjusted Hamming distance above which two labelsets are considered different. The distance
        is the number of labels that only one of the two samples carries, divided by the sum of
        their numbers of labels. It is 1 if they have no label in common.
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    {random_state, ignored}
    {allow_missing_labels}

    Attributes
    ----------
    {sample_indices_, kept}
    {is_synthetic_, never}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLTL : Remove samples of pairs that are each other's nearest neighbor.

    Notes
    -----
    All samples are compared in the original data and then removed at once. A sample without labels
    carries no minority label, so it may be removed. Its distance to another such sample is 0, and
    to a sample with labels 1.

    Some implementations differ from the paper in ways that are not repeated here: they count the
    sample itself among its neighbors, round half of three neighbors down to one, consider every
    sample with a majority label even if it carries a minority label too, or count labels of both
    samples once in the denominator of the distance.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "MLeNN: a first approach to heuristic multilabel
    undersampling", Intelligent Data Engineering and Automated Learning, 2014.

    Examples
    --------
    The third sample lacks the first label, which its neighbors carry:

    >>> from rarelabels.sampling import MLeNN
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [9.0], [10.0], [11.0], [12.0]]
    >>> y = [[1, 0], [1, 0], [0, 1], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]]
    >>> sampler = MLeNN()
    >>> X_new, y_new = sampler.fit_resample(X, y)
    >>> sampler.sample_indices_
    array([0, 1, 3, 4, 5, 6, 7, 8])
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        threshold: float = 0.75,
        scale_features: bool = True,
        categorical_features: Any = "auto",
        metric: str = "euclidean",
        neighbors: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        threshold = check_threshold(self.threshold)
        neighbors = self._find_neighbors(X)
        removed = samples_unlike_neighbors(Y, neighbors, threshold)
        return Resample(kept=np.delete(np.arange(X.n_samples), removed))


def samples_unlike_neighbors(Y: LabelMatrix, neighbors: Neighbors, threshold: float) -> Array:
    """Return the samples without minority labels that differ from half or more neighbors."""
    positives = Y.positives
    candidates = np.flatnonzero(count_labels(positives, label_groups(positives).is_minority) == 0)
    nearest = neighbors.indices[candidates]
    distance = adjusted_hamming(Y, np.repeat(candidates, neighbors.n_neighbors), nearest.ravel())
    n_different = (distance > threshold).reshape(nearest.shape).sum(axis=1)
    return candidates[2 * n_different >= neighbors.n_neighbors]
