"""Readers meet damaged files: they read them or say what is wrong, and raise nothing else."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rarelabels.datasets import (
    DataFormatError,
    MultiLabelDataset,
    load_csv,
    load_meka,
    load_mulan,
    load_parquet,
    load_xmc,
    make_multilabel,
    save_parquet,
)

DENSE = b"""% comment
@relation 'toy: -C 1'
@attribute l {0,1}
@attribute 'a b' numeric
@attribute c {x,'y z',"w"}
@attribute m {0,1}
@data
1,2.5,x,0
0,?,'y z',1
1,-1e3,w,1
"""
SPARSE = b"""@relation 'toy: -C 1'
@attribute l {0,1}
@attribute a numeric
@attribute c {0,1,2}
@attribute m numeric
@data
{0 1,1 2.5,2 1}
{}
{1 -7,2 2,3 1}
{0 1}
"""
XML = b"""<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="l"></label>
<label name="m"/>
</labels>
"""
XMC = b"3 5 4\n0,2 0:1.5 4:-2\n 1:3\n3 0:1 2:7e2\n"
CSV = b'a,"b, c",l\n1.5,red,0\n,"gr\n""een",1\n3,red,1\n'

# What is likely to upset a reader, next to any byte at all.
PIECES = [b"", b"\n", b"\r", b"{", b"}", b",", b"'", b'"', b"?", b"%", b"\\", b"\0", b" ", b"\t",
          b":", b"-", b"9999999999", b"@data\n", b"@attribute ", b"\xff", b"\xef\xbb\xbf", b"1e999",
          b"<!DOCTYPE x>", b"&a;", b"</labels>", b"\n\n"]  # fmt: skip


@st.composite
def damaged(draw, content):
    """Give the content with a few pieces cut out, put in, doubled or replaced."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 12)))
        piece = draw(st.sampled_from([*PIECES, content[start:end] * 2]) | st.binary(max_size=4))
        content = content[:start] + piece + content[end:]
    return content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


bounded = settings(max_examples=300, deadline=5000, suppress_health_check=[HealthCheck.too_slow])


def read_or_refuse(read):
    """Give the data set, or the message of the one error that a reader may raise."""
    try:
        found = read()
    except DataFormatError as refused:
        found = str(refused)
    assert isinstance(found, (MultiLabelDataset, str))


@bounded
@given(content=damaged(DENSE) | damaged(SPARSE) | st.binary(max_size=60))
def test_mulan(folder, content):
    (folder / "toy.arff").write_bytes(content)
    (folder / "toy.xml").write_bytes(XML)
    read_or_refuse(lambda: load_mulan(folder / "toy.arff"))


@bounded
@given(content=damaged(XML) | st.binary(max_size=60))
def test_label_files(folder, content):
    (folder / "toy.arff").write_bytes(SPARSE)
    (folder / "toy.xml").write_bytes(content)
    read_or_refuse(lambda: load_mulan(folder / "toy.arff"))


@bounded
@given(content=damaged(DENSE) | damaged(SPARSE))
def test_meka(folder, content):
    (folder / "meka.arff").write_bytes(content)
    read_or_refuse(lambda: load_meka(folder / "meka.arff"))


@bounded
@given(content=damaged(XMC) | st.binary(max_size=60))
def test_xmc(folder, content):
    (folder / "toy.txt").write_bytes(content)
    read_or_refuse(lambda: load_xmc(folder / "toy.txt"))


@bounded
@given(content=damaged(CSV) | st.binary(max_size=60))
def test_csv(folder, content):
    (folder / "toy.csv").write_bytes(content)
    read_or_refuse(lambda: load_csv(folder / "toy.csv", ["l"]))


@settings(bounded, max_examples=50)
@given(cut=st.floats(0, 1), tail=st.binary(max_size=20))
def test_parquet_cut_off(folder, cut, tail):
    whole = folder / "whole.parquet"
    if not whole.exists():
        save_parquet(make_multilabel(20, 4, 2, random_state=0), whole)
    content = whole.read_bytes()
    (folder / "cut.parquet").write_bytes(content[: int(cut * len(content))] + tail)
    read_or_refuse(lambda: load_parquet(folder / "cut.parquet", "label_"))


@bounded
@given(content=damaged(DENSE), cut=st.floats(0, 1))
def test_compressed(folder, content, cut):
    import gzip

    packed = gzip.compress(content)
    (folder / "toy.xml").write_bytes(XML)
    (folder / "toy.arff.gz").write_bytes(packed[: int(cut * len(packed))] + packed[-3:])
    read_or_refuse(lambda: load_mulan(folder / "toy.arff.gz"))
