"""The one door for checking X, Y, names and amounts."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import (
    Array,
    Container,
    Matrix,
    NewRows,
    canonical_csr,
    column_of,
    contain,
)
from rarelabels._registry import did_you_mean

PACKAGE = str(Path(__file__).parent)


class ConstantLabelWarning(UserWarning):
    """Some labels have a single class, so nothing local or relative can be said of them."""


@dataclass(frozen=True)
class Features:
    """The caller's X: its container, and its numbers once somebody asks for them.

    Attributes
    ----------
    container : Container
        What the caller gave.
    categorical : (d,) bool
        The categorical columns.
    matrix : (n, d) ndarray or csr_array of floats
        The numbers; a column of text or categories is given as codes. Checked for NaN and
        infinity, and for text that was not declared categorical, when it is first read.
    """

    container: Container
    categorical: Array

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.container.shape[0]

    @cached_property
    def matrix(self) -> Matrix:
        """The features in numbers."""
        return _checked_finite(self._numbers_and_sources[0], self.container.names)

    @property
    def sources(self) -> dict[int, Array]:
        """For each column given as codes, a row that holds the value of each code."""
        return self._numbers_and_sources[1]

    @cached_property
    def _numbers_and_sources(self) -> tuple[Matrix, dict[int, Array]]:
        numbers = self.container.numbers()
        if numbers is not None:
            return _as_floats(numbers), {}
        return _encode_columns(self.container, self.categorical)

    def new_rows(self, values: Matrix) -> NewRows:
        """Translate made-up rows, in the numbers of `matrix`, for the caller's container."""
        codes = {j: column_of(values, j).astype(np.intp) for j in self.sources}
        sources = {j: self.sources[j][codes[j]] for j in codes}
        return NewRows(values=values, exact=self.categorical, sources=sources)


class LabelMatrix(sparse.csr_array):
    """Labels as a CSR indicator of the positives, of int8, and what is not known of them.

    Attributes
    ----------
    unknown : csr_array of the same shape, or None
        Indicator of the cells that are not known; None where all are.
    """

    unknown: sparse.csr_array | None = None


def label_matrix(positive: Any, unknown: Any = None) -> LabelMatrix:
    """Put positives and unknown cells together."""
    matrix = LabelMatrix(positive)
    matrix.unknown = unknown if unknown is not None and unknown.nnz else None
    return matrix


@dataclass(frozen=True)
class Labels:
    """The caller's Y: its container and its entries."""

    container: Container
    matrix: LabelMatrix

    @property
    def names(self) -> tuple[str, ...]:
        """The labels' names, "0", "1", … where the caller gave none."""
        names = self.container.names
        return tuple(str(name) for name in (names or range(self.matrix.shape[1])))


def check_features(X: Any, categorical_features: Any = None) -> Features:
    """Check X's container and shape, and say which of its columns are categorical."""
    container = _contain(X, "X")
    if min(container.shape) == 0:
        raise ValueError(
            f"X is empty: it has shape {container.shape}; at least one row and one column needed."
        )
    return Features(container, categorical_mask(container, categorical_features))


def check_labels(y: Any, allow_missing_labels: bool = False) -> Labels:
    """Check that y is a 0/1 indicator matrix of shape (n_samples, n_labels).

    Where missing labels are allowed, NaN is a label that is not known.
    """
    try:
        container = contain(y)
    except (TypeError, ValueError) as error:
        raise type(error)(_not_an_indicator(_kind_of_target(y))) from error
    if min(container.shape) == 0:
        raise ValueError(f"y is empty: it has shape {container.shape}.")
    return Labels(container, _indicator(container, allow_missing_labels))


def check_pair(
    X: Any,
    y: Any,
    categorical_features: Any = None,
    n_neighbors: Any = None,
    allow_missing_labels: bool = False,
) -> tuple[Features, Labels]:
    """Check X and y, that they have as many rows, and enough of them for the neighbours."""
    features = check_features(X, categorical_features)
    labels = check_labels(y, allow_missing_labels)
    if features.n_samples != labels.matrix.shape[0]:
        raise ValueError(
            f"X has {features.n_samples} rows and y has {labels.matrix.shape[0]}; "
            "they must describe the same rows."
        )
    if n_neighbors is not None:
        check_n_neighbors(n_neighbors, features.n_samples)
    return features, labels


def check_count(name: str, value: Any, at_least: int) -> int:
    """Check that a parameter is a whole number, and not too small."""
    if not _is_integer(value) or value < at_least:
        raise ValueError(f"{name} must be an int of at least {at_least}, got {value!r}.")
    return int(value)


def check_n_neighbors(n_neighbors: Any, n_samples: int) -> int:
    """Check that every row can have that many neighbours."""
    check_count("n_neighbors", n_neighbors, 1)
    if n_neighbors >= n_samples:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} rows, since a row is no "
            f"neighbour of itself; got n_samples={n_samples}. Choose a smaller n_neighbors."
        )
    return int(n_neighbors)


def rows_to_add(sampling_ratio: Any, n_samples: int) -> int:
    """Turn an amount, a share of the rows (float) or a number of them (int), into a number."""
    if not _is_amount(sampling_ratio) or sampling_ratio < 0:
        raise ValueError(
            "sampling_ratio must be a float of at least 0 (a share of the rows to add) or an int "
            f"(the number of rows), got {sampling_ratio!r}."
        )
    return _amount(sampling_ratio, n_samples)


def rows_to_remove(sampling_ratio: Any, n_samples: int) -> int:
    """Turn an amount, a share of the rows (float) or a number of them (int), into a number."""
    most = n_samples if _is_integer(sampling_ratio) else 1
    if not _is_amount(sampling_ratio) or not 0 <= sampling_ratio < most:
        raise ValueError(
            "sampling_ratio must be a float in [0, 1) (a share of the rows to remove) or an int "
            f"below their number, {n_samples}; got {sampling_ratio!r}."
        )
    return _amount(sampling_ratio, n_samples)


def warn_constant(names: Sequence[str], which: Array, lack: str, consequence: str) -> None:
    """Name the labels that lack a class, if there are any."""
    if not which.any():
        return
    found = [name for name, has_it in zip(names, which, strict=True) if has_it]
    shown = ", ".join(found[:10]) + (f" and {len(found) - 10} more" if len(found) > 10 else "")
    plural = "s" if len(found) > 1 else ""
    verb = "have" if plural else "has"
    warn(f"label{plural} {shown} {verb} {lack}: {consequence}.", ConstantLabelWarning)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as if from the line outside this package that called it."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def categorical_mask(container: Container, categorical_features: Any) -> Array:
    """Turn a mask, indices, names or "auto" into a mask over the columns."""
    n_columns = container.shape[1]
    if categorical_features is None:
        return np.zeros(n_columns, dtype=bool)
    if isinstance(categorical_features, str):
        if categorical_features != "auto":
            raise ValueError(
                'categorical_features must be None, "auto", a mask, column indices or column '
                f"names, got {categorical_features!r}; a single name goes into a list."
            )
        return np.array([container.is_category(j) for j in range(n_columns)], dtype=bool)
    return _mask_of(np.asarray(categorical_features), container)


def _contain(data: Any, name: str) -> Container:
    try:
        return contain(data)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def _as_floats(numbers: Matrix) -> Matrix:
    if numbers.dtype in (np.float32, np.float64):
        return numbers
    return numbers.astype(np.float32 if numbers.dtype == np.float16 else np.float64)


def _encode_columns(container: Container, categorical: Array) -> tuple[Array, dict[int, Array]]:
    """Give mixed columns as one matrix: numbers as they are, everything else as codes."""
    matrix = np.empty(container.shape, dtype=np.float64)
    sources = {}
    for j in range(container.shape[1]):
        column = container.column(j)
        if not categorical[j]:
            matrix[:, j] = _numeric_column(column, j, container.names)
        elif column.dtype.kind in "biuf":
            matrix[:, j] = column
        else:
            matrix[:, j], sources[j] = _codes(column, j, container.names)
    return matrix, sources


def _numeric_column(column: Array, j: int, names: Any) -> Array:
    if column.dtype.kind in "biuf":
        return column
    held = next((value for value in column.tolist() if not isinstance(value, Real)), None)
    if held is None:
        return column.astype(np.float64)
    raise ValueError(
        f"X's column {_column_name(j, names)} is not numeric (it holds {held!r}) and was not "
        'declared categorical; name it in categorical_features, or pass "auto" with a dataframe.'
    )


def _codes(column: Array, j: int, names: Any) -> tuple[Array, Array]:
    """Number a column's values in the order they first appear, and give a row of each."""
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(value, len(number)) for value in column])
    if any(value is None or value != value for value in number):
        row = next(i for i, value in enumerate(column) if value is None or value != value)
        raise ValueError(_missing_message("missing value", row, _column_name(j, names)))
    return codes, np.unique(codes, return_index=True)[1]


def _checked_finite(matrix: Matrix, names: Any) -> Matrix:
    values = matrix.data if sparse.issparse(matrix) else matrix
    with np.errstate(over="ignore", invalid="ignore"):
        all_finite = np.isfinite(values.sum()) or bool(np.isfinite(values).all())
    if all_finite:
        return matrix
    if sparse.issparse(matrix):
        matrix = matrix.tocoo()
        bad = np.flatnonzero(~np.isfinite(matrix.data))[0]
        row, column, value = matrix.row[bad], matrix.col[bad], matrix.data[bad]
    else:
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        value = matrix[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    raise ValueError(_missing_message(what, row, _column_name(column, names)))


def _missing_message(what: str, row: int, column: str) -> str:
    return (
        f"X has {what} in row {row}, column {column}; distances need every value. Impute "
        "(sklearn.impute.SimpleImputer) or drop such rows first."
    )


def _column_name(j: int, names: Any) -> str:
    return repr(names[j]) if names is not None else str(j)


def _mask_of(given: Array, container: Container) -> Array:
    n_columns = container.shape[1]
    if given.ndim != 1:
        raise ValueError(f"categorical_features must be one-dimensional, got shape {given.shape}.")
    if given.dtype.kind == "b":
        if given.size != n_columns:
            raise ValueError(
                f"categorical_features is a mask of {given.size} columns, but X has {n_columns}."
            )
        return given.copy()
    mask = np.zeros(n_columns, dtype=bool)
    if given.size:
        mask[_positions(given, container)] = True
    return mask


def _positions(given: Array, container: Container) -> Array:
    n_columns = container.shape[1]
    if given.dtype.kind in "iu":
        wrong = given[(given < -n_columns) | (given >= n_columns)]
        if wrong.size:
            raise ValueError(
                f"categorical_features names column {wrong[0]}, but X has {n_columns} columns."
            )
        return given
    if container.names is None:
        raise ValueError(
            f"categorical_features holds names ({given.tolist()[0]!r}), but X is no dataframe; "
            "pass indices or a mask."
        )
    return np.array([_position(name, container.names) for name in given.tolist()])


def _position(name: Any, names: tuple[Any, ...]) -> int:
    if name in names:
        return names.index(name)
    raise ValueError(
        f"categorical_features names {name!r}, which X does not have; {did_you_mean(name, names)}"
    )


def _indicator(container: Container, allow_missing_labels: bool) -> LabelMatrix:
    """Read y's entries, refusing anything but 0 and 1, and NaN where it is allowed."""
    numbers: Any = container.numbers()
    if numbers is None:
        numbers = _numbers_of_objects(container)
    entries = sparse.coo_array(canonical_csr(numbers) if sparse.issparse(numbers) else numbers)
    is_missing = np.isnan(entries.data) if entries.dtype.kind == "f" else np.zeros(0, dtype=bool)
    wrong = entries.data != 1
    if allow_missing_labels and is_missing.size:
        wrong &= ~is_missing
    if wrong.any():
        raise ValueError(_wrong_entry(entries, wrong, container))
    if not (is_missing.size and is_missing.any()):
        return label_matrix(_chosen(entries, np.ones(entries.nnz, dtype=bool)))
    return label_matrix(_chosen(entries, ~is_missing), _chosen(entries, is_missing))


def _chosen(entries: sparse.coo_array, chosen: Array) -> sparse.csr_array:
    """Give some entries as a CSR indicator."""
    row, column = (index[chosen] for index in entries.coords)
    ones = np.ones(row.size, dtype=np.int8)
    return sparse.csr_array((ones, (row, column)), shape=entries.shape).sorted_indices()


def _numbers_of_objects(container: Container) -> Array:
    columns = [container.column(j) for j in range(container.shape[1])]
    try:
        return np.column_stack([column.astype(np.float64) for column in columns])
    except (TypeError, ValueError) as error:
        values = (value for column in columns for value in column.tolist())
        held = next(value for value in values if not isinstance(value, Real))
        raise ValueError(_not_an_indicator(f"entries like {held!r}")) from error


def _wrong_entry(entries: sparse.coo_array, wrong: Array, container: Container) -> str:
    rows, columns = (index[wrong] for index in entries.coords)
    first = np.lexsort((columns, rows))[0]
    value = entries.data[wrong][first]
    where = f"in row {rows[first]}, column {_column_name(columns[first], container.names)}"
    if np.isnan(value):
        return (
            f"y has NaN {where}; every label must be known as 0 or 1. Measures and samplers take "
            "NaN for a label that is not known with allow_missing_labels=True."
        )
    return _not_an_indicator(f"the value {value} {where}")


def _not_an_indicator(what: str) -> str:
    return (
        f"y must be a 0/1 indicator of shape (n_samples, n_labels), got {what}; "
        "sklearn.preprocessing.MultiLabelBinarizer makes one."
    )


def _kind_of_target(y: Any) -> str:
    """Say what came instead of an indicator."""
    if isinstance(y, (list, tuple)):
        is_flat = bool(y) and not hasattr(y[0], "__len__")
        return f"a flat list of {len(y)} values" if is_flat else "rows of different lengths"
    array = np.asarray(y) if hasattr(y, "__array__") else None
    if array is None:
        return f"a {type(y).__name__}"
    if array.ndim != 1:
        return f"an array of shape {array.shape}"
    is_continuous = array.dtype.kind == "f" and not (array == np.rint(array)).all()
    kind = "multiclass" if np.unique(array).size > 2 else "an array"
    return f"{'continuous' if is_continuous else kind} of shape {array.shape}"


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def _is_amount(value: Any) -> bool:
    is_real = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    return is_real and bool(np.isfinite(value))


def _amount(sampling_ratio: Any, n_samples: int) -> int:
    return int(sampling_ratio) if _is_integer(sampling_ratio) else int(sampling_ratio * n_samples)
