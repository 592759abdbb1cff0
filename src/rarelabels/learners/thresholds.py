"""Thresholds chosen on the scores of training samples, as in the papers on some learners."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix, dense
from rarelabels._validation import check_labels
from rarelabels.decisions import check_rule
from rarelabels.decisions.cuts import CRITERIA, exact_thresholds
from rarelabels.learners.known_labels import known_mask


def best_f_thresholds(y: Any, y_score: Any, *, allow_missing_labels: bool = False) -> Array:
    """Find the threshold of each label that maximizes its F-measure, exactly.

    Every cut between two different scores is tried. A label is predicted if its score is at least
    the threshold.

    Parameters
    ----------
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    y_score : array-like of shape (n_samples, n_labels)
        The score of each label, which can be any finite number. Higher means more likely.
    allow_missing_labels : bool, default=False
        Whether `y` may hold NaN for labels that are not known. Unknown entries are ignored.

    Returns
    -------
    ndarray of shape (n_labels,)
        The midpoint between the lowest score that is predicted and the highest score that is not.
        If several cuts are equally good, the highest is chosen, which predicts the label least
        often. The threshold is minus infinity if all samples should get the label, and infinity for
        a label without positives, whose F-measure is 0 at any cut.

    See Also
    --------
    ThresholdedClassifier : Choose thresholds for any multi-label classifier.
    rarelabels.decisions.choose_thresholds : Rules that do not overfit labels with few positives.

    Examples
    --------
    Predicting the three highest scores finds both positives with one mistake, F = 0.8:

    >>> from rarelabels.learners import best_f_thresholds
    >>> best_f_thresholds([[1], [0], [1], [0], [0]], [[0.9], [0.8], [0.6], [0.2], [0.1]])
    array([0.4])
    """
    values = check_labels(y, allow_missing_labels).values
    truth, table = values.positives.toarray() == 1, np.asarray(y_score, dtype=float)
    if table.shape != truth.shape:
        raise ValueError(
            f"y_score must have the shape of y, {truth.shape}, one score for each sample and "
            f"label; got {table.shape}."
        )
    if not np.isfinite(table).all():
        raise ValueError("y_score contains NaN or infinity; all scores must be finite.")
    return exact_thresholds("f1", truth, table, known=known_mask(values))


def training_thresholds(
    rule: Any,
    Y: Matrix,
    scores: Array,
    weights: Array | None = None,
    known: Array | None = None,
) -> Array:
    """Return the thresholds that a rule chooses on the scores of training samples.

    Parameters
    ----------
    rule : str or rule
        The rule. One of `CRITERIA` is maximized exactly, as in the papers on sampling ensembles,
        COCOA and ECCRU3.
    Y : ndarray or sparse matrix of shape (n_samples, n_labels)
        The true labels.
    scores : ndarray of shape (n_samples, n_labels)
        Scores of the samples that the model was fitted to.
    weights : ndarray of shape (n_samples,) or (n_samples, n_labels), default=None
        Weights. A sample of weight 2 counts as two samples, and a sample of weight 0 is ignored.
    known : ndarray of bools of shape (n_samples, n_labels), default=None
        Which entries are known. Other entries are ignored.
    """
    rule_object, truth = check_rule(rule), dense(Y) == 1
    if weights is not None and not (weights > 0).any():
        raise ValueError("sample_weight contains no positive weight; thresholds need at least one.")
    if isinstance(rule, str) and rule in CRITERIA:
        return exact_thresholds(rule, truth, scores, weights, known)
    return rule_object.thresholds(truth, scores, weights, known)
