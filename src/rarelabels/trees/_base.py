"""What both trees share: they are scikit-learn classifiers, and grow many trees at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from rarelabels._containers import Array
from rarelabels._documentation import DocumentationLinkMixin
from rarelabels._tasks import Tasks
from rarelabels._validation import check_count
from rarelabels.trees._chain import Chain, grow_chain
from rarelabels.trees._coding import Coding, Encoder, make_coding
from rarelabels.trees._export import importances, tree_text
from rarelabels.trees._forest import Forest, grow_forest
from rarelabels.trees._kernels.structures import Rules
from rarelabels.trees._schema import Schema


class BatchTree(DocumentationLinkMixin, ClassifierMixin, BaseEstimator, ABC):
    """A tree classifier that grows many trees on one coding of X."""

    min_samples_leaf: int
    confidence: float | None
    random_state: Any

    @abstractmethod
    def _rules(self) -> Rules:
        """Return how to grow and prune, the parameters checked."""

    @abstractmethod
    def _schema(self, X: Any) -> Schema:
        """Return names and categories of X."""

    @abstractmethod
    def _seed(self) -> int:
        """Return the seed of a single tree."""

    _allows_missing = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, 1 by default; samples of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted tree.
        """
        rules = self._rules()
        X = self._read(X, reset=True)
        classes, target = self._read_target(y, X.shape[0])
        coding = make_coding(X, self._schema(X))
        weights, used = self._read_weights(sample_weight, X)
        tasks = Tasks(np.array([0, used.size]), used, target[used], classes.size)
        unit = 1.0 if weights is None else self._weight_unit(weights[used])
        self.classes_ = classes
        forest = grow_forest(
            self._unfitted(),
            coding,
            tasks,
            rules,
            [self._seed()],
            None,
            None if weights is None else weights / unit,
        )
        self._forest = forest if unit == 1.0 else forest.with_unit(unit)
        return self

    def _weight_unit(self, weights: Array) -> float:
        """Return the weight that counts as one sample."""
        return 1.0

    def _read_weights(self, sample_weight: Any, X: Any) -> tuple[Array | None, Array]:
        """Return the weights and the samples that have one."""
        if sample_weight is None:
            return None, np.arange(X.shape[0])
        weights = _check_sample_weight(
            sample_weight, np.empty((X.shape[0], 1)), dtype=np.float64, ensure_non_negative=True
        )
        used = np.flatnonzero(weights > 0)
        if used.size == 0:
            raise ValueError("sample_weight is zero for all samples; at least one must count.")
        return weights, used

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, (n_samples, n_classes)."""
        check_is_fitted(self)
        X = self._read(X, reset=False)
        return self._forest.all_probabilities(Encoder(self._forest.schema).encode(X))

    def predict(self, X: Any) -> Array:
        """Return the most probable class of each sample, the first of equal ones."""
        probability = self.predict_proba(X)
        return self.classes_[probability.argmax(axis=1)]

    def code(self, X: Any) -> Coding:
        """Return the coding of X on which `fit_many` grows trees."""
        if not hasattr(X, "columns"):
            X = self._checked_array(X)
        return make_coding(X, self._schema(X))

    def fit_many(
        self, coding: Coding, tasks: Tasks, *, seeds: Any = None, n_jobs: int | None = None
    ) -> Forest:
        """Grow one tree for each task.

        Parameters
        ----------
        coding : Coding
            What `code` returned.
        tasks : Tasks
            Samples and classes of each task.
        seeds : sequence of ints, default=None
            One per task.
        n_jobs : int, default=None
            Threads over the tasks. The result does not depend on it.

        Returns
        -------
        forest : Forest
            The trees.
        """
        return grow_forest(self._unfitted(), coding, tasks, self._rules(), seeds, n_jobs)

    def fit_chain(
        self,
        coding: Coding,
        sample_indices: Any,
        tasks: Tasks,
        feed: Any = None,
        seeds: Any = None,
    ) -> Chain:
        """Grow a chain of trees, where each link sees the features and the links before it.

        Parameters
        ----------
        coding : Coding
            What `code` returned.
        sample_indices : (n_positions,) ints
            The sample at each position of the chain.
        tasks : Tasks
            The links in order; their samples are positions.
        feed : (n_positions, n_links) array of 0 and 1, default=None
            What later links see of each link; by default what the link decides.
        seeds : sequence of ints, default=None
            One per link.

        Returns
        -------
        chain : Chain
            The links.
        """
        return grow_chain(
            self._unfitted(), coding, sample_indices, tasks, feed, self._rules(), seeds
        )

    def _unfitted(self) -> Any:
        """Return a tree with the same parameters: a small chain grows faster than a clone is made.

        Parameters are plain values that nobody changes.
        """
        tree = copy(self)
        for name in [name for name in vars(tree) if name.endswith("_") or name == "_forest"]:
            delattr(tree, name)
        return tree

    def _from_forest(self, forest: Forest) -> Any:
        """Return a fitted estimator around a forest of one tree, with the classes it has seen."""
        tree = clone(self)
        present = np.flatnonzero(forest.trees.counts[0] > 0)
        trees = forest.trees._replace(
            counts=np.ascontiguousarray(forest.trees.counts[:, present]),
            probability=np.ascontiguousarray(forest.trees.probability[:, present]),
        )
        tree.classes_ = present
        tree.n_features_in_ = forest.schema.n_features
        names = forest.schema.names
        if names is not None and all(isinstance(name, str) for name in names):
            tree.feature_names_in_ = np.array(names, dtype=object)
        tree._forest = Forest(forest.estimator, forest.schema, forest.roots, trees)
        return tree

    def _read(self, X: Any, *, reset: bool) -> Any:
        if not hasattr(X, "columns"):
            X = self._checked_array(X)
        return validate_data(self, X, reset=reset, skip_check_array=True)

    def _checked_array(self, X: Any) -> Any:
        has_objects = self._takes_objects() and getattr(X, "dtype", np.dtype(float)).kind == "O"
        return check_array(
            X,
            accept_sparse=["csr", "csc"],
            dtype=None if has_objects else np.float64,
            ensure_all_finite=False if has_objects else self._finite(),
            estimator=self,
            input_name="X",
        )

    def _takes_objects(self) -> bool:
        return False

    def _finite(self) -> Any:
        return "allow-nan" if self._allows_missing else True

    def _read_target(self, y: Any, n_samples: int) -> tuple[Array, Array]:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        if y.size != n_samples:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"[{n_samples}, {y.size}]"
            )
        classes, target = np.unique(y, return_inverse=True)
        return classes, target

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_missing
        return tags

    def export_text(self) -> str:
        """Return the tree as text: a line per branch, and at leaves the class and (weight/errors).

        Weights are those of the training samples.
        """
        check_is_fitted(self)
        return tree_text(self._forest, self.classes_)

    @property
    def feature_importances_(self) -> Array:
        """Each feature's share of the decrease of entropy in the training samples."""
        check_is_fitted(self)
        return importances(self._forest)

    @property
    def n_leaves_(self) -> int:
        """Number of leaves, empty ones among them."""
        check_is_fitted(self)
        return int((self._forest.trees.feature < 0).sum())

    @property
    def n_nodes_(self) -> int:
        """Number of nodes."""
        check_is_fitted(self)
        return int(self._forest.trees.feature.size)


def pruning_rules(min_samples_leaf: Any, confidence: Any) -> tuple[float, float, float]:
    """Return the least leaf, the confidence and its normal quantile, checked.

    The confidence is rounded to float32, as in J48.
    """
    least = check_count("min_samples_leaf", min_samples_leaf, 1)
    if confidence is None:
        return float(least), 1.0, 0.0
    is_number = isinstance(confidence, (int, float, np.number)) and not isinstance(confidence, bool)
    if not is_number or not 0 < confidence < 1:
        raise ValueError(
            "confidence must be a float between 0 and 1, or None for no pruning; "
            f"got {confidence!r}."
        )
    single = np.float32(confidence)
    return float(least), float(single), float(ndtri(float(np.float32(1) - single)))
