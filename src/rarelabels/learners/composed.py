"""The base classes of learners with other classifiers inside, which they fit and combine."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.tree import BaseDecisionTree
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, validate_data

from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import as_generator, draw_seeds
from rarelabels._texts import as_texts, is_texts
from rarelabels.learners._base_estimator import base_estimator
from rarelabels.learners._dataframes import is_frame, require_numbers
from rarelabels.learners.base import MultiLabelClassifier, checked_numbers
from rarelabels.learners.fit_params import NO_PARAMS, passed_on, routing_to
from rarelabels.learners.preprocessing import fitted_preprocessing, require_preprocessing


class ComposedClassifier(MultiLabelClassifier):
    """Base class of the classifiers with other classifiers inside, the parameter `estimator`.

    Sparse features and missing values are supported if that estimator supports them.
    """

    estimator: Any

    def chosen_estimator(self) -> Any:
        """Return the estimator that is used: the given one, or the default.

        Returns
        -------
        estimator
            The estimator, not fitted.
        """
        return self.estimator

    @shared_parameters
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the model to the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. A dataframe is passed to the estimator unchanged.
        {y, or label sets, perhaps unknown}
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Weights of the samples, or of samples and labels, for an estimator whose `fit` accepts
            weights and for thresholds that are tuned. A model of several labels uses the smallest
            weight of each sample. An entry of weight 0 is treated as an unknown label. A resampled
            sample has the weight of the original sample that it copies or was generated from.
        **fit_params : values
            Other parameters of the estimator's `fit`. If a parameter has one value for each sample,
            each model gets the values of the samples that it is fitted to. With scikit-learn's
            metadata routing, the parameters that the estimator requests.

        Returns
        -------
        self
        """
        estimator = self.chosen_estimator()
        params = passed_on(self, estimator, sample_weight, fit_params, n_samples=_num_samples(X))
        return self._fit_data(X, y, params.weights, **({"params": params} if params else {}))

    def _with_weights(self, options: dict[str, Any], weights: Any) -> dict[str, Any]:
        return {**options, "params": options.get("params", NO_PARAMS).with_weights(weights)}

    def get_metadata_routing(self) -> Any:
        """Return the metadata that `fit` passes to the estimator.

        Returns
        -------
        MetadataRouter
            The routing information, as described in scikit-learn's user guide.
        """
        return routing_to(self, self.chosen_estimator())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        return with_tags_of(tags, self.chosen_estimator())


class MetaLearner(ComposedClassifier):
    """Base class of the learners with single-label classifiers inside, by default trees.

    A dataframe is passed to the classifier unchanged, with its names, dtypes and missing values.
    """

    def chosen_estimator(self) -> Any:
        """Return the classifier that is used: the given one, or the default tree.

        Returns
        -------
        classifier
            The classifier, not fitted.
        """
        return base_estimator(self.estimator)

    def _fit_data(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Self:
        if not is_texts(X):
            self.__dict__.pop("preprocessing_", None)
            return super()._fit_data(X, y, sample_weight, **options)
        # Transformers are fitted once for all labels, and the models are fitted to their output.
        original = self.estimator
        preprocessing, rest = require_preprocessing(self.chosen_estimator())
        (seed,) = draw_seeds(as_generator(getattr(self, "random_state", None)), 1)
        fitted, numbers = fitted_preprocessing(preprocessing, as_texts(X), seed)
        try:
            self.estimator = rest
            super()._fit_data(numbers, y, sample_weight, **options)
        finally:
            self.estimator = original
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
        # Trees accept only numbers, so a dataframe is converted once for all trees.
        require_numbers(X, estimator)
        return checked_numbers(self, X, reset=reset)


class WrappingClassifier(ComposedClassifier):
    """Base class of the classifiers that wrap a multi-label classifier.

    X is checked and passed to that classifier unchanged. Only the names and the number of columns
    of a dataframe are checked, because the wrapped classifier may support other dtypes.
    """

    _delegates_labels = True

    def _read(self, X: Any, *, reset: bool) -> Any:
        if is_texts(X):
            return as_texts(X)
        if is_frame(X):
            return checked_frame(self, X, reset=reset)
        tags = get_tags(self).input_tags
        finite = "allow-nan" if tags.allow_nan else True
        # The check cannot read the values of other sparse formats, and would warn.
        formats = ["csr", "csc", "coo"]
        checked = validate_data(
            self, X, reset=reset, accept_sparse=formats, dtype=None, ensure_all_finite=finite
        )
        # Lists and masked arrays are passed unchanged, as an array may lose types or the mask.
        return checked if type(X) is np.ndarray or sparse.issparse(X) else X


class FoldingClassifier(WrappingClassifier):
    """Base class of the wrapping classifiers that fit copies of their estimator to folds."""

    cv: Any

    def _n_fit_tasks(self) -> int | None:
        if self.cv is None:
            return 1
        return int(self.cv) + 1 if isinstance(self.cv, (int, np.integer)) else None

    @shared_parameters
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Fit the model to the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. A dataframe is passed to the estimator unchanged.
        {y, or label sets, perhaps unknown}
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Weights of the samples, or of samples and labels, for the estimator and for the
            thresholds or curves that are learned from folds. An entry of weight 0 is treated as an
            unknown label.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, for instance a patient. No group is in two folds. They are
            also passed to an estimator whose `fit` has the parameter `groups`.
        **fit_params : values
            Other parameters of the estimator's `fit`, as in
            :meth:`rarelabels.learners.BinaryRelevance.fit`.

        Returns
        -------
        self
        """
        estimator = self.estimator
        params = passed_on(self, estimator, sample_weight, fit_params, n_samples=_num_samples(X))
        params = params.with_groups(groups, estimator)
        return self._fit_data(X, y, params.weights, params=params, groups=groups)

    def get_metadata_routing(self) -> Any:
        """Return the metadata that `fit` uses and passes to the estimator.

        Groups are always requested.

        Returns
        -------
        MetadataRouter
            The routing information, as described in scikit-learn's user guide.
        """
        return routing_to(self, self.estimator, with_groups=True)


def checked_frame(learner: Any, X: Any, *, reset: bool) -> Any:
    """Check the names and the number of a dataframe's columns; the estimator checks its values."""
    if min(X.shape) == 0:
        missing = "sample" if X.shape[0] == 0 else "feature"
        raise ValueError(
            f"X is empty: it has 0 {missing}(s) (shape={tuple(X.shape)}) while a minimum of 1 is "
            "required."
        )
    return validate_data(learner, X, reset=reset, skip_check_array=True)


def with_tags_of(tags: Any, estimator: Any) -> Any:
    """Set the tags for sparse features and missing values to those of the estimator inside."""
    if hasattr(estimator, "__sklearn_tags__"):
        inner_tags = get_tags(estimator).input_tags
        # In scikit-learn 1.6, trees do not have the tag for sparse features.
        tags.input_tags.sparse = inner_tags.sparse or isinstance(estimator, BaseDecisionTree)
        tags.input_tags.allow_nan = inner_tags.allow_nan
    return tags
