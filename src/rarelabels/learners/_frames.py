"""Dataframes on their way to the estimator: as they came, in part, with columns for labels."""

from __future__ import annotations

from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np

from rarelabels._containers import Array, contain, is_missing
from rarelabels._time import is_time


def is_frame(X: Any) -> bool:
    """Whether X is a dataframe, which an estimator may read by its names and dtypes."""
    return hasattr(X, "columns")


def take_rows(X: Any, rows: Array) -> Any:
    """Return some rows of a dataframe, dtypes and row labels kept."""
    return nw.from_native(X, eager_only=True)[rows].to_native()


def with_column(X: Any, name: Any, values: Array) -> Any:
    """Return a dataframe with one more column of ints, the last."""
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas_like():
        # By position: the row labels of a bootstrap are not unique.
        return X.assign(**{name: values}) if isinstance(name, str) else _assigned(X, name, values)
    made = nw.new_series(name, values, backend=frame.implementation)
    return frame.with_columns(made).to_native()


def names_of_links(names: tuple[Any, ...], n_links: int) -> list[Any]:
    """Return a name for the column of each link of a chain, none of which X has.

    ``link_1``, ``link_2`` and so on; numbers beyond X's where its columns are numbered, since
    scikit-learn takes no names of several kinds.
    """
    if names and all(isinstance(name, int | np.integer) for name in names):
        return [int(max(names)) + 1 + link for link in range(n_links)]
    prefix = "link_"
    while any(str(name).startswith(prefix) for name in names):
        prefix = f"_{prefix}"
    return [f"{prefix}{link + 1}" for link in range(n_links)]


def require_numbers(X: Any, estimator: Any) -> None:
    """Refuse a dataframe with a column that is not numeric, and say which."""
    container, frame = contain(X), nw.from_native(X, eager_only=True)
    for j, name in enumerate(container.names or ()):
        held = "dates" if is_time(frame[:, j].dtype) else _other_than_numbers(container.column(j))
        if held is not None:
            raise ValueError(
                f"X's column {name!r} is not numeric (it holds {held}), and "
                f"{type(estimator).__name__} takes numbers alone. Drop it, encode it (a pipeline "
                "of a ColumnTransformer and the classifier as `estimator`; dates as the days since "
                "one of them), or take an estimator for categories: HistGradientBoostingClassifier("
                'categorical_features="from_dtype") or rarelabels.trees.C45Classifier().'
            )


def _other_than_numbers(column: Array) -> str | None:
    """Return the first value that is no number, None where all are numbers or missing."""
    if column.dtype.kind in "biuf":
        return None
    others = (repr(v) for v in column if not isinstance(v, Real) and not is_missing(v))
    return next(others, None)


def _assigned(X: Any, name: Any, values: Array) -> Any:
    made = X.copy(deep=False)
    made[name] = values
    return made
