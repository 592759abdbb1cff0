"""Types of numeric columns: integers, booleans, dates and points in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

INTEGER, BOOLEAN, DATE, DATETIME = "integer", "boolean", "date", "datetime"
# The categories of a column of booleans, in the order of their codes.
BOOLEANS = ("False", "True")
DAY = 24 * 60 * 60 * 10**6  # in microseconds, as all times are
STEPS = (DAY, 60 * 10**6, 10**6, 10**3, 1)


def datetime_type(zone: str | None) -> str:
    """Return the type of points in time, with or without a time zone.

    >>> datetime_type("Europe/Berlin"), datetime_type(None)
    ('datetime Europe/Berlin', 'datetime')
    """
    return DATETIME if zone is None else f"{DATETIME} {zone}"


def zone_of(kind: str) -> str | None:
    """Return the time zone of a type, or None if it has none.

    >>> zone_of("datetime Europe/Berlin"), zone_of("date")
    ('Europe/Berlin', None)
    """
    return kind.partition(" ")[2] or None


def is_datelike(kind: str | None) -> bool:
    """Return whether a type is that of dates or points in time."""
    return kind is not None and kind.partition(" ")[0] in (DATE, DATETIME)


def rounded_to_type(values: npt.NDArray[Any], kind: str, step: int = 1) -> npt.NDArray[Any]:
    """Round numbers to the values that a type allows; a time is rounded down for dates."""
    if kind == DATE or step > 1:
        size = DAY if kind == DATE else step
        return np.floor(values / size) * size
    return np.rint(values)


def step_of(values: npt.NDArray[Any], kind: str) -> int:
    """Return the largest unit, from a day to a microsecond, of which all times are multiples.

    >>> step_of(np.array([0.0, 60e6, np.nan]), "datetime"), step_of(np.array([3.0]), "datetime")
    (60000000, 1)
    """
    known = values[~np.isnan(values)] if is_datelike(kind) else np.ones(1)
    return next(step for step in STEPS if not (known % step).any())


def whole_numbers(values: npt.NDArray[np.float64]) -> bool:
    """Return whether all known numbers are integers that a float represents exactly.

    >>> whole_numbers(np.array([1.0, np.nan])), whole_numbers(np.array([1.5]))
    (True, False)
    """
    known = values[~np.isnan(values)]
    return bool(known.size and (np.abs(known) <= 2**53).all() and (known == np.rint(known)).all())


def are_booleans(values: npt.NDArray[np.float64]) -> bool:
    """Return whether all known numbers are 0 or 1.

    >>> are_booleans(np.array([1.0, np.nan])), are_booleans(np.array([0.4]))
    (True, False)
    """
    return bool((np.isnan(values) | (values == 0) | (values == 1)).all())
