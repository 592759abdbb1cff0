"""C4.5, as Weka's J48 has it."""

from __future__ import annotations

from typing import Any

from rarelabels._registry import part_of_models
from rarelabels.trees._base import BatchTree, pruning_rules
from rarelabels.trees._kernels.structures import Rules
from rarelabels.trees._schema import Schema, learn_schema


@part_of_models
class C45Classifier(BatchTree):
    """C4.5 decision tree as in Weka's J48: gain ratio, error-based pruning, subtree raising.

    Parameters
    ----------
    min_samples_leaf : int, default=2
        Least weight of the samples in at least two branches of a split.
    confidence : float or None, default=0.25
        Confidence of the error estimate by which the tree is pruned: lower prunes more. None leaves
        it unpruned, but collapsed (see `collapse`).
    subtree_raising : bool, default=True
        Whether pruning may also put a node's largest branch in its place.
    categorical_features : None, "auto", mask, indices or names, default="auto"
        The features whose values are categories. "auto" tells them by a dataframe's dtypes.
    collapse : bool, default=True
        Whether splits that do not reduce the training errors are undone before pruning.
    mdl_correction : bool, default=True
        Whether the gain of a numeric feature is reduced by the cost of its threshold.
    laplace : bool, default=False
        Whether probabilities are smoothed by one sample of each class.
    actual_thresholds : bool, default=True
        Whether thresholds are values of the training data, or midpoints.
    random_state : None
        Not used: nothing is random. It is there so that learners can seed any classifier.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    feature_importances_ : ndarray of shape (n_features,)
        Each feature's share of the decrease of entropy.
    n_leaves_, n_nodes_ : int
        The size of the tree; branches without training samples count as leaves.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    EntropyTreeClassifier : The splits of scikit-learn's trees.

    Notes
    -----
    Missing values (NaN, None) are allowed: a sample with a missing value goes down every branch
    with a part of its weight. Each category has a separate branch. If a category was not seen in
    `fit`, the node that splits on the feature makes the prediction. :doc:`/methods/c45` has the
    details.

    A sample of weight 2 counts as two samples, as in Weka: `min_samples_leaf`, the tolerances of
    1e-6 and the estimated errors are compared with sums of weights, so the tree depends on the
    scale of the weights. The only exception is the test whether enough values are known to search
    for a threshold, which counts samples. Weights with a mean of 1 are a reasonable choice.

    References
    ----------
    J. R. Quinlan. C4.5: Programs for Machine Learning. Morgan Kaufmann, 1993.

    M. Hall, E. Frank, G. Holmes, B. Pfahringer, P. Reutemann, I. H. Witten. The WEKA data mining
    software: an update. SIGKDD Explorations 11(1), 2009, 10-18.

    Examples
    --------
    >>> from rarelabels.trees import C45Classifier
    >>> X = [[1.0], [2.0], [3.0], [6.0], [7.0], [8.0]]
    >>> tree = C45Classifier().fit(X, ["low", "low", "low", "high", "high", "high"])
    >>> print(tree.export_text())
    feature 0 <= 3: low (3)
    feature 0 > 3: high (3)
    >>> tree.predict([[2.5], [9.0]])
    array(['low', 'high'], dtype='<U4')
    """

    _allows_missing = True

    def __init__(
        self,
        *,
        min_samples_leaf: int = 2,
        confidence: float | None = 0.25,
        subtree_raising: bool = True,
        categorical_features: Any = "auto",
        collapse: bool = True,
        mdl_correction: bool = True,
        laplace: bool = False,
        actual_thresholds: bool = True,
        random_state: Any = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.categorical_features = categorical_features
        self.collapse = collapse
        self.mdl_correction = mdl_correction
        self.laplace = laplace
        self.actual_thresholds = actual_thresholds
        self.random_state = random_state

    def _rules(self) -> Rules:
        least, cf, z = pruning_rules(self.min_samples_leaf, self.confidence)
        return Rules(
            gain_ratio=True,
            categorical_links=True,
            min_leaf=least,
            mdl=bool(self.mdl_correction),
            actual=bool(self.actual_thresholds),
            collapse=bool(self.collapse),
            prune=self.confidence is not None,
            raising=bool(self.subtree_raising),
            laplace=bool(self.laplace),
            cf=cf,
            z=z,
        )

    def _schema(self, X: Any) -> Schema:
        return learn_schema(X, self.categorical_features)

    def _takes_objects(self) -> bool:
        given = self.categorical_features
        return given is not None and not isinstance(given, str)

    def _seed(self) -> int:
        return 0
