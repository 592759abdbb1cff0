"""A forest of randomized trees, each of which predicts all labels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_count, group_numbers, warn
from rarelabels.learners._dataframes import is_frame
from rarelabels.learners._out_of_sample import OutOfSampleClassifier
from rarelabels.learners.base import checked_numbers
from rarelabels.learners.known_labels import known_weights
from rarelabels.trees.label_forest import KnownEntries, TreeOptions, draw_bags, grow_label_forest


@shared_parameters
class MultiLabelForest(OutOfSampleClassifier):
    """Extremely randomized trees, each of which learns all labels at once.

    The score of a label is its share among the training samples of the leaf that a sample falls
    into, averaged over the trees. Each tree is grown on a bootstrap sample, so the forest also
    returns a score for each training sample from the trees that have not seen it.

    Parameters
    ----------
    n_estimators : int, default=150
        Number of trees.
    splitter : {"random", "best"}, default="random"
        "random" draws one threshold for each candidate feature, as in extremely randomized trees.
        "best" searches for the best threshold, as in random forests.
    criterion : {"gini", "entropy"}, default="gini"
        Impurity of a node, averaged over the labels.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Number of features drawn at each node. A float is a share of the features, None means all.
    max_depth : int or None, default=None
        Largest depth of a tree. By default, nodes are split until all labels are pure.
    min_samples_leaf : int, default=1
        Minimum number of samples in a leaf, regardless of their weights.
    bootstrap : bool, default=True
        Whether each tree is grown on a bootstrap sample. If False, each tree is grown on all
        samples, and out-of-bag scores are not available.
    categorical_features : None, "auto", mask, indices or names, default="auto"
        The features whose values are categories. "auto" recognizes them by a dataframe's dtypes.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. While a tree grows, they
        are replaced by random draws from the label's known share, which differ between trees. The
        share of a label in a leaf is computed from the samples for which it is known. If there are
        none, the share of the nearest node above the leaf is used.
    {n_jobs}
    random_state : int, RandomState, Generator or None, default=None
        Seed of the bootstrap samples and of the splits.

    Attributes
    ----------
    oob_scores_ : ndarray of shape (n_samples, n_labels)
        Score of each training sample from the trees whose bootstrap sample does not contain it.
        Only available with ``bootstrap=True``.
    feature_importances_ : ndarray of shape (n_features,)
        Each feature's share of the decrease of impurity, averaged over the trees.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    rarelabels.learners.BinaryRelevance : A separate model for each label.

    Notes
    -----
    With two or more trees and samples, every sample is out of the bag of at least one tree: it is
    left out of the draws for one tree, and the trees take turns. Scores that still do not exist
    are NaN, with a warning.

    Bootstrap samples are drawn from the samples with a positive weight, regardless of its size. If
    `fit` is called with groups, they are drawn group by group.

    Missing values are sent to a random side of a split, or separated from a feature's only known
    value. If a node had no missing values in training, they follow the larger child. Each category
    of a node is sent to a random side, independently of the others. Unknown categories are treated
    like missing values.

    Trees are grown by compiled code if numba is installed (``pip install "rarelabels[fast]"``), and
    a leaf stores only the labels that occur in it. Otherwise scikit-learn's trees are grown on the
    same bootstrap samples; they treat the categories of a feature as ordered.

    References
    ----------
    P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine Learning 63(1), 2006,
    3-42.

    L. Breiman. Random forests. Machine Learning 45(1), 2001, 5-32.

    Examples
    --------
    >>> from rarelabels.datasets import make_multilabel
    >>> from rarelabels.learners import MultiLabelForest
    >>> X, y = make_multilabel(200, 10, 4, sparse_output=False, random_state=0)
    >>> forest = MultiLabelForest(n_estimators=50, random_state=0).fit(X, y)
    >>> forest.predict_proba(X[:2]).shape, forest.oob_scores_.shape
    ((2, 4), (200, 4))
    """

    def __init__(
        self,
        n_estimators: int = 150,
        *,
        splitter: str = "random",
        criterion: str = "gini",
        max_features: Any = "sqrt",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        bootstrap: bool = True,
        categorical_features: Any = "auto",
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.splitter = splitter
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.categorical_features = categorical_features
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(
        self,
        X: Any,
        labels: Labels,
        rng: np.random.Generator,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> None:
        n_trees = check_count("n_estimators", self.n_estimators, 1)
        options, Y = self._options(X.shape[1]), labels.matrix
        weights, table = split_weights(known_weights(labels.values, sample_weight), Y.shape[0])
        numbers = None if groups is None else group_numbers(groups, Y.shape[0], at_least=2)
        bags = draw_bags(rng, weights, n_trees, is_bootstrap=self.bootstrap, groups=numbers)
        known = None if table is None else KnownEntries(table, weights)
        grown = grow_label_forest(
            X, Y, bags, options, self.categorical_features, self.n_jobs, known
        )
        self._label_forest = grown.forest
        self.feature_importances_ = grown.importances
        if self.bootstrap:
            self.oob_scores_ = grown.oob_scores
            warn_of_missing_scores(grown.oob_scores)
        elif hasattr(self, "oob_scores_"):
            del self.oob_scores_

    def _scores(self, X: Any) -> Array:
        return self._label_forest.scores(X, self.n_jobs)

    def _options(self, n_features: int) -> TreeOptions:
        depth = self.max_depth
        return TreeOptions(
            splitter=one_of("splitter", self.splitter, ("random", "best")),
            criterion=one_of("criterion", self.criterion, ("gini", "entropy")),
            max_features=n_drawn_features(self.max_features, n_features),
            min_samples_leaf=check_count("min_samples_leaf", self.min_samples_leaf, 1),
            max_depth=None if depth is None else check_count("max_depth", depth, 1),
        )

    def _read(self, X: Any, *, reset: bool) -> Any:
        categorical = self.categorical_features
        if not is_frame(X) and (categorical is None or isinstance(categorical, str)):
            return checked_numbers(self, X, reset=reset)
        return validate_data(self, X, reset=reset, skip_check_array=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def split_weights(weights: Array | None, n_samples: int) -> tuple[Array, Array | None]:
    """Return the weights of samples, and weights of samples and labels if labels differ.

    The weight of a sample is the mean of the weights of its known labels.
    """
    if weights is None:
        return np.ones(n_samples), None
    if weights.ndim == 1:
        return weights.astype(np.float64), None
    n_known = (weights > 0).sum(axis=1)
    return weights.sum(axis=1) / np.maximum(n_known, 1), weights


def n_drawn_features(max_features: Any, n_features: int) -> int:
    """Return the number of features to draw at each node."""
    if max_features is None:
        return n_features
    if isinstance(max_features, str) and max_features in ("sqrt", "log2"):
        share = np.sqrt(n_features) if max_features == "sqrt" else np.log2(n_features)
        return max(1, int(share))
    is_number = isinstance(max_features, Real) and not isinstance(max_features, (bool, np.bool_))
    if is_number and isinstance(max_features, Integral) and int(max_features) >= 1:
        return min(int(max_features), n_features)
    if is_number and not isinstance(max_features, Integral) and 0 < float(max_features) <= 1:
        return max(1, int(float(max_features) * n_features))
    raise ValueError(
        'max_features must be "sqrt", "log2", None, a positive int or a float in (0, 1]; '
        f"got {max_features!r}."
    )


def warn_of_missing_scores(scores: Array) -> None:
    """Warn if samples have no out-of-bag scores."""
    n_missing = int(np.isnan(scores[:, 0]).sum())
    if n_missing:
        warn(
            f"{n_missing} of {scores.shape[0]} samples are in the bootstrap sample of every tree; "
            "their oob_scores_ are NaN. Use at least two trees."
        )


def one_of(name: str, value: Any, options: tuple[str, ...]) -> str:
    """Check that a parameter is one of the given options."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.")
    return value
