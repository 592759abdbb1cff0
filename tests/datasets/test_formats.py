"""MEKA, XMC text, CSV, Parquet, and telling them apart."""

import numpy as np
import pytest
from scipy import sparse

from rarelabels.datasets import (
    DataFormatError,
    MultiLabelDataset,
    load,
    load_csv,
    load_meka,
    load_parquet,
    load_xmc,
    make_local_imbalance,
    make_multilabel,
    save_csv,
    save_meka,
    save_mulan,
    save_parquet,
    save_xmc,
)

MEKA = """@relation '{relation}'
@attribute a {{0,1}}
@attribute b {{0,1}}
@attribute x numeric
@data
1,0,2.5
0,1,3
"""


@pytest.mark.parametrize(
    ("relation", "labels"),
    [
        ("Toy: -C 2", ("a", "b")),
        ("Toy: -C 1", ("a",)),
        ("Toy:-C 2 -split-percentage 67", ("a", "b")),
        ("Toy: -split 5 -C 2", ("a", "b")),
        ("Toy -C 2", ("a", "b")),
    ],
)
def test_meka_counts_labels_in_front(tmp_path, relation, labels):
    (tmp_path / "toy.arff").write_text(MEKA.format(relation=relation))
    assert load_meka(tmp_path / "toy.arff").label_names == labels
    assert load(tmp_path / "toy.arff").label_names == labels


def test_meka_counts_labels_at_the_end(tmp_path):
    text = "@relation 'Toy: -C -1'\n@attribute x numeric\n@attribute a {0,1}\n@data\n5,1\n"
    (tmp_path / "toy.arff").write_text(text)
    dataset = load_meka(tmp_path / "toy.arff")
    assert dataset.label_names == ("a",)
    np.testing.assert_array_equal(dataset.X, [[5]])


@pytest.mark.parametrize("relation", ["Toy", "Toy: -C", "Toy: -C 0", "Toy: -C 4", "Toy: -Cx 2"])
def test_meka_without_a_count(tmp_path, relation):
    (tmp_path / "toy.arff").write_text(MEKA.format(relation=relation))
    with pytest.raises(DataFormatError, match="line 1: the relation") as caught:
        load_meka(tmp_path / "toy.arff")
    assert caught.value.text == relation


XMC = "4 5 3\n0,2 0:1.5 4:-2e-3\n 1:3\n1\n\n"


def test_xmc(tmp_path):
    (tmp_path / "toy.txt").write_text(XMC)
    dataset = load_xmc(tmp_path / "toy.txt")
    np.testing.assert_array_equal(
        dataset.X.toarray(),
        [[1.5, 0, 0, 0, -0.002], [0, 3, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
    )
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]])
    assert dataset.feature_names[0] == "feature_0"
    assert dataset.label_names[-1] == "label_2"
    assert isinstance(dataset.X, sparse.csr_array)


def test_xmc_is_forgiving_where_it_is_safe(tmp_path):
    (tmp_path / "toy.txt").write_text("3 5 3\r\n2,0  4:1 0:0 \r\n1:3\r\n0 2:1\t3:4\r\n\r\n\r\n")
    dataset = load_xmc(tmp_path / "toy.txt")
    np.testing.assert_array_equal(
        dataset.X.toarray(), [[0, 0, 0, 0, 1], [0, 3, 0, 0, 0], [0, 0, 1, 4, 0]]
    )
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 0, 1], [0, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "the file is empty"),
        ("1 2\n", 1, "expected the numbers of samples"),
        ("1 2 x\n", 1, "expected the numbers of samples"),
        ("1 2 -3\n", 1, "expected the numbers of samples"),
        ("1 99999999999 3\n", 1, "columns are supported"),
        ("2 3 2\n0 1:1\n", 2, "declares 2 samples, but the file has 1"),
        ("1 3 2\n0 1:1\n0 1:1\n", 3, "but there are more"),
        ("1 3 2\n2 1:1\n", 2, "label 2 is out of range"),
        ("1 3 2\n0 3:1\n", 2, "feature 3 is out of range"),
        ("1 3 2\n0 -1:1\n", 2, "feature -1 is out of range"),
        ("1 3 2\n0 1:x\n", 2, "expected a number, got 'x'"),
        ("1 3 2\n0 1:nan\n", 2, "expected a number, got 'nan'"),
        ("1 3 2\n0 1\n", 2, "expected feature:value, got '1'"),
        ("1 3 2\n0 1:1 1:2\n", 2, "a feature occurs twice"),
        ("1 3 2\n0,0 1:1\n", 2, "a label occurs twice"),
        ("1 3 2\n0, 1:1\n", 2, "expected the number of a label, got ''"),
        ("1 3 2\nx 1:1\n", 2, "expected the number of a label, got 'x'"),
    ],
)
def test_bad_xmc(tmp_path, text, line, problem):
    (tmp_path / "toy.txt").write_text(text)
    with pytest.raises(DataFormatError) as caught:
        load_xmc(tmp_path / "toy.txt")
    assert problem in str(caught.value)
    assert caught.value.line == line


def test_xmc_refuses_what_it_cannot_say(tmp_path):
    missing = MultiLabelDataset(np.array([[np.nan]]), np.array([[1]]))
    with pytest.raises(ValueError, match="missing"):
        save_xmc(missing, tmp_path / "a.txt")
    coloured = MultiLabelDataset(
        np.array([[1.0]]), np.array([[1]]), categorical_features=(0,), categories={0: ("r", "g")}
    )
    with pytest.raises(ValueError, match="no categories"):
        save_xmc(coloured, tmp_path / "a.txt")


CSV = "size,colour,is_round,code,is_heavy\n1.5,red,1,01,0\n,green,0,02,1\n3,,1,01,1\n"


@pytest.fixture(params=["polars", "pyarrow"])
def library(request, only_library):
    """Read with one dataframe library, as if no other were installed; pandas may write."""
    only_library(request.param, "pandas")
    return request.param


@pytest.mark.parametrize("labels", [["is_round", "is_heavy"], "is_"])
def test_csv(csv_library, tmp_path, labels):
    (tmp_path / "toy.csv").write_text(CSV)
    dataset = load_csv(tmp_path / "toy.csv", labels, categorical_features=["code"])
    np.testing.assert_array_equal(dataset.X, [[1.5, 1, 0], [np.nan, 0, 1], [3, np.nan, 0]])
    np.testing.assert_array_equal(dataset.Y, [[1, 0], [0, 1], [1, 1]])
    assert dataset.categories == {1: ("green", "red"), 2: ("01", "02")}
    assert dataset.feature_names == ("size", "colour", "code")
    assert dataset.label_names == ("is_round", "is_heavy")


@pytest.mark.parametrize(
    ("labels", "names"), [(1, ("a",)), (2, ("a", "b")), (-1, ("c",)), (-2, ("b", "c"))]
)
def test_labels_by_count(tmp_path, labels, names):
    (tmp_path / "toy.csv").write_text("a,b,c\n0,1,0\n1,0,1\n")
    assert load(tmp_path / "toy.csv", labels=labels).label_names == names


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_csv_line_ends(csv_library, tmp_path, line_end):
    (tmp_path / "toy.csv").write_bytes(CSV.replace("\n", line_end).encode())
    dataset = load_csv(tmp_path / "toy.csv", "is_")
    np.testing.assert_array_equal(dataset.Y, [[1, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(dataset.X[:, 2], [1, 2, 1])


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig"])
def test_csv_encodings_and_quotes(csv_library, tmp_path, encoding):
    text = 'größe,"a, ""b""",l\r\n1,"x\ny",0\r\n2,é,1\r\n'
    (tmp_path / "toy.csv").write_bytes(text.encode(encoding))
    dataset = load_csv(tmp_path / "toy.csv", ["l"])
    assert dataset.feature_names == ("größe", 'a, "b"')
    assert set(dataset.categories[1]) == {"x\ny", "é"}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "the file is empty"),
        ("a,l\n", 1, "no rows follow the header"),
        ("a,l\n1,0\n1\n", 3, "expected 2 values, one per column, got 1"),
        ("a,l\n1,0\n1,0,1\n", 3, "expected 2 values, one per column, got 3"),
        ('a,l\n"x\ny",0\n1\n', 4, "expected 2 values, one per column, got 1"),
        ('a,l\n1,0\n"1,0\n', 3, "not a CSV file"),
        ("a,a,l\n1,2,0\n", 1, "two columns have the same name"),
        ("a,l\n1,0\n2,2\n", 3, "label 'l' is neither 0 nor 1"),
        ("a,l\n1,0\n2,\n", 3, "label 'l' is neither 0 nor 1"),
        ("a,l\n1,1.0\n2,maybe\n", 3, "label 'l' is neither 0 nor 1"),
        ('a,l\n"x\ny",0\n2,never\n', 4, "label 'l' is neither 0 nor 1"),
        ("a,b\n1,0\n", 1, "the column 'l' does not exist"),
        ("a,l\n1,\0\n", 2, "this is a binary file"),
    ],
)
def test_bad_csv(csv_library, tmp_path, text, line, problem):
    (tmp_path / "toy.csv").write_text(text)
    with pytest.raises(DataFormatError) as caught:
        load_csv(tmp_path / "toy.csv", ["l"])
    assert problem in str(caught.value)
    assert caught.value.line == line


def test_parquet(tmp_path, library, assert_same):
    dataset = MultiLabelDataset(
        np.array([[1.5, 2, 0], [np.nan, 0, np.nan], [-0.0, 1, 1]]),
        np.array([[1, 0], [0, 1], [1, 1]]),
        ("size", "colour", "é, x"),
        ("l1", "l2"),
        (1, 2),
        categories={1: ("red", "blue", "green", "unused"), 2: ("b", "a")},
    )
    save_parquet(dataset, tmp_path / "toy.parquet")
    assert_same(load(tmp_path / "toy.parquet", labels="l"), dataset)
    assert_same(load_parquet(tmp_path / "toy.parquet", labels=-2), dataset)


@pytest.mark.parametrize("writer", ["polars", "pandas"])
def test_parquet_from_anywhere(tmp_path, writer, library):
    columns = {"a": [1, None, 3], "t": ["x", "y", None], "b": [True, False, True], "l": [0, 1, 1]}
    frame = pytest.importorskip(writer).DataFrame(columns)
    path = tmp_path / "toy.parquet"
    frame.write_parquet(path) if writer == "polars" else frame.to_parquet(path)
    dataset = load_parquet(path, ["l"])
    np.testing.assert_array_equal(dataset.X, [[1, 0, 1], [np.nan, 1, 0], [3, np.nan, 1]])
    assert dataset.categories == {1: ("x", "y")}


def test_bad_parquet(tmp_path, library):
    path = tmp_path / "toy.parquet"
    for content in (b"", b"PAR1", b"PAR1" + bytes(50) + b"PAR1", b"hello"):
        path.write_bytes(content)
        with pytest.raises(DataFormatError, match=r"toy\.parquet"):
            load_parquet(path, ["l"])
    import polars

    polars.DataFrame({"a": [1.0], "l": [2]}).write_parquet(path)
    with pytest.raises(DataFormatError, match="neither 0 nor 1 in row 0"):
        load_parquet(path, ["l"])
    with pytest.raises(DataFormatError, match="the column 'm' does not exist"):
        load_parquet(path, ["m"])
    polars.DataFrame({"a": [[1.0]], "l": [1]}).write_parquet(path)
    with pytest.raises(DataFormatError, match="expected numbers, text or categories"):
        load_parquet(path, ["l"])


def test_without_a_dataframe_library(only_library, tmp_path):
    only_library()
    (tmp_path / "toy.csv").write_text(CSV)
    assert load_csv(tmp_path / "toy.csv", "is_").n_samples == 3
    (tmp_path / "toy.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImportError, match=r'pip install "rarelabels\[tables\]"'):
        load_parquet(tmp_path / "toy.parquet", "is_")


@pytest.mark.parametrize(
    "labels", [None, [], 0, 9, -9, True, "no_such_prefix", ["size", "iz_round"]]
)
def test_labels_that_are_not_there(tmp_path, labels):
    (tmp_path / "toy.csv").write_text(CSV)
    with pytest.raises(ValueError):
        load(tmp_path / "toy.csv", labels=labels)


def test_a_label_misspelt_gets_its_neighbours(tmp_path):
    (tmp_path / "toy.csv").write_text(CSV)
    with pytest.raises(ValueError, match="did you mean 'is_round'"):
        load_csv(tmp_path / "toy.csv", ["iz_round"])


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_load_tells_the_formats_apart(tmp_path, suffix, assert_same):
    dataset = make_local_imbalance(40, random_state=0)
    named = tmp_path / "mulan"
    named.mkdir()
    save_mulan(dataset, named / f"a.arff{suffix}")
    save_meka(dataset, tmp_path / f"b.arff{suffix}")
    save_csv(dataset, tmp_path / f"c.csv{suffix}")
    for path, labels in (
        (named / f"a.arff{suffix}", None),
        (tmp_path / f"b.arff{suffix}", None),
        (tmp_path / f"b.arff{suffix}", "label_"),
        (tmp_path / f"b.arff{suffix}", named / "a.xml"),
        (tmp_path / f"c.csv{suffix}", "label_"),
    ):
        assert_same(load(path, labels), dataset)
    assert load(named / f"a.arff{suffix}").name == "a"


def test_load_tells_by_content(tmp_path, assert_same):
    dataset = make_multilabel(30, 10, 3, random_state=0)
    save_xmc(dataset, tmp_path / "d.svm")
    save_meka(dataset, tmp_path / "e.unknown")
    for name, target in (("d.svm", "d"), ("e.unknown", "e.data")):
        (tmp_path / name).rename(tmp_path / target)
        assert_same(load(tmp_path / target), dataset)
    (tmp_path / "f").write_text("hello\nworld")
    with pytest.raises(DataFormatError, match=r"line 1: the format cannot be recognized.*'hello'"):
        load(tmp_path / "f")


def test_load_says_what_it_needs(tmp_path):
    (tmp_path / "toy.arff").write_text(MEKA.format(relation="Toy"))
    with pytest.raises(DataFormatError, match=r"toy\.xml does not exist.*-C n.*labels="):
        load(tmp_path / "toy.arff")
    (tmp_path / "toy.txt").write_text(XMC)
    with pytest.raises(ValueError, match="xmc files declare their labels"):
        load(tmp_path / "toy.txt", labels=2)
