"""The caller's X: its container, its numbers and which of its features are categorical."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._backends import Backend
from rarelabels._containers import (
    AddedSamples,
    Array,
    ArrayContainer,
    Container,
    Matrix,
    SparseContainer,
    column_of,
    is_missing,
)
from rarelabels._registry import did_you_mean, part_of_models

# Floats represent all integers up to this one exactly.
LARGEST_EXACT = 2**53
# Up to this number, distinct strings are categories even if there are few samples.
LEAST_TEXTS = 20


@part_of_models
@dataclass(frozen=True)
class Features:
    """The features of a data set: the X of the caller, and its matrix of numbers.

    Attributes
    ----------
    container : Container
        The data of the caller.
    categorical : (d,) bool
        Which features are categorical.

    See Also
    --------
    BaseSampler : The method `_resample` gets the features in this form.

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
    def backend(self) -> Backend | None:
        """The backend of X, or None if X is in memory."""
        return None

    @property
    def is_sparse(self) -> bool:
        """Whether X has sparse matrices."""
        return isinstance(self.container, SparseContainer)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.container.shape[0]

    @cached_property
    def matrix(self) -> Matrix:
        """The features as an (n, d) ndarray or csr_array of floats, categories as codes.

        On first access, it is checked for missing values and infinity, and for text that was not
        declared categorical. Integers that floats cannot represent are offsets from their minimum.
        """
        return _checked(self.numbers, self.container.names, np.isnan)

    @cached_property
    def numbers(self) -> Matrix:
        """The same as `matrix`, with NaN for missing values."""
        numbers = self._columns.matrix
        if self.wide:
            numbers = numbers.copy()
            for j, column in self.wide.items():
                numbers[:, j] = offsets_from(column.min(), column)
        return _checked(numbers, self.container.names, np.isinf)

    @cached_property
    def floats(self) -> Matrix:
        """The same as `numbers`, with the nearest float for integers that cannot be represented."""
        return _checked(self._columns.matrix, self.container.names, np.isinf)

    @property
    def wide(self) -> dict[int, Array]:
        """Numeric features with integers that floats cannot represent, as integers."""
        return self._columns.wide

    @property
    def sources(self) -> dict[int, Array]:
        """A sample with each code, for each coded feature; a missing value is the last code."""
        return self._columns.sources

    @cached_property
    def _columns(self) -> FeatureColumns:
        """The columns of X, which are read once."""
        return _read_columns(self.container, self.categorical)

    def new_samples(self, values: Matrix) -> AddedSamples:
        """Convert synthetic samples from the numbers of `matrix` for the container.

        Parameters
        ----------
        values : (m, d) ndarray or csr_array
            The synthetic samples.

        Returns
        -------
        AddedSamples
            Their values; for coded features, a sample with each value; and for integers that floats
            cannot represent, the nearest integers.
        """
        sources = {}
        for j, of_codes in self.sources.items():
            column = column_of(values, j)
            codes = np.where(np.isnan(column), of_codes.size - 1, column)
            sources[j] = of_codes[codes.astype(np.intp)]
        integers = {
            j: back_to_integers(column_of(values, j), column.min(), column.max())
            for j, column in self.wide.items()
        }
        return AddedSamples(values, exact=self.categorical, sources=sources, integers=integers)

    def grow(
        self,
        make: Callable[[Matrix, Array, np.random.Generator], tuple[Matrix, Array]],
        members: Array,
        rng: np.random.Generator,
    ) -> tuple[Matrix, Array]:
        """Generate synthetic samples, each from some samples of X.

        Parameters
        ----------
        make : callable
            A function of `numbers`, members and the generator that returns the values of the
            samples and one more number for each. It draws one number for each feature of each
            sample, in their order, so that samples can be generated in parts.
        members : (m, c) ndarray of ints
            The samples of X from which each one is generated; negative numbers are ignored.
        rng : Generator
            The source of randomness.

        Returns
        -------
        values : (m, d) ndarray or csr_array
            The synthetic samples.
        place : (m,) ndarray
            The number of each.
        """
        return make(self.numbers, members, rng)

    def per_sample(self, function: Callable[[Matrix], Array]) -> Array:
        """Return the result of a function of `numbers` for each sample."""
        return function(self.numbers)

    @property
    def codes(self) -> dict[int, dict[Any, int]]:
        """The code of each known value, for each coded feature."""
        columns = {j: self.container.column(j) for j in self.sources}
        return {
            j: {
                value: code
                for code, value in enumerate(columns[j][samples])
                if not is_missing(value)
            }
            for j, samples in self.sources.items()
        }

    def read_by(self, function: Callable[[Features], Features]) -> Features:
        """Return the result of a function of the features, block by block if they have blocks."""
        return function(self)

    @property
    def block_edges(self) -> Array:
        """The first sample of each block, and the number of samples."""
        return np.array([0, self.n_samples])

    def map_blocks(
        self,
        function: Callable[..., Any],
        arguments: Mapping[int, tuple[Any, ...]],
        join: Callable[[list[Any]], Any] | None = None,
    ) -> Any:
        """Call a function with the features of each block, on the machine that has the block.

        Parameters
        ----------
        function : callable
            Function of the features of a block and the arguments for that block.
        arguments : mapping of int to tuple
            The arguments for each required block, in the order of blocks.
        join : callable, optional
            Function that joins a list of results of consecutive blocks, or of joined results.

        Returns
        -------
        result
            The joined result, or the list of results.
        """
        results = [function(self, *more) for more in arguments.values()]
        return results if join is None else join(results)

    def stack(self, rows: Array, values: Matrix | None = None) -> Any:
        """Return some samples followed by synthetic ones, in the container of the caller.

        Parameters
        ----------
        rows : (m,) ndarray of ints
            Samples of X.
        values : (c, d) ndarray or csr_array, optional
            Synthetic samples, as `grow` returns them.

        Returns
        -------
        container
            The samples in the container type of X.
        """
        new = None if values is None else self.new_samples(values)
        return self.container.stack(rows, new)


@part_of_models
@dataclass(frozen=True)
class FeatureColumns:
    """The columns of X as numbers; see the properties of `Features`.

    Attributes
    ----------
    matrix : (n, d) ndarray or csr_array of floats
        All features; see `Features.floats`.
    sources : mapping of feature to ndarray
        A sample with the value of each code, for each coded feature.
    wide : mapping of feature to (n,) ndarray of integers
        Numeric features with integers that floats cannot represent exactly.
    """

    matrix: Matrix
    sources: dict[int, Array]
    wide: dict[int, Array]


def check_in_memory(features: Features, what: str) -> None:
    """Raise an error if a setting requires X in memory and X is elsewhere."""
    if features.backend is not None:
        raise ValueError(
            f"{what} needs X in memory, but X is a {features.backend.name} collection."
        )


def categorical_mask(container: Container, categorical_features: Any) -> Array:
    """Convert a mask, indices, names or "auto" to a mask of the columns."""
    n_columns = container.shape[1]
    if categorical_features is None:
        return np.zeros(n_columns, dtype=bool)
    if isinstance(categorical_features, str):
        if categorical_features != "auto":
            raise ValueError(
                'categorical_features must be None, "auto", a mask, column indices or column '
                f"names, got {categorical_features!r}; pass a single name in a list."
            )
        return np.array([_is_category(container, j) for j in range(n_columns)], dtype=bool)
    return _mask_of(np.asarray(categorical_features), container)


def _is_category(container: Container, j: int) -> bool:
    """Return whether a column is categorical by its dtype or, if necessary, by its values."""
    if not container.is_category(j) or not container.is_open(j):
        return container.is_category(j)
    known = [value for value in container.column(j).tolist() if not is_missing(value)]
    kinds = {kind_of_value(value) for value in known}
    return is_category_of(kinds, len(set(known)) if kinds == {str} else 0, len(known))


def is_category_of(kinds: set[type], n_different: int, n_known: int) -> bool:
    """Return whether values of some types, with this many distinct ones, are categories."""
    is_free = n_different > max(LEAST_TEXTS, n_known // 2)
    return not n_known or kinds == {bool} or (kinds == {str} and not is_free)


def kind_of_value(value: Any) -> type:
    """Return the type of a value: bool, a number (float), text (str) or another type."""
    if isinstance(value, (bool, np.bool_)):
        return bool
    return float if isinstance(value, Real) else str if isinstance(value, str) else object


def _as_floats(numbers: Matrix) -> Matrix:
    if numbers.dtype in (np.float32, np.float64):
        return numbers
    return numbers.astype(np.float32 if numbers.dtype == np.float16 else np.float64)


def _read_columns(container: Container, categorical: Array) -> FeatureColumns:
    if isinstance(container, SparseContainer):
        refuse_wide_values(container)
        long = []
    else:
        long = [j for j in range(container.shape[1]) if container.is_long(j)]
    # The matrix of a dataframe would have long integers as floats, and they would be read again.
    is_exact = not long or isinstance(container, ArrayContainer)
    numbers = container.numbers() if is_exact else None
    if numbers is not None:
        wide = {j: numbers[:, j] for j in long if is_wide(numbers[:, j])}
        if not any(categorical[j] for j in wide):
            return FeatureColumns(_as_floats(numbers), {}, wide)
    return _encode_columns(container, categorical)


def _encode_columns(container: Container, categorical: Array) -> FeatureColumns:
    """Combine mixed columns in one matrix: numbers unchanged, everything else as codes."""
    matrix = np.empty(container.shape, dtype=np.float64)
    sources, wide = {}, {}
    for j in range(container.shape[1]):
        column = container.column(j)
        if not categorical[j]:
            matrix[:, j] = as_numbers(column, j, container.names)
            if container.is_long(j) and is_wide(column):
                wide[j] = column
        elif column.dtype.kind in "biuf" and not is_wide(column):
            matrix[:, j] = column
        else:
            matrix[:, j], sources[j] = _codes(column)
    return FeatureColumns(matrix, sources, wide)


def as_numbers(column: Array, j: int, names: Any) -> Array:
    """Convert a column to numbers, with NaN for missing values; raise an error for others."""
    if column.dtype.kind in "biuf":
        return column
    values = column.tolist()
    value = next((v for v in values if not isinstance(v, Real) and not is_missing(v)), None)
    if value is None:
        return np.array([np.nan if is_missing(v) else v for v in values], dtype=np.float64)
    what = f"X's column {column_name(j, names)}"
    if not isinstance(value, (str, bytes)) and value.__hash__ is None:
        raise TypeError(
            f"{what} holds {value!r}: each argument must be a string, "
            "named as a category in categorical_features, or a number."
        )
    raise ValueError(_no_numbers(what, value, [v for v in values if not is_missing(v)]))


def _no_numbers(what: str, value: Any, known: list[Any]) -> str:
    """Return the error message for a column that is neither numeric nor categorical."""
    other = next((v for v in known if kind_of_value(v) != kind_of_value(value)), None)
    if other is not None:
        return (
            f"{what} has values of several types, like {other!r} and {value!r}; use one type: "
            'pandas.to_numeric(column, errors="coerce") for numbers, astype(str) for a category.'
        )
    if isinstance(value, (date, timedelta)):
        return (
            f"{what} has Python objects like {value!r}, perhaps in several time zones; convert it "
            "to points in time with pandas.to_datetime(column, utc=True)."
        )
    if isinstance(value, str) and not is_category_of({str}, len(set(known)), len(known)):
        return (
            f"{what} is text, but not categorical: {len(set(known))} of its {len(known)} values "
            "are distinct. Drop it, or convert it to numbers first (TfidfVectorizer in a "
            "ColumnTransformer); if it is categorical, name it in categorical_features."
        )
    return (
        f"{what} is not numeric (it has {value!r}) and was not declared categorical; name it in "
        'categorical_features, or leave that at "auto" and pass a dataframe.'
    )


def _codes(column: Array) -> tuple[Array, Array]:
    """Number the values of a column in order of first appearance; also return a sample of each.

    A missing value is NaN. A sample with a missing value, if there is one, is the last.
    """
    number: dict[Any, int] = {}
    codes = np.array(
        [np.nan if is_missing(v) else number.setdefault(v, len(number)) for v in column]
    )
    gaps = np.isnan(codes)
    known = np.flatnonzero(~gaps)
    firsts = known[np.unique(codes[known], return_index=True)[1]]
    return codes, np.concatenate([firsts, np.flatnonzero(gaps)[:1]])


def refuse_wide_values(container: SparseContainer) -> None:
    """Raise an error for integers that floats cannot represent in a sparse matrix."""
    if is_wide(container.data.data if hasattr(container.data, "data") else np.empty(0)):
        raise ValueError(
            "X is a sparse matrix with integers beyond 2**53, which distances cannot distinguish; "
            "subtract their minimum, or pass an array or a dataframe."
        )


def is_wide(values: Any) -> bool:
    """Return whether values are integers that floats cannot represent exactly."""
    is_long = isinstance(values, np.ndarray) and values.dtype.kind in "iu"
    if not is_long or not values.size:
        return False
    return int(values.max()) > LARGEST_EXACT or int(values.min()) < -LARGEST_EXACT


def offsets_from(low: Any, column: Array) -> Array:
    """Return the exact differences of integers from a lower integer."""
    return column.astype(np.uint64) - np.uint64(int(low) % 2**64)


def back_to_integers(values: Array, low: Any, high: Any) -> Array:
    """Convert offsets from the minimum of a column to integers in the range of its dtype."""
    integers = [min(int(low) + int(value), int(high)) for value in np.rint(values).tolist()]
    return np.array(integers, dtype=low.dtype)


def _checked(matrix: Matrix, names: Any, is_bad: Any) -> Matrix:
    """Raise an error that names the first invalid value."""
    values = matrix.data if sparse.issparse(matrix) else matrix
    with np.errstate(over="ignore", invalid="ignore"):
        # A sum is finite only if all its terms are.
        if np.isfinite(values.sum()) or not is_bad(values).any():
            return matrix
    if sparse.issparse(matrix):
        matrix = matrix.tocoo()
        bad = np.flatnonzero(is_bad(matrix.data))[0]
        row, column, value = matrix.row[bad], matrix.col[bad], matrix.data[bad]
    else:
        row, column = np.argwhere(is_bad(matrix))[0]
        value = matrix[row, column]
    what = "a missing value (NaN)" if np.isnan(value) else "infinity"
    raise ValueError(bad_value(what, row, column, names))


def bad_value(what: str, row: int, column: int, names: Any) -> str:
    """Return the error message for a value that is missing or not finite."""
    return (
        f"X has {what} in row {row}, column {column_name(column, names)}; every value must be "
        "known and finite. Impute (sklearn.impute.SimpleImputer) or drop such samples first."
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
            f"categorical_features has names ({given.tolist()[0]!r}), but X is not a dataframe; "
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
    """Return the name or the number of a feature for a message."""
    return repr(names[j]) if names is not None else str(j)
