"""The schema of the features: names and categories, and X as numbers by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from rarelabels._containers import (
    Array,
    Container,
    FrameContainer,
    Matrix,
    SparseContainer,
    contain,
    is_missing,
)
from rarelabels._features import categorical_mask
from rarelabels._registry import part_of_models

UNKNOWN = -1.0  # a category that the schema does not have


@part_of_models
@dataclass(frozen=True)
class Schema:
    """The features of the coded X.

    Attributes
    ----------
    names : tuple or None
        The columns' names, of a dataframe.
    categories : tuple
        For each feature None if it is numeric, else its categories in order.
    is_single : bool
        Whether numbers are rounded to float32, as scikit-learn's trees do.
    """

    names: tuple[Any, ...] | None
    categories: tuple[Array | None, ...]
    is_single: bool

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.categories)

    @cached_property
    def n_categories(self) -> Array:
        """Number of categories of each feature, 0 for a numeric one."""
        sizes = [0 if known is None else len(known) for known in self.categories]
        return np.array(sizes, dtype=np.int32)

    def numbers(self, X: Any) -> Matrix:
        """Return X as floats, an array or CSR, with the index of each category.

        NaN is missing; a category that is not known is -1 (where X is an array: a sparse X is
        returned with its own values, see `index_categories`).
        """
        container = contain(X)
        if container.shape[1] != self.n_features:
            raise ValueError(
                f"X has {container.shape[1]} features, but {self.n_features} features are expected "
                "as input; they must be those of fit."
            )
        numbers = container.numbers()
        if numbers is None:
            return self._by_column(container)
        numbers = self._rounded(numbers)
        return numbers if sparse.issparse(numbers) else self.index_categories(numbers)

    def index_categories(self, block: Array) -> Array:
        """Replace the values of categorical features by the categories' indices."""
        n_categories = self.n_categories
        if not n_categories.any():
            return block
        block = block.copy()
        plain = np.array([_is_plain(known) for known in self.categories])
        values = block[:, plain]
        is_known = (values >= 0) & (values < n_categories[plain]) & (values == np.floor(values))
        block[:, plain] = np.where(is_known | np.isnan(values), values, UNKNOWN)
        for j in np.flatnonzero((n_categories > 0) & ~plain):
            known = self.categories[j]
            # For the type checker alone: a feature with categories has a tuple of them.
            assert known is not None  # noqa: S101
            block[:, j] = _indices_of_numbers(block[:, j], known)
        return block

    def _rounded(self, numbers: Matrix) -> Matrix:
        rounded = numbers.astype(np.float32) if self.is_single else numbers
        return rounded.astype(np.float64)

    def _by_column(self, container: Container) -> Array:
        numbers = np.empty(container.shape)
        for j, known in enumerate(self.categories):
            column = container.column(j)
            if known is None:
                numbers[:, j] = numeric_column(column, _name(self.names, j))
            else:
                numbers[:, j] = _indices(column, known)
        return self._rounded(numbers)


def learn_schema(X: Any, categorical_features: Any, *, is_single: bool = False) -> Schema:
    """Return the schema of X."""
    container = contain(X)
    mask = categorical_mask(container, categorical_features)
    columns = SparseColumns(container.data) if isinstance(container, SparseContainer) else container
    categories = tuple(
        _declared(container, j, columns) if is_categorical else None
        for j, is_categorical in enumerate(mask)
    )
    return Schema(container.names, categories, is_single)


def with_links(schema: Schema, n_links: int, *, is_categorical: bool) -> Schema:
    """Return the schema with one two-valued feature more for each link of a chain."""
    names = schema.names
    if names is not None:
        names = (*names, *(f"link {link}" for link in range(n_links)))
    added = np.array([0.0, 1.0]) if is_categorical else None
    return Schema(names, (*schema.categories, *(n_links * [added])), schema.is_single)


class SparseColumns:
    """The columns of a sparse matrix, without converting it for each of them."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = sparse.csc_array(matrix)

    def column(self, j: int) -> Array:
        """Return the different values of a column, zero among them if there is one."""
        start, end = self.matrix.indptr[j], self.matrix.indptr[j + 1]
        zero = np.zeros(int(end - start < self.matrix.shape[0]))
        return np.append(self.matrix.data[start:end], zero)


def _declared(container: Container, j: int, columns: Any) -> Array:
    """Return a feature's categories: its dtype's, or the values it has."""
    if isinstance(container, FrameContainer):
        series = container.data[:, j]
        if isinstance(series.dtype, (nw.Categorical, nw.Enum)):
            return _categories_of_dtype(series)
    column = columns.column(j)
    if column.dtype.kind in "biuf":
        column = column.astype(np.float64)
        return np.unique(column[~np.isnan(column)])
    seen = {value for value in column.tolist() if not is_missing(value)}
    categories = np.empty(len(seen), dtype=object)
    categories[:] = sorted(seen, key=lambda value: (type(value).__name__, value))
    return categories


def _categories_of_dtype(series: nw.Series[Any]) -> Array:
    """Return the categories that a column declares, also those that no sample has."""
    names: Any
    if isinstance(series.dtype, nw.Enum):
        names = series.dtype.categories
    else:
        accessor = getattr(series.to_native(), "cat", None)
        declared = getattr(accessor, "categories", None)
        if declared is None:
            # Outside of pandas, a column does not declare its categories.
            names = series.drop_nulls().unique(maintain_order=True).to_list()
        else:
            names = declared.tolist()
    categories = np.empty(len(names), dtype=object)
    categories[:] = names
    return categories


def numeric_column(column: Array, name: str) -> Array:
    """Return a column as floats, with NaN for missing values."""
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    try:
        return np.array(
            [np.nan if is_missing(value) else float(value) for value in column], dtype=np.float64
        )
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"feature {name} is not numeric ({error}); name it in categorical_features, or pass "
            '"auto" with a dataframe, where text and categories are recognized by their dtype.'
        ) from error


def _indices(column: Array, known: Array) -> Array:
    if column.dtype.kind in "biuf" and known.dtype.kind in "biuf":
        return _indices_of_numbers(column.astype(np.float64), known)
    number = {value: float(index) for index, value in enumerate(known.tolist())}
    indices = [np.nan if is_missing(value) else number.get(value, UNKNOWN) for value in column]
    return np.array(indices, dtype=np.float64)


def _indices_of_numbers(column: Array, known: Array) -> Array:
    if known.dtype.kind not in "biuf":
        return _indices(column.astype(object), known)
    if known.size == 0:
        return np.where(np.isnan(column), np.nan, UNKNOWN)
    at = np.minimum(np.searchsorted(known, column), known.size - 1)
    return np.where(np.isnan(column), np.nan, np.where(known[at] == column, at, UNKNOWN))


def _is_plain(known: Array | None) -> bool:
    """Whether the categories are the numbers 0, 1, …, so that values are indices."""
    if known is None or known.dtype.kind not in "biuf":
        return False
    return bool((known == np.arange(known.size)).all())


def _name(names: tuple[Any, ...] | None, j: int) -> str:
    return repr(names[j]) if names is not None else str(j)
