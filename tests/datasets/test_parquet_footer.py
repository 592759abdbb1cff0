"""The size of a Parquet table is known before it is read."""

import io
import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarelabels.datasets import DataFormatError, load, load_parquet
from rarelabels.datasets.formats._parquet_footer import footer_of, read_footer

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def written(table, **options):
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    content = file.getvalue()
    length = int.from_bytes(content[-8:-4], "little")
    return content, content[-8 - length : -8]


TABLE = pa.table(
    {"x": np.arange(100.0), "text": ["a", None] * 50, "flag": [True, False] * 50, "l": [0, 1] * 50},
    metadata={"remembered": json.dumps({"labels": ["l"]}), "é": "ü"},
)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 7},
        {"compression": "none", "use_dictionary": False},
        {"version": "1.0"},
    ],
)
def test_equals_what_pyarrow_reads(tmp_path, options):
    content, footer = written(TABLE, **options)
    (tmp_path / "t.parquet").write_bytes(content)
    expected, found = pq.read_metadata(tmp_path / "t.parquet"), footer_of(footer)
    assert (found.n_rows, found.n_columns) == (expected.num_rows, expected.num_columns) == (100, 4)
    texts = {key.decode(): value.decode() for key, value in expected.metadata.items()}
    assert found.metadata == texts
    assert read_footer(tmp_path / "t.parquet") == found


def test_by_polars_and_pandas(tmp_path):
    pl, pd = pytest.importorskip("polars"), pytest.importorskip("pandas")
    pl.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None]}).write_parquet(tmp_path / "polars.parquet")
    pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None]}).to_parquet(tmp_path / "pandas.parquet")
    for name in ("polars", "pandas"):
        found = read_footer(tmp_path / f"{name}.parquet")
        assert (found.n_rows, found.n_columns) == (3, 2)


def test_a_small_file_of_a_large_table_is_refused_before_it_is_read(tmp_path):
    zeros = pa.array(np.zeros(1_000_000, dtype=np.int8))
    content, _ = written(pa.table({"a": zeros, "l": zeros}))
    assert len(content) < 10_000
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=r"more than 15999999 bytes.*pass a larger max_size"):
        load(path, ["l"], max_size=15_999_999)
    assert load_parquet(path, ["l"], max_size=16_000_000).n_samples == 1_000_000


def test_groups_that_hold_more_than_the_table_says():
    # FileMetaData: 3 (num_rows) = 1, 4 (row_groups) = two structs whose field 3 is 70 and 80.
    footer = b"\x36\x02" + b"\x19\x2c" + b"\x36\x8c\x01\x00" + b"\x36\xa0\x01\x00" + b"\x00"
    assert footer_of(footer).n_rows == 150


FOOTER = written(TABLE)[1]


@given(st.lists(st.tuples(st.integers(0, len(FOOTER) - 1), st.integers(0, 255)), max_size=8))
def test_a_damaged_footer_is_read_or_refused(changes):
    content = bytearray(FOOTER)
    for place, byte in changes:
        content[place] = byte
    with suppress(ValueError):
        assert footer_of(bytes(content)).n_rows >= 0


@pytest.mark.parametrize("content", [b"\x1c" * 100_000, b"\x19\xf9" * 50_000, b"\x18\xff\xff\x7f"])
def test_a_hostile_footer(content):
    with pytest.raises(ValueError, match="footer"):
        footer_of(content)
