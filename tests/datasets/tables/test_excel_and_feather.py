"""Workbooks and Feather files as people have them, and damaged ones."""

import pickle
import sys
import tracemalloc
import zipfile
from contextlib import suppress
from datetime import datetime, time, timedelta

import numpy as np
import pytest

from rarelabels.datasets import (
    DataFormatError,
    MultiLabelDataset,
    load,
    load_excel,
    load_feather,
    save,
    save_excel,
    save_feather,
)

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture
def workbook(tmp_path):
    """Return a function that writes rows to a workbook, by sheet, and gives its path."""

    def write(*rows, **sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, held in (sheets or {"Patients": rows}).items():
            sheet = book.create_sheet(name)
            for row in held:
                sheet.append(row)
        book.save(tmp_path / "a.xlsx")
        return tmp_path / "a.xlsx"

    return write


def test_a_sheet_as_people_have_it(workbook):
    start = datetime(2024, 1, 31)
    path = workbook(
        [],
        ["age", "ward", "smoker", "seen", "at", "code", "flu", "cold"],
        [34, "north", True, start, start, "5", "yes", 1],
        [None, "south", False, start + timedelta(1), start + timedelta(hours=1), "NA", "no", 0],
        [51.5, "#N/A", True, None, start, 7, "no", True],
        [],
        [None, None],
    )
    dataset = load(path, ["flu", "cold"])
    assert dataset.feature_names == ("age", "ward", "smoker", "seen", "at", "code")
    assert dict(dataset.types) == {2: "boolean", 3: "date", 4: "datetime", 5: "integer"}
    assert dict(dataset.categories) == {1: ("north", "south"), 2: ("False", "True")}
    np.testing.assert_array_equal(dataset.X[:, 0], [34, np.nan, 51.5])
    np.testing.assert_array_equal(dataset.X[:, 1], [0, 1, np.nan])
    np.testing.assert_array_equal(dataset.X[:, 5], [5, np.nan, 7])
    np.testing.assert_array_equal(np.diff(dataset.X[:, 4]), [3600e6, -3600e6])
    np.testing.assert_array_equal(dataset.Y, [[1, 1], [0, 0], [0, 1]])


def test_sheets_by_name(workbook):
    path = workbook(About=[["x", "l"], [1, 0]], Patients=[["x", "l"], [2, 1]])
    assert load(path, ["l"]).X == 1
    assert load(path, ["l"], sheet="Patients").X == 2
    with pytest.raises(
        ValueError, match=r"the sheet 'patients' does not exist; did you mean 'Patients'\?"
    ):
        load(path, ["l"], sheet="patients")
    with pytest.raises(DataFormatError, match=r"sheet 'About', row 1: no column name begins"):
        load(path, "is_")


def test_tags_notes_and_columns_left_out(workbook):
    rows = [[i, f"patient {i} says {i * i}", "flu;cold" if i % 2 else None] for i in range(40)]
    path = workbook(["age", "note", "tags"], *rows)
    with pytest.raises(DataFormatError, match=r"sheet 'Patients': column 'note' is text"):
        load(path, "tags", separator=";")
    dataset = load(path, "tags", separator=";", drop=["note"])
    assert dataset.label_names == ("cold", "flu")
    assert dataset.Y.sum() == 40


BAD = {
    "numbers and text": (
        [["age", "l"], [34, 1], ["unknown", 0]],
        r"sheet 'Patients', row 3: column 'age' holds numbers \(row 2\) and text.*'unknown'",
    ),
    "dates and text": ([["a", "l"], [datetime(2024, 1, 31), 1], ["later", 0]], r"row 3: .*dates"),
    "dates and numbers": ([["a", "l"], [5, 1], [datetime(2024, 1, 31), 0]], r"row 3: .*numbers"),
    "dates and times": ([["a", "l"], [datetime(2024, 1, 31), 1], [time(9), 0]], r"row 3: .*times"),
    "an error": ([["a", "l"], ["#DIV/0!", 1]], r"row 2: column 'a' holds an error of a formula"),
    "a formula": ([["a", "l"], ["=1+1", 1]], r"row 2: column 'a' holds a formula without its valu"),
    "no name": ([["a", None, "l"], [1, 2, 0]], r"row 1: column B has no name"),
    "one name twice": ([["a", "a", "l"], [1, 2, 0]], r"row 1: two columns have the same name"),
    "a value outside": ([["a", "l"], [1, 0], [1, 0, 5]], r"row 3: column C has no name, but a val"),
    "an empty row": ([["a", "l"], [1, 0], [], [2, 1]], r"row 3: the row is empty, but others"),
    "no rows": ([["a", "l"]], r"no rows follow the header"),
    "nothing": ([], r"sheet 'Patients': the sheet is empty"),
    "no label": ([["a", "l"], [1, 2]], r"row 2: label 'l' is neither 0 nor 1"),
    "a missing label": ([["a", "l"], [1, None]], r"row 2: label 'l' is neither 0 nor 1"),
}


@pytest.mark.parametrize(("rows", "message"), BAD.values(), ids=BAD.keys())
def test_sheets_that_are_no_tables(workbook, rows, message):
    with pytest.raises(DataFormatError, match=message) as caught:
        load(workbook(*rows), ["l"])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_numbers_and_text_in_a_column_that_is_left_out_or_declared(workbook):
    path = workbook(["a", "b", "l"], [1, 5, 1], ["x", 6, 0])
    assert load(path, ["l"], drop=["a"]).n_features == 1
    assert load(path, ["l"], categorical_features=["a"]).categories[0] == ("1", "x")


def test_codes_that_are_text_may_look_like_numbers(workbook):
    path = workbook(["grade", "l"], ["1", 1], ["2", 0], ["3+", 0])
    assert load(path, ["l"]).categories[0] == ("1", "2", "3+")


def test_text_is_never_run(tmp_path):
    risky = ("=1+1", "@x", "+1", "-a", "5", " spaced ", "_x000D_")
    names = ("=a", "=l")
    X, Y = np.arange(7.0)[:, None], np.ones((7, 1), dtype=int)
    dataset = MultiLabelDataset(X, Y, names[:1], names[1:], (0,), categories={0: risky})
    save(dataset, tmp_path / "a.xlsx")
    found = load(tmp_path / "a.xlsx")
    assert (found.feature_names, found.label_names) == (names[:1], names[1:])
    assert tuple(found.categories[0][int(code)] for code in found.X[:, 0]) == risky


@pytest.mark.parametrize("wrong", [np.inf, -np.inf])
def test_infinity_is_refused(tmp_path, wrong):
    with pytest.raises(ValueError, match="infinity"):
        save_excel(MultiLabelDataset(np.array([[wrong]]), np.array([[1]])), tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("category", ["", "#N/A", "x" * 40_000])
def test_categories_that_cells_cannot_hold(tmp_path, category):
    names = {"categories": {0: (category,)}, "categorical_features": (0,)}
    dataset = MultiLabelDataset(np.zeros((1, 1)), np.ones((1, 1), dtype=int), **names)
    with pytest.raises(ValueError, match="cannot"):
        save_excel(dataset, tmp_path / "a.xlsx")


def test_without_openpyxl(tmp_path, monkeypatch, workbook):
    path = workbook(["a", "l"], [1, 0])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r'pip install "rarelabels\[excel\]"'):
        load(path, ["l"])
    with pytest.raises(ImportError, match=r'pip install "rarelabels\[excel\]"'):
        save(MultiLabelDataset(np.eye(2), np.eye(2, dtype=int)), tmp_path / "b.xlsx")


def test_only_workbooks_have_sheets(tmp_path):
    (tmp_path / "a.csv").write_text("x,l\n1,0\n")
    with pytest.raises(ValueError, match="csv files have no sheets"):
        load(tmp_path / "a.csv", ["l"], sheet="a")


def test_damaged_workbooks(workbook):
    path = workbook(["a", "l"], *([i, i % 2] for i in range(20)))
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    for cut in (0, 10, 500, len(whole) - 30):
        path.write_bytes(whole[:cut])
        with pytest.raises(DataFormatError, match=r"a\.xlsx"):
            load_excel(path, ["l"])
    for place in rng.integers(0, len(whole), 60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        with suppress(DataFormatError):
            load_excel(path, ["l"])


def replaced_in_sheet(path, old, new):
    """Rewrite the XML of a workbook's only sheet."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    sheet = next(name for name in parts if "worksheets/" in name)
    assert old in parts[sheet]
    parts[sheet] = parts[sheet].replace(old, new)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)


def test_few_bytes_that_claim_much(workbook):
    path = workbook(["a", "l"], [1, 0])
    replaced_in_sheet(path, b'<row r="2"', b'<row r="999999999"')
    with pytest.raises(DataFormatError, match="larger size than a sheet can have"):
        load_excel(path, ["l"])
    path = workbook(["a", "l"], [1, 0])
    replaced_in_sheet(path, b"</sheetData>", b" " * 10_000_000 + b"</sheetData>")
    assert path.stat().st_size < 50_000
    with pytest.raises(DataFormatError, match="larger than 1000000 bytes"):
        load_excel(path, ["l"], max_size=1_000_000)


def test_a_row_of_millions_of_cells(workbook):
    path = workbook(["a", "l"], [1, 0])
    replaced_in_sheet(path, b"</sheetData>", b"<row>" + b"<c/>" * 4_000_000 + b"</row></sheetData>")
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(DataFormatError, match=r"row 3: .*larger size than a sheet can have"):
            load_excel(path, ["l"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000


def test_few_bytes_in_the_last_column(workbook):
    path = workbook(["a", "l"], [1, 0])
    far = b"".join(b'<row r="%d"><c r="XFD%d"/></row>' % (i, i) for i in range(3, 500))
    replaced_in_sheet(path, b"</sheetData>", far + b"</sheetData>")
    assert load_excel(path, ["l"]).n_samples == 1
    with pytest.raises(DataFormatError, match="larger than 1000000 bytes"):
        load_excel(path, ["l"], max_size=1_000_000)


def test_entities_that_multiply(workbook):
    path = workbook(["a", "l"], ["text", 0])
    laughs = b"".join(
        b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10 if i else b"ha" * 10) for i in range(12)
    )
    replaced_in_sheet(path, b"<worksheet", b"<!DOCTYPE worksheet [" + laughs + b"]><worksheet")
    replaced_in_sheet(path, b"text", b"&a11;")
    with pytest.raises(DataFormatError, match=r"a\.xlsx"):
        load_excel(path, ["l"])


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_bad_feather(tmp_path, only_library, library):
    only_library(library)
    path = tmp_path / "a.feather"
    for content in (b"", b"ARROW1", b"ARROW1\0\0" + bytes(50) + b"ARROW1", b"hello"):
        path.write_bytes(content)
        with pytest.raises(DataFormatError, match=r"a\.feather"):
            load_feather(path, ["l"])
    polars = pytest.importorskip("polars")
    polars.DataFrame({"a": [1.0], "l": [2], "t": [[1]], "y": ["yes"]}).write_ipc(path)
    with pytest.raises(DataFormatError, match="'l' is neither 0 nor 1 in row 0"):
        load_feather(path, ["l"])
    with pytest.raises(DataFormatError, match=r"column 't' has type List.*leave it out"):
        load_feather(path, ["y"])
    assert load_feather(path, ["y"], drop=["t", "l"]).Y == 1
    with pytest.raises(DataFormatError, match="larger than 10 bytes"):
        load_feather(path, ["y"], max_size=10)


def test_feather_without_a_dataframe_library(tmp_path, only_library):
    only_library()
    with pytest.raises(ImportError, match=r'needs one of polars, pandas.*"rarelabels\[tables\]"'):
        save_feather(MultiLabelDataset(np.eye(2), np.eye(2, dtype=int)), tmp_path / "a.feather")


@pytest.mark.parametrize("suffix", ["feather", "parquet", "xlsx", "csv"])
def test_columns_without_any_value(tmp_path, suffix):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [None, None], "t": [pandas.NaT] * 2, "l": [0, 1]})
    path = tmp_path / f"a.{suffix}"
    write = {"xlsx": "excel"}.get(suffix, suffix)
    getattr(frame, f"to_{write}")(path, **({"index": False} if suffix in ("xlsx", "csv") else {}))
    assert np.isnan(load(path, ["l"]).X).all()
