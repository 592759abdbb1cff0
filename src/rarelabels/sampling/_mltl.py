"""MLTL: remove samples of multi-label Tomek links."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import Neighbors
from rarelabels._parameter_docs import shared_parameters
from rarelabels.base import NeighborSampler, Resample
from rarelabels.measures.concurrence import scumble_of_samples
from rarelabels.sampling._label_groups import count_labels, label_groups
from rarelabels.sampling._labelsets import adjusted_hamming, check_threshold


@shared_parameters
class MLTL(NeighborSampler):
    """Multi-label Tomek links: remove samples of nearest pairs with different labels.

    Two samples that are each other's nearest neighbor are a Tomek link if their labelsets are too
    different. In each link, the samples that carry a majority label (IRLbl below the mean, MeanIR)
    are removed, or both samples. The method is deterministic.

    Parameters
    ----------
    threshold : float or "auto", default="auto"
        Adjusted Hamming distance above which two labelsets are considered different. The distance
        is the number of labels that only one of the two samples carries, divided by the sum of
        their numbers of labels. "auto" sets it by the imbalance of the data; see Notes.
    remove : {"majority", "both"}, default="majority"
        Which samples of a link are removed: those that carry a majority label (undersampling) or
        both (cleaning).
    mutual : bool, default=True
        Whether each sample of a link must be the nearest neighbor of the other, as in Tomek's
        definition. False is the rule of the code released by the authors: every sample is compared
        with its nearest neighbor and removed independently of it, and a label of both samples
        counts once in the denominator of the distance.
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    {random_state, ignored}
    {allow_missing_labels}

    Attributes
    ----------
    threshold_ : float
        The threshold that was used.
    {sample_indices_, kept}
    {is_synthetic_, never}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLeNN : Remove samples that differ from several neighbors.

    Notes
    -----
    As in the authors' code, ``threshold="auto"`` depends on 1/√MeanIR: the threshold is 0.5 if that
    is above 0.5, 0.3 if it is above 0.3, and 0.15 otherwise. If SCUMBLE is above 0.3, the threshold
    is always 0.5.

    With ``mutual=False`` many more samples are removed. With ``mutual=True`` each sample is in at
    most one link, because ties go to the sample with the lower index. The distance between
    labelsets is then that of MLeNN, to which the paper refers. The nearest neighbor is found by the
    distance of :func:`rarelabels.find_neighbors` on the features alone. The authors' code includes
    the labels in this distance, which is not repeated with either setting. A sample with a majority
    label is removed even if it carries a minority label too. A sample without labels is removed
    only with ``remove="both"``.

    References
    ----------
    Pereira, Costa and Silla Jr., "MLTL: A multi-label approach for the Tomek Link undersampling
    algorithm", Neurocomputing 383, 2020.

    Tomek, "Two modifications of CNN", IEEE Transactions on Systems, Man, and Cybernetics 6, 1976.

    Examples
    --------
    The third and fourth samples are a link, and the third carries the majority label:

    >>> from rarelabels.sampling import MLTL
    >>> X = [[0.0], [1.0], [2.5], [3.0]]
    >>> y = [[1, 0], [1, 0], [1, 0], [0, 1]]
    >>> sampler = MLTL()
    >>> X_new, y_new = sampler.fit_resample(X, y)
    >>> sampler.sample_indices_, sampler.threshold_
    (array([0, 1, 3]), 0.5)
    """

    # Not a parameter: only the nearest neighbor is needed.
    n_neighbors = 1

    def __init__(
        self,
        *,
        threshold: float | str = "auto",
        remove: str = "majority",
        mutual: bool = True,
        scale_features: bool = True,
        categorical_features: Any = "auto",
        metric: str = "euclidean",
        neighbors: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.threshold = threshold
        self.remove = remove
        self.mutual = mutual
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        self.threshold_ = (
            threshold_by_imbalance(Y.positives)
            if isinstance(self.threshold, str) and self.threshold == "auto"
            else check_threshold(self.threshold, ' or "auto"')
        )
        is_removable = removable_samples(Y.positives, self.remove)
        neighbors = self._find_neighbors(X)
        link = tomek_links if self.mutual else samples_unlike_nearest
        linked = link(Y, neighbors, self.threshold_).ravel()
        return Resample(kept=np.delete(np.arange(X.n_samples), linked[is_removable[linked]]))


def threshold_by_imbalance(Y: sparse.csr_array) -> float:
    """Return the threshold for MeanIR and SCUMBLE, lower for more imbalanced data."""
    groups = label_groups(Y)
    if not groups.counts.any():
        return 0.5
    if scumble_of_samples(Y, groups.ratios).mean() > 0.3:
        return 0.5
    balance = 1 / np.sqrt(groups.mean_ratio)
    return 0.5 if balance > 0.5 else 0.3 if balance > 0.3 else 0.15


def removable_samples(Y: sparse.csr_array, remove: Any) -> Array:
    """Return the mask of the samples that may be removed from a link."""
    if remove not in ("majority", "both"):
        raise ValueError(f'remove must be "majority" or "both", got {remove!r}.')
    if remove == "both":
        return np.ones(Y.shape[0], dtype=bool)
    return count_labels(Y, label_groups(Y).is_majority) > 0


def tomek_links(Y: LabelMatrix, neighbors: Neighbors, threshold: float) -> Array:
    """Return the pairs (m, 2) of mutually nearest samples that differ in their labels."""
    nearest, samples = neighbors.indices[:, 0], np.arange(neighbors.indices.shape[0])
    first = np.flatnonzero((nearest[nearest] == samples) & (samples < nearest))
    pairs = np.column_stack([first, nearest[first]])
    return pairs[adjusted_hamming(Y, pairs[:, 0], pairs[:, 1]) > threshold]


def samples_unlike_nearest(Y: LabelMatrix, neighbors: Neighbors, threshold: float) -> Array:
    """Return the samples whose labels differ from their nearest neighbor, as the authors' code."""
    samples = np.arange(neighbors.indices.shape[0])
    distance = adjusted_hamming(Y, samples, neighbors.indices[:, 0], shared_once=True)
    return samples[distance > threshold]
