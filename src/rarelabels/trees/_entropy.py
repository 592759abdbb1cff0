"""Entropy trees, with the splits of scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._random import as_generator
from rarelabels._registry import part_of_models
from rarelabels.trees._base import BatchTree, pruning_rules
from rarelabels.trees._kernels.structures import Rules
from rarelabels.trees._schema import Schema, learn_schema


@part_of_models
class EntropyTreeClassifier(BatchTree):
    """Decision tree with the splits of scikit-learn's entropy tree, and pruning on request.

    Parameters
    ----------
    min_samples_leaf : int, default=2
        Least number of samples on each side of a split.
    confidence : float or None, default=None
        Confidence of C4.5's error estimate by which the tree is pruned: lower prunes more. None
        leaves the tree as it grew.
    random_state : int, RandomState, Generator or None, default=None
        Chooses among splits of equal gain.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    feature_importances_ : ndarray of shape (n_features,)
        Each feature's share of the decrease of entropy.
    n_leaves_, n_nodes_ : int
        The size of the tree.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    C45Classifier : C4.5, with categories and missing values.

    Notes
    -----
    Without pruning, the tree is the same as that of scikit-learn's
    ``DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)``, except for the choice
    between splits of equal gain: features are rounded to float32, thresholds are midpoints, and a
    node that is not pure is split even if this gains nothing.

    Only the ratios of sample weights matter, as in scikit-learn: weights that are multiplied by a
    constant give the same tree. `min_samples_leaf` counts samples regardless of their weights.
    Pruning counts a sample with the mean weight as one sample.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone. Classification and Regression Trees.
    Wadsworth, 1984.

    Examples
    --------
    >>> from rarelabels.trees import EntropyTreeClassifier
    >>> X, y = [[1.0], [2.0], [6.0], [7.0]], [0, 0, 1, 1]
    >>> print(EntropyTreeClassifier().fit(X, y).export_text())
    feature 0 <= 4: 0 (2)
    feature 0 > 4: 1 (2)
    """

    def __init__(
        self,
        *,
        min_samples_leaf: int = 2,
        confidence: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.random_state = random_state

    def _rules(self) -> Rules:
        least, cf, z = pruning_rules(self.min_samples_leaf, self.confidence)
        is_pruned = self.confidence is not None
        return Rules(
            gain_ratio=False,
            categorical_links=False,
            min_leaf=least,
            mdl=False,
            actual=False,
            collapse=is_pruned,
            prune=is_pruned,
            raising=False,
            laplace=False,
            cf=cf,
            z=z,
        )

    def _schema(self, X: Any) -> Schema:
        return learn_schema(X, None, is_single=True)

    def _weight_unit(self, weights: Array) -> float:
        """Return the mean weight, exactly so for equal weights and for any scale."""
        if weights.min() == weights.max():
            return float(weights[0])
        power = np.ldexp(1.0, int(np.frexp(weights.max())[1]) - 1)
        return float(power * (weights / power).mean())

    def _seed(self) -> int:
        return int(as_generator(self.random_state).integers(2**31 - 1))
