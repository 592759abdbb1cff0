"""Convert dates and points in time between texts (ISO 8601) and microseconds since 1970."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rarelabels.datasets.column_types import DATE, datetime_type, zone_of

_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?"
)
_MINUTE = 60 * 10**6
_UTC = "UTC"


class Dates(NamedTuple):
    """Points in time, and the type of their column."""

    values: npt.NDArray[np.float64]
    kind: str


class MixedZonesError(ValueError):
    """Points in time of several time zones, or with and without one."""


def dates_or_none(texts: Sequence[str]) -> Dates | None:
    """Parse texts as dates or points in time, to the microsecond; None if one is neither.

    >>> dates_or_none(["1970-01-02", "1970-01-01"])
    Dates(values=array([8.64e+10, 0.00e+00]), kind='date')
    >>> dates_or_none(["1970-01-01 01:00:00+01:00"])
    Dates(values=array([0.]), kind='datetime +01:00')
    """
    matches = [_ISO.fullmatch(text.strip()) for text in texts]
    if not matches or None in matches:
        return None
    parts = [match.groups() for match in matches if match is not None]
    # Fractions of a microsecond are cut off.
    plain = [day if time is None else f"{day}T{time[:15]}" for day, time, _ in parts]
    try:
        values = np.array(plain, dtype="datetime64[us]").astype(np.int64)
    except ValueError:  # such as a thirteenth month
        return None
    if all(time is None for _, time, _ in parts):
        return Dates(values.astype(np.float64), DATE)
    zone = _only_zone([None if zone is None else _offset(zone) for _, _, zone in parts])
    return Dates((values - _minutes(zone) * _MINUTE).astype(np.float64), datetime_type(zone))


def date_texts(values: npt.NDArray[np.float64], kind: str) -> list[str]:
    """Return points in time as texts, in UTC if they have a zone; missing ones are empty.

    >>> date_texts(np.array([8.64e10, np.nan]), "date"), date_texts(np.zeros(1), "datetime")
    (['1970-01-02', ''], ['1970-01-01T00:00:00'])
    """
    times = np.nan_to_num(values).astype(np.int64).astype("datetime64[us]")
    texts = np.datetime_as_string(times, unit="D" if kind == DATE else "us").tolist()
    if kind != DATE:
        texts = [text.removesuffix(".000000") for text in texts]
    end = "" if zone_of(kind) is None else "Z"
    missing = np.isnan(values).tolist()
    return [
        "" if is_missing else text + end for text, is_missing in zip(texts, missing, strict=True)
    ]


def in_stored_zone(dates: Dates, stored: str | None) -> Dates:
    """Return dates in the time zone of a stored type, if both have one."""
    if stored is not None and zone_of(stored) and zone_of(dates.kind):
        return dates._replace(kind=stored)
    return dates


def _only_zone(zones: list[str | None]) -> str | None:
    different = sorted(set(zones), key=str)
    if len(different) == 1:
        return different[0]
    shown = ", ".join(str(zone or "none") for zone in different[:3])
    raise MixedZonesError(
        f"has points in time in several time zones ({shown}); use a single time zone, such as UTC"
    )


def _offset(zone: str) -> str:
    """Return the text of a zone in a uniform format.

    >>> _offset("+0100"), _offset("+01"), _offset("-00:00")
    ('+01:00', '+01:00', 'UTC')
    """
    digits = (zone[1:].replace(":", "") + "00")[:4]
    return _UTC if not digits.strip("0") else f"{zone[0]}{digits[:2]}:{digits[2:]}"


def _minutes(zone: str | None) -> int:
    """Return by how many minutes a time zone is ahead of UTC."""
    if zone is None or zone == _UTC:
        return 0
    minutes = 60 * int(zone[1:3]) + int(zone[4:6])
    return -minutes if zone[0] == "-" else minutes
