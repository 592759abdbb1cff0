"""The learner base class: fit, predict and predict_proba around two private methods to write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import BaseDecisionTree
from sklearn.utils import check_array, check_consistent_length, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from rarelabels._containers import Array, Matrix
from rarelabels._labels import Labels
from rarelabels._random import as_generator
from rarelabels._validation import check_labels
from rarelabels.learners._models import base_estimator
from rarelabels.learners._outputs import output_like


class MultiLabelClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base of all learners.

    A learner's constructor stores its parameters, `_fit` learns and `_scores` returns the score
    of each label. `_decide` is there to be replaced where a label is not simply predicted when its
    score is at least one half, and `_scores_and_decisions` where decisions do not follow from
    scores. Checks, containers, names and seeds are done here.

    Attributes
    ----------
    classes_ : ndarray of ints of shape (n_labels, 2)
        The classes of each label, 0 and 1.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y at fit.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.
    label_names_in_ : ndarray
        Names of y's columns, where it was a dataframe.

    Examples
    --------
    A learner that predicts the share of each label:

    >>> from rarelabels.learners import MultiLabelClassifier
    >>> class Prior(MultiLabelClassifier):
    ...     def _fit(self, X, labels, rng):
    ...         self.share_ = labels.matrix.mean(axis=0)
    ...     def _scores(self, X):
    ...         return self.share_ + 0 * X[:, :1]
    >>> learner = Prior().fit([[1.0], [2.0], [3.0]], [[0, 1], [1, 1], [0, 0]])
    >>> learner.predict_proba([[5.0]]).round(2), learner.predict([[5.0]])
    (array([[0.33, 0.67]]), array([[0, 1]]))
    """

    # Whether it seeds the estimators that it is made of, from its own `random_state`.
    _seeds_members = True

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            The labels, 0 or 1.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None; pass the labels, one column each."
            )
        features, labels = self._read(X, reset=True), check_labels(y)
        check_consistent_length(X, labels.matrix)
        self._remember_labels(labels)
        self._fit(features, labels, as_generator(getattr(self, "random_state", None)))
        return self

    def predict(self, X: Any) -> Any:
        """Predict the labels of samples.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray, sparse matrix or dataframe of ints of shape (n_samples, n_labels)
            In the kind of container that y came in at fit.
        """
        check_is_fitted(self)
        return self._output.of(self._decisions(self._read(X, reset=False)), X)

    def predict_proba(self, X: Any) -> Array:
        """Return the score of each label, its probability or share of votes.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of floats of shape (n_samples, n_labels)
            From 0 to 1.
        """
        check_is_fitted(self)
        return self._scores(self._read(X, reset=False))

    def scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        """Return what `predict_proba` and `predict` return, from one prediction pass.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.

        Returns
        -------
        scores : ndarray of floats of shape (n_samples, n_labels)
            From 0 to 1.
        decisions : ndarray of bools of shape (n_samples, n_labels)
            True where the label is predicted.
        """
        check_is_fitted(self)
        return self._scores_and_decisions(self._read(X, reset=False))

    @abstractmethod
    def _fit(self, X: Any, labels: Labels, rng: np.random.Generator) -> None:
        """Learn from features as `_read` gives them and ``labels.matrix``, a CSR indicator."""

    @abstractmethod
    def _scores(self, X: Any) -> Array:
        """Return the scores of samples, of shape (n_samples, n_labels) and from 0 to 1."""

    def _decide(self, scores: Array) -> Array:
        """Return which labels are predicted at these scores."""
        return scores >= 0.5

    def _scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        """Return scores and decisions, the samples passed through the models once."""
        scores = self._scores(X)
        return scores, self._decide(scores)

    def _decisions(self, X: Any) -> Array:
        return self._scores_and_decisions(X)[1]

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Check X, and its columns against those seen at fit unless `reset`."""
        return checked_numbers(self, X, reset=reset)

    def _remember_labels(self, labels: Labels) -> None:
        self.n_labels_in_ = labels.matrix.shape[1]
        self.classes_ = np.tile([0, 1], (self.n_labels_in_, 1))
        self._output = output_like(labels)
        if labels.container.names is not None:
            self.label_names_in_ = np.asarray(labels.container.names, dtype=object)
        elif hasattr(self, "label_names_in_"):
            del self.label_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


class MetaLearner(MultiLabelClassifier):
    """Base of the learners that are made of single-label classifiers, their parameter `estimator`.

    Sparse features and missing values are taken where that classifier takes them.
    """

    estimator: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        return takes_the_same(tags, base_estimator(self.estimator))


def checked_numbers(learner: Any, X: Any, *, reset: bool, at_least: int = 1) -> Matrix:
    """Check X by scikit-learn's rules, and give it as a dense array or CSR.

    Sparse features are for the estimator inside to refuse: not every one says beforehand.
    """
    return validate_data(
        learner,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_min_samples=at_least,
        ensure_all_finite="allow-nan" if get_tags(learner).input_tags.allow_nan else True,
    )


class WrappingClassifier(MultiLabelClassifier):
    """Base of the classifiers that wrap a multi-label one, their parameter `estimator`.

    X is checked and goes to it as it came; of a dataframe, which the wrapped one may know how to
    read, only the names and the number of columns are checked.
    """

    estimator: Any

    def _read(self, X: Any, *, reset: bool) -> Any:
        if not hasattr(X, "columns"):
            tags = get_tags(self).input_tags
            finite = "allow-nan" if tags.allow_nan else True
            # Of other sparse formats the check cannot see the values, and warns.
            formats = ["csr", "csc", "coo"]
            check_array(
                X, accept_sparse=formats, dtype=None, ensure_all_finite=finite, estimator=self
            )
        return validate_data(self, X, reset=reset, skip_check_array=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        return takes_the_same(tags, self.estimator)


def takes_the_same(tags: Any, estimator: Any) -> Any:
    """Promise sparse features and missing values where the estimator inside promises them."""
    if hasattr(estimator, "__sklearn_tags__"):
        inside = get_tags(estimator).input_tags
        # scikit-learn 1.6 does not say it of trees.
        tags.input_tags.sparse = inside.sparse or isinstance(estimator, BaseDecisionTree)
        tags.input_tags.allow_nan = inside.allow_nan
    return tags
