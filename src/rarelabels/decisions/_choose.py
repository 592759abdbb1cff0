"""Thresholds from labels and scores that were checked."""

from __future__ import annotations

from typing import Any

from rarelabels._containers import Array
from rarelabels.decisions._inputs import check_scored
from rarelabels.decisions._records import check_rule
from rarelabels.decisions.out_of_fold import named_labels


def choose_thresholds(
    Y: Any, scores: Any, rule: Any = "pooled_f1", *, weights: Any = None, known: Any = None
) -> Array:
    """Choose the threshold of each label from true labels and scores.

    The scores should come from a model that did not learn from these samples: scores of validation
    samples, out-of-fold or leave-one-out scores.

    Parameters
    ----------
    Y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1; NaN for a label that is not known.
    scores : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        Scores of any kind: probabilities, logits, votes. Entries that a sparse matrix does not
        hold count as lower than all that it holds. The columns of a dataframe are matched with
        those of Y by name.
    rule : str or rule, default="pooled_f1"
        The name of a decision rule, see :data:`RULES`, or a rule object.
    weights : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        A sample of weight 2 counts as two samples, and one of weight 0 as none.
    known : array-like of bools of shape (n_samples, n_labels), default=None
        Entries that are not known influence nothing; their scores may be NaN.

    Returns
    -------
    ndarray of shape (n_labels,)
        A label is predicted if its score is at least the threshold. The threshold is infinity for a
        label that is never predicted because it has no positives, and minus infinity for a label
        that is always predicted.

    See Also
    --------
    rarelabels.learners.ThresholdedClassifier : Chooses thresholds for any multi-label classifier.

    Examples
    --------
    >>> from rarelabels.decisions import choose_thresholds
    >>> Y = [[1], [0], [1], [0], [0]]
    >>> choose_thresholds(Y, [[0.9], [0.8], [0.6], [0.2], [0.1]], "f1")
    array([0.4])
    """
    chosen = check_rule(rule)
    checked = check_scored(Y, scores, weights, known)
    with named_labels(checked.labels.names):
        return chosen.thresholds(checked.Y, checked.scores, checked.weights, checked.known)
