"""MLTL: break multi-label Tomek links."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import Neighbors
from rarelabels.base import NeighborSampler, Resample
from rarelabels.measures.concurrence import scumble_of_samples
from rarelabels.sampling._label_groups import label_groups, labels_held
from rarelabels.sampling._labelsets import adjusted_hamming, check_threshold


class MLTL(NeighborSampler):
    """Multi-label Tomek links: remove samples of nearest pairs with different labels.

    Two samples that are each other's nearest neighbour are a Tomek link when their labelsets are
    too different. Of each link the samples that carry a majority label (IRLbl below the mean,
    MeanIR) are removed, or both samples. Nothing is random.

    Parameters
    ----------
    threshold : float or "auto", default="auto"
        Adjusted Hamming distance above which two labelsets are different: the number of labels
        that one of the samples carries and the other does not, over the number of labels of the
        one plus that of the other. "auto": by the imbalance of the data, see Notes.
    remove : {"majority", "both"}, default="majority"
        Which samples of a link are removed: those that carry a majority label (undersampling) or
        both (cleaning).
    mutual : bool, default=True
        Whether a link asks that each of the two samples is the nearest neighbour of the other,
        which is Tomek's definition. False is the rule of the authors' released code: every sample
        is compared with its nearest neighbour and removed on its own account, and a label of both
        samples counts once in the denominator of the distance.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`.
    random_state : int, RandomState, Generator or None, default=None
        Without effect: nothing is drawn at random.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of counts and comparisons, or
        an error.

    Attributes
    ----------
    threshold_ : float
        The threshold that was used.
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
    MLeNN : Removes samples that are unlike several neighbours.

    Notes
    -----
    The threshold is set, as in the authors' code, by 1/√MeanIR: 0.5 where that is above 0.5, 0.3
    where it is above 0.3, else 0.15; and 0.5 whatever it is where SCUMBLE is above 0.3.

    With ``mutual=False`` many more samples are removed. Ties go to the lower sample number, so
    with ``mutual=True`` each sample is in one link at most. The distance between labelsets is then
    that of MLeNN, to which the paper refers. The distance that finds the nearest neighbour is that
    of :func:`rarelabels.find_neighbors`, on the features alone; the authors' code searches with the
    labels among the features, which is not repeated with either setting. A sample with a majority
    label is removed even where it carries a minority label too; a sample without labels only with
    ``remove="both"``.

    References
    ----------
    Pereira, Costa and Silla Jr., "MLTL: A multi-label approach for the Tomek Link undersampling
    algorithm", Neurocomputing 383, 2020.

    Tomek, "Two modifications of CNN", IEEE Transactions on Systems, Man, and Cybernetics 6, 1976.

    Examples
    --------
    The third and fourth sample are a link, and the third carries the majority label:

    >>> from rarelabels.sampling import MLTL
    >>> X = [[0.0], [1.0], [2.5], [3.0]]
    >>> y = [[1, 0], [1, 0], [1, 0], [0, 1]]
    >>> sampler = MLTL()
    >>> X_new, y_new = sampler.fit_resample(X, y)
    >>> sampler.sample_indices_, sampler.threshold_
    (array([0, 1, 3]), 0.5)
    """

    # The nearest alone, which is no parameter, but what is searched for.
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
        may_go = removable_samples(Y.positives, self.remove)
        found = self._find_neighbors(X)
        link = tomek_links if self.mutual else samples_unlike_nearest
        linked = link(Y, found, self.threshold_).ravel()
        return Resample(kept=np.delete(np.arange(X.n_samples), linked[may_go[linked]]))


def threshold_by_imbalance(Y: sparse.csr_array) -> float:
    """Set the threshold by MeanIR and SCUMBLE: the more imbalanced, the lower."""
    groups = label_groups(Y)
    if not groups.counts.any():
        return 0.5
    if scumble_of_samples(Y, groups.ratios).mean() > 0.3:
        return 0.5
    balance = 1 / np.sqrt(groups.mean_ratio)
    return 0.5 if balance > 0.5 else 0.3 if balance > 0.3 else 0.15


def removable_samples(Y: sparse.csr_array, remove: Any) -> Array:
    """Return the samples of a link that may be removed."""
    if remove not in ("majority", "both"):
        raise ValueError(f'remove must be "majority" or "both", got {remove!r}.')
    if remove == "both":
        return np.ones(Y.shape[0], dtype=bool)
    return labels_held(Y, label_groups(Y).is_majority) > 0


def tomek_links(Y: LabelMatrix, found: Neighbors, threshold: float) -> Array:
    """Return the pairs (m, 2) of samples that are each other's nearest and differ in labels."""
    nearest, samples = found.indices[:, 0], np.arange(found.indices.shape[0])
    first = np.flatnonzero((nearest[nearest] == samples) & (samples < nearest))
    pairs = np.column_stack([first, nearest[first]])
    return pairs[adjusted_hamming(Y, pairs[:, 0], pairs[:, 1]) > threshold]


def samples_unlike_nearest(Y: LabelMatrix, found: Neighbors, threshold: float) -> Array:
    """Return the samples whose nearest neighbour differs in its labels, as the authors' code."""
    samples = np.arange(found.indices.shape[0])
    distance = adjusted_hamming(Y, samples, found.indices[:, 0], shared_once=True)
    return samples[distance > threshold]
