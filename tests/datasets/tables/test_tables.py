"""Tables as people have them: other delimiters, words for labels, tags, what is remembered."""

import json

import numpy as np
import pytest

from rarelabels.datasets import (
    DataFormatError,
    MultiLabelDataset,
    load,
    load_csv,
    load_parquet,
    save,
    save_csv,
    save_mulan,
    save_parquet,
)


@pytest.mark.parametrize(
    ("name", "delimiter"), [("a.csv", ","), ("a.csv", ";"), ("a.csv", "\t"), ("a.tsv", "\t")]
)
def test_delimiters(csv_library, tmp_path, name, delimiter):
    text = 'x,"a;b;c",l\n1.5,red,1\n2,green,0\n'.replace(",", delimiter)
    (tmp_path / name).write_text(text)
    dataset = load(tmp_path / name, ["l"])
    assert dataset.feature_names == ("x", "a;b;c")
    np.testing.assert_array_equal(dataset.X, [[1.5, 1], [2, 0]])


def test_a_delimiter_that_is_given(csv_library, tmp_path):
    (tmp_path / "a.csv").write_text("x|l\n1|1\n")
    assert load_csv(tmp_path / "a.csv", ["l"], delimiter="|").feature_names == ("x",)


def test_decimal_commas_are_refused(csv_library, tmp_path):
    (tmp_path / "a.csv").write_text("x;l\n1;1\n2,5;0\n")
    with pytest.raises(DataFormatError, match=r"line 3: 'x' has numbers with commas.*1\.5 for 1,5"):
        load_csv(tmp_path / "a.csv", ["l"])
    found = load_csv(tmp_path / "a.csv", ["l"], categorical_features=["x"])
    assert found.categories[0] == ("1", "2,5")
    (tmp_path / "a.csv").write_text("x;l\n1;1\n2,5;0\nmany;0\n")
    assert load_csv(tmp_path / "a.csv", ["l"]).categories[0] == ("1", "2,5", "many")


@pytest.mark.parametrize(
    "cells", [("True", "False"), ("yes", "no"), ("1.0", "0.0"), ("TRUE", "0"), (" Yes ", "No")]
)
def test_words_for_labels(csv_library, tmp_path, cells):
    (tmp_path / "a.csv").write_text("x,l\n1,{}\n2,{}\n".format(*cells))
    np.testing.assert_array_equal(load_csv(tmp_path / "a.csv", ["l"]).Y, [[1], [0]])


def test_a_column_of_tags(csv_library, tmp_path):
    (tmp_path / "a.csv").write_text("x,tags\n1,b; a\n2,\n3,c;b;b\n")
    dataset = load(tmp_path / "a.csv", labels="tags", separator=";")
    assert dataset.label_names == ("a", "b", "c")
    np.testing.assert_array_equal(dataset.Y, [[1, 1, 0], [0, 0, 0], [0, 1, 1]])
    np.testing.assert_array_equal(dataset.X, [[1], [2], [3]])


MIXED = MultiLabelDataset(
    np.array([[1.5, 1, 0], [np.nan, 0, 1]]),
    np.array([[1, 0], [0, 1]]),
    ("size", "=cmd", "code;x"),
    ("@first", "second"),
    (1, 2),
    categories={1: ("'=x", "=1+1"), 2: ("-a", "7")},
)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet"])
def test_labels_and_categories_are_remembered(tmp_path, suffix, assert_same):
    save(MIXED, tmp_path / f"a.{suffix}")
    found = load(tmp_path / f"a.{suffix}")
    assert found.label_names == MIXED.label_names
    assert found.categorical_features == (1, 2)
    if "sv" in suffix:  # categories are sorted: the names are compared
        for j in (1, 2):
            spelled = [[d.categories[j][int(v)] for v in d.X[:, j]] for d in (found, MIXED)]
            assert spelled[0] == spelled[1]
    else:
        assert_same(found, MIXED)


def test_parquet_by_either_library(tmp_path, only_library):
    for writer in ("polars", "pandas"):
        only_library(writer)
        save_parquet(MIXED, tmp_path / f"{writer}.parquet")
        for reader in ("polars", "pyarrow"):
            only_library(reader)
            assert load_parquet(tmp_path / f"{writer}.parquet").label_names == MIXED.label_names


def test_what_is_given_counts_more_than_what_is_remembered(tmp_path):
    save_csv(MIXED, tmp_path / "a.csv")
    assert load_csv(tmp_path / "a.csv", ["second"], categorical_features=["@first"]).n_labels == 1


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"labels": 3}',
        '{"labels": []',
        '{"labels": [1]}',
        '{"labels": [], "types": []}',
        '{"labels": [], "types": {"x": 1}}',
        '{"labels": [], "categories": 3}',
        '{"labels": [], "categories": {"x": [1]}}',
    ],
)
def test_a_side_file_that_is_none(tmp_path, content):
    save_csv(MIXED, tmp_path / "a.csv")
    (tmp_path / "a.labels.json").write_text(content)
    with pytest.raises(DataFormatError, match=r"a\.labels\.json"):
        load_csv(tmp_path / "a.csv")


def test_no_spreadsheet_runs_a_cell(tmp_path):
    save_csv(MIXED, tmp_path / "a.csv")
    cells = (tmp_path / "a.csv").read_text().replace("\n", ",").split(",")
    assert "'=1+1" in cells
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert json.loads((tmp_path / "a.labels.json").read_text())["formulas_marked"] is True


def test_negative_numbers_are_no_formulas(tmp_path):
    save_csv(MultiLabelDataset(np.array([[-1.5]]), np.array([[1]])), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "feature_0,label_0\n-1.5,1\n"


def test_writing_sparse_labels_beside_dense_features_takes_little_memory(tmp_path):
    import tracemalloc

    from scipy import sparse

    Y = sparse.csr_array((np.ones(5, dtype=int), ([0, 1, 2, 3, 4], [0] * 5)), shape=(3000, 2000))
    dataset = MultiLabelDataset(np.zeros((3000, 1)), Y)
    tracemalloc.start()
    try:
        save_mulan(dataset, tmp_path / "a.arff")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000 < 3000 * 2000 * 8


def patients(n_samples=40):
    """Return a table with a note, a category and tags, as CSV."""
    lines = ["age,ward,note,tags"]
    for i in range(n_samples):
        tags = [name for k, name in enumerate(("flu", "cold", "gout"), 2) if i % k == 0]
        lines.append(f"{i},{'nsw'[i % 3]},patient {i} says {i * i},{'; '.join(tags)}")
    return "\n".join(lines) + "\n"


def test_text_is_no_category(tmp_path):
    (tmp_path / "a.csv").write_text(patients())
    with pytest.raises(
        DataFormatError, match=r"'note' is text, but not categorical: 40 of its 40.*drop"
    ):
        load(tmp_path / "a.csv", "tags", separator=";")
    kept = load(tmp_path / "a.csv", "tags", separator=";", categorical_features=["note"])
    assert kept.feature_names == ("age", "ward", "note")
    (tmp_path / "few.csv").write_text(patients(20))
    assert len(load(tmp_path / "few.csv", "tags", separator=";").categories[2]) == 20


def test_columns_can_be_left_out(tmp_path):
    (tmp_path / "a.csv").write_text(patients())
    dataset = load(tmp_path / "a.csv", "tags", separator=";", drop=["note"])
    assert dataset.feature_names == ("age", "ward")
    assert dataset.label_names == ("cold", "flu", "gout")
    with pytest.raises(ValueError, match="the column 'nota' does not exist"):
        load(tmp_path / "a.csv", "tags", separator=";", drop=["nota"])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parquet_with_tags_and_a_note(tmp_path, library):
    module = pytest.importorskip(library)
    (tmp_path / "a.csv").write_text(patients())
    frame = module.read_csv(tmp_path / "a.csv")
    path = tmp_path / "a.parquet"
    frame.to_parquet(path) if library == "pandas" else frame.write_parquet(path)
    with pytest.raises(DataFormatError, match="'note' is text, but not categorical"):
        load(path, "tags", separator=";")
    found = load(path, "tags", separator=";", drop=["note"])
    expected = load(tmp_path / "a.csv", "tags", separator=";", drop=["note"])
    np.testing.assert_array_equal(found.X, expected.X)
    np.testing.assert_array_equal(found.Y, expected.Y)
    assert found.label_names == expected.label_names


def test_formats_that_are_no_tables_have_nothing_to_drop(tmp_path):
    save_mulan(MultiLabelDataset(np.eye(3), np.eye(3, dtype=int)), tmp_path / "a.arff")
    with pytest.raises(ValueError, match="separator, drop and groups must not be passed"):
        load(tmp_path / "a.arff", drop=["x"])
