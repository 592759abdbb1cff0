"""MLUL: keep the samples that are hard, or of help to their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import local_imbalance_of
from rarelabels._validation import samples_to_remove
from rarelabels.base import NeighborSampler, Resample
from rarelabels.sampling._draw import draw_without_replacement


class MLUL(NeighborSampler):
    """Multi-label undersampling based on local label imbalance.

    Draws the samples to keep, one after another, in proportion to their importance: how hard their
    own neighbourhood is, plus how far they help (or harm) the minority samples they are neighbours
    of. Samples that are easy and in others' way are those that go.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.1
        Samples to remove: a share of the samples (float) or their number (int).
    n_neighbors : int, default=5
        Neighbours of each sample.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws. The same seed keeps the same samples for any `n_jobs`.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of counts and comparisons, or
        an error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        Difficulty w of each input sample.
    influence_ : ndarray of shape (n_samples,)
        Influence u on the samples it is a neighbour of, negative where it harms them.
    importance_ : ndarray of shape (n_samples,)
        Importance v = w + u − min(w + u); 0 goes first.
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
    MLSOL : Its twin, which adds samples.

    Notes
    -----
    The paper's code counts a minority outlier as harmful to reverse neighbours of its own class;
    this follows the paper's equation, in which equal classes help each other. Where nothing is
    informative all samples are equally important, and the draw is uniform.

    References
    ----------
    Liu, Blekas and Tsoumakas, "Multi-Label Sampling based on Local Label Imbalance", Pattern
    Recognition 122, 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.sampling import MLUL
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (X + rng.normal(size=(100, 2)) > 1.5).astype(int)
    >>> X_new, y_new = MLUL(sampling_ratio=0.1, random_state=0).fit_resample(X, y)
    >>> X_new.shape, y.sum(axis=0), y_new.sum(axis=0)
    ((90, 2), array([ 8, 18]), array([ 8, 17]))
    """

    _supports_dask = True

    def __init__(
        self,
        *,
        sampling_ratio: float = 0.1,
        n_neighbors: int = 5,
        scale_features: bool = True,
        categorical_features: Any = "auto",
        metric: str = "euclidean",
        neighbors: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.sampling_ratio = sampling_ratio
        self.n_neighbors = n_neighbors
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_kept = X.n_samples - samples_to_remove(self.sampling_ratio, X.n_samples)
        found = self._find_neighbors(X)
        local = local_imbalance_of(Y, found)
        self.weights_, self.influence_ = local.weights, local.influence
        self.importance_ = local.importance
        return Resample(kept=np.sort(draw_without_replacement(self.importance_, n_kept, rng)))
