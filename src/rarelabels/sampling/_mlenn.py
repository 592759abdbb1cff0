"""MLeNN: remove frequent samples whose neighbours have other labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import Neighbors
from rarelabels.base import NeighborSampler, Resample
from rarelabels.sampling._label_groups import label_groups, labels_held
from rarelabels.sampling._labelsets import adjusted_hamming, check_threshold


class MLeNN(NeighborSampler):
    """Multi-label edited nearest neighbours: remove samples that are unlike their neighbours.

    A sample that carries no minority label (IRLbl above the mean, MeanIR) is removed when at least
    half of its neighbours have a labelset too different from its own. Samples that carry a minority
    label are never removed. Nothing is random.

    Parameters
    ----------
    n_neighbors : int, default=3
        Neighbours of each sample.
    threshold : float, default=0.75
        Adjusted Hamming distance above which two labelsets are different: the number of labels
        that one of the samples carries and the other does not, over the number of labels of the one
        plus that of the other. It is 1 where they have none in common.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`.
    random_state : int, RandomState, Generator or None, default=None
        Without effect: nothing is drawn at random.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of counts and comparisons, or
        an error.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_samples_new,)
        The input samples that were kept, in their order.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        False throughout.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.

    See Also
    --------
    MLTL : Removes samples of pairs that are each other's nearest.

    Notes
    -----
    All samples are judged by the data as it came, then removed at once. A sample without labels
    carries no minority label, so it may go; against another such sample its distance is 0, against
    a sample with labels 1.

    Implementations disagree with the paper in ways not repeated here: the sample itself counted
    among its neighbours, half of three neighbours rounded down to one, every sample with a majority
    label judged although it carries a minority label too, and the distance taken over the labels of
    either sample, those in both counted once.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "MLeNN: a first approach to heuristic multilabel
    undersampling", Intelligent Data Engineering and Automated Learning, 2014.

    Examples
    --------
    The third sample's neighbours have the first label, which it has not:

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
        found = self._find_neighbors(X)
        removed = samples_unlike_neighbors(Y, found, threshold)
        return Resample(kept=np.delete(np.arange(X.n_samples), removed))


def samples_unlike_neighbors(Y: LabelMatrix, found: Neighbors, threshold: float) -> Array:
    """Return the samples without minority labels that differ from half of their neighbours."""
    positives = Y.positives
    judged = np.flatnonzero(labels_held(positives, label_groups(positives).is_minority) == 0)
    near = found.indices[judged]
    distance = adjusted_hamming(Y, np.repeat(judged, found.n_neighbors), near.ravel())
    n_different = (distance > threshold).reshape(near.shape).sum(axis=1)
    return judged[2 * n_different >= found.n_neighbors]
