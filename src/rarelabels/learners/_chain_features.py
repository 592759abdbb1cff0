"""The features of a chain's links: those of the samples, and a column for each earlier link."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, contain
from rarelabels.learners._dataframes import is_frame


def chain_features(X: Matrix, n_links: int) -> ChainFeatures | ChainFrame:
    """Return the features of the first link; labels are added for each later link."""
    return ChainFrame(X, n_links) if is_frame(X) else ChainFeatures(X, n_links)


class ChainFrame:
    """A dataframe to which the labels of the links are added as columns of ints."""

    def __init__(self, X: Any, n_links: int) -> None:
        self._frame = X
        self._names = iter(names_of_links(contain(X).names or (), n_links))

    def current(self) -> Any:
        """Return the features and the labels added so far."""
        return self._frame

    def add(self, label: Array) -> None:
        """Add a label as the last feature."""
        self._frame = with_column(self._frame, next(self._names), label.astype(np.int64))


class ChainFeatures:
    """An array or sparse matrix to which the labels of the links are added as columns."""

    def __init__(self, X: Matrix, n_links: int) -> None:
        self._n_columns, self._sparse = X.shape[1], X if sparse.issparse(X) else None
        if self._sparse is None:
            # In Fortran order, so that the columns used so far are contiguous.
            self._dense = np.zeros((X.shape[0], X.shape[1] + n_links), X.dtype, order="F")
            self._dense[:, : X.shape[1]] = X

    def current(self) -> Matrix:
        """Return the features and the labels added so far."""
        return self._dense[:, : self._n_columns] if self._sparse is None else self._sparse

    def add(self, label: Array) -> None:
        """Add a label as the last feature."""
        if self._sparse is None:
            self._dense[:, self._n_columns] = label
        else:
            self._sparse = with_last_feature(self._sparse, label)
        self._n_columns += 1


def with_last_feature(X: Any, label: Array) -> Any:
    """Return a sparse matrix with a label as an additional last feature.

    In CSR format, the new entry is inserted at the end of each row that has the label. The entries
    then need not be sorted again, which would take longer than growing a small tree.
    """
    if X.format != "csr":
        column = sparse.csc_array(label[:, None].astype(X.dtype))
        return sparse.hstack([X, column], format=X.format)
    has_label = np.asarray(label, dtype=bool)
    positions, indptr = X.indptr[1:][has_label], X.indptr.copy()
    indptr[1:] += np.cumsum(has_label, dtype=indptr.dtype)
    data, indices = np.insert(X.data, positions, 1), np.insert(X.indices, positions, X.shape[1])
    return type(X)((data, indices, indptr), shape=(X.shape[0], X.shape[1] + 1))


def with_column(X: Any, name: Any, values: Array) -> Any:
    """Return a dataframe with an additional last column of ints."""
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas_like():
        # Assigned by position, because the row labels of a bootstrap sample are not unique.
        return X.assign(**{name: values}) if isinstance(name, str) else _assigned(X, name, values)
    column = nw.new_series(name, values, backend=frame.implementation)
    return frame.with_columns(column).to_native()


def names_of_links(names: tuple[Any, ...], n_links: int) -> list[Any]:
    """Return a column name for each link of a chain that is not the name of a column of X.

    The names are ``link_1``, ``link_2`` and so on. If the columns of X are numbered, they are the
    next numbers, because scikit-learn does not accept column names of several types.
    """
    if names and all(isinstance(name, int | np.integer) for name in names):
        return [int(max(names)) + 1 + link for link in range(n_links)]
    prefix = "link_"
    while any(str(name).startswith(prefix) for name in names):
        prefix = f"_{prefix}"
    return [f"{prefix}{link + 1}" for link in range(n_links)]


def _assigned(X: Any, name: Any, values: Array) -> Any:
    extended = X.copy(deep=False)
    extended[name] = values
    return extended
