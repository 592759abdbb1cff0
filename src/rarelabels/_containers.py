"""Return results in the container of the caller.

`contain(data)` wraps NumPy arrays, SciPy sparse matrices and arrays, dataframes (all that narwhals
supports: pandas, polars, pyarrow) and lists with one small interface: the shape, the names of the
columns, the values of a column, and `stack`, which selects rows and appends new ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels._registry import part_of_models
from rarelabels._row_labels import row_labels
from rarelabels._time import from_ticks, is_time, ticks

Array: TypeAlias = npt.NDArray[Any]
Matrix: TypeAlias = Any  # a 2-d ndarray or a csr_array


@dataclass(frozen=True)
class AddedSamples:
    """Samples that are not in the input, as numbers.

    Parameters
    ----------
    values : (m, d) ndarray or csr_array
        The samples.
    exact : (d,) bool
        Columns whose values all occur in the input, so that the column keeps its dtype.
    sources : mapping of column to (m,) row numbers
        For columns that are not numeric, the input row whose value each new sample takes.
    integers : mapping of column to (m,) ndarray
        For columns of integers that floats cannot represent, the values to use instead.
    """

    values: Matrix
    exact: Array
    sources: Mapping[int, Array]
    integers: Mapping[int, Array] = field(default_factory=dict)


class Container(Protocol):
    """Interface to a table of any type."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        ...

    @property
    def names(self) -> tuple[Any, ...] | None:
        """Names of the columns, or None if they have none."""
        ...

    def column(self, j: int) -> Array:
        """Return column `j` as a 1-d array, of objects if it is not numeric."""
        ...

    def numbers(self) -> Matrix | None:
        """Return the table as a numeric matrix without a copy, or None if this is not possible."""
        ...

    def is_category(self, j: int) -> bool:
        """Return whether column `j` has a categorical dtype."""
        ...

    def is_open(self, j: int) -> bool:
        """Return whether column `j` is text or objects, so that its values must be inspected."""
        ...

    def is_long(self, j: int) -> bool:
        """Return whether column `j` has a dtype of 64-bit integers."""
        ...

    def original(self) -> Any:
        """Return the table that the caller passed."""
        ...

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        """Select the given rows and append new ones, in the container of the caller.

        The first occurrence of a row keeps its label in a pandas index; `grown_from` are the input
        rows of the output, if they are not `rows`. All other rows get new consecutive labels.
        """
        ...


def contain(data: Any) -> Container:
    """Wrap `data` in the container that returns results of the same type."""
    if sparse.issparse(data):
        return SparseContainer(data)
    if isinstance(data, np.ndarray):
        return ArrayContainer(two_dimensional(data))
    frame = nw.from_native(data, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return FrameContainer(frame)
    if isinstance(data, (list, tuple)):
        return ListContainer(two_dimensional(_array_of_lists(data)))
    if hasattr(data, "__array__"):
        return ArrayContainer(two_dimensional(data))
    raise TypeError(
        "expected a NumPy array, SciPy sparse matrix, dataframe or list of rows, "
        f"got {type(data).__name__}."
    )


@part_of_models
@dataclass(frozen=True)
class ArrayContainer:
    """A two-dimensional NumPy array."""

    data: Array

    @property
    def shape(self) -> tuple[int, int]:
        return self.data.shape[0], self.data.shape[1]

    @property
    def names(self) -> tuple[Any, ...] | None:
        return None

    def column(self, j: int) -> Array:
        return self.data[:, j]

    def numbers(self) -> Matrix | None:
        return self.data if self.data.dtype.kind in "biuf" else None

    def original(self) -> Any:
        return self.data

    def is_category(self, j: int) -> bool:
        return False

    def is_open(self, j: int) -> bool:
        return False

    def is_long(self, j: int) -> bool:
        return self.data.dtype.kind in "iu" and self.data.dtype.itemsize == 8

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        if new is None:
            return self.data[rows]
        values, data = dense(new.values), self.data
        dtype = data.dtype if self._keeps_dtype(new) else np.result_type(data, values)
        stacked = np.empty((rows.size + values.shape[0], data.shape[1]), dtype=dtype)
        taken, added = np.split(stacked, [rows.size])
        taken[:] = data if _is_all(rows, data.shape[0]) else data[rows]
        added[:] = np.rint(values).astype(dtype) if new.integers else values.astype(dtype)
        for j, sources in new.sources.items():
            added[:, j] = self.data[sources, j]
        for j, integers in new.integers.items():
            added[:, j] = integers
        if dtype.kind == "O":
            self._restore_gaps(added, values, new)
        return stacked

    def _keeps_dtype(self, new: AddedSamples) -> bool:
        # If a float cannot represent the copied integers, the new ones are rounded.
        is_kept = bool(new.exact.all()) or bool(new.integers)
        return self.data.dtype.kind not in "biu" or is_kept

    def _restore_gaps(self, added: Array, values: Array, new: AddedSamples) -> None:
        """Mark missing values in the same way as the column: None, NaN or similar."""
        for j in np.flatnonzero(np.isnan(values).any(axis=0)).tolist():
            if j not in new.sources:
                marker = next(value for value in self.data[:, j] if is_missing(value))
                added[np.isnan(values[:, j]), j] = marker


def _is_all(rows: Array, n_rows: int) -> bool:
    """Return whether the rows are all rows in their original order."""
    return rows.size == n_rows and bool((np.diff(rows) == 1).all())


@dataclass(frozen=True)
class ListContainer(ArrayContainer):
    """A list of rows."""

    def original(self) -> Any:
        return self.data.tolist()

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        return super().stack(rows, new).tolist()


@dataclass(frozen=True)
class SparseContainer:
    """A SciPy sparse matrix or array of any format."""

    data: Any

    @property
    def block(self) -> Container:
        """A container of the type that the caller gave; gathered blocks are another."""
        return self

    @property
    def shape(self) -> tuple[int, int]:
        return self.data.shape

    @property
    def names(self) -> tuple[Any, ...] | None:
        return None

    def column(self, j: int) -> Array:
        return self.data.tocsc()[:, [j]].toarray().ravel()

    def numbers(self) -> Matrix | None:
        return canonical_csr(self.data) if self.data.dtype.kind in "biuf" else None

    def original(self) -> Any:
        return self.data

    def is_category(self, j: int) -> bool:
        return False

    def is_open(self, j: int) -> bool:
        return False

    def is_long(self, j: int) -> bool:
        return self.data.dtype.kind in "iu" and self.data.dtype.itemsize == 8

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        taken = sparse.csr_array(self.data)[rows]
        if new is not None:
            values = sparse.csr_array(new.values)
            keeps = self.data.dtype.kind == "f" or bool(new.exact.all())
            dtype = self.data.dtype if keeps else np.result_type(taken.dtype, values.dtype)
            taken = sparse.vstack([taken.astype(dtype), values.astype(dtype)])
        return sparse_like(taken, self.data)


@dataclass(frozen=True)
class FrameContainer:
    """A dataframe, accessed through narwhals."""

    data: nw.DataFrame[Any]

    @property
    def shape(self) -> tuple[int, int]:
        return self.data.shape

    @property
    def names(self) -> tuple[Any, ...] | None:
        return tuple(self.data.columns)

    def column(self, j: int) -> Array:
        series = self.data[:, j]
        if is_time(series.dtype):
            series = ticks(series)
        if _is_number(series.dtype):
            # An integer array cannot have missing values.
            return series.cast(nw.Float64).to_numpy() if series.null_count() else series.to_numpy()
        return np.asarray(series.to_list(), dtype=object)

    def numbers(self) -> Matrix | None:
        if not all(map(_is_number, self.data.schema.values())):
            return None
        columns = [self.column(j) for j in range(self.shape[1])]
        if not columns or any(column.dtype.kind not in "biuf" for column in columns):
            return None
        return np.column_stack(columns)

    def original(self) -> Any:
        return self.data.to_native()

    def is_category(self, j: int) -> bool:
        categories = (nw.Categorical, nw.Enum, nw.String, nw.Object, nw.Boolean)
        return isinstance(self.data[:, j].dtype, categories)

    def is_open(self, j: int) -> bool:
        return isinstance(self.data[:, j].dtype, (nw.String, nw.Object))

    def is_long(self, j: int) -> bool:
        dtype = self.data[:, j].dtype
        return isinstance(dtype, (nw.Int64, nw.UInt64)) or is_time(dtype)

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        columns = [self._stack_column(j, rows, new) for j in range(self.shape[1])]
        frame = columns[0].to_frame().with_columns(*columns[1:]) if columns else self.data[rows]
        native = nw.maybe_reset_index(frame).to_native()
        index = nw.maybe_get_index(self.data)
        if index is not None:
            copied = rows if grown_from is None else grown_from
            library = self.data.implementation.to_native_namespace()
            native.index = row_labels(index, copied, len(native) - len(copied), library)
        return native

    def _stack_column(self, j: int, rows: Array, new: AddedSamples | None) -> nw.Series[Any]:
        series = self.data[:, j]
        if new is None:
            return _fresh(series[rows])
        if j in new.sources:
            return _fresh(series[np.concatenate([rows, new.sources[j]])])
        if j in new.integers:
            added = nw.new_series(series.name, new.integers[j], backend=series.implementation)
            parts = [_fresh(series[rows]).to_frame(), _cast(added, series).to_frame()]
            return _fresh(nw.concat(parts)[:, 0])
        series = series if _keeps_dtype(series.dtype) else _floats_of(series)
        values = column_of(new.values, j).astype(np.float64)
        places = np.arange(values.size) + len(series)
        if np.isnan(values).any() and series.null_count():
            # Missing values are marked in the same way as in the column.
            places[np.isnan(values)] = int(series.is_null().arg_true()[0])
            values = np.nan_to_num(values)
        if not series.dtype.is_float():
            values = np.rint(values).astype(np.int64)
        added = nw.new_series(series.name, values, backend=series.implementation)
        parts = [_fresh(series).to_frame(), _cast(added, series).to_frame()]
        return _fresh(_fresh(nw.concat(parts)[:, 0])[np.concatenate([rows, places])])


def _floats_of(series: nw.Series[Any]) -> nw.Series[Any]:
    """Convert a column of other values to floats."""
    if series.dtype != nw.Object:
        return series.cast(nw.Float64())
    values = as_floats(series.to_numpy())
    return nw.new_series(series.name, values, backend=series.implementation)


def _is_number(dtype: Any) -> bool:
    """Return whether a dtype is that of numbers, booleans or points in time."""
    return dtype.is_numeric() or dtype == nw.Boolean or is_time(dtype)


def _keeps_dtype(dtype: Any) -> bool:
    """Return whether synthetic values get this dtype, rounded if it only allows whole values."""
    return dtype.is_float() or dtype.is_integer() or dtype == nw.Boolean or is_time(dtype)


def _cast(series: nw.Series[Any], like: nw.Series[Any]) -> nw.Series[Any]:
    """Convert numbers to the dtype of a series; points in time are given in ticks."""
    return from_ticks(series, like) if is_time(like.dtype) else series.cast(like.dtype)


def _fresh(series: nw.Series[Any]) -> nw.Series[Any]:
    """Drop the old row labels of a pandas series, which would align the columns by label."""
    return nw.maybe_reset_index(series)


def two_dimensional(table: Any) -> Array:
    """Return a table as a two-dimensional array; raise an error for other shapes."""
    array = without_mask(table)
    if array.ndim != 2:
        raise ValueError(
            f"expected a table of shape (n_samples, n_columns), got an array of shape {array.shape}"
            "; reshape(-1, 1) converts it to one column."
        )
    return array


def as_floats(column: Array) -> Array:
    """Convert a column to floats; missing values become NaN, also among objects.

    >>> as_floats(np.array([1, None], dtype=object))
    array([ 1., nan])
    """
    try:
        return column.astype(np.float64)
    except TypeError:
        values = [np.nan if is_missing(value) else value for value in column.tolist()]
        return np.array(values, dtype=np.float64)


def without_mask(data: Any) -> Array:
    """Return an array whose masked entries, if it has a mask, are NaN, or None among objects.

    >>> without_mask(np.ma.array([1, 0, 1], mask=[True, False, False]))
    array([nan,  0.,  1.])
    """
    if not np.ma.is_masked(data):
        return np.asarray(data)
    if data.dtype.kind in "biu":
        data = data.astype(np.float64)
    return data.filled(None if data.dtype == object else np.nan)


def _array_of_lists(rows: list[Any] | tuple[Any, ...]) -> Array:
    lengths = {len(row) if hasattr(row, "__len__") else None for row in rows}
    if len(lengths) > 1:
        raise ValueError("expected a list of rows of equal length, got rows of different lengths.")
    array = np.asarray(rows, dtype=object)
    try:
        return np.asarray(rows) if array.ndim != 2 else _numbers_if_all(rows, array)
    except (TypeError, ValueError):
        return array


def _numbers_if_all(rows: Any, array: Array) -> Array:
    """Return an array of numbers, or else of objects: NumPy would turn [1, "a"] into strings."""
    is_text = any(isinstance(value, (str, bytes)) for value in array.flat)
    return array if is_text else np.asarray(rows)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, pandas.NA or similar."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas.NA has no truth value. An array has none either, but is not a missing value.
        return not hasattr(value, "__len__")


def dense(matrix: Matrix) -> Array:
    """Return a matrix as an ndarray."""
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def sparse_like(matrix: Any, like: Any) -> Any:
    """Return a sparse matrix in the class and the format of another one."""
    is_matrix = isinstance(like, sparse.spmatrix)
    csr = sparse.csr_matrix(matrix) if is_matrix else sparse.csr_array(matrix)
    return csr.asformat(like.format)


def nonzero_in_either(left: Any, right: Any) -> Any:
    """Return a sparse matrix that stores the entries that one of two canonical matrices stores."""
    return abs(left) + abs(right)


def stack_matrices(above: Matrix, below: Matrix) -> Matrix:
    """Stack two matrices, which are both dense or both sparse, vertically."""
    if sparse.issparse(above):
        return sparse.vstack([above, below], format="csr")
    return np.vstack([above, below])


def column_of(matrix: Matrix, j: int) -> Array:
    """Return a column of a matrix as a 1-d array."""
    return matrix[:, [j]].toarray().ravel() if sparse.issparse(matrix) else matrix[:, j]


def row_sums(matrix: Matrix) -> Array:
    """Return the sum of each row of a dense or sparse matrix as a 1-d array."""
    return np.asarray(matrix.sum(axis=1)).ravel()


def canonical_csr(matrix: Any) -> sparse.csr_array:
    """Return a matrix as CSR with sorted indices, no duplicates and no stored zeros.

    Indices have 32 bits if this is sufficient, because some classifiers of scikit-learn require it.
    The matrix of the caller is not changed; its arrays are shared if they are already canonical.
    """
    csr = sparse.csr_array(matrix)
    shares = sparse.issparse(matrix) and matrix.format == "csr"
    if shares and not (csr.has_canonical_format and csr.data.all()):
        csr = csr.copy()
    csr.sum_duplicates()
    if not csr.data.all():
        csr.eliminate_zeros()
    return _with_short_indices(csr)


def without_duplicates(matrix: Any) -> Any:
    """Return a CSR matrix that stores each entry once; stored zeros and the type are kept.

    scikit-learn's trees use each of several stored parts as the value.
    """
    if matrix.has_canonical_format:
        return matrix
    summed = matrix.copy()
    summed.sum_duplicates()
    return summed


def _with_short_indices(csr: sparse.csr_array) -> sparse.csr_array:
    """Return a matrix with indices of 32 bits, or unchanged if they do not fit."""
    shortest = sparse.get_index_dtype(maxval=max(*csr.shape, csr.nnz))
    if csr.indices.dtype == csr.indptr.dtype == shortest:
        return csr
    indices, ends = csr.indices.astype(shortest), csr.indptr.astype(shortest)
    short = sparse.csr_array((csr.data, indices, ends), shape=csr.shape)
    # It does not have to be checked again.
    short.has_canonical_format = True
    return short
