"""Convert features to numbers: categories and missing values become indicator columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, column_of
from rarelabels._registry import part_of_models
from rarelabels.learners._ridge.column_summary import KnownValues, n_missing

# Two samples with different categories differ in two indicators, which adds 1 to the squared
# distance, as in the package's distance.
INDICATOR = np.sqrt(0.5)


@part_of_models
@dataclass(frozen=True)
class IndicatorColumns:
    """The numeric columns of X, followed by indicators of categories and of missing values.

    Attributes
    ----------
    codes : dict of int to ndarray
        The codes of each categorical feature with more than two values or with missing values.
    fill : (d,) ndarray
        The values that replace missing values: the means of numeric features.
    incomplete : ndarray of int
        Numeric features with missing values, for each of which an indicator is added.
    """

    codes: dict[int, Array]
    fill: Array
    incomplete: Array

    @classmethod
    def fit(cls, known: KnownValues) -> IndicatorColumns:
        """Learn the categories and the means of features with missing values."""
        is_incomplete = known.is_incomplete
        incomplete = np.flatnonzero(is_incomplete & ~known.categorical)
        fill = np.zeros(known.mean.size)
        fill[incomplete] = known.mean[incomplete]
        codes = {
            j: values
            for j, values in known.categories.items()
            if values.size > 2 or is_incomplete[j]
        }
        return cls(codes, fill, incomplete)

    def transform(self, numbers: Matrix) -> Matrix:
        """Return the columns as an array, or as a CSR array if the numbers are sparse."""
        # Features that were complete in the training data can have missing values now.
        has_missing = bool(n_missing(numbers).any())
        if not (has_missing or self.codes or self.incomplete.size):
            return numbers
        added = self._indicators(numbers)
        if sparse.issparse(numbers):
            filled = numbers.tocsr().astype(np.float64)
            is_missing = np.isnan(filled.data)
            filled.data[is_missing] = self.fill[filled.indices[is_missing]]
            is_numeric = np.ones(filled.shape[1])
            is_numeric[list(self.codes)] = 0
            filled = sparse.csr_array(filled @ sparse.diags_array(is_numeric))
            return sparse.csr_array(sparse.hstack([filled, sparse.csr_array(added)]))
        filled = np.where(np.isnan(numbers), self.fill, numbers)
        filled[:, list(self.codes)] = 0.0
        return np.hstack([filled, added])

    def _indicators(self, numbers: Matrix) -> Array:
        by_column = numbers.tocsc() if sparse.issparse(numbers) else numbers
        columns = [np.isnan(column_of(by_column, j))[:, None] for j in self.incomplete.tolist()]
        columns += [column_of(by_column, j)[:, None] == codes for j, codes in self.codes.items()]
        if not columns:
            return np.empty((numbers.shape[0], 0))
        return np.hstack(columns) * INDICATOR
