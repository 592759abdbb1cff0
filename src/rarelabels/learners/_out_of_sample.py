"""Base class of learners that score their training samples as if they were new."""

from __future__ import annotations

from typing import Any, Self

from rarelabels._registry import did_you_mean
from rarelabels.learners.base import MultiLabelClassifier


class OutOfSampleClassifier(MultiLabelClassifier):
    """Base class of the classifiers with out-of-sample scores, whose `fit` accepts groups."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the model to the data.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features. :class:`KernelRidgeClassifier` also accepts a Dask collection.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The labels, 0 or 1, or a list of the names that each sample has; NaN, None or NA for
            unknown labels if `allow_missing_labels` is True. A Dask collection of these if X is
            one.
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Weights of the samples, or of samples and labels, 1 by default. An entry of weight 0 is
            treated as an unknown label.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, for instance a patient. The out-of-sample score of a sample
            (leave-one-out or out-of-bag) is then that of a model fitted without its whole group. X
            must be in memory.

        Returns
        -------
        self
        """
        options = {} if groups is None else {"groups": groups}
        return self._fit_data(X, y, sample_weight, **options)


def label_position(learner: Any, label: Any) -> int:
    """Return the column index of a label, given by its column index or its name."""
    names = [*getattr(learner, "label_names_in_", range(learner.n_labels_in_))]
    if label in names:
        return names.index(label)
    raise ValueError(f"no label is called {label!r}; {did_you_mean(label, names)}")
