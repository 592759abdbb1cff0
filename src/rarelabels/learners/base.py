"""The learner base class: fit, predict and predict_proba around two private methods to write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import BaseDecisionTree
from sklearn.utils import check_array, check_consistent_length, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from rarelabels._callbacks import CallbackSupportMixin, followed_fit
from rarelabels._containers import Array, Matrix, without_duplicates, without_mask
from rarelabels._documentation import DocumentationLinkMixin
from rarelabels._label_sets import LabelSetContainer
from rarelabels._labels import Labels
from rarelabels._outputs import output_like
from rarelabels._random import as_generator, draw_seeds
from rarelabels._registry import did_you_mean
from rarelabels._texts import as_texts, is_texts
from rarelabels._validation import check_labels
from rarelabels.learners._frames import is_frame, require_numbers
from rarelabels.learners._models import base_estimator
from rarelabels.learners.fit_params import NO_PARAMS, passed_on, routing_to
from rarelabels.learners.known_labels import known_mask, with_known_labels
from rarelabels.learners.preprocessing import fitted_preprocessing, require_preprocessing


class MultiLabelClassifier(
    CallbackSupportMixin, DocumentationLinkMixin, ClassifierMixin, BaseEstimator, ABC
):
    """Base of all learners.

    A learner's constructor stores its parameters, `_fit` learns and `_scores` returns the score
    of each label. `_decide` is there to be replaced where a label is not simply predicted when its
    score is at least one half, and `_scores_and_decisions` where decisions do not follow from
    scores. Checks, containers, names and seeds are done here.

    Attributes
    ----------
    classes_ : ndarray of ints of shape (n_labels, 2), or of shape (n_labels,)
        The classes of each label, 0 and 1; where y was made of label sets, the labels' names.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y at fit.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.
    label_names_in_ : ndarray
        Names of y's columns, where it was a dataframe, or of its label sets.

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
    # Whether it hands the caller's y and weights to other models, which check them again.
    _delegates_labels = False
    # Whether X and y may be Dask collections.
    _supports_dask = False

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has; NaN, None or NA for
            unknown labels if `allow_missing_labels` is True.

        Returns
        -------
        self
        """
        return self._fit_data(X, y)

    @followed_fit
    def _fit_data(self, X: Any, y: Any, sample_weight: Any = None, **more: Any) -> Self:
        """Check the data and learn from it; `more` goes to `_fit`, and weights if there are any."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None; pass the labels, one column each."
            )
        features = self._read(X, reset=True)
        labels = check_labels(y, self._allows_missing, supports_dask=self._supports_dask)
        self._check_length(X, features, labels)
        self._remember_labels(labels)
        if sample_weight is not None or labels.values.unknown is not None:
            labels, weights = with_known_labels(labels, sample_weight)
            if not self._delegates_labels:
                more = self._with_weights(more, weights)
        self._fit(features, labels, as_generator(getattr(self, "random_state", None)), **more)
        return self

    @property
    def _allows_missing(self) -> bool:
        """Whether labels may be unknown: only classes with this parameter learn from them."""
        return bool(getattr(self, "allow_missing_labels", False))

    def _with_weights(self, more: dict[str, Any], weights: Any) -> dict[str, Any]:
        """Return the arguments of `_fit` with checked weights."""
        return more if weights is None else {**more, "sample_weight": weights}

    def predict(self, X: Any) -> Any:
        """Predict the labels of samples.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            In the kind of container that y came in at fit; booleans where y was.
        """
        check_is_fitted(self)
        return self._output.of(self._decisions(self._read(X, reset=False)), X)

    def predict_proba(self, X: Any) -> Any:
        """Return the score of each label, its probability or share of votes.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray or dataframe of floats of shape (n_samples, n_labels)
            From 0 to 1; a dataframe with the labels' names where y was one at fit.
        """
        check_is_fitted(self)
        return self._output.scores(self._scores(self._read(X, reset=False)), X)

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

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of samples whose labels are all predicted right.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The true labels; label sets hold names that there were at fit. With
            ``allow_missing_labels=True``, unknown labels are left out, and so are samples without
            a known label.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            From 0 to 1.
        """
        check_is_fitted(self)
        names = getattr(self, "label_names_in_", None)
        values = check_labels(
            y, self._allows_missing, names=names, supports_dask=self._supports_dask
        ).values
        truth = values.positives
        decisions = self._decisions(self._read(X, reset=False))
        if truth.shape != decisions.shape:
            raise ValueError(
                f"y must have a row for each sample of X and a column for each label seen at fit, "
                f"{decisions.shape}, got {truth.shape}."
            )
        is_right = truth.toarray() == decisions
        known = known_mask(values)
        if known is not None:
            is_right |= ~known
            weights = np.ones(len(known)) if sample_weight is None else np.asarray(sample_weight)
            sample_weight = weights * known.any(axis=1)
        return float(np.average(is_right.all(axis=1), weights=sample_weight))

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

    def _check_length(self, X: Any, features: Any, labels: Labels) -> None:
        """Check that X, which `_read` turned into features, has as many samples as y."""
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


class ComposedClassifier(MultiLabelClassifier):
    """Base of the classifiers that are made of others, their parameter `estimator`.

    Sparse features and missing values are taken where that estimator takes them.
    """

    estimator: Any

    def chosen_estimator(self) -> Any:
        """Return the estimator that is used: the one given, or the default.

        Returns
        -------
        estimator
            Not fitted.
        """
        return self.estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Learn from the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. A dataframe goes to the estimator as it is.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has; NaN, None or NA for
            unknown labels if `allow_missing_labels` is True.
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Weights of the samples, or of samples and labels, for an estimator whose fit takes them
            and for thresholds that are tuned. A model of several labels gives a sample the smallest
            of its weights. An entry of weight 0 is treated as an unknown label. A sample that comes
            out of a sampler has the weight of the one that it is, or grew from.
        **fit_params : values
            Other parameters of the estimator's fit, cut to the samples that a model is fitted to
            where there is one value for each sample. With scikit-learn's metadata routing, what
            the estimator requests.

        Returns
        -------
        self
        """
        estimator, given = self.chosen_estimator(), (sample_weight, fit_params)
        params = passed_on(self, estimator, *given, n_samples=_num_samples(X))
        return self._fit_data(X, y, params.weights, **({"params": params} if params else {}))

    def _with_weights(self, more: dict[str, Any], weights: Any) -> dict[str, Any]:
        return {**more, "params": more.get("params", NO_PARAMS).with_weights(weights)}

    def get_metadata_routing(self) -> Any:
        """Return what `fit` passes on to the estimator, for scikit-learn's metadata routing.

        Returns
        -------
        MetadataRouter
            The routing.
        """
        return routing_to(self, self.chosen_estimator())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        return takes_the_same(tags, self.chosen_estimator())


class MetaLearner(ComposedClassifier):
    """Base of the learners that are made of single-label classifiers; the default is a tree.

    A dataframe reaches the classifier as it came, with its names, dtypes and missing values.
    """

    def chosen_estimator(self) -> Any:
        """Return the classifier that is used: the one given, or the default tree.

        Returns
        -------
        classifier
            Not fitted.
        """
        return base_estimator(self.estimator)

    def _fit_data(self, X: Any, y: Any, sample_weight: Any = None, **more: Any) -> Self:
        if not is_texts(X):
            self.__dict__.pop("preprocessing_", None)
            return super()._fit_data(X, y, sample_weight, **more)
        # Transformers are fitted once for all labels; the models learn from what they return.
        given = self.estimator
        preprocessing, rest = require_preprocessing(self.chosen_estimator())
        (seed,) = draw_seeds(as_generator(getattr(self, "random_state", None)), 1)
        fitted, numbers = fitted_preprocessing(preprocessing, as_texts(X), seed)
        try:
            self.estimator = rest
            super()._fit_data(numbers, y, sample_weight, **more)
        finally:
            self.estimator = given
        self.preprocessing_ = fitted
        return self

    def _read(self, X: Any, *, reset: bool) -> Any:
        if hasattr(self, "preprocessing_") and is_texts(X):
            X = self.preprocessing_.transform(as_texts(X))
        if not is_frame(X):
            return checked_numbers(self, X, reset=reset)
        estimator = self.chosen_estimator()
        if not isinstance(estimator, BaseDecisionTree):
            return checked_frame(self, X, reset=reset)
        # Trees read numbers alone, so those of a frame are read once for all of them.
        require_numbers(X, estimator)
        return checked_numbers(self, X, reset=reset)


class WrappingClassifier(ComposedClassifier):
    """Base of the classifiers that wrap a multi-label one.

    X is checked and goes to it as it came; of a dataframe, which the wrapped one may know how to
    read, only the names and the number of columns are checked.
    """

    _delegates_labels = True

    def _read(self, X: Any, *, reset: bool) -> Any:
        if is_texts(X):
            return as_texts(X)
        if is_frame(X):
            return checked_frame(self, X, reset=reset)
        tags = get_tags(self).input_tags
        finite = "allow-nan" if tags.allow_nan else True
        # Of other sparse formats the check cannot see the values, and warns.
        formats = ["csr", "csc", "coo"]
        check_array(X, accept_sparse=formats, dtype=None, ensure_all_finite=finite, estimator=self)
        return validate_data(self, X, reset=reset, skip_check_array=True)


class FoldingClassifier(WrappingClassifier):
    """Base of the wrapping classifiers that fit copies of their estimator to folds."""

    cv: Any

    def _n_fit_tasks(self) -> int | None:
        if self.cv is None:
            return 1
        return int(self.cv) + 1 if isinstance(self.cv, (int, np.integer)) else None

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Learn from the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. A dataframe goes to the estimator unchanged.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has; NaN, None or NA for
            unknown labels if `allow_missing_labels` is True.
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Weights of the samples, or of samples and labels, for the estimator and for what is
            learned from folds. An entry of weight 0 is treated as an unknown label.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, for instance a patient. No group is in two folds. An estimator
            whose fit has the parameter `groups` gets them, too.
        **fit_params : values
            Other parameters of the estimator's fit, as in
            :meth:`rarelabels.learners.BinaryRelevance.fit`.

        Returns
        -------
        self
        """
        given = sample_weight, fit_params
        params = passed_on(self, self.estimator, *given, n_samples=_num_samples(X))
        params = params.with_groups(groups, self.estimator)
        return self._fit_data(X, y, params.weights, params=params, groups=groups)

    def get_metadata_routing(self) -> Any:
        """Return what `fit` uses and passes on, for scikit-learn's metadata routing.

        Groups are always requested.

        Returns
        -------
        MetadataRouter
            The routing.
        """
        return routing_to(self, self.estimator, with_groups=True)


def label_position(learner: Any, label: Any) -> int:
    """Return the column of a label, given by its column or by its name."""
    names = [*getattr(learner, "label_names_in_", range(learner.n_labels_in_))]
    if label in names:
        return names.index(label)
    raise ValueError(f"no label is called {label!r}; {did_you_mean(label, names)}")


def classes_of(labels: Labels) -> Array:
    """Return the names of label sets, else the classes of each label."""
    if isinstance(labels.container, LabelSetContainer):
        return np.array(labels.container.names)
    return np.tile([0, 1], (labels.matrix.shape[1], 1))


def checked_frame(learner: Any, X: Any, *, reset: bool) -> Any:
    """Check the names and the number of a dataframe's columns; its values are the estimator's."""
    if min(X.shape) == 0:
        what = "sample" if X.shape[0] == 0 else "feature"
        raise ValueError(
            f"X is empty: it has 0 {what}(s) (shape={tuple(X.shape)}) while a minimum of 1 is "
            "required."
        )
    return validate_data(learner, X, reset=reset, skip_check_array=True)


def checked_numbers(learner: Any, X: Any, *, reset: bool, at_least: int = 1) -> Matrix:
    """Check X by scikit-learn's rules, and give it as a dense array or CSR without duplicates.

    Sparse features are for the estimator inside to refuse: not every one says beforehand.
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
            f"{error}; an array holds numbers alone. Text, categories and dates go into a "
            "dataframe, whose columns the estimator gets as they are."
        ) from error


def takes_the_same(tags: Any, estimator: Any) -> Any:
    """Promise sparse features and missing values where the estimator inside promises them."""
    if hasattr(estimator, "__sklearn_tags__"):
        inside = get_tags(estimator).input_tags
        # scikit-learn 1.6 does not say it of trees.
        tags.input_tags.sparse = inside.sparse or isinstance(estimator, BaseDecisionTree)
        tags.input_tags.allow_nan = inside.allow_nan
    return tags
