"""Base class of learners that accept numbers, categories and missing values in any container."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_consistent_length, validate_data

from rarelabels._backends import backend_of
from rarelabels._containers import Array, ArrayContainer, Matrix, SparseContainer, is_missing
from rarelabels._features import Features
from rarelabels._labels import Labels
from rarelabels._registry import part_of_models
from rarelabels._validation import check_features
from rarelabels.learners._dataframes import is_frame
from rarelabels.learners.base import MultiLabelClassifier, checked_numbers


class CategoryReader(MultiLabelClassifier):
    """Base class of the learners with the parameter `categorical_features`, which read X directly.

    Categories have the same codes as in `fit`. Values that `fit` did not see share one more code.
    """

    categorical_features: Any
    _categorical: Array
    _codes: dict[int, dict[Any, int]]
    # The smallest number of training samples.
    _least_samples = 2

    def _read(self, X: Any, *, reset: bool) -> Features:
        is_open = self.categorical_features is None or isinstance(self.categorical_features, str)
        backend = backend_of(X) if self._works_on_blocks else None
        if is_open and not is_frame(X) and backend is None:
            at_least = self._least_samples if reset else 1
            numbers = checked_numbers(self, X, reset=reset, at_least=at_least)
            features = check_features(numbers, self.categorical_features)
            if reset:
                self._categorical, self._codes = features.categorical, {}
            return features
        columns = X if backend is None else backend.without_samples(X)
        validate_data(self, columns, reset=reset, skip_check_array=True)
        # Categorical features are detected in `fit`, because a few new samples may not show them.
        features = check_features(
            X,
            self.categorical_features if reset else self._categorical,
            works_on_blocks=self._works_on_blocks,
        )
        if reset:
            self._categorical, self._codes = features.categorical, features.codes
        return features.read_by(partial(encoded, codes=self._codes))

    def _check_length(self, X: Any, features: Features, labels: Labels) -> None:
        check_consistent_length(features.container, labels.matrix)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def encoded(features: Features, codes: dict[int, dict[Any, int]]) -> Features:
    """Return features as numbers with the codes of the training data; new values share a code."""
    names = features.container.names
    if not codes:
        return Features(_container_of(features.floats, names), features.categorical)
    matrix = np.array(features.floats, dtype=np.float64)
    for j, column_codes in codes.items():
        matrix[:, j] = [
            np.nan if is_missing(value) else column_codes.get(value, len(column_codes))
            for value in features.container.column(j)
        ]
    return Features(NamedArray(matrix, names), features.categorical)


@part_of_models
@dataclass(frozen=True)
class NamedArray(ArrayContainer):
    """An array that stores the column names of the original dataframe, for messages."""

    column_names: tuple[Any, ...] | None = None

    @property
    def names(self) -> tuple[Any, ...] | None:
        return self.column_names


def _container_of(matrix: Matrix, names: tuple[Any, ...] | None) -> Any:
    return SparseContainer(matrix) if sparse.issparse(matrix) else NamedArray(matrix, names)
