"""MLUL: keep the samples that are difficult or help their neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import local_imbalance_of
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import samples_to_remove
from rarelabels.base import NeighborSampler, Resample
from rarelabels.sampling._draw import draw_without_replacement


@shared_parameters
class MLUL(NeighborSampler):
    """Multi-label undersampling based on local label imbalance.

    The samples to keep are drawn one after another in proportion to their importance: the
    difficulty of their neighborhood plus their influence, positive or negative, on the minority
    samples of which they are neighbors. Easy samples that harm others are the most likely to be
    removed.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.1
        How many samples to remove: a fraction of the samples (float) or a number (int).
    {n_neighbors}
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random draws. The same seed keeps the same samples for any `n_jobs`.
    {allow_missing_labels}

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        Difficulty w of each input sample.
    influence_ : ndarray of shape (n_samples,)
        Influence u of each sample on the samples of which it is a neighbor; negative if it harms
        them.
    importance_ : ndarray of shape (n_samples,)
        Importance v = w + u − min(w + u). Samples of importance 0 are removed first.
    {sample_indices_, kept}
    {is_synthetic_, never}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLSOL : The counterpart that adds samples.

    Notes
    -----
    The paper's code counts a minority outlier as harmful to reverse neighbors of the same class.
    This implementation follows the equation of the paper, in which samples of the same class help
    each other. If no sample is informative, all samples are equally important and drawn uniformly.

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

    _works_on_blocks = True

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
        neighbors = self._find_neighbors(X)
        local = local_imbalance_of(Y, neighbors)
        self.weights_, self.influence_ = local.weights, local.influence
        self.importance_ = local.importance
        return Resample(kept=np.sort(draw_without_replacement(self.importance_, n_kept, rng)))
