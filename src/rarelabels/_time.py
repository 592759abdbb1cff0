"""Points in time and durations of dataframes as integers, and back."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

MICROSECONDS = {"ms": 10**3, "s": 10**6, "day": 24 * 60 * 60 * 10**6}


def is_time(dtype: Any) -> bool:
    """Return whether a dtype is that of dates, points in time or durations."""
    return isinstance(dtype, (nw.Datetime, nw.Date, nw.Duration))


def ticks(series: nw.Series[Any]) -> nw.Series[Any]:
    """Convert points in time or durations to microseconds, or nanoseconds if necessary.

    A float represents microseconds of the present era exactly.
    """
    if isinstance(series.dtype, nw.Duration):
        in_nanoseconds = series.dt.total_nanoseconds
        return in_nanoseconds() if _is_fine(series) else series.dt.total_microseconds()
    return series.dt.timestamp("ns" if _is_fine(series) else "us")


def from_ticks(values: nw.Series[Any], like: nw.Series[Any]) -> nw.Series[Any]:
    """Convert integers, as returned by `ticks` for a series, back to its dtype."""
    unit: Any = "ns" if _is_fine(like) else "us"
    values = _floored(values, like.dtype)
    if isinstance(like.dtype, nw.Duration):
        return values.cast(nw.Duration(unit)).cast(like.dtype)
    times = values.cast(nw.Datetime(unit))
    zone = getattr(like.dtype, "time_zone", None)
    if zone is not None:
        times = times.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return _in_own_dtype(times.cast(like.dtype), like)


def _in_own_dtype(times: nw.Series[Any], like: nw.Series[Any]) -> nw.Series[Any]:
    """Convert a pandas series to another dtype; pandas 2 cannot append zoned times to Arrow's."""
    wanted = getattr(like.to_native(), "dtype", None)
    if not times.implementation.is_pandas() or times.to_native().dtype == wanted:
        return times
    return nw.from_native(times.to_native().astype(wanted), series_only=True)


def _floored(values: nw.Series[Any], dtype: Any) -> nw.Series[Any]:
    """Convert microseconds to units of a coarser dtype; not every library can cast to them."""
    unit = "day" if isinstance(dtype, nw.Date) else getattr(dtype, "time_unit", None)
    size = MICROSECONDS.get(unit or "")
    if size is None:
        return values
    whole = values.to_numpy() // size * size
    return nw.new_series(values.name, whole, backend=values.implementation)


def _is_fine(series: nw.Series[Any]) -> bool:
    """Return whether a series has fractions of a microsecond."""
    if getattr(series.dtype, "time_unit", None) != "ns":
        return False
    known = series.drop_nulls()
    is_span = isinstance(series.dtype, nw.Duration)
    whole = known.dt.total_nanoseconds() if is_span else known.dt.timestamp("ns")
    # With NumPy, because not every type of series has a remainder.
    return bool((whole.to_numpy().astype(np.int64) % 1000).any())
