"""What is wrong, and where: every message names the file, the line and the text."""

import pickle

import numpy as np
import pytest

from rarelabels.datasets import (
    DataFormatError,
    MultiLabelDataset,
    load_csv,
    load_meka,
    load_mulan,
    load_xmc,
    make_local_imbalance,
    save_csv,
    save_meka,
    save_mulan,
    save_parquet,
    save_xmc,
)

HEAD = """@relation toy
@attribute x numeric
@attribute c {red,green}
@attribute l {0,1}
@attribute m numeric
@data
1,red,0,1
"""

ROWS = [
    ("1,red,0", "expected 4 values, one per attribute, got 3"),
    ("1,red,0,1,1", "expected 4 values, one per attribute, got more"),
    ("1,red,0,", "a value is missing after the last comma"),
    ("1,,0,1", "a value is missing before a comma"),
    ("1,blue,0,1", "'c' declares {red, green}, got 'blue'"),
    ("one,red,0,1", "'x' is numeric, got 'one'"),
    ("1_0,red,0,1", "'x' is numeric, got '1_0'"),
    ("inf,red,0,1", "'x' is numeric, got 'inf'"),
    ("1e999,red,0,1", "'x' is numeric, got '1e999'"),
    ("1,red,2,1", "'l' declares {0, 1}, got '2'"),
    ("1,red,0,2", "label 'm' is 2; a label is 0 or 1"),
    ("1,red,0,0.5", "label 'm' is 0.5; a label is 0 or 1"),
    ("1,red,?,1", "label 'l' has no value"),
    ("1,'red,0,1", "a quote is opened but not closed"),
    ("1,red,0,1,{0.5}", "instance weights in braces are not supported"),
    ("{0 1,4 1}", "index 4 is out of range: the attributes are 0 to 3"),
    ("{-1 1}", "index -1 is out of range"),
    ("{0.5 1}", "expected the index of an attribute, got '0.5'"),
    ("{a 1}", "expected the index of an attribute, got 'a'"),
    ("{0 1,0 2}", "index 0 occurs twice"),
    ("{0 1", "no closing }"),
    ("{0 1,", "no closing }"),
    ("{0", "no closing }"),
    ("{0 1,}", "a pair is missing after the last comma"),
    ("{0}", "expected a value"),
    ("{0 1 1 red}", "expected , or }"),
    ("{1 blue}", "'c' declares {red, green}, got 'blue'"),
    ("{2 2}", "'l' declares {0, 1}, got '2'"),
    ("{3 ?}", "label 'm' has no value"),
    ("{0 1},{0.5}", "instance weights in braces are not supported"),
    ("{0 1} 2", "nothing may follow"),
]


@pytest.mark.parametrize(("row", "problem"), ROWS)
@pytest.mark.parametrize("first", ["1,red,0,1\n", "{0 1,3 1}\n"])
def test_bad_rows(write_mulan, row, problem, first):
    path = write_mulan(HEAD.replace("1,red,0,1\n", first) + row, "l", "m")
    with pytest.raises(DataFormatError) as caught:
        load_mulan(path)
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"{path}, line 8: ")
    assert caught.value.line == 8
    assert caught.value.text in row


def test_numeric_rows_far_down(write_mulan):
    head = "@relation r\n@attribute x numeric\n@attribute l {0,1}\n@data\n"
    for good, bad in (("1.5,1\n", "1.5;1"), ("{0 2,1 1}\n", "{0 2,1 3}")):
        path = write_mulan(head + good * 40_000 + bad + "\n" + good * 10, "l")
        with pytest.raises(DataFormatError) as caught:
            load_mulan(path)
        assert caught.value.line == 40_005
        assert caught.value.text == bad


HEADERS = [
    ("", 1, "the file is empty"),
    ("\n\n", 2, "the file ends before @data"),
    ("@relation r\n@attribute x numeric\n", 2, "the file ends before @data"),
    ("@relation r\n@data\n1\n", 2, "no @attribute before @data"),
    ("@relation r\n@attribute l {0,1}\n@data\n", 4, "no rows follow @data"),
    ("hello\n", 1, "may not be an ARFF file"),
    ("@relation r\n@attribute l\n@data\n", 2, "expected @attribute NAME numeric"),
    ("@relation r\n@attribute l string\n@data\n", 2, "type string are not supported"),
    ("@relation r\n@attribute l date yyyy\n@data\n", 2, "type date are not supported"),
    ("@relation r\n@attribute l {0,1\n@data\n", 2, "expected a closing }"),
    ("@relation r\n@attribute l {0,1,0}\n@data\n", 2, "'0' is declared twice"),
    ("@relation r\n@attribute l {0,,1}\n@data\n", 2, "a value is missing before a comma"),
    ("@relation r\n@attribute l {0,1}\n@attribute l real\n@data\n", 3, "line 2 already has"),
    ("@relation r\n@attribute 'l {0,1}\n@data\n", 2, "a quote is opened but not closed"),
]


@pytest.mark.parametrize(("text", "line", "problem"), HEADERS)
def test_bad_headers(write_mulan, text, line, problem):
    with pytest.raises(DataFormatError) as caught:
        load_mulan(write_mulan(text, "l"))
    assert problem in str(caught.value)
    assert caught.value.line == line


def test_binary_files(write_mulan, tmp_path):
    for content in (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "@relation r".encode("utf-16"), bytes(100)):
        with pytest.raises(DataFormatError, match=r"line \d.*(binary|may not be an ARFF file)"):
            load_mulan(write_mulan(content, "l"))
    (tmp_path / "image.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(DataFormatError, match=r"line 1: expected the numbers"):
        load_xmc(tmp_path / "image.txt")


def test_damaged_compressed_files(write_mulan, tmp_path):
    save_mulan(make_local_imbalance(50, random_state=0), tmp_path / "toy.arff.gz")
    whole = (tmp_path / "toy.arff.gz").read_bytes()
    for damaged in (whole[:100], whole[:50] + b"\0\0\0" + whole[53:]):
        (tmp_path / "toy.arff.gz").write_bytes(damaged)
        with pytest.raises(DataFormatError):
            load_mulan(tmp_path / "toy.arff.gz")


def test_missing_files(tmp_path):
    for read in (load_mulan, load_meka, load_xmc, lambda path: load_csv(path, 1)):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "nowhere.arff")


def test_a_label_that_the_arff_does_not_have(write_mulan):
    path = write_mulan(HEAD, "l", "n")
    with pytest.raises(DataFormatError, match=r"toy\.xml, line 3: .*no attribute.*'n'"):
        load_mulan(path)


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE labels [
<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<labels><label name="&c;"/></labels>"""
OUTSIDE = """<!DOCTYPE labels [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<labels><label name="l">&x;</label></labels>"""
DTD = '<!DOCTYPE labels SYSTEM "http://127.0.0.1:9/labels.dtd"><labels><label name="l"/></labels>'


@pytest.mark.parametrize(
    ("xml", "problem"),
    [
        (LAUGHS, "line 2: a label file must not have a DOCTYPE"),
        (OUTSIDE, "line 1: a label file must not have a DOCTYPE"),
        (DTD, "line 1: a label file must not have a DOCTYPE"),
        ("", "line 1: the file is empty"),
        ("<labels>", "line 1: not well-formed XML"),
        ("<labels>\n<label name='l'></labels>", "line 2: not well-formed XML"),
        ("<labels/>", "does not name any labels"),
        ("<labels>\n<label/></labels>", "line 2: expected <labels>"),
        ("<html>\n<p/></html>", "line 1: expected <labels>"),
        (
            "<labels><label name='l'/>\n<label name='l'/></labels>",
            "line 2: the label is named twice",
        ),
        ("<labels>&x;</labels>", "not well-formed XML"),
        ("<?xml version='1.0' encoding='klingon'?><labels/>", "encoding"),
        ("@relation r", "line 1: not well-formed XML"),
    ],
)
def test_bad_label_files(write_mulan, tmp_path, xml, problem):
    path = write_mulan(HEAD)
    (tmp_path / "toy.xml").write_text(xml)
    with pytest.raises(DataFormatError) as caught:
        load_mulan(path)
    assert problem in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "toy.xml"))


def test_long_texts_are_cut_in_the_message(write_mulan):
    with pytest.raises(DataFormatError) as caught:
        load_mulan(write_mulan(HEAD + "x" * 100_000, "l"))
    assert len(str(caught.value)) < 400


def test_the_error_survives_pickling():
    error = DataFormatError("wrong", "file.arff", 3, "text")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.line == 3


BAD_DATA = MultiLabelDataset(
    np.array([[1.0, 5.0], [np.inf, 0.0]]),
    np.array([[1], [0]]),
    categorical_features=(1,),
    categories={1: ("a", "")},
)


@pytest.mark.parametrize(
    ("save", "suffix"),
    [(save_mulan, ".arff"), (save_meka, ".arff"), (save_xmc, ".txt"), (save_csv, ".csv"),
     (save_parquet, ".parquet")],
)  # fmt: skip
def test_a_failing_writer_leaves_everything_as_it_was(tmp_path, save, suffix):
    path = tmp_path / f"old{suffix}"
    path.write_text("old")
    with pytest.raises(ValueError):
        save(BAD_DATA, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_writer_that_fails_in_the_middle(tmp_path):
    X = np.arange(2000.0).reshape(1000, 2)
    X[-1, -1] = np.inf
    dataset = MultiLabelDataset(X, np.ones((1000, 1), dtype=int))
    with pytest.raises(ValueError, match="infinity"):
        save_mulan(dataset, tmp_path / "new.arff")
    assert list(tmp_path.iterdir()) == []
    unwritable = MultiLabelDataset(X[:5], np.ones((5, 1), dtype=int), label_names=("\x01",))
    with pytest.raises(ValueError, match="label name"):
        save_mulan(unwritable, tmp_path / "new.arff")
    assert list(tmp_path.iterdir()) == []


def test_writing_replaces_the_old_file(tmp_path):
    first, second = (
        make_local_imbalance(20, random_state=0),
        make_local_imbalance(30, random_state=0),
    )
    save_mulan(first, tmp_path / "a.arff")
    save_mulan(second, tmp_path / "a.arff")
    assert load_mulan(tmp_path / "a.arff").n_samples == 30
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.arff", "a.xml"]
