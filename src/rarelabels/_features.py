"""The caller's X: its container, its numbers and which of its features are categorical."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Container, Matrix, NewRows, column_of
from rarelabels._registry import did_you_mean


@dataclass(frozen=True)
class Features:
    """The features of a data set: the caller's X, and its matrix of numbers.

    Attributes
    ----------
    container : Container
        What the caller gave.
    categorical : (d,) bool
        Which features are categorical.

    See Also
    --------
    BaseSampler : Its `_resample` gets the features in this form.

    Examples
    --------
    A sampler that keeps the samples whose first feature is positive:

    >>> import numpy as np
    >>> from rarelabels.base import BaseSampler, Resample
    >>> class Positive(BaseSampler):
    ...     def _resample(self, X, Y, rng):
    ...         return Resample(kept=np.flatnonzero(X.matrix[:, 0] > 0))
    >>> Positive().fit_resample([[1.0], [-1.0], [2.0]], [[0, 1], [1, 1], [1, 0]])[0]
    [[1.0], [2.0]]
    """

    container: Container
    categorical: Array

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.container.shape[0]

    @cached_property
    def matrix(self) -> Matrix:
        """The features as an (n, d) ndarray or csr_array of floats, categories as codes.

        Checked for NaN and infinity, and for text that was not declared categorical, when it is
        first read.
        """
        return _checked_finite(self._numbers_and_sources[0], self.container.names)

    @property
    def sources(self) -> dict[int, Array]:
        """For each feature given as codes, a sample that holds the value of each code."""
        return self._numbers_and_sources[1]

    @cached_property
    def _numbers_and_sources(self) -> tuple[Matrix, dict[int, Array]]:
        numbers = self.container.numbers()
        if numbers is not None:
            return _as_floats(numbers), {}
        return _encode_columns(self.container, self.categorical)

    def new_rows(self, values: Matrix) -> NewRows:
        """Return synthetic samples, in the numbers of `matrix`, as the container takes them.

        Parameters
        ----------
        values : (m, d) ndarray or csr_array
            The synthetic samples.

        Returns
        -------
        NewRows
            Their values, and for features given as codes a sample of each value.
        """
        codes = {j: column_of(values, j).astype(np.intp) for j in self.sources}
        sources = {j: self.sources[j][codes[j]] for j in codes}
        return NewRows(values=values, exact=self.categorical, sources=sources)


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
        f"X's column {column_name(j, names)} is not numeric (it holds {held!r}) and was not "
        'declared categorical; name it in categorical_features, or pass "auto" with a dataframe.'
    )


def _codes(column: Array, j: int, names: Any) -> tuple[Array, Array]:
    """Number a column's values in the order they first appear, and give a row of each."""
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(value, len(number)) for value in column])
    if any(value is None or value != value for value in number):
        row = next(i for i, value in enumerate(column) if value is None or value != value)
        raise ValueError(_missing_message("missing value", row, column_name(j, names)))
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
    raise ValueError(_missing_message(what, row, column_name(column, names)))


def _missing_message(what: str, row: int, column: str) -> str:
    return (
        f"X has {what} in row {row}, column {column}; distances need every value. Impute "
        "(sklearn.impute.SimpleImputer) or drop such rows first."
    )


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


def column_name(j: int, names: Any) -> str:
    """Return the name of a feature for a message, or its number."""
    return repr(names[j]) if names is not None else str(j)
