"""Reading many rows at once gives what reading one by one gives; the long form is tests/fuzz."""

import bz2
import lzma
import random

import numpy as np
import pytest

from fuzz.readers import KINDS, one_file
from rarelabels.datasets import DataFormatError, load, load_csv, load_meka, load_xmc


@pytest.mark.parametrize("number", range(8))
def test_mutated_rows(tmp_path, number):
    rng = random.Random(number)
    seen = [one_file(rng, tmp_path) for _ in range(150)]
    assert [difference for difference, _ in seen if difference is not None] == []
    assert {outcome.rpartition(" ")[0] for _, outcome in seen} == set(KINDS)


HEAD = "@relation 'r: -C -1'\n@attribute a numeric\n@attribute b {x,y}\n@attribute l {0,1}\n@data\n"
PLAIN = "@relation 'r: -C -1'\n@attribute a numeric\n@attribute l numeric\n@data\n"
NUMBERS = "@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute a numeric\n@attribute b numeric\n"
NUMBERS += "@attribute c numeric\n@data\n"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("t.arff", HEAD + ",x,0\n1 5,y,1\n", 6),
        ("t.arff", HEAD + "2,x,0\n1 5,y,1\n", 7),
        ("t.arff", HEAD + "3\x10,x,0\n", 6),
        ("t.arff", HEAD.replace("x,y", "x,'dark red'") + "1,dark red,0\n", 6),
        ("t.arff", HEAD.replace("x,y", "x,''") + "1,,0\n", 6),
        ("t.arff", NUMBERS + "{0 1}7\n", 7),
        ("t.arff", PLAIN + "{0 1}7\n", 5),
        ("t.arff", NUMBERS + "{1 5,3 }\n{2}\n", 7),
        ("t.arff", NUMBERS + "{1 5,3 4}\n{2}\n", 8),
        ("t.arff", NUMBERS + "1,2,3\n4,5\n", 7),
        ("t.txt", "2 3 5\n1,,2 0:1\n3\t4 0:1\n", 2),
        ("t.txt", "1 3 5\n3\t4 0:1\n", 2),
        ("t.txt", "2 6 5\n0 5\n1 :1\n", 2),
        ("t.txt", "1 6 5\n1 :1\n", 2),
        ("t.txt", "1 6 5\n1 5:\x101\n", 2),
        ("t.txt", "1 6 5\n1 5:1e400\n", 2),
        ("t.txt", "2 6 5\n1 5:1\n0 1:?\n", 3),
        ("t.txt", "1 6 5\n? 1:1\n", 2),
    ],
)
def test_rows_that_were_read_as_others(tmp_path, name, text, line):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataFormatError) as caught:
        load(tmp_path / name)
    assert caught.value.line == line
    assert caught.value.text is not None
    assert caught.value.text in text


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("a,b,l\n1,x, \n2,y,1 0\n", 2, " "),
        ("a,b,l\n1,x,1\n2,y,1 0\n", 3, "1 0"),
        ("a,b,l\n1,x,1\n1e400,y,0\n", 3, "1e400"),
        ("a,b,l\n1,x,1\n2,y,0\n-inf,y,0\n", 4, "-inf"),
        ("a,b,l\n1,x,1\n2,y,0\x10\n", 3, "0\x10"),
    ],
)
def test_csv_cells_that_were_read_as_others(tmp_path, text, line, found):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataFormatError) as caught:
        load_csv(tmp_path / "t.csv", ["l"])
    assert (caught.value.line, caught.value.text) == (line, found)


def test_csv_cells_stay_in_their_rows(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,l\n ,x,1\n2,x,0\n1 5,y,0\n")
    dataset = load_csv(tmp_path / "t.csv", ["l"])
    assert [dataset.categories[0][int(code)] for code in dataset.X[:, 0]] == [" ", "2", "1 5"]
    (tmp_path / "t.csv").write_text("a,b,l\n ,x,1\n2,x,0\n15,y,0\n")
    np.testing.assert_array_equal(load_csv(tmp_path / "t.csv", ["l"]).X[:, 0], [np.nan, 2, 15])
    (tmp_path / "t.csv").write_text("a,l\n1,1\n3\x10,0\n")
    assert load_csv(tmp_path / "t.csv", ["l"]).categories[0] == ("1", "3\x10")


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_a_damaged_second_stream(tmp_path, compress):
    first, second = compress(b"2 3 5\n0 0:1\n"), compress(b"1 1:1\n")
    path = tmp_path / "t.txt"
    path.write_bytes(first + second)
    assert load_xmc(path).n_samples == 2
    path.write_bytes(first + b"\0" * 8 + second + b"\0" * 4)
    assert load_xmc(path).n_samples == 2
    # The header of the second stream, its middle, its end.
    for damaged in (b"XYZ" + second[3:], second[:12] + b"\xff\xff" + second[14:], second[:-6]):
        path.write_bytes(first + damaged)
        with pytest.raises(DataFormatError, match="the compressed file is damaged"):
            load_xmc(path)
    # A format whose header does not say how many rows there are.
    first, second = compress(b"a,l\n1,1\n"), compress(b"2,0\n")
    (tmp_path / "t.csv").write_bytes(first + b"XYZ" + second[3:])
    with pytest.raises(DataFormatError, match="the compressed file is damaged"):
        load_csv(tmp_path / "t.csv", ["l"])


def test_blanks_between_values_are_read_one_by_one(tmp_path):
    (tmp_path / "t.arff").write_text(HEAD + "2 x 0\n1,\ty ,1\n")
    dataset = load_meka(tmp_path / "t.arff")
    np.testing.assert_array_equal(dataset.X, [[2, 0], [1, 1]])
