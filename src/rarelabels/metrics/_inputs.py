"""Checks of true labels, predictions, scores and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels._containers import Matrix, contain
from rarelabels._label_sets import label_sets
from rarelabels._labels import LabelMatrix
from rarelabels._validation import as_weights, check_labels


@dataclass(frozen=True)
class Truth:
    """The true labels, and how much each entry counts.

    Attributes
    ----------
    labels : LabelMatrix
        The labels; unknown entries count for nothing.
    weights : ndarray of shape (n_samples,) or (n_samples, n_labels), or None
        The weights of samples or entries, None if all are 1.
    """

    labels: LabelMatrix
    weights: npt.NDArray[Any] | None

    @property
    def is_plain(self) -> bool:
        """Whether every entry is known and counts 1."""
        return self.labels.unknown is None and self.weights is None

    def known(self, entries: sparse.csr_array) -> sparse.csr_array:
        """Return an indicator without the entries that are unknown."""
        unknown = self.labels.unknown
        return entries if unknown is None else sparse.csr_array(entries - entries.multiply(unknown))

    def sums(self, entries: sparse.csr_array) -> npt.NDArray[Any]:
        """Return the weight of the entries of each label."""
        if self.weights is None:
            return np.asarray(entries.sum(axis=0, dtype=np.int64)).ravel()
        if self.weights.ndim == 1:
            return np.asarray(self.weights @ entries)
        return np.asarray(entries.multiply(self.weights).sum(axis=0)).ravel()

    @property
    def totals(self) -> Any:
        """The weight of the known entries of each label, or the number of samples."""
        n_samples, n_labels = self.labels.shape
        if self.weights is None:
            total: Any = n_samples
        else:
            total = np.broadcast_to(self.weights.sum(axis=0), n_labels)
        unknown = self.labels.unknown
        return total if unknown is None else total - self.sums(unknown)

    def entry_weights(self, rows: slice) -> npt.NDArray[np.float64]:
        """Return the weight of each entry of some samples, 0 for unknown entries."""
        weights = np.ones(self.labels.positives[rows].shape)
        if self.weights is not None:
            of_rows = self.weights[rows]
            weights *= of_rows[:, None] if of_rows.ndim == 1 else of_rows
        if self.labels.unknown is not None:
            weights[self.labels.unknown[rows].toarray() != 0] = 0.0
        return weights

    def column(self, label: int) -> tuple[npt.NDArray[Any], ...]:
        """Return which samples count for a label, which of these have it, and their weights."""
        n_samples = self.labels.n_samples
        weights = np.ones(n_samples) if self.weights is None else self.weights
        weights = weights if weights.ndim == 1 else weights[:, label]
        counts = weights > 0
        if self.labels.unknown is not None:
            counts &= self.labels.unknown[:, [label]].toarray()[:, 0] == 0
        has_label = self.labels.positives[:, [label]].toarray()[:, 0] == 1
        return counts, has_label[counts], weights[counts]

    @property
    def has_one_class(self) -> npt.NDArray[np.bool_]:
        """Which labels have no positive or no negative entry that counts."""
        counted = Truth(self.labels, None if self.weights is None else (self.weights > 0) * 1.0)
        n_positive, n_entries = counted.sums(self.labels.positives), counted.totals
        return (n_positive == 0) | (n_positive == n_entries)


def check_truth(
    y_true: Any, sample_weight: Any = None, allow_missing_labels: bool = False, names: Any = None
) -> Truth:
    """Return the true labels with their weights."""
    labels = check_labels(y_true, allow_missing_labels, names).values
    if sample_weight is None:
        return Truth(labels, None)
    weights = as_weights(sample_weight)
    n_samples, n_labels = labels.shape
    if weights.shape not in ((n_samples,), (n_samples, n_labels)):
        raise ValueError(
            f"sample_weight must have shape ({n_samples},), a weight for each sample, or "
            f"({n_samples}, {n_labels}), one for each sample and label; got {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        n_wrong = int((~(weights >= 0) | np.isinf(weights)).sum())
        raise ValueError(
            f"sample_weight must be finite and not negative, but {n_wrong} weights are not; use 0 "
            "for what should not count."
        )
    # Ratios do not depend on the scale, and counts below 1 are taken as 1.
    least = weights[weights > 0].min(initial=1.0)
    return Truth(labels, weights / least)


def check_predictions(
    y_true: Any, y_pred: Any, name: str = "y_pred"
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return true and predicted labels as 0/1 matrices of one shape."""
    truth, predicted = check_counted_predictions(y_true, y_pred, name=name)
    return truth.labels.positives, predicted


def check_counted_predictions(
    y_true: Any,
    y_pred: Any,
    sample_weight: Any = None,
    allow_missing_labels: bool = False,
    name: str = "y_pred",
) -> tuple[Truth, sparse.csr_array]:
    """Return true labels with their weights, and predicted labels where the truth is known."""
    names = shared_names(y_true, y_pred)
    truth = check_truth(y_true, sample_weight, allow_missing_labels, names)
    predicted = indicator(y_pred, name, names)
    _check_same_shape(truth.labels.shape, predicted.shape, name)
    return truth, truth.known(predicted)


def check_scores(
    y_true: Any, y_score: Any, sample_weight: Any = None, allow_missing_labels: bool = False
) -> tuple[Truth, npt.NDArray[Any]]:
    """Return true labels, and the scores as an array of their shape."""
    truth, scores = check_sample_scores(y_true, y_score, sample_weight, allow_missing_labels)
    return truth, dense_rows(scores, slice(None))


def check_sample_scores(
    y_true: Any, y_score: Any, sample_weight: Any = None, allow_missing_labels: bool = False
) -> tuple[Truth, Matrix]:
    """Return true labels, and the scores as an array or sparse matrix of their shape.

    What a sparse matrix does not store scores lower than all that it stores, as decisions have it.
    """
    names = list(y_score.columns) if hasattr(y_score, "columns") else None
    truth = check_truth(y_true, sample_weight, allow_missing_labels, names)
    scores = _score_matrix(y_score)
    _check_same_shape(truth.labels.shape, scores.shape, "y_score")
    values = scores.data if sparse.issparse(scores) else scores
    if not np.isfinite(values).all():
        row, label = np.argwhere(~np.isfinite(dense_rows(scores, slice(None))))[0]
        raise ValueError(
            f"y_score must be finite, got {scores[row, label]} in sample {row}, label {label}."
        )
    return truth, scores


def dense_rows(table: Matrix, rows: slice) -> npt.NDArray[Any]:
    """Return some rows of an array or sparse matrix as an array."""
    return table[rows].toarray() if sparse.issparse(table) else table[rows]


def shared_names(y_true: Any, y_pred: Any) -> list[Any] | None:
    """Return the names of all labels of two lists of label sets, None for other containers."""
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


def _score_matrix(y_score: Any) -> Matrix:
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
    return _above_zero(sparse.csr_array(scores)) if sparse.issparse(scores) else scores


def _above_zero(scores: sparse.csr_array) -> sparse.csr_array:
    """Shift negative scores, which keeps their order, so that those not stored are the lowest."""
    lowest = scores.data.min(initial=0.0)
    if not lowest < 0 or not np.isfinite(lowest):
        return scores
    shifted = scores.astype(np.float64)
    shifted.data += 1 - lowest
    return shifted


def _check_same_shape(true: tuple[int, ...], other: tuple[int, ...], name: str) -> None:
    if true != other:
        raise ValueError(
            f"{name} must have the shape of y_true, {tuple(true)}, got {tuple(other)}: "
            "a row for each sample and a column for each label."
        )
