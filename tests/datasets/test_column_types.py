"""Integers, booleans, dates and points in time: what comes in as one goes out as the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarelabels.datasets import DataFormatError, MultiLabelDataset, load, load_csv, save
from rarelabels.datasets.dates import date_texts, dates_or_none

DAY, SECOND = 86_400e6, 1e6
TYPES = {
    "count": "integer",
    "gaps": "integer",
    "flag": "boolean",
    "day": "date",
    "old": "date",
    "at": "datetime",
    "fine": "datetime",
    "zoned": "datetime Europe/Berlin",
}
COLUMNS = {
    "size": [0.1, np.nan, -2.5],
    "count": [3, -1, 7],
    "gaps": [np.nan, 2, 3],
    "flag": [1, 0, 1],
    "day": [19_000 * DAY, np.nan, 0],
    "old": [-60_000 * DAY, 2_932_896 * DAY, 0],  # the years 1805 and 9999
    "at": [1.7e9 * SECOND, np.nan, 86_399 * SECOND],
    "fine": [1.7e9 * SECOND + 123_456, 1, np.nan],
    "zoned": [1.7e9 * SECOND, np.nan, 1.72e9 * SECOND],  # in winter and in summer
    "ward": [1, np.nan, 0],
}
PATIENTS = MultiLabelDataset(
    np.column_stack(list(COLUMNS.values())).astype(float),
    np.array([[1, 0], [0, 1], [1, 1]]),
    tuple(COLUMNS),
    ("flu", "cold"),
    (9,),
    categories={9: ("north", "south")},
    types={list(COLUMNS).index(name): kind for name, kind in TYPES.items()},
)


LIBRARIES = ("pyarrow", "polars", "none")
# The libraries that write a file, each with what else it takes to read it again.
WRITERS = {"polars": ["polars"], "pandas": ["pandas", "pyarrow"]}


@pytest.mark.parametrize(
    ("suffix", "library"),
    [("xlsx", "none")]
    + [(suffix, library) for suffix in ("csv", "tsv", "csv.gz") for library in LIBRARIES]
    + [(suffix, library) for suffix in ("parquet", "feather") for library in WRITERS],
)
def test_what_is_written_is_read(tmp_path, only_library, assert_same, suffix, library):
    only_library(*WRITERS.get(library, [library]))
    if suffix == "xlsx":
        pytest.importorskip("openpyxl")
    save(PATIENTS, tmp_path / f"a.{suffix}")
    found = load(tmp_path / f"a.{suffix}")
    np.testing.assert_array_equal(found.X, PATIENTS.X)
    assert dict(found.types) == dict(PATIENTS.types)
    assert found.label_names == PATIENTS.label_names
    assert found.categories[9] == PATIENTS.categories[9]
    save(found, tmp_path / f"b.{suffix}")
    assert_same(load(tmp_path / f"b.{suffix}"), found)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
@pytest.mark.parametrize("library", WRITERS)
def test_columns_of_a_file_have_their_types(tmp_path, only_library, suffix, library):
    polars = pytest.importorskip("polars")
    only_library(*WRITERS[library])
    path = tmp_path / f"a.{suffix}"
    save(PATIENTS, path)
    read_schema = polars.read_parquet_schema if suffix == "parquet" else polars.read_ipc_schema
    schema = read_schema(path)
    assert schema["count"] == polars.Int64
    assert schema["flag"] == polars.Boolean
    assert schema["day"] == polars.Date
    assert schema["at"] == polars.Datetime("us")
    assert schema["zoned"] == polars.Datetime("us", "Europe/Berlin")


def test_cells_of_a_workbook_have_their_types(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    save(PATIENTS, tmp_path / "a.xlsx")
    rows = list(openpyxl.load_workbook(tmp_path / "a.xlsx").active.iter_rows())
    kinds = {cell.value: below.data_type for cell, below in zip(rows[0], rows[1], strict=True)}
    assert kinds["size"] == kinds["count"] == kinds["cold"] == "n"
    assert kinds["flag"] == "b"
    assert kinds["day"] == kinds["at"] == "d"
    assert kinds["old"] == kinds["fine"] == kinds["zoned"] == kinds["ward"] == "s"


def test_feather_of_polars_is_read_by_pyarrow(tmp_path, only_library):
    only_library("polars")
    save(PATIENTS, tmp_path / "a.feather")
    only_library("pyarrow")
    found = load(tmp_path / "a.feather")
    np.testing.assert_array_equal(found.X, PATIENTS.X)
    assert found.categories[9] == PATIENTS.categories[9]


@given(
    times=st.lists(st.integers(-(2**50), 2**50) | st.integers(-(2**10), 2**10), min_size=1),
    kind=st.sampled_from(["datetime", "datetime UTC"]),
)
def test_texts_of_points_in_time(times, kind):
    values = np.array(times, dtype=float)
    found = dates_or_none(date_texts(values, kind))
    np.testing.assert_array_equal(found.values, values)
    assert found.kind == kind


@given(days=st.lists(st.integers(-719_162, 2_932_896), min_size=1))
def test_texts_of_dates(days):
    values = np.array(days) * DAY
    found = dates_or_none(date_texts(values, "date"))
    np.testing.assert_array_equal(found.values, values)
    assert found.kind == "date"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-02", 86_400),
        ("1970-01-01 00:01", 60),
        ("1970-01-01T00:00:01.5", 1.5),
        ("1970-01-01T00:00:00.000001999", 1e-6),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:00-0130", 5400),
        ("1969-12-31T23:59:59Z", -1),
    ],
)
def test_iso_dates(text, seconds):
    assert dates_or_none([text]).values == pytest.approx(seconds * SECOND, abs=0)


@pytest.mark.parametrize("text", ["1970-13-01", "1970-02-30", "01/02/1970", "1970", "today", ""])
def test_other_texts_are_no_dates(text):
    assert dates_or_none(["1970-01-01", text]) is None


@pytest.mark.parametrize(
    "cells",
    [("2024-01-31T10:00+01:00", "2024-07-31T10:00+02:00"), ("2024-01-31T10:00Z", "2024-01-31")],
)
def test_mixed_time_zones_are_refused(tmp_path, cells):
    (tmp_path / "a.csv").write_text("x,seen,l\n1,{},1\n2,{},0\n".format(*cells))
    with pytest.raises(DataFormatError, match="'seen' has points in time in several time zones"):
        load_csv(tmp_path / "a.csv", ["l"])
    assert load_csv(tmp_path / "a.csv", ["l"], drop=["seen"]).n_features == 1
    kept = load_csv(tmp_path / "a.csv", ["l"], categorical_features=["seen"])
    assert kept.categorical_features == (1,)


def test_other_dates_are_refused_with_a_hint(tmp_path):
    lines = [f"{i % 28 + 1}.{i % 12 + 1}.2024,{i % 2}" for i in range(60)]
    (tmp_path / "a.csv").write_text("seen,l\n" + "\n".join(lines) + "\n")
    with pytest.raises(DataFormatError, match=r"'seen' is text.*write them as 2024-01-31.*drop="):
        load_csv(tmp_path / "a.csv", ["l"])


def test_synthetic_values_are_rounded_to_what_a_column_holds():
    X = PATIENTS.X[:1] + np.array([0.2, 0.4, 0, 0.4, 5e9, DAY - 1, 3e5, 0.4, 0.6, 0])
    row = PATIENTS.with_samples(X, PATIENTS.Y[:1]).X[0]
    expected = PATIENTS.X[0].copy()
    expected[[0, 8]] = X[0, 0], 1.7e9 * SECOND
    np.testing.assert_array_equal(row, expected)
