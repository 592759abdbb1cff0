"""Place the samples of X: ranges, categories, and integers that no float holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import min_max_axis

from rarelabels._containers import Array, Matrix, column_of, dense
from rarelabels._distance.space import FeatureSpace, unit_of
from rarelabels._features import Features, column_name, offsets_from
from rarelabels._validation import warn


def placed_space(
    features: Features, queries: Features | None, *, scale_features: bool, quiet: bool
) -> FeatureSpace:
    """Place the samples of X and, behind them in the same scale, those of queries."""
    matrix, integers = _stacked(features, queries)
    low, high = _ranges(matrix[: features.n_samples])
    coded, codes = _codes_of_categories(matrix, features.categorical & ~np.isnan(high))
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


def empty_space(
    features: Features, low: Array, high: Array, coded: Array, scale_features: bool, quiet: bool
) -> tuple[FeatureSpace, Array]:
    """Return the space of features in these ranges without samples, and which enter as numbers."""
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
    """Return X with the queries behind it, and the exact offsets of integers no float holds."""
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


def _ranges(matrix: Matrix) -> tuple[Array, Array]:
    """Return the least and the largest value of each feature, NaN where all are missing."""
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
            f"X's column {j} goes from {low[j]:g} to {high[j]:g}, farther apart than a float can "
            "tell; rescale it first."
        )
    return np.where(spans == 0, np.inf, spans)


def _all_missing(ignored: Array, names: Any) -> str:
    found = [column_name(j, names) for j in np.flatnonzero(ignored).tolist()]
    plural, verb = ("s", "have") if len(found) > 1 else ("", "has")
    return f"feature{plural} {', '.join(found[:10])} {verb} no known value: left out of distances."


def _codes_of_categories(matrix: Matrix, categorical: Array) -> tuple[Array, Array]:
    """Return which features are categories of three values or more or with gaps, as codes."""
    coded = np.zeros(categorical.size, dtype=bool)
    by_column = matrix.tocsc() if sparse.issparse(matrix) and categorical.any() else matrix
    columns = []
    for j in np.flatnonzero(categorical).tolist():
        column = column_of(by_column, j)
        is_missing, (values, codes) = np.isnan(column), np.unique(column, return_inverse=True)
        if values.size > 2 or is_missing.any():
            # Each gap is a category of its own: it differs from everything, other gaps too.
            codes[is_missing] = -1 - np.arange(is_missing.sum())
            coded[j] = True
            columns.append(codes)
    if not columns:
        return coded, np.empty((matrix.shape[0], 0), dtype=np.int32)
    return coded, np.column_stack(columns).astype(np.int32)
