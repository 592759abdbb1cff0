"""Checks of what the measures are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels._containers import contain
from rarelabels._label_sets import label_sets
from rarelabels._validation import check_labels


def check_predictions(
    y_true: Any, y_pred: Any, name: str = "y_pred"
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return true and predicted labels as 0/1 matrices of one shape."""
    names = shared_names(y_true, y_pred)
    Y, predicted = check_labels(y_true, names=names).matrix, indicator(y_pred, name, names)
    _check_same_shape(Y.shape, predicted.shape, name)
    return Y, predicted


def check_scores(y_true: Any, y_score: Any) -> tuple[sparse.csr_array, npt.NDArray[Any]]:
    """Return true labels as a 0/1 matrix and the scores as an array of its shape."""
    names = list(y_score.columns) if hasattr(y_score, "columns") else None
    Y, scores = check_labels(y_true, names=names).matrix, _score_array(y_score)
    _check_same_shape(Y.shape, scores.shape, "y_score")
    if not np.isfinite(scores).all():
        row, label = np.argwhere(~np.isfinite(scores))[0]
        raise ValueError(
            f"y_score must be finite, got {scores[row, label]} in sample {row}, label {label}."
        )
    return Y, scores


def shared_names(y_true: Any, y_pred: Any) -> list[Any] | None:
    """Return the names of all labels of two lists of label sets, None where they are none."""
    sets = [label_sets(y) for y in (y_true, y_pred)]
    if not any(sets):
        return None
    return sorted({name for one in sets if one is not None for name in one.names})


def indicator(labels: Any, name: str, names: Any = None) -> sparse.csr_array:
    """Return labels as a 0/1 matrix, naming the argument if they are not."""
    try:
        return check_labels(labels, names=names).matrix
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}, checked as a y: {error}") from error


def _score_array(y_score: Any) -> npt.NDArray[Any]:
    if isinstance(y_score, list) and y_score and np.ndim(y_score[0]) == 2:
        raise ValueError(
            f"y_score must be one array of shape (n_samples, n_labels), got a list of "
            f"{len(y_score)} arrays as scikit-learn's forests give; "
            "np.column_stack([p[:, 1] for p in y_score]) takes the positive class of each."
        )
    try:
        scores = contain(y_score).numbers()
    except (TypeError, ValueError) as error:
        raise type(error)(f"y_score: {error}") from error
    if scores is None:
        raise ValueError("y_score must be numbers, got a table with other values.")
    return scores.toarray() if sparse.issparse(scores) else scores


def _check_same_shape(true: tuple[int, ...], other: tuple[int, ...], name: str) -> None:
    if true != other:
        raise ValueError(
            f"{name} must have the shape of y_true, {tuple(true)}, got {tuple(other)}: "
            "a row for each sample and a column for each label."
        )
