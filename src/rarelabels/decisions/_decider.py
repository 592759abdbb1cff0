"""Decisions on the scores of any model."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rarelabels._containers import Array
from rarelabels._documentation import DocumentationLinkMixin
from rarelabels._outputs import SparseOutput, output_like
from rarelabels.decisions._inputs import check_finite, check_scored, read_score_table
from rarelabels.decisions._records import check_rule
from rarelabels.decisions.out_of_fold import named_labels

# Entries of sparse scores that are decided on at a time.
ENTRIES_AT_ONCE = 2**22


class ThresholdDecider(DocumentationLinkMixin, BaseEstimator):
    """Decide which labels to predict from the scores of any model.

    The decider chooses thresholds on validation samples, from which the model must not have
    learned, and applies them to the scores of new samples.

    Parameters
    ----------
    rule : str or rule, default="pooled_f1"
        The decision rule: the name of one of :data:`RULES`, or a rule object.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, which influences nothing.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_labels,)
        The threshold of each label.
    n_positives_ : ndarray of ints of shape (n_labels,)
        Number of positive samples of each label, without weights.
    n_labels_in_ : int
        The number of labels.
    label_names_in_ : ndarray
        Names of the labels. Only available if y was a dataframe or label sets.

    See Also
    --------
    choose_thresholds : Chooses thresholds without an estimator.
    threshold_report : Estimates how certain thresholds are.
    rarelabels.learners.ThresholdedClassifier : Thresholds for a classifier, without validation
        samples.

    Examples
    --------
    Logits of a network on validation samples, and on new ones:

    >>> from rarelabels.decisions import ThresholdDecider
    >>> y_val = [[1, 0], [0, 1], [1, 0], [0, 0]]
    >>> logits_val = [[-0.5, -3.0], [-2.5, -2.0], [-1.5, -2.5], [-3.0, -3.5]]
    >>> decider = ThresholdDecider().fit(logits_val, y_val)
    >>> decider.thresholds_
    array([-2.  , -2.25])
    >>> decider.predict([[-1.0, -2.0], [-2.5, -4.0]])
    array([[1, 1],
           [0, 0]])
    """

    def __init__(self, rule: Any = "pooled_f1", *, allow_missing_labels: bool = False) -> None:
        self.rule = rule
        self.allow_missing_labels = allow_missing_labels

    def fit(self, scores: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the thresholds on validation samples.

        Parameters
        ----------
        scores : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            Scores of validation samples. Entries that a sparse matrix does not hold, as where each
            sample has its highest scores only, count as lower than all that it holds. Columns of a
            dataframe are matched with the labels by name.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The true labels of these samples.
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            A sample of weight 2 counts as two samples.

        Returns
        -------
        self
        """
        rule = check_rule(self.rule)
        allowed = self.allow_missing_labels
        checked = check_scored(y, scores, sample_weight, allow_missing=allowed)
        labels = checked.labels
        with named_labels(labels.names):
            self.thresholds_ = rule.thresholds(
                checked.Y, checked.scores, checked.weights, checked.known
            )
        self.n_labels_in_ = checked.Y.shape[1]
        self.n_positives_ = checked.Y.sum(axis=0)
        self._output = output_like(labels)
        if labels.container.names is not None:
            self.label_names_in_ = np.asarray(labels.container.names, dtype=object)
        elif hasattr(self, "label_names_in_"):
            del self.label_names_in_
        return self

    def predict(self, scores: Any) -> Any:
        """Predict the labels of new samples from their scores.

        Parameters
        ----------
        scores : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            Their scores, labels as at fit. Columns of a dataframe are matched by name. Entries that
            a sparse matrix does not hold are not predicted.

        Returns
        -------
        ndarray, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
            The predicted labels in the same kind of container as y in `fit`.
        """
        check_is_fitted(self)
        names = getattr(self, "label_names_in_", None)
        table = read_score_table(scores, names)
        if table.shape[1] != self.n_labels_in_:
            raise ValueError(
                f"scores has {table.shape[1]} columns, but the thresholds were chosen for "
                f"{self.n_labels_in_} labels; pass one column for each, in the same order."
            )
        check_finite(table, range(self.n_labels_in_) if names is None else names)
        rule = check_rule(self.rule)
        if sparse.issparse(table):
            chosen = decide_stored(rule, table.tocsr(), self.thresholds_)
            is_sparse = isinstance(self._output, SparseOutput)
            return self._output.of(chosen if is_sparse else chosen.toarray(), scores)
        return self._output.of(rule.decide(table, self.thresholds_), scores)


def decide_stored(rule: Any, scores: sparse.csr_array, thresholds: Array) -> sparse.csr_array:
    """Return decisions on the entries that sparse scores hold; the others are not predicted."""
    n_samples, n_labels = scores.shape
    step = max(1, ENTRIES_AT_ONCE // n_labels) if getattr(rule, "by_sample", True) else n_samples
    parts = []
    for start in range(0, n_samples, step):
        part = scores[start : start + step]
        stored = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), part.indices
        table = np.full(part.shape, -np.inf)
        table[stored] = part.data
        chosen = rule.decide(table, thresholds)[stored]
        places = stored[0][chosen], stored[1][chosen]
        parts.append(sparse.csr_array((np.ones(chosen.sum(), bool), places), shape=part.shape))
    return sparse.vstack(parts, format="csr")
