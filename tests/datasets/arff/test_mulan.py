"""Mulan's format, on files small enough to read by eye."""

import gzip

import numpy as np
import pytest
from scipy import sparse

from rarelabels.datasets import MultiLabelDataset, load_mulan, save_mulan

DENSE = """% a comment
@RELATION 'toy data'

@attribute size NUMERIC
@Attribute\tweight\treal
@attribute 'main colour' {red, 'dark green', "it's"}
@attribute round {0,1}
@attribute heavy numeric

@DATA
% another
1.5, 2, red, 1, 0

-2e3,?,'dark green',0,1
.5,5.,"it's",1,1.0
?, 1 , ?, 0, 0
"""

SPARSE = """@relation toy
@attribute a numeric
@attribute l1 {0,1}
@attribute c {x,y,z}
@attribute b integer
@attribute l2 {0,1}
@data
{0 1.5,1 1,2 z}
{}
{ 3 7, 4 1 }
{3 -2,0 ?}
{1 0,0 0}
"""


def test_dense_rows(write_mulan):
    dataset = load_mulan(write_mulan(DENSE, "round", "heavy"))
    np.testing.assert_array_equal(
        dataset.X, [[1.5, 2, 0], [-2000, np.nan, 1], [0.5, 5, 2], [np.nan, 1, np.nan]]
    )
    np.testing.assert_array_equal(dataset.Y, [[1, 0], [0, 1], [1, 1], [0, 0]])
    assert dataset.X.dtype == np.float64
    assert dataset.Y.dtype == np.int64
    assert dataset.feature_names == ("size", "weight", "main colour")
    assert dataset.label_names == ("round", "heavy")
    assert dataset.categorical_features == (2,)
    assert dataset.categories == {2: ("red", "dark green", "it's")}
    assert dataset.name == "toy"


def test_sparse_rows_give_sparse_data(write_mulan):
    dataset = load_mulan(write_mulan(SPARSE, "l2", "l1"))
    assert isinstance(dataset.X, sparse.csr_array)
    assert isinstance(dataset.Y, sparse.csr_array)
    np.testing.assert_array_equal(
        dataset.X.toarray(), [[1.5, 2, 0], [0, 0, 0], [0, 0, 7], [np.nan, 0, -2], [0, 0, 0]]
    )
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 0], [0, 0], [0, 1], [0, 0], [0, 0]])
    assert dataset.X.nnz == 5
    assert dataset.X.has_canonical_format
    assert dataset.X.indices.dtype == np.int32


def test_labels_come_in_the_order_of_the_attributes(write_mulan):
    path = write_mulan(SPARSE, "l2", "l1")
    assert load_mulan(path).label_names == ("l1", "l2")
    assert load_mulan(path).feature_names == ("a", "c", "b")


def test_a_value_left_out_is_the_first_declared_one(write_mulan):
    text = "@relation r\n@attribute x {no,yes}\n@attribute l {1,0}\n@data\n{0 yes}\n{1 0}\n{1 1}\n"
    dataset = load_mulan(write_mulan(text, "l"))
    np.testing.assert_array_equal(dataset.X.toarray(), [[1], [0], [0]])
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1], [0], [1]])
    assert dataset.Y.has_canonical_format


def test_label_values_count_and_not_their_order(write_mulan):
    text = "@relation r\n@attribute x numeric\n@attribute l {1,0}\n@data\n2,1\n3,0\n"
    np.testing.assert_array_equal(load_mulan(write_mulan(text, "l")).Y, [[1], [0]])


def test_rows_of_both_kinds(write_mulan):
    head = "@relation r\n@attribute x numeric\n@attribute l {0,1}\n@data\n"
    dense = load_mulan(write_mulan(head + "2,1\n{0 3}\n", "l"))
    mixed = load_mulan(write_mulan(head + "{0 2,1 1}\n3,0\n", "l"))
    for dataset in (dense, mixed):
        np.testing.assert_array_equal(dataset.X.toarray(), [[2], [3]])
        np.testing.assert_array_equal(dataset.Y.toarray(), [[1], [0]])


def test_nested_labels(tmp_path, write_mulan):
    path = write_mulan(SPARSE)
    nested = """<?xml version="1.0" encoding="utf-8"?>
    <labels xmlns="http://mulan.sourceforge.net/labels">
      <label name="l2"><label name="l1"/></label>
    </labels>"""
    (tmp_path / "toy.xml").write_text(nested)
    assert load_mulan(path).label_names == ("l1", "l2")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(write_mulan, encoding, line_end):
    text = "@relation café\n@attribute größe numeric\n@attribute c {é,ß}\n@attribute l {0,1}\n"
    text += "@data\n1,ß,0\n% naïve\n2,é,1\n"
    dataset = load_mulan(write_mulan(text.replace("\n", line_end).encode(encoding), "l"))
    assert dataset.feature_names == ("größe", "c")
    np.testing.assert_array_equal(dataset.X, [[1, 1], [2, 0]])


def test_latin_1_far_down_in_the_file(write_mulan):
    text = "@relation r\n@attribute c {é,e}\n@attribute l {0,1}\n@data\n" + "e,0\n" * 50_000
    dataset = load_mulan(write_mulan(text.encode("latin-1") + b"\xe9,1", "l"))
    assert dataset.categories[0] == ("é", "e")
    assert dataset.X[-1, 0] == 0


def test_labels_in_latin_1_xml(tmp_path, write_mulan):
    path = write_mulan("@relation r\n@attribute x numeric\n@attribute é {0,1}\n@data\n1,1\n")
    (tmp_path / "toy.xml").write_bytes('<labels><label name="é"/></labels>'.encode("latin-1"))
    assert load_mulan(path).label_names == ("é",)


def test_blanks_and_tabs_between_values(write_mulan):
    text = "@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute l {0,1}\n@data\n"
    dataset = load_mulan(write_mulan(text + "1\t2\t0\n3 4 1\n5 ,\t6 ,0 % remark\n", "l"))
    np.testing.assert_array_equal(dataset.X, [[1, 2], [3, 4], [5, 6]])


def test_compressed_files(write_mulan, tmp_path, assert_same):
    path = write_mulan(DENSE, "round", "heavy")
    (tmp_path / "toy.arff.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert_same(load_mulan(tmp_path / "toy.arff.gz"), load_mulan(path))
    for suffix in (".bz2", ".xz"):
        save_mulan(load_mulan(path), tmp_path / f"toy.arff{suffix}")
        assert_same(load_mulan(tmp_path / f"toy.arff{suffix}"), load_mulan(path))


def test_quoted_names_survive(tmp_path, assert_same):
    names = ("a b", "it's", '"q"', "50%", "a,b", "{x}", "back\\slash", "new\nline", "?", "", "é")
    X = np.arange(22.0).reshape(2, 11)
    dataset = MultiLabelDataset(X, np.array([[1], [0]]), names, ("l & <b>",))
    save_mulan(dataset, tmp_path / "odd.arff")
    assert_same(load_mulan(tmp_path / "odd.arff"), dataset)


def test_a_quoted_question_mark_is_a_category(write_mulan):
    text = "@relation r\n@attribute c {a,'?'}\n@attribute l {0,1}\n@data\n'?',0\n?,1\na,0\n"
    dataset = load_mulan(write_mulan(text, "l"))
    np.testing.assert_array_equal(dataset.X, [[1], [np.nan], [0]])


def test_categories_without_names_are_numbers(tmp_path):
    dataset = MultiLabelDataset(
        np.array([[2.0], [0.0]]), np.array([[1], [0]]), categorical_features=(0,)
    )
    save_mulan(dataset, tmp_path / "codes.arff")
    found = load_mulan(tmp_path / "codes.arff")
    assert found.categories == {0: ("0", "1", "2")}
    np.testing.assert_array_equal(found.X, dataset.X)


def test_the_quick_and_the_careful_way_agree(write_mulan, monkeypatch, assert_same):
    rng = np.random.default_rng(0)
    attributes = [f"@attribute a{j} {'{0,1,2}' if j % 3 else 'numeric'}" for j in range(12)]
    head = "\n".join(["@relation r", *attributes, "@attribute l {0,1}", "@data", ""])
    for is_sparse in (True, False):
        rows = []
        for _ in range(200):
            values = rng.integers(0, 3, 12) * (rng.random(12) < 0.4)
            texts = [f"{v}.25" if j % 3 == 0 and v else str(v) for j, v in enumerate(values)]
            texts.append(str(rng.integers(2)))
            pairs = (f"{j} {text}" for j, text in enumerate(texts) if text != "0")
            rows.append("{" + ",".join(pairs) + "}" if is_sparse else ",".join(texts))
        path = write_mulan(head + "\n".join(rows), "l")
        quick = load_mulan(path)
        with monkeypatch.context() as patch:
            patch.setattr("rarelabels.datasets.arff._rows._parse_at_once", lambda *_: False)
            assert_same(load_mulan(path), quick)


def test_xml_elsewhere(tmp_path, write_mulan):
    path = write_mulan(SPARSE, "l1")
    elsewhere = tmp_path / "names.xml"
    (tmp_path / "toy.xml").rename(elsewhere)
    assert load_mulan(path, elsewhere).label_names == ("l1",)
    with pytest.raises(FileNotFoundError, match=r"toy\.xml.*xml=.*load_meka"):
        load_mulan(path)
