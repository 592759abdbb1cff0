"""Turn X into a space: scale numbers by their ranges, and code categories.

Each numeric feature is rescaled to [0, 1] over the data given (a constant feature counts 0), and
distances are Euclidean. A categorical feature adds 1 to the squared distance where the values
differ, and so does any feature that is missing in one or both samples. A feature with two values
means the same as a number and as a category, so a categorical feature with at most two values is
kept as a number. All other categories become codes.

A metric with a transformation, such as cosine, uses the original values of the numeric features
instead, and every category becomes codes.

Distances that decide an order are computed from the original values, difference first: subtracting
or rescaling before would lose digits where values are large and differences small.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import min_max_axis

from rarelabels._containers import Array, Matrix, column_of, dense
from rarelabels._distances import Distance, distance_named
from rarelabels._features import Features, column_name, offsets_from
from rarelabels._neighbors.space import FeatureSpace, unit_of
from rarelabels._validation import warn


def feature_space(
    features: Features,
    queries: Features | None = None,
    *,
    scale_features: bool = True,
    metric: Any = "euclidean",
    quiet: bool = False,
    numbers_alone: bool = False,
) -> Any:
    """Return the space of the samples of X, followed by those of queries in the same scale.

    Features that are missing in all samples of X do not count. Unless `quiet`, a warning names
    them. Samples that a backend holds elsewhere stay there. With `numbers_alone`, categories do
    not count.
    """
    chosen = distance_named(metric)
    if features.backend is not None:
        return features.backend.space(
            features, scale_features=scale_features, metric=chosen, quiet=quiet
        )
    if chosen.transform is not None:
        return _transformed_space(features, queries, chosen, quiet)
    matrix, integers = _stacked(features, queries)
    low, high = column_ranges(matrix[: features.n_samples])
    coded, codes = _codes_of_categories(
        matrix, features.categorical & ~np.isnan(high) & (not numbers_alone)
    )
    if numbers_alone:
        coded = features.categorical & ~np.isnan(high)
    empty, entering = empty_space(features, low, high, coded, scale_features, quiet)
    raw = matrix if entering.size == coded.size else matrix[:, entering]
    is_alone = not features.categorical.any()
    return replace(
        empty,
        raw=raw.astype(np.float64, copy=False),
        wide={j: integers[f] for j, f in enumerate(entering.tolist()) if f in integers},
        low=np.zeros(entering.size) if sparse.issparse(matrix) else empty.low,
        unit=1.0 if scale_features else unit_of(raw[: features.n_samples], is_alone=is_alone),
        codes=codes,
    )


def _transformed_space(
    features: Features, queries: Features | None, metric: Distance, quiet: bool
) -> FeatureSpace:
    """Return the space of samples that the metric transforms."""
    for part in (features, queries):
        if part is not None:
            _check_transformable(part, metric)
    matrix = _stacked(features, queries)[0]
    ignored = features.categorical.copy()
    if ignored.any():
        ignored &= np.isnan(column_ranges(matrix[: features.n_samples])[1])
    coded, codes = _codes_of_categories(matrix, features.categorical & ~ignored, least=1)
    empty, entering = transformed_empty_space(features, ignored, coded, metric, quiet)
    numeric = matrix if entering.size == coded.size else matrix[:, entering]
    return replace(empty, raw=metric.transform(numeric), codes=codes)  # type: ignore[misc]


def transformed_empty_space(
    features: Features, ignored: Array, coded: Array, metric: Distance, quiet: bool
) -> tuple[FeatureSpace, Array]:
    """Return the space of a metric with a transformation without samples, and the numbers."""
    if ignored.any() and not quiet:
        warn(_all_missing(ignored, features.container.names))
    numeric = np.flatnonzero(~features.categorical)
    n_columns = numeric.size + 1
    empty = FeatureSpace(
        raw=np.empty((0, n_columns)),
        wide={},
        low=np.zeros(n_columns),
        raw_spans=np.ones(n_columns),
        unit=1.0,
        codes=np.empty((0, int(coded.sum())), dtype=np.int32),
        spans=np.ones(coded.size),
        categorical=features.categorical,
        ignored=ignored,
        metric=metric,
    )
    return empty, numeric


def _check_transformable(features: Features, metric: Distance) -> None:
    if features.wide:
        raise ValueError(wide_for_metric(next(iter(features.wide)), features, metric))
    numbers = features.numbers
    numeric = ~features.categorical
    if sparse.issparse(numbers):
        if not np.isnan(numbers.data).any():
            return
        places = numbers.tocoo()
        is_bad = np.isnan(places.data) & numeric[places.col]
        rows, columns = places.row[is_bad], places.col[is_bad]
    else:
        # A sum is finite only if all its terms are.
        with np.errstate(over="ignore", invalid="ignore"):
            suspects = np.flatnonzero(~np.isfinite(numbers.sum(axis=0)) & numeric)
        rows, columns = np.nonzero(np.isnan(numbers[:, suspects]))
        columns = suspects[columns]
    if rows.size:
        raise ValueError(missing_for_metric(int(rows[0]), int(columns[0]), features, metric))


def missing_for_metric(row: int, column: int, features: Features, metric: Distance) -> str:
    """Return the message for a missing value where a metric cannot handle it."""
    return (
        f"X has a missing value (NaN) in row {row}, column "
        f'{column_name(column, features.container.names)}, and metric="{metric.name}" is not '
        "defined for missing values. Impute them (sklearn.impute.SimpleImputer), or use "
        'metric="euclidean".'
    )


def wide_for_metric(column: int, features: Features, metric: Distance) -> str:
    """Return the message for integers that no float holds where a metric cannot handle them."""
    return (
        f"X's column {column_name(column, features.container.names)} has integers beyond 2**53, "
        f'which metric="{metric.name}" does not support. Drop the column, convert it to float, or '
        'use metric="euclidean".'
    )


def empty_space(
    features: Features, low: Array, high: Array, coded: Array, scale_features: bool, quiet: bool
) -> tuple[FeatureSpace, Array]:
    """Return the space of features in these ranges without samples, and the numeric features."""
    categorical, ignored = features.categorical, np.isnan(high)
    if ignored.any() and not quiet:
        warn(_all_missing(ignored, features.container.names))
    rescaled = categorical | scale_features
    spans = _spans(low, high, rescaled & ~ignored)
    entering = np.flatnonzero(~coded & ~ignored)
    empty = FeatureSpace(
        raw=np.empty((0, entering.size)),
        wide={},
        low=np.where(rescaled[entering], low[entering], 0.0),
        raw_spans=spans[entering],
        unit=1.0,
        codes=np.empty((0, int(coded.sum())), dtype=np.int32),
        spans=spans,
        categorical=categorical,
        ignored=ignored,
    )
    return empty, entering


def _stacked(features: Features, queries: Features | None) -> tuple[Matrix, dict[int, Array]]:
    """Return X followed by the queries, and the exact offsets of integers beyond 2**53."""
    if queries is None:
        return features.numbers, {j: offsets_from(c.min(), c) for j, c in features.wide.items()}
    if sparse.issparse(features.numbers):
        parts = [features.numbers, sparse.csr_array(queries.numbers)]
        return sparse.vstack(parts, format="csr"), {}
    matrix, integers = np.vstack([features.numbers, dense(queries.numbers)]), {}
    for j in {*features.wide, *queries.wide}:
        columns = [one.container.column(j) for one in (features, queries)]
        if all(column.dtype.kind in "iu" for column in columns):
            low = min(int(column.min()) for column in columns)
            integers[j] = np.concatenate([offsets_from(low, column) for column in columns])
            matrix[:, j] = integers[j]
        else:
            matrix[:, j] = np.concatenate(columns)
    return matrix, integers


def column_ranges(matrix: Matrix) -> tuple[Array, Array]:
    """Return the smallest and the largest value of each feature, NaN if all are missing."""
    if sparse.issparse(matrix):
        low, high = min_max_axis(matrix, axis=0, ignore_nan=True)
    else:
        low, high = np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)


def _spans(low: Array, high: Array, rescaled: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        spans = np.where(rescaled, high - low, 1.0)
    if not np.isfinite(spans).all():
        j = int(np.flatnonzero(~np.isfinite(spans))[0])
        raise ValueError(
            f"X's column {j} goes from {low[j]:g} to {high[j]:g}, a range that no float can hold; "
            "rescale it first."
        )
    return np.where(spans == 0, np.inf, spans)


def _all_missing(ignored: Array, names: Any) -> str:
    features = [column_name(j, names) for j in np.flatnonzero(ignored).tolist()]
    plural, verb = ("s", "have") if len(features) > 1 else ("", "has")
    return (
        f"feature{plural} {', '.join(features[:10])} {verb} no known value: left out of distances."
    )


def _codes_of_categories(matrix: Matrix, categorical: Array, least: int = 3) -> tuple[Array, Array]:
    """Return which categories have `least` values or more or missing ones, and their codes."""
    coded = np.zeros(categorical.size, dtype=bool)
    by_column = matrix.tocsc() if sparse.issparse(matrix) and categorical.any() else matrix
    columns = []
    for j in np.flatnonzero(categorical).tolist():
        column = column_of(by_column, j)
        is_missing, (values, codes) = np.isnan(column), np.unique(column, return_inverse=True)
        if values.size >= least or is_missing.any():
            # A missing value differs from every other value, also from other missing ones.
            codes[is_missing] = -1 - np.arange(is_missing.sum())
            coded[j] = True
            columns.append(codes)
    if not columns:
        return coded, np.empty((matrix.shape[0], 0), dtype=np.int32)
    return coded, np.column_stack(columns).astype(np.int32)
