"""Checks of labels, scores, weights and masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, FrameContainer, contain
from rarelabels._labels import Labels
from rarelabels._validation import check_labels

MOST_SHOWN = 10


@dataclass(frozen=True)
class CheckedScores:
    """Labels and scores of the same samples.

    Attributes
    ----------
    labels : Labels
        The labels in the caller's container.
    Y : ndarray of bools of shape (n_samples, n_labels)
        The true labels.
    scores : ndarray or csc_array of shape (n_samples, n_labels)
        The scores, columns in the order of the labels.
    weights, known : ndarray or None
        Weights of samples or entries, and the mask of known entries.
    """

    labels: Labels
    Y: Array
    scores: Any
    weights: Array | None
    known: Array | None


def check_scored(
    y: Any, scores: Any, weights: Any = None, known: Any = None, *, allow_missing: bool = True
) -> CheckedScores:
    """Check labels with their scores; columns of two dataframes are matched by name."""
    labels = check_labels(y, allow_missing_labels=allow_missing)
    mask = check_known_entries(known, labels)
    table = read_score_table(scores, labels.container.names)
    if table.shape != labels.matrix.shape:
        raise ValueError(
            f"scores must have the shape of Y, {labels.matrix.shape}, one score for each sample "
            f"and label; got {table.shape}."
        )
    check_finite(table, labels.names, mask)
    entry_weights = check_weights(weights, table.shape)
    return CheckedScores(labels, labels.matrix.toarray() == 1, table, entry_weights, mask)


def read_score_table(scores: Any, names: Sequence[Any] | None) -> Any:
    """Return scores as an array or CSC array of floats, columns in the order of the names.

    Of a dataframe the columns are chosen by name where the labels have names.
    """
    if isinstance(scores, list) and scores and np.ndim(scores[0]) == 2:
        raise ValueError(
            f"scores must be one array of shape (n_samples, n_labels), got a list of {len(scores)} "
            "arrays; np.column_stack([p[:, 1] for p in scores]) takes the positive class of each."
        )
    container = contain(scores)
    numbers = container.numbers()
    if numbers is None:
        raise ValueError("scores must be numbers, got a table with other values.")
    table = (
        sparse.csc_array(numbers, dtype=float)
        if sparse.issparse(numbers)
        else np.asarray(numbers, dtype=float)
    )
    if names is None or not isinstance(container, FrameContainer):
        return table
    return table[:, _places_of(list(names), list(container.names or ()))]


def _places_of(names: list[Any], columns: list[Any]) -> list[int]:
    """Return the column of each name, all of which must be there, and no other."""
    missing = [name for name in names if name not in columns]
    more = [column for column in columns if column not in names]
    if missing or more:
        raise ValueError(
            f"the columns of scores must be the labels: {quoted_names(missing) or 'none'} missing, "
            f"{quoted_names(more) or 'none'} unknown. Rename or select the columns, or pass an "
            "array with the labels in their order."
        )
    return [columns.index(name) for name in names]


def quoted_names(names: Sequence[Any]) -> str:
    """Return names as an error shows them, not too many."""
    more = ", …" if len(names) > MOST_SHOWN else ""
    return ", ".join(map(repr, names[:MOST_SHOWN])) + more


def check_finite(table: Any, names: Sequence[Any], known: Array | None = None) -> None:
    """Refuse known scores that are NaN or infinite, naming the labels."""
    if sparse.issparse(table):
        wrong = sparse.csc_array(
            (~np.isfinite(table.data), table.indices, table.indptr), shape=table.shape
        )
        counts = np.asarray(wrong.sum(axis=0))
    else:
        wrong = ~np.isfinite(table) if known is None else known & ~np.isfinite(table)
        counts = wrong.sum(axis=0)
    if counts.any():
        named = [names[j] for j in np.flatnonzero(counts).tolist()]
        raise ValueError(
            f"scores has NaN or infinity for label {quoted_names(named)} "
            f"({int(counts.sum())} entries); every score must be finite. "
            "Mark entries without a score as unknown with `known`."
        )


def check_known_entries(known: Any, labels: Labels) -> Array | None:
    """Return the mask of known entries, without labels that are NaN; None where all are known."""
    unknown = labels.values.unknown
    if known is None:
        return None if unknown is None else unknown.toarray() == 0
    mask = np.asarray(known)
    if mask.shape != labels.matrix.shape or mask.dtype != bool:
        raise ValueError(
            f"known must be an array of bools of the shape of Y, {labels.matrix.shape}, got "
            f"{mask.dtype} of shape {mask.shape}."
        )
    return mask if unknown is None else mask & (unknown.toarray() == 0)


def check_weights(weights: Any, shape: tuple[int, int]) -> Array | None:
    """Check the weights of samples or entries."""
    if weights is None:
        return None
    table = np.asarray(weights, dtype=float)
    if table.shape not in ((shape[0],), shape):
        raise ValueError(
            f"weights must have one weight for each sample, ({shape[0]},), or for each entry, "
            f"{shape}; got shape {table.shape}."
        )
    if not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("weights must be finite and not negative.")
    if not (table > 0).any():
        raise ValueError("weights has no positive weight; a threshold needs some sample.")
    return table
