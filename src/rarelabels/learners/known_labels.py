"""Known and unknown labels of the training data, and their weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._validation import as_weights, warn_constant

PARAMETER = "allow_missing_labels"
_IS_QUIET: ContextVar[bool] = ContextVar("is_quiet", default=False)


def with_known_labels(labels: Labels, weights: Any = None) -> tuple[Labels, Array | None]:
    """Return labels whose entries of weight zero are unknown, and the weights.

    A label that is unknown for all samples is replaced by one without positives, so it is never
    predicted. A warning names it.

    Parameters
    ----------
    labels : Labels
        The labels.
    weights : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Weights that are not negative.

    Returns
    -------
    labels : Labels
        The labels.
    weights : ndarray or None
        The weights in their original shape. In a table of samples and labels, unknown entries have
        weight 0.
    """
    values = labels.values
    table = None if weights is None else checked_weights(weights, values.shape)
    if values.unknown is None and (table is None or (table > 0).all()):
        return labels, table
    unknown = _unknown_entries(values, table)
    is_unknown_label = np.asarray(unknown.all(axis=0))
    warn_of_unknown_labels(labels.names, is_unknown_label, values.n_samples)
    is_unknown_sample = np.asarray(unknown.all(axis=1))
    if is_unknown_sample.all():
        raise ValueError(
            f"none of the {values.shape[1]} labels is known for any of the {values.n_samples} "
            "samples; at least one known label is required."
        )
    unknown[:, is_unknown_label] = is_unknown_sample[:, None]
    if table is not None and table.ndim == 2:
        table = np.where(unknown, 0.0, np.where(is_unknown_label, 1.0, table))
    entries = sparse.csr_array(unknown, dtype=np.int8)
    known = LabelMatrix(_known_positives(values.positives, unknown), entries)
    return replace(labels, values=known), table


def checked_weights(weights: Any, shape: tuple[int, int]) -> Array:
    """Check weights of samples, or of samples and labels; at least one must be positive."""
    table = np.asarray(weights)
    if table.dtype.kind not in "fiub":
        table = as_weights(weights)
    if table.shape not in ((shape[0],), shape):
        raise ValueError(
            f"sample_weight must have one weight for each of the {shape[0]} samples, or one for "
            f"each sample and label, {shape}; got shape {table.shape}."
        )
    n_wrong = int((~np.isfinite(table)).sum())
    if n_wrong:
        raise ValueError(
            f"sample_weight contains NaN or infinity ({n_wrong} entries); weights must be finite. "
            "A weight of 0 leaves an entry out."
        )
    n_negative = int((table < 0).sum())
    if n_negative:
        raise ValueError(
            f"Negative values in data passed to `sample_weight` ({n_negative} entries); weights "
            "must be 0 or more. A weight of 0 leaves an entry out."
        )
    if not (table > 0).any():
        raise ValueError(
            "sample_weight is zero for all samples; at least one weight must be positive."
        )
    return table


def warn_of_unknown_labels(names: tuple[str, ...], is_unknown: Array, n_samples: int) -> None:
    """Warn about labels that are unknown for all samples, unless an outer model has warned."""
    if not _IS_QUIET.get():
        lack = f"no known entry in the {n_samples} training samples"
        remedy = "never predicted; label some samples, or remove the column"
        warn_constant(names, is_unknown, lack, remedy)


@contextmanager
def outer_model_warns() -> Iterator[None]:
    """Fit inner models without warnings about labels that are unknown for all samples."""
    token = _IS_QUIET.set(True)
    try:
        yield
    finally:
        _IS_QUIET.reset(token)


def allowing_unknown(model: Any) -> Any:
    """Allow unknown labels in a model and in the models and samplers inside; return the model."""
    names = [name for name in model.get_params() if name.split("__")[-1] == PARAMETER]
    return model.set_params(**dict.fromkeys(names, True))


def known_mask(values: LabelMatrix) -> Array | None:
    """Return which entries are known, (n_samples, n_labels), or None if all are known."""
    return None if values.unknown is None else values.unknown.toarray() == 0


def known_weights(values: LabelMatrix, weights: Array | None) -> Array | None:
    """Return the weights of samples, or of samples and labels if labels have different weights.

    Unknown entries have weight 0. Return None if all entries are known and have the same weight.
    """
    known = known_mask(values)
    if known is None:
        return _same_for_all_labels(weights)
    if weights is None:
        return _same_for_all_labels(known.astype(np.float64))
    columns = weights[:, None] if weights.ndim == 1 else weights
    table = np.where(known, columns, 0.0).astype(np.float64)
    # A label that was unknown for all samples is negative for samples with another known label.
    is_lost = ~table.any(axis=0)
    table[:, is_lost] = known[:, is_lost]
    return _same_for_all_labels(table)


def classes_by_label(values: LabelMatrix) -> Array:
    """Return the class of each label and sample, (n_labels, n_samples), or -1 if it is unknown."""
    classes: Array = values.positives.T.astype(np.int8).toarray()
    if values.unknown is not None:
        classes -= values.unknown.T.astype(np.int8).toarray()
    return classes


def _unknown_entries(values: LabelMatrix, weights: Array | None) -> Array:
    """Return which entries are unknown or have weight 0."""
    known = known_mask(values)
    unknown = np.zeros(values.shape, dtype=bool) if known is None else ~known
    if weights is not None:
        unknown |= (weights == 0).reshape(len(weights), -1)
    return unknown


def _known_positives(positives: sparse.csr_array, unknown: Array) -> sparse.csr_array:
    """Return the positives that are known."""
    entries = positives.tocoo()
    is_known = ~unknown[entries.coords]
    row, column = (index[is_known] for index in entries.coords)
    ones = np.ones(row.size, dtype=np.int8)
    return sparse.csr_array((ones, (row, column)), shape=positives.shape).sorted_indices()


def _same_for_all_labels(weights: Array | None) -> Array | None:
    """Return one weight for each sample if all labels have the same weights."""
    if weights is None or weights.ndim == 1 or (weights != weights[:, :1]).any():
        return weights
    return weights[:, 0]
