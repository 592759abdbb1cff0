"""Measures of predicted labels: macro F, G-mean and balanced accuracy."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from rarelabels._parameter_docs import shared_parameters
from rarelabels.metrics._inputs import Truth, check_counted_predictions
from rarelabels.metrics._label_scores import LabelScores, macro, mask_single_class
from rarelabels.metrics.confusion import Confusion


def count_confusion(truth: Truth, predicted: sparse.csr_array) -> Confusion:
    """Count positives and predictions label by label; sparse labels stay sparse."""
    Y = truth.labels.positives
    return Confusion(
        true_positive=truth.sums(sparse.csr_array(Y.multiply(predicted))),
        n_predicted=truth.sums(predicted),
        n_positive=truth.sums(Y),
        n_samples=truth.totals,
    )


def check_confusion(
    y_true: Any, y_pred: Any, sample_weight: Any, allow_missing_labels: bool
) -> tuple[Truth, Confusion]:
    """Check labels and predictions, and count them label by label."""
    truth, predicted = check_counted_predictions(
        y_true, y_pred, sample_weight, allow_missing_labels
    )
    return truth, count_confusion(truth, predicted)


@shared_parameters
def label_f1(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> LabelScores:
    """Return the F1 score of each label: the harmonic mean of precision and recall.

    Parameters
    ----------
    {y_true}
    y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The predicted labels, 0 or 1.
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    LabelScores
        The values, and which labels were left out because they neither occur in `y_true` nor are
        predicted, where F is 0/0. A label that occurs and is never predicted has F = 0, and so has
        one that does not occur and is predicted.

    Examples
    --------
    >>> from rarelabels.metrics import label_f1
    >>> label_f1([[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]])
    LabelScores(mean=0.8333 over 2 labels, 1 left out)
    """
    _, counts = check_confusion(y_true, y_pred, sample_weight, allow_missing_labels)
    return LabelScores(counts.f1)


@shared_parameters
def label_gmean(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> LabelScores:
    """Return the G-mean of each label: the geometric mean of recall and specificity.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    LabelScores
        The values, and which labels were left out for having a single class in `y_true`.

    Examples
    --------
    >>> from rarelabels.metrics import label_gmean
    >>> label_gmean([[1], [1], [0], [0]], [[1], [0], [0], [1]]).values
    array([0.5])
    """
    truth, counts = check_confusion(y_true, y_pred, sample_weight, allow_missing_labels)
    return mask_single_class(counts.gmean, truth)


@shared_parameters
def label_balanced_accuracy(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> LabelScores:
    """Return the balanced accuracy of each label: the mean of recall and specificity.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    LabelScores
        The values, and which labels were left out for having a single class in `y_true`.

    Examples
    --------
    >>> from rarelabels.metrics import label_balanced_accuracy
    >>> label_balanced_accuracy([[1], [1], [0], [0]], [[1], [0], [0], [0]]).values
    array([0.75])
    """
    truth, counts = check_confusion(y_true, y_pred, sample_weight, allow_missing_labels)
    return mask_single_class(counts.balanced_accuracy, truth)


@shared_parameters
def macro_f1(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the macro F1 score: the mean over labels of F1.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        The mean over the labels that occur in `y_true` or are predicted; the others are left out,
        and `label_f1` counts them. NaN, with a warning, if there are no such labels.

    See Also
    --------
    label_f1 : The values behind the mean.

    Notes
    -----
    scikit-learn's `f1_score(average="macro")` counts a label that neither occurs nor is predicted
    as `zero_division`, 0 or 1, whichever was chosen: with rare labels and small test folds this
    says more about the fold than about the predictions.

    Examples
    --------
    The third label neither occurs nor is predicted, so there is nothing to be right or wrong about:

    >>> from rarelabels.metrics import macro_f1
    >>> macro_f1([[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]])
    1.0
    """
    scores = label_f1(
        y_true, y_pred, sample_weight=sample_weight, allow_missing_labels=allow_missing_labels
    )
    return macro(scores, "macro_f1")


@shared_parameters
def macro_gmean(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the macro G-mean: the mean over labels of √(recall · specificity).

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        The mean over the labels that have both classes in `y_true`; the others are left out, and
        `label_gmean` counts them. NaN, with a warning, if no label has both.

    Examples
    --------
    >>> from rarelabels.metrics import macro_gmean
    >>> macro_gmean([[1, 0], [1, 1], [0, 1], [0, 1]], [[1, 0], [0, 1], [0, 1], [1, 1]])
    0.75
    """
    scores = label_gmean(
        y_true, y_pred, sample_weight=sample_weight, allow_missing_labels=allow_missing_labels
    )
    return macro(scores, "macro_gmean")


@shared_parameters
def macro_balanced_accuracy(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, allow_missing_labels: bool = False
) -> float:
    """Return the macro balanced accuracy: the mean over labels of (recall + specificity) / 2.

    Parameters
    ----------
    {y_true, y_pred}
    {sample_weight}
    {allow_missing_labels, in y_true}

    Returns
    -------
    float
        The mean over the labels that have both classes in `y_true`; the others are left out, and
        `label_balanced_accuracy` counts them. NaN, with a warning, if no label has both.

    Examples
    --------
    >>> from rarelabels.metrics import macro_balanced_accuracy
    >>> macro_balanced_accuracy([[1, 0], [1, 1], [0, 1], [0, 1]], [[1, 0], [0, 1], [0, 1], [0, 1]])
    0.875
    """
    scores = label_balanced_accuracy(
        y_true, y_pred, sample_weight=sample_weight, allow_missing_labels=allow_missing_labels
    )
    return macro(scores, "macro_balanced_accuracy")
