"""Parquet and Feather files by pyarrow and polars: sizes, kinds of columns, damage."""

import io
from contextlib import suppress
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rarelabels.datasets import DataFormatError, load, load_parquet

pa = pytest.importorskip("pyarrow")
pf = pytest.importorskip("pyarrow.feather")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(params=["pyarrow", "polars"])
def library(request, only_library):
    only_library(request.param)
    return request.param


def written(table, **options):
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def test_a_small_file_of_a_large_table_is_refused_before_it_is_read(tmp_path, library):
    zeros = pa.array(np.zeros(1_000_000, dtype=np.int8))
    content = written(pa.table({"a": zeros, "l": zeros}))
    assert len(content) < 10_000
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    with pytest.raises(
        DataFormatError, match=r"larger than 15999999 bytes.*pass a larger max_size"
    ):
        load(path, ["l"], max_size=15_999_999)
    assert load_parquet(path, ["l"], max_size=16_000_000).n_samples == 1_000_000


def test_groups_that_hold_more_than_the_table_says(tmp_path, library):
    table = pa.table({"a": np.arange(150), "l": np.zeros(150, dtype=np.int8)})
    content = written(table, row_group_size=75)
    # The field num_rows of FileMetaData, 150 and 1 in Thrift's compact encoding.
    assert content.count(b"\x16\xac\x02") == 1
    path = tmp_path / "t.parquet"
    path.write_bytes(content.replace(b"\x16\xac\x02", b"\x16\x82\x00"))
    # Some versions of polars read as many rows as the table says, all others refuse it.
    with suppress(DataFormatError):
        assert load_parquet(path, ["l"], max_size=8 * 2 * 100).n_samples <= 100


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_a_name_that_looks_like_a_pattern(tmp_path, library, suffix):
    path = tmp_path / f"t[1].{suffix}"
    write = pq.write_table if suffix == "parquet" else pf.write_feather
    write(pa.table({"a": [1.0], "l": [1]}), path)
    assert load(path, ["l"]).n_samples == 1


DAY = 86_400e6
# Columns, and the numbers and categories that they are read as.
COLUMNS = {
    "integers beyond 2**53": (pa.array([2**60 + 1, None, -(2**62)]), [2.0**60, np.nan, -(2.0**62)]),
    "unsigned": (pa.array([2**64 - 1, 0, None], pa.uint64()), [2.0**64, 0, np.nan]),
    "booleans": (pa.array([True, None, False]), [1, np.nan, 0]),
    "decimals": (pa.array([Decimal("1.25"), None, Decimal("-3.5")]), [1.25, np.nan, -3.5]),
    "single": (pa.array([1.5, None, float("nan")], pa.float32()), [1.5, np.nan, np.nan]),
    "texts": (pa.array(["b", None, "a"], pa.large_string()), [1, np.nan, 0]),
    "categories": (pa.array(["a", "x", None]).dictionary_encode(), [0, 1, np.nan]),
    "nanoseconds": (pa.array([1_999, None, 5], pa.timestamp("ns")), [1, np.nan, 0]),
    "seconds": (pa.array([2, None, 5], pa.timestamp("s")), [2e6, np.nan, 5e6]),
    "zoned": (pa.array([2, None, 5], pa.timestamp("us", "Asia/Tokyo")), [2, np.nan, 5]),
    "dates": (pa.array([date(1970, 1, 2), None, date(1969, 12, 31)]), [DAY, np.nan, -DAY]),
    "nothing": (pa.nulls(3), [np.nan] * 3),
}


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
@pytest.mark.parametrize(("column", "expected"), COLUMNS.values(), ids=COLUMNS)
def test_kinds_of_columns(tmp_path, library, suffix, column, expected):
    path = tmp_path / f"t.{suffix}"
    write = pq.write_table if suffix == "parquet" else pf.write_feather
    write(pa.table({"x": column, "l": [0, 1, 1]}), path)
    np.testing.assert_array_equal(load(path, ["l"]).X[:, 0], np.array(expected, dtype=float))


def test_categories_that_are_numbers(tmp_path):
    column = pa.array([5, 6, 5]).dictionary_encode()
    pf.write_feather(pa.table({"x": column, "l": [0, 1, 1]}), tmp_path / "t.feather")
    dataset = load(tmp_path / "t.feather", ["l"])
    np.testing.assert_array_equal(dataset.X[:, 0], [0, 1, 0])
    assert dataset.categories[0] == ("5", "6")


# Read without checks, such a file ends the process or raises errors of pyarrow.
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), min_size=1, max_size=4))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_feather_is_read_or_refused(tmp_path, only_library, changes):
    only_library("pyarrow")
    columns = {"t": ["a", None, "b"] * 9, "c": pa.array(list("uvw") * 9).dictionary_encode()}
    file = io.BytesIO()
    pf.write_feather(pa.table({**columns, "x": np.arange(27.0), "l": [0, 1, 1] * 9}), file)
    content = bytearray(file.getvalue())
    for place, byte in changes:
        content[6 + place % (len(content) - 6)] = byte
    path = tmp_path / "t.feather"
    path.write_bytes(bytes(content))
    with suppress(DataFormatError):
        load(path, ["l"], max_size=1_000_000)


CONTENT = written(
    pa.table({"x": np.arange(9.0), "text": ["a", None, "b"] * 3, "l": [0, 1, 1] * 3}),
    row_group_size=4,
)
FOOTER = int.from_bytes(CONTENT[-8:-4], "little") + 8


@given(st.lists(st.tuples(st.integers(1, FOOTER), st.integers(0, 255)), min_size=1, max_size=4))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_footer_is_read_or_refused(tmp_path, library, changes):
    content = bytearray(CONTENT)
    for place, byte in changes:
        content[-place] = byte
    path = tmp_path / "t.parquet"
    path.write_bytes(bytes(content))
    with suppress(DataFormatError):
        load_parquet(path, ["l"], max_size=1_000_000)
