"""Whichever library splits the rows of a CSV file, the cells and numbers are the same."""

import csv
import io
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rarelabels.datasets import load_csv
from rarelabels.datasets.number_parser import parse_number
from rarelabels.datasets.tables._csv_rows import have_fields
from rarelabels.datasets.tables._library import (
    MISSING,
    ArrowCells,
    ListCells,
    PolarsCells,
    number_or_none,
    numbers_of,
)

pytest.importorskip("pyarrow")
pytest.importorskip("polars")

floats = st.floats(allow_nan=False, allow_infinity=False)
cells = st.one_of(
    floats.map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.tuples(st.floats(-1e4, 1e4), st.integers(0, 20)).map(lambda pair: f"{pair[0]:.{pair[1]}f}"),
    st.text("0123456789.-+eE", max_size=8),
    st.text("0123456789.-+eEnaifINF_x \t\x0b٣é'", max_size=6),
    st.sampled_from([*MISSING, "inf", "-Infinity", "1e400", "1_0", "0x1", "+1", ".5", "5.", "-0"]),
)


def expected(text):
    try:
        return parse_number(text)
    except ValueError:
        return math.nan


@given(st.lists(cells, min_size=1, max_size=20))
@example(["0.1", "9007199254740993", "1e23", "2.2250738585072011e-308"])
def test_numbers(texts):
    block = "".join(f"{text},1\n" for text in texts).encode()
    assert have_fields(block, ",", 2)
    for split in (ArrowCells(block, ",", 2), PolarsCells(block, ","), ListCells([texts])):
        assert split.texts(0) == texts
        found = split.numbers([0])[0]
        # What is not a finite number is decided by its text.
        found = np.where(np.isfinite(found), found, np.nan)
        by_text = [number_or_none(text) for text in texts]
        wanted = np.array([math.nan if value is None else value for value in by_text])
        is_plain = np.array([text == text.strip(" \t") for text in texts])
        np.testing.assert_array_equal(found[is_plain], wanted[is_plain])
        np.testing.assert_array_equal(np.signbit(found[is_plain]), np.signbit(wanted[is_plain]))
        np.testing.assert_array_equal(found[~np.isnan(found)], wanted[~np.isnan(found)])


@given(st.lists(cells, max_size=20))
def test_numbers_in_lists(texts):
    plain = [text for text in texts if text == text.strip(" \t")]
    found = numbers_of(plain)
    found[np.isinf(found)] = np.nan
    np.testing.assert_array_equal(found, np.array(list(map(expected, plain))))


lines = st.text('ab1,;" \n', max_size=30).map(lambda text: text + "\n")
quoted = st.lists(
    st.lists(st.sampled_from(['"a,b"', '""', "a", "", '"a"', " b", '"a\nb"', '"a""b"', '"x']),
             min_size=1, max_size=3).map(",".join), min_size=1, max_size=4
).map(lambda rows: "\n".join(rows) + "\n")  # fmt: skip


@given(text=lines | quoted, n_fields=st.integers(1, 3))
@example(text='"a",b\n', n_fields=2)
@example(text='a,"\n', n_fields=2)
def test_blocks_that_prove_their_fields(text, n_fields):
    block = text.encode()
    if not have_fields(block, ",", n_fields):
        return
    rows = list(csv.reader(io.StringIO(text), strict=True))
    assert {len(row) for row in rows} == {n_fields}
    for split in (ArrowCells(block, ",", n_fields), PolarsCells(block, ",")):
        columns = [split.texts(j) for j in range(n_fields)]
        assert list(zip(*columns, strict=True)) == list(map(tuple, rows))


@pytest.mark.parametrize(
    ("text", "proves"),
    [
        ("1,2\n3,4\n", True),
        ('1,"2, 3"\n"4",5\n', True),
        ("1\n2,3,4\n", False),
        ("1,2\n\n3,4\n", False),
        ('1,"a""b"\n', False),
        ('1,"a\nb"\n', False),
        ('1,a"b\n', False),
        ('1,"a"b\n', False),
        ('1,"a\n', False),
    ],
)
def test_what_proves_two_fields(text, proves):
    assert have_fields(text.encode(), ",", 2) is proves


def test_small_files_import_no_library(tmp_path):
    (tmp_path / "a.csv").write_text("x,c,l\n1,a,0\n2,b,1\n")
    code = (
        "import sys; from rarelabels.datasets import load_csv; load_csv(sys.argv[1], ['l']); "
        "sys.exit(bool({'pyarrow', 'polars', 'pandas'} & sys.modules.keys()))"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path / "a.csv"], check=True)


def test_lines_far_down(tmp_path, csv_library):
    """Rows that only `csv` can split follow rows that a library has split."""
    plain, rest = "1.5,red,0\n" * 400_000, '2,"a\nb",1\n2,"say ""no""",1\n'
    path = tmp_path / "a.csv"
    path.write_text("x,c,l\n" + plain + rest)
    dataset = load_csv(path, ["l"])
    assert dataset.n_samples == 400_002
    assert set(dataset.categories[1]) == {"red", "a\nb", 'say "no"'}
    assert dataset.Y.sum() == 2
    for wrong, line in (("3,blue,2\n", 400_005), ("3,blue\n", 400_005)):
        path.write_text("x,c,l\n" + plain + rest + wrong + "1,red,0\n" * 9)
        with pytest.raises(ValueError, match=f"line {line}: "):
            load_csv(path, ["l"])
    path.write_text("x,c,l\n" + plain + "3,blue,2\n" + "1,red,0\n" * 9)
    with pytest.raises(ValueError, match="line 400002: "):
        load_csv(path, ["l"])
