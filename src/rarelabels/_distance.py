"""The distance that every neighbour search of the package goes by.

Each numeric feature is rescaled to [0, 1] over the data given (a constant one counts 0) and enters
as in Euclid; a categorical feature adds 1 to the squared distance where the values differ. A
feature with two values makes no difference between the two readings, so a categorical one with at
most two is kept as a number, 0 or 1, and only the others as codes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import min_max_axis

from rarelabels._containers import Array, Matrix, column_of, dense
from rarelabels._features import Features

# Rounding must not decide a tie: distances are compared in their first 36 bits, 11 digits.
COMPARED_BITS = 36
ENTRIES_AT_ONCE = 2**21


@dataclass(frozen=True)
class FeatureSpace:
    """Rows placed so that their distances can be taken.

    Attributes
    ----------
    numeric : (n, d1) ndarray or csr_array of float64
        Rescaled numeric features, and categorical ones of at most two values as 0 and 1.
    codes : (n, d2) ndarray of int32
        Categorical features of three values or more, each value a code.
    spans : (d,) ndarray
        What a difference in each of the caller's features is divided by; infinite for a constant
        one, and without meaning for a categorical one.
    categorical : (d,) bool
        Which of the caller's features are categorical.
    """

    numeric: Matrix
    codes: Array
    spans: Array
    categorical: Array

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.numeric.shape[0]

    def followed_by(self, rows: Array) -> FeatureSpace:
        """Return the space with some of its samples a second time behind the others."""
        places = np.concatenate([np.arange(self.n_samples), rows])
        return replace(self, numeric=self.numeric[places], codes=self.codes[places])

    def squared_distances(self, left: Array, right: Array) -> Array:
        """Squared distances of rows `left[p]` and `right[p]`, rounding rounded away."""
        step = max(1, ENTRIES_AT_ONCE // self._entries_per_pair)
        parts = [slice(start, start + step) for start in range(0, left.size, step)]
        squared = [self._squared_distances(left[part], right[part]) for part in parts]
        return _rounded(np.concatenate(squared)) if squared else np.empty(0)

    @property
    def _entries_per_pair(self) -> int:
        n_numeric = self.numeric.shape[1]
        if sparse.issparse(self.numeric):
            n_numeric = 2 * self.numeric.nnz // self.n_samples
        return max(1, n_numeric + self.codes.shape[1])

    def _squared_distances(self, left: Array, right: Array) -> Array:
        difference = self.numeric[left] - self.numeric[right]
        squared = row_sums(difference * difference)
        if self.codes.shape[1]:
            squared += (self.codes[left] != self.codes[right]).sum(axis=1)
        return squared

    def distances_between(self, left: Matrix, right: Matrix) -> Array:
        """Distances of rows of numbers, new ones maybe, to the rows beside them."""
        difference = left - right
        if sparse.issparse(difference):
            values, columns = difference.data, difference.indices
            parts = values / self.spans[columns]
            difference.data = np.where(self.categorical[columns], values != 0, parts)
        else:
            is_other = difference[:, self.categorical] != 0
            difference = difference / self.spans
            difference[:, self.categorical] = is_other
        return np.sqrt(row_sums(difference * difference))

    def weighted(self, weights: Array) -> FeatureSpace:
        """Return the space in which each column of `euclidean` counts by its weight."""
        points, factors = self.euclidean(), np.sqrt(weights)
        stretched = (
            points @ sparse.diags_array(factors) if sparse.issparse(points) else points * factors
        )
        return plain_space(stretched)

    def euclidean(self) -> Matrix:
        """Give a matrix whose plain Euclidean distances are those of this space."""
        if not self.codes.shape[1]:
            return self.numeric
        hot = one_hot(self.codes) * np.sqrt(0.5)
        if sparse.issparse(self.numeric):
            return sparse.hstack([self.numeric, hot], format="csr")
        return np.hstack([self.numeric, hot.toarray()])


def feature_space(
    features: Features, queries: Features | None = None, *, scale_features: bool = True
) -> FeatureSpace:
    """Place the rows of X and, behind them in the same scale, those of queries."""
    matrix, categorical = features.matrix, features.categorical
    if queries is not None:
        matrix = _behind(matrix, queries)
    coded, codes = _codes_of_categories(matrix, categorical)
    rescaled = categorical if not scale_features else np.ones(categorical.size, dtype=bool)
    place = _place_sparse if sparse.issparse(matrix) else _place_dense
    numeric, spans = place(matrix, rescaled, features.n_samples)
    if coded.any():
        numeric = numeric[:, np.flatnonzero(~coded)]
    return FeatureSpace(numeric, codes, spans, categorical)


def plain_space(points: Matrix) -> FeatureSpace:
    """Return points of numbers as a space, neither moved nor rescaled."""
    n_samples, n_columns = points.shape
    no_codes = np.empty((n_samples, 0), dtype=np.int32)
    numeric = points.astype(np.float64)
    return FeatureSpace(numeric, no_codes, np.ones(n_columns), np.zeros(n_columns, dtype=bool))


def one_hot(codes: Array) -> sparse.csr_array:
    """Give codes as indicator columns: rows that differ in m features lie √(2m) apart."""
    n_samples, n_features = codes.shape
    ends = np.cumsum(codes.max(axis=0, initial=-1) + 1)
    columns = codes + np.concatenate([[0], ends])[:-1]
    indptr = np.arange(n_samples + 1) * n_features
    shape = (n_samples, int(ends[-1]) if n_features else 0)
    return sparse.csr_array((np.ones(columns.size), columns.ravel(), indptr), shape=shape)


def row_sums(matrix: Matrix) -> Array:
    """Give the sum of each row of a dense or sparse matrix as a 1-d array."""
    return np.asarray(matrix.sum(axis=1)).ravel()


def _behind(matrix: Matrix, queries: Features) -> Matrix:
    if sparse.issparse(matrix):
        return sparse.vstack([matrix, sparse.csr_array(queries.matrix)], format="csr")
    return np.vstack([matrix, dense(queries.matrix)])


def _place_dense(matrix: Array, rescaled: Array, n_fitted: int) -> tuple[Array, Array]:
    fitted = matrix[:n_fitted]
    low = fitted.min(axis=0).astype(np.float64)
    spans = _spans(low, fitted.max(axis=0), rescaled)
    placed = matrix - low
    placed /= spans
    return placed, spans


def _place_sparse(
    matrix: sparse.csr_array, rescaled: Array, n_fitted: int
) -> tuple[sparse.csr_array, Array]:
    ends = min_max_axis(matrix[:n_fitted], axis=0)
    low, high = (np.asarray(end, dtype=np.float64) for end in ends)
    spans = _spans(low, high, rescaled)
    placed = matrix.astype(np.float64)
    placed.data /= spans[placed.indices]
    return placed, spans


def _spans(low: Array, high: Array, rescaled: Array) -> Array:
    with np.errstate(over="ignore"):
        spans = high - low
    if not np.isfinite(spans).all():
        j = int(np.flatnonzero(~np.isfinite(spans))[0])
        raise ValueError(
            f"X's column {j} goes from {low[j]:g} to {high[j]:g}, farther apart than a float can "
            "tell; rescale it first."
        )
    spans[spans == 0] = np.inf
    spans[~rescaled] = 1.0
    return spans


def _codes_of_categories(matrix: Matrix, categorical: Array) -> tuple[Array, Array]:
    """Tell which columns are categories of three values or more, and give those as codes."""
    coded = np.zeros(categorical.size, dtype=bool)
    by_column = matrix.tocsc() if sparse.issparse(matrix) and categorical.any() else matrix
    for j in np.flatnonzero(categorical).tolist():
        coded[j] = _n_values(by_column, j) > 2
    found = [column_of(by_column, j) for j in np.flatnonzero(coded).tolist()]
    columns = [np.unique(column, return_inverse=True)[1] for column in found]
    if not columns:
        return coded, np.empty((matrix.shape[0], 0), dtype=np.int32)
    return coded, np.column_stack(columns).astype(np.int32)


def _n_values(by_column: Matrix, j: int) -> int:
    """Count the values of a column, zeros that are not stored among them."""
    if not sparse.issparse(by_column):
        return int(np.unique(by_column[:, j]).size)
    stored = by_column.data[by_column.indptr[j] : by_column.indptr[j + 1]]
    return int(np.unique(stored).size) + (stored.size < by_column.shape[0])


def _rounded(squared: Array) -> Array:
    mantissa, exponent = np.frexp(squared)
    return np.ldexp(np.rint(np.ldexp(mantissa, COMPARED_BITS)), exponent - COMPARED_BITS)
