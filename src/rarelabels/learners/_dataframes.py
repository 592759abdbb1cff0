"""Dataframes that are passed to an estimator: their rows, and a check for numeric columns."""

from __future__ import annotations

from numbers import Real
from typing import Any

import narwhals as nw

from rarelabels._containers import Array, contain, is_missing
from rarelabels._time import is_time


def is_frame(X: Any) -> bool:
    """Return whether X is a dataframe, whose column names and dtypes an estimator may use."""
    return hasattr(X, "columns")


def take_rows(X: Any, rows: Array) -> Any:
    """Return some rows of a dataframe with their dtypes and row labels."""
    return nw.from_native(X, eager_only=True)[rows].to_native()


def require_numbers(X: Any, estimator: Any) -> None:
    """Raise an error that names the first column that is not numeric."""
    container, frame = contain(X), nw.from_native(X, eager_only=True)
    for j, name in enumerate(container.names or ()):
        content = "dates" if is_time(frame[:, j].dtype) else _first_non_number(container.column(j))
        if content is not None:
            raise ValueError(
                f"column {name!r} of X is not numeric (it contains {content}), but "
                f"{type(estimator).__name__} accepts only numbers. Drop this column, encode it "
                "with a pipeline of a ColumnTransformer and the classifier as `estimator` (dates "
                "as the number of days since a fixed date), or use an estimator that supports "
                'categories: HistGradientBoostingClassifier(categorical_features="from_dtype") or '
                "rarelabels.trees.C45Classifier()."
            )


def _first_non_number(column: Array) -> str | None:
    """Return the first value that is not a number, or None if all are numbers or missing."""
    if column.dtype.kind in "biuf":
        return None
    others = (repr(v) for v in column if not isinstance(v, Real) and not is_missing(v))
    return next(others, None)
