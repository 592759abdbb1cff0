"""Convert dataframes to data sets and back, for formats whose columns have types."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from rarelabels._containers import dense
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.column_types import (
    BOOLEAN,
    DATE,
    INTEGER,
    are_booleans,
    datetime_type,
    is_datelike,
    rounded_to_type,
    whole_numbers,
    zone_of,
)
from rarelabels.datasets.dates import Dates, in_stored_zone
from rarelabels.datasets.files import stem
from rarelabels.datasets.sidecar import Sidecar
from rarelabels.datasets.tables._columns import (
    UNKNOWN_HINT,
    ColumnChoice,
    Feature,
    Label,
    TagColumn,
    as_label,
    checked_groups,
    dataset_of,
    first_wrong_label,
    in_order,
    label_or_none,
    tags_hint,
    text_problem,
)
from rarelabels.datasets.tables._library import Floats, Library, number_or_none
from rarelabels.datasets.writing import written_categories

# A dataframe of a library, and the metadata of its file.
Content: TypeAlias = tuple[Any, Mapping[str, str]]
_TEXTS = (nw.String, nw.Categorical, nw.Enum)


def read_frame(
    read: Callable[[str, int], Content], library: Library, path: FilePath, max_size: int
) -> tuple[nw.DataFrame[Any], Mapping[str, str]]:
    """Read the dataframe and the metadata of a file with a library."""
    try:
        native, metadata = read(os.fspath(path), max_size)
        return nw.from_native(native, eager_only=True), metadata
    except (KeyboardInterrupt, SystemExit, ImportError, TypeError, DataFormatError):
        raise
    except BaseException as error:
        # Each library has different errors, and some of polars do not derive from Exception.
        raise DataFormatError(f"{library} cannot read it ({error})", path) from error


def dataset_from_frame(
    frame: nw.DataFrame[Any], path: FilePath, sidecar: Sidecar, choice: ColumnChoice
) -> MultiLabelDataset:
    """Convert a dataframe that was read from a file to a data set."""
    roles = choice.roles(frame.columns, sidecar, path)
    labels = [label for j in roles.labels for label in _labels(frame[:, j], path, choice)]
    features = [
        _category(frame[:, j], path, (), is_declared=True)
        if frame.columns[j] in choice.categorical_features
        else _feature(frame[:, j], path, sidecar)
        for j in roles.features
    ]
    groups = None
    if roles.groups is not None:
        column = frame[:, roles.groups]
        groups = checked_groups(column.name, column.cast(nw.String).to_list())
    return dataset_of(features, labels, len(frame), stem(path), groups)


def frame_of(dataset: MultiLabelDataset, library: Library) -> Any:
    """Convert a data set to a dataframe of a library, features first."""
    X, Y, categories = dense(dataset.X), dense(dataset.Y), written_categories(dataset)
    columns = [
        _series(name, X[:, j].astype(np.float64), categories.get(j), dataset.types.get(j), library)
        for j, name in enumerate(dataset.feature_names)
    ]
    columns += [_label_series(name, Y[:, j], library) for j, name in enumerate(dataset.label_names)]
    return columns[0].to_frame().with_columns(*columns[1:]).to_native()


def _label_series(name: str, values: Any, library: Library) -> nw.Series[Any]:
    if values.dtype.kind == "f" and np.isnan(values).any():
        return nw.new_series(name, values.astype(np.float64), nw.Float64, backend=library)
    return nw.new_series(name, values.astype(np.int8), nw.Int8, backend=library)


def _labels(series: nw.Series[Any], path: FilePath, choice: ColumnChoice) -> list[Label]:
    """Return the label of a column, or the labels that its cells list."""
    if choice.separator is None or not isinstance(series.dtype, _TEXTS):
        return [_label(series, path, choice)]
    tags = TagColumn(choice.separator)
    tags.add([text or "" for text in series.cast(nw.String).to_list()])
    return tags.finish()


def _label(series: nw.Series[Any], path: FilePath, choice: ColumnChoice) -> Label:
    if _is_number(series):
        values = _numbers(series)
        marker = None if choice.unknown is None else number_or_none(choice.unknown)
        if choice.unknown is not None:
            is_marker = np.zeros(values.shape, dtype=bool) if marker is None else values == marker
            values = np.where(np.isnan(values) | is_marker, -1.0, values)
    else:
        values = _label_texts(series, path, choice)
    row = first_wrong_label(values if choice.unknown is None else np.maximum(values, 0))
    if row is not None:
        problem = f"label {series.name!r} is neither 0 nor 1 in row {row}{UNKNOWN_HINT}"
        raise DataFormatError(problem, path, text=str(values[row]))
    return as_label(series.name, values)


def _label_texts(series: nw.Series[Any], path: FilePath, choice: ColumnChoice) -> Floats:
    allows_unknown = choice.unknown is not None
    is_text = isinstance(series.dtype, _TEXTS) and (allows_unknown or not series.null_count())
    is_text = is_text or (allows_unknown and series.null_count() == len(series))
    texts = series.cast(nw.String).to_list() if is_text else [None]
    values = [
        -1.0 if allows_unknown and (text is None or choice.is_unknown(text)) else text
        for text in texts
    ]
    labels = [label_or_none(value) if isinstance(value, str) else value for value in values]
    if None in labels:
        wrong = str(texts[labels.index(None)]) if is_text else ""
        hint = tags_hint(series.name, wrong) or UNKNOWN_HINT
        raise DataFormatError(
            f"label {series.name!r} has type {series.dtype}; a label is 0 or 1, true or false, yes "
            f"or no, and never missing{hint}",
            path,
        )
    return np.array(labels, dtype=np.float64)


def _feature(series: nw.Series[Any], path: FilePath, sidecar: Sidecar) -> Feature:
    kind = sidecar.types.get(series.name)
    if series.null_count() == len(series) and not isinstance(series.dtype, _TEXTS):
        return Feature(series.name, np.full(len(series), np.nan))
    if _is_number(series):
        values = _numbers(series)
        return Feature(series.name, values, kind=_number_kind(series, values, kind))
    if isinstance(series.dtype, (nw.Date, nw.Datetime)):
        dates = in_stored_zone(_dates(series), kind)
        return Feature(series.name, dates.values, kind=dates.kind)
    known = sidecar.categories.get(series.name, ())
    return _category(series, path, known, is_declared=False)


def _number_kind(series: nw.Series[Any], values: Floats, stored: str | None) -> str | None:
    """Return the type of the numbers of a column, by its dtype or by the sidecar."""
    if series.dtype == nw.Boolean or (stored == BOOLEAN and are_booleans(values)):
        return BOOLEAN
    may_be_whole = series.dtype.is_integer() or stored == INTEGER
    return INTEGER if may_be_whole and whole_numbers(values) else None


def _dates(series: nw.Series[Any]) -> Dates:
    ticks = series.dt.timestamp("us").fill_null(0).to_numpy().astype(np.float64)
    values = np.where(series.is_null().to_numpy(), np.nan, ticks)
    if isinstance(series.dtype, nw.Date):
        return Dates(values, DATE)
    return Dates(values, datetime_type(getattr(series.dtype, "time_zone", None)))


def _category(
    series: nw.Series[Any], path: FilePath, stored: Sequence[str], *, is_declared: bool
) -> Feature:
    if not (isinstance(series.dtype, _TEXTS) or (is_declared and _is_number(series))):
        raise DataFormatError(
            f"column {series.name!r} has type {series.dtype}; expected numbers, text or "
            f"categories, or dates: leave it out (drop=[{series.name!r}], or --drop), or convert "
            "it to one of them",
            path,
        )
    # pandas 2 converts a missing category to the text "nan".
    is_missing = series.is_null().to_list()
    texts = [
        None if missing else text
        for text, missing in zip(series.cast(nw.String).to_list(), is_missing, strict=True)
    ]
    if isinstance(series.dtype, nw.String) and not is_declared:
        known = [text for text in texts if text is not None]
        problem = text_problem(series.name, set(known), len(known))
        if problem is not None:
            raise DataFormatError(problem, path)
    categories = tuple(stored)
    if not {*categories}.issuperset(text for text in texts if text is not None):
        categories = ()
    categories = categories or _categories(series, texts)
    codes = {text: float(code) for code, text in enumerate(categories)}
    values = np.array([np.nan if text is None else codes[text] for text in texts])
    return Feature(series.name, values, categories)


def _categories(series: nw.Series[Any], texts: Sequence[str | None]) -> tuple[str, ...]:
    if isinstance(series.dtype, nw.Enum):
        return tuple(series.dtype.categories)
    if isinstance(series.dtype, nw.Categorical):
        declared = _native_categories(series.to_native())
        if declared is not None:
            return declared
    return in_order({text for text in texts if text is not None})


def _native_categories(column: Any) -> tuple[str, ...] | None:
    """Return the ordered categories as texts, or None for polars, which has no order."""
    if hasattr(column, "cat"):
        return None
    chunks = column.unify_dictionaries().chunks
    return tuple(map(str, chunks[0].dictionary.to_pylist())) if chunks else ()


def _is_number(series: nw.Series[Any]) -> bool:
    return series.dtype.is_numeric() or series.dtype == nw.Boolean


def _numbers(series: nw.Series[Any]) -> Floats:
    if series.dtype.is_integer():
        # pyarrow does not convert integers that a float cannot represent exactly.
        values = series.fill_null(0).to_numpy().astype(np.float64)
        return np.where(series.is_null().to_numpy(), np.nan, values)
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _series(
    name: str,
    values: Floats,
    categories: Sequence[str] | None,
    kind: str | None,
    library: Library,
) -> nw.Series[Any]:
    if kind is not None and is_datelike(kind):
        return _date_series(name, rounded_to_type(values, kind), kind, library)
    # Not every library supports missing values among booleans and integers.
    has_gaps = bool(np.isnan(values).any())
    if kind == BOOLEAN and not has_gaps and are_booleans(values):
        return nw.new_series(name, values.astype(bool), nw.Boolean, backend=library)
    if categories is not None and kind != BOOLEAN:
        texts = [None if code != code else categories[int(code)] for code in values.tolist()]
        return nw.new_series(name, texts, nw.Enum(categories), backend=library)
    if kind == INTEGER and not has_gaps and whole_numbers(values):
        return nw.new_series(name, values.astype(np.int64), nw.Int64, backend=library)
    return nw.new_series(name, values, nw.Float64, backend=library)


def _date_series(name: str, values: Floats, kind: str, library: Library) -> nw.Series[Any]:
    times = np.nan_to_num(values).astype(np.int64).astype("datetime64[us]")
    times[np.isnan(values)] = "NaT"
    series = nw.new_series(name, times, nw.Datetime("us"), backend=library)
    if kind == DATE:
        return series.cast(nw.Date)
    zone = zone_of(kind)
    if zone is None:
        return series
    series = series.dt.replace_time_zone("UTC")
    # Not every library supports time zones given by an offset.
    return series if zone[0] in "+-" else series.dt.convert_time_zone(zone)
