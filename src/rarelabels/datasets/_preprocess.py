"""Preprocessing as in the paper: select features, and drop labels that are too rare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels._containers import two_dimensional
from rarelabels._registry import did_you_mean
from rarelabels.datasets._dataset import MultiLabelDataset


def select_frequent_features(X: Any, fraction: float) -> tuple[Any, npt.NDArray[np.int64]]:
    """Keep the features with the most non-zero values.

    Of d features, ``int(fraction * d)`` are kept in their original order. Among features with the
    same number of non-zero values, the lower column index has priority. Missing values, and all
    values of non-numeric columns of a dataframe, count as non-zero.

    Parameters
    ----------
    X : (n_samples, n_features) array, sparse matrix, dataframe or MultiLabelDataset
        The features.
    fraction : float
        The fraction of the features to keep, above 0 and at most 1.

    Returns
    -------
    X_kept : the same type as X
        The kept features.
    kept : (n_kept,) ndarray of int
        Their columns in X, in ascending order.

    Notes
    -----
    The paper keeps 10 % of the features of bibtex, enron and medical, and 1 % of those of rcv1 and
    Yahoo.

    References
    ----------
    B. Liu, K. Blekas and G. Tsoumakas: Multi-Label Sampling based on Local Label Imbalance.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.datasets import select_frequent_features
    >>> X = np.array([[1, 0, 2, 3], [4, 0, 0, 5], [0, 6, 0, 7]])
    >>> X_kept, kept = select_frequent_features(X, 0.5)
    >>> kept
    array([0, 3])
    """
    counts = _count_nonzero(X.X if isinstance(X, MultiLabelDataset) else X)
    n_kept = _n_kept(fraction, counts.size)
    kept = np.sort(np.argsort(-counts, kind="stable")[:n_kept])
    if isinstance(X, MultiLabelDataset):
        return X.with_features(kept), kept
    return _take_columns(X, kept), kept


def drop_rare_labels(Y: Any, min_positive: int = 2) -> tuple[Any, npt.NDArray[np.int64]]:
    """Drop labels with too few positive samples.

    Parameters
    ----------
    Y : (n_samples, n_labels) array, sparse matrix, dataframe or MultiLabelDataset
        The labels.
    min_positive : int, default=2
        A label with fewer positive samples is dropped.

    Returns
    -------
    Y_kept : the same type as Y
        The kept labels.
    kept : (n_kept,) ndarray of int
        Their columns in Y, in ascending order.

    References
    ----------
    B. Liu, K. Blekas and G. Tsoumakas: Multi-Label Sampling based on Local Label Imbalance.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.datasets import drop_rare_labels
    >>> Y = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1]])
    >>> Y_kept, kept = drop_rare_labels(Y)
    >>> kept
    array([0, 2])
    """
    is_dataset = isinstance(Y, MultiLabelDataset)
    has_unknown = is_dataset and Y.has_unknown_labels
    table = Y.Y if is_dataset else Y
    counts = _count_nonzero(Y.label_matrix.positives if has_unknown else table)
    kept = np.flatnonzero(counts >= min_positive)
    if not kept.size:
        raise ValueError(
            f"no label has {min_positive} positive samples (the most frequent has "
            f"{counts.max(initial=0)}); lower min_positive."
        )
    if isinstance(Y, MultiLabelDataset):
        return Y.with_labels(kept), kept
    return _take_columns(Y, kept), kept


def _n_kept(fraction: float, n_features: int) -> int:
    if not 0 < fraction <= 1:
        raise ValueError(f"fraction must be above 0 and at most 1, got {fraction!r}.")
    n_kept = int(fraction * n_features)
    if n_kept == 0:
        raise ValueError(
            f"fraction={fraction!r} of {n_features} features keeps none of them; the smallest "
            f"fraction that keeps one is {1 / max(n_features, 1):.3g}."
        )
    return n_kept


def _count_nonzero(table: Any) -> npt.NDArray[np.int64]:
    if sparse.issparse(table):
        # Some formats allow duplicate entries and explicit zeros.
        columns = sparse.csc_array(table)
        columns.sum_duplicates()
        return np.asarray(columns.count_nonzero(axis=0), dtype=np.int64)
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return np.array([_count_in_series(series) for series in frame.iter_columns()])
    return np.asarray(np.count_nonzero(two_dimensional(table), axis=0))


def _count_in_series(series: nw.Series[Any]) -> int:
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return int(np.count_nonzero(series.cast(nw.Float64).to_numpy()))
    return len(series)


def drop_labels(dataset: MultiLabelDataset, names: Sequence[str]) -> MultiLabelDataset:
    """Return a data set without some of its labels.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    names : sequence of str
        The labels to leave out.

    Returns
    -------
    MultiLabelDataset
        The data set with the other labels, in the same order.

    Raises
    ------
    ValueError
        If a label does not exist (the error suggests similar names), or if no label is left.

    Examples
    --------
    >>> from rarelabels.datasets import drop_labels, make_local_imbalance
    >>> drop_labels(make_local_imbalance(60, random_state=0), ["label_1"]).label_names
    ('label_0', 'label_2')
    """
    if not names:
        return dataset
    for name in names:
        if name not in dataset.label_names:
            hint = did_you_mean(name, dataset.label_names)
            raise ValueError(f"the label {name!r} to leave out does not exist; {hint}")
    kept = [place for place, name in enumerate(dataset.label_names) if name not in set(names)]
    if not kept:
        raise ValueError("no label would be left; keep at least one.")
    return dataset.with_labels(np.array(kept))


def _take_columns(table: Any, kept: npt.NDArray[np.int64]) -> Any:
    if sparse.issparse(table):
        return table.tocsr()[:, kept].asformat(table.format)
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[:, kept.tolist()].to_native()
    return two_dimensional(table)[:, kept]
