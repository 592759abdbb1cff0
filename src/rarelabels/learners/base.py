"""The base class of learners: fit, predict and predict_proba, based on `_fit` and `_scores`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from rarelabels._backends import backend_of
from rarelabels._callbacks import CallbackSupportMixin, followed_fit
from rarelabels._containers import Array, Matrix, without_duplicates, without_mask
from rarelabels._documentation import DocumentationLinkMixin
from rarelabels._label_sets import LabelSetContainer
from rarelabels._labels import Labels
from rarelabels._outputs import output_like
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import as_generator
from rarelabels._validation import check_labels
from rarelabels.decisions import check_rule
from rarelabels.learners.known_labels import known_mask, with_known_labels


class MultiLabelClassifier(
    CallbackSupportMixin, DocumentationLinkMixin, ClassifierMixin, BaseEstimator, ABC
):
    """Base class of all learners.

    A subclass stores its parameters in the constructor, learns in `_fit`, and returns the score of
    each label from `_scores`. It overrides `_decide` if labels are not predicted by comparing their
    scores with one half, and `_scores_and_decisions` if decisions are not based on scores. This
    class checks the input and handles containers, names and seeds.

    Attributes
    ----------
    classes_ : ndarray of ints of shape (n_labels, 2), or of shape (n_labels,)
        The classes of each label, 0 and 1. If y consists of label sets, the names of the labels.
    n_features_in_, n_labels_in_ : int
        Number of columns of X and of y seen during `fit`.
    feature_names_in_ : ndarray of str
        Names of the columns of X. Only available if they are all strings.
    label_names_in_ : ndarray
        Names of the labels. Only available if y was a dataframe or label sets.

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

    # Whether the learner seeds the estimators inside it from its `random_state`.
    _seeds_members = True
    # Whether it passes the caller's y and weights to other models, which check them again.
    _delegates_labels = False
    # Whether X and y may be Dask collections.
    _works_on_blocks = False

    @shared_parameters
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to the data.

        Parameters
        ----------
        {X}
        {y, or label sets, perhaps unknown}

        Returns
        -------
        self
        """
        return self._fit_data(X, y)

    @followed_fit
    def _fit_data(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Self:
        """Check the data and call `_fit` with it, with `options` and with any weights."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None; pass the labels, one column for each label."
            )
        backend = None if self._works_on_blocks else backend_of(X)
        # Arrays are loaded into memory; dataframes and sparse blocks cannot be.
        if backend is not None and not isinstance(getattr(X, "_meta", None), np.ndarray):
            raise TypeError(f"X: {backend.refusal(X)}")
        features = self._read(X, reset=True)
        labels = check_labels(y, self._allows_missing, works_on_blocks=self._works_on_blocks)
        self._check_length(X, features, labels)
        self._remember_labels(labels)
        if sample_weight is not None or labels.values.unknown is not None:
            labels, weights = with_known_labels(labels, sample_weight)
            if not self._delegates_labels:
                options = self._with_weights(options, weights)
        self._fit(features, labels, as_generator(getattr(self, "random_state", None)), **options)
        return self

    @property
    def _allows_missing(self) -> bool:
        """Whether labels may be unknown; classes without this parameter do not allow it."""
        return bool(getattr(self, "allow_missing_labels", False))

    def _with_weights(self, options: dict[str, Any], weights: Any) -> dict[str, Any]:
        """Return the arguments of `_fit` with checked weights."""
        return options if weights is None else {**options, "sample_weight": weights}

    @shared_parameters
    def predict(self, X: Any) -> Any:
        """Predict the labels of samples.

        Parameters
        ----------
        {X, or a Dask collection}

        Returns
        -------
        ndarray, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The predicted labels in the same kind of container as y in `fit`, as booleans if y was
            boolean. For a Dask collection, a Dask array, a Dask dataframe if y was a dataframe, or
            a Dask bag of label sets.
        """
        check_is_fitted(self)
        rule = None if backend_of(X) is None else self._chosen_rule
        if rule is not None and not getattr(check_rule(rule), "by_sample", True):
            raise ValueError(
                f"the rule {rule!r} does not decide each sample separately, so predict needs X in "
                "memory; call X.compute() first, or make decisions from predict_proba(X).compute()."
            )
        return self._by_block(MultiLabelClassifier._predicted, X, self._output.of)

    def _predicted(self, X: Any) -> Any:
        return self._output.of(self._decisions(self._read(X, reset=False)), X)

    @shared_parameters
    def predict_proba(self, X: Any) -> Any:
        """Return the score of each label, which is its probability or its share of votes.

        Parameters
        ----------
        {X, or a Dask collection}

        Returns
        -------
        ndarray or dataframe of floats of shape (n_samples, n_labels)
            The scores, from 0 to 1. A dataframe with the names of the labels if y was one in `fit`.
            For a Dask collection, a Dask array or dataframe.
        """
        check_is_fitted(self)
        return self._by_block(MultiLabelClassifier._predicted_scores, X, self._output.scores)

    def _predicted_scores(self, X: Any) -> Any:
        return self._output.scores(self._scores(self._read(X, reset=False)), X)

    @property
    def _chosen_rule(self) -> Any:
        """The decision rule of this model or of the model inside, None without one."""
        rule = getattr(self, "rule", getattr(self, "threshold", None))
        inside = getattr(self, "estimator_", None)
        return getattr(inside, "_chosen_rule", None) if rule is None else rule

    def _by_block(self, method: Any, X: Any, as_output: Any) -> Any:
        """Call a method with X, or with each block when a Dask collection is computed."""
        backend = backend_of(X)
        if backend is None:
            return method(self, X)
        columns = backend.without_samples(X)
        if hasattr(self, "n_features_in_"):
            validate_data(self, columns, reset=False, skip_check_array=True)
        like = as_output(np.empty((0, self.n_labels_in_)), columns)
        return backend.predictions(X, partial(method, self._for_workers()), like)

    def _for_workers(self) -> Any:
        """Return a model that makes the same predictions, with what they need."""
        return self

    @shared_parameters
    def scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        """Return the results of `predict_proba` and `predict` from a single prediction pass.

        Parameters
        ----------
        {X}

        Returns
        -------
        scores : ndarray of floats of shape (n_samples, n_labels)
            The scores, from 0 to 1.
        decisions : ndarray of bools of shape (n_samples, n_labels)
            Whether each label is predicted.
        """
        check_is_fitted(self)
        return self._scores_and_decisions(self._read(X, reset=False))

    @shared_parameters
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of samples whose labels are all predicted correctly.

        Parameters
        ----------
        {X}
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The true labels. Label sets may only contain names that occurred in `fit`. With
            ``allow_missing_labels=True``, unknown labels are ignored, and so are samples without a
            known label.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            The share, from 0 to 1.
        """
        check_is_fitted(self)
        names = getattr(self, "label_names_in_", None)
        values = check_labels(
            y, self._allows_missing, names=names, works_on_blocks=self._works_on_blocks
        ).values
        truth = values.positives
        decisions = self._decisions(self._read(X, reset=False))
        if truth.shape != decisions.shape:
            raise ValueError(
                "y must have a row for each sample of X and a column for each label seen in fit: "
                f"expected shape {decisions.shape}, got {truth.shape}."
            )
        is_correct = truth.toarray() == decisions
        known = known_mask(values)
        if known is not None:
            is_correct |= ~known
            weights = np.ones(len(known)) if sample_weight is None else np.asarray(sample_weight)
            sample_weight = weights * known.any(axis=1)
        return float(np.average(is_correct.all(axis=1), weights=sample_weight))

    @abstractmethod
    def _fit(self, X: Any, labels: Labels, rng: np.random.Generator) -> None:
        """Learn from the features that `_read` returns and ``labels.matrix``, a CSR indicator."""

    @abstractmethod
    def _scores(self, X: Any) -> Array:
        """Return the scores of samples, from 0 to 1 and of shape (n_samples, n_labels)."""

    def _decide(self, scores: Array) -> Array:
        """Return which labels are predicted, given their scores."""
        return scores >= 0.5

    def _scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        """Return scores and decisions; the models predict only once."""
        scores = self._scores(X)
        return scores, self._decide(scores)

    def _decisions(self, X: Any) -> Array:
        return self._scores_and_decisions(X)[1]

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Check X; unless `reset`, also compare its columns with those seen in `fit`."""
        return checked_numbers(self, X, reset=reset)

    def _check_length(self, X: Any, features: Any, labels: Labels) -> None:
        """Check that X has as many samples as y; `features` is the result of `_read`."""
        check_consistent_length(X, labels.matrix)

    def _remember_labels(self, labels: Labels) -> None:
        self.n_labels_in_ = labels.matrix.shape[1]
        self.classes_ = classes_of(labels)
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


def classes_of(labels: Labels) -> Array:
    """Return the names of label sets, or otherwise the classes of each label."""
    if isinstance(labels.container, LabelSetContainer):
        return np.array(labels.container.names)
    return np.tile([0, 1], (labels.matrix.shape[1], 1))


def checked_numbers(learner: Any, X: Any, *, reset: bool, at_least: int = 1) -> Matrix:
    """Check X by scikit-learn's rules; return a dense array or a CSR matrix without duplicates.

    Sparse features are always accepted here, because the tags of some estimators do not say whether
    they support them. The estimator itself raises an error if it does not.
    """
    try:
        numbers = validate_data(
            learner,
            without_mask(X) if np.ma.isMaskedArray(X) else X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_min_samples=at_least,
            ensure_all_finite="allow-nan" if get_tags(learner).input_tags.allow_nan else True,
        )
        return without_duplicates(numbers) if sparse.issparse(numbers) else numbers
    except (TypeError, ValueError) as error:
        if getattr(getattr(X, "dtype", None), "kind", "") != "O":
            raise
        raise type(error)(
            f"{error}; an array must contain only numbers. Pass text, categories and dates in a "
            "dataframe, whose columns are passed to the estimator unchanged."
        ) from error
