"""Small files that were slow to read, or filled the memory.

Time is counted in processor seconds and bounded far above what reading takes and far
below what it took.
"""

import gzip
import os
import subprocess
import sys
import tracemalloc
from contextlib import contextmanager

import numpy as np
import pytest
from scipy import sparse

from rarelabels.datasets import (
    DataFormatError,
    MultiLabelDataset,
    load,
    load_csv,
    load_meka,
    load_mulan,
    load_xmc,
)

MEGABYTE = 1 << 20


@contextmanager
def at_most(megabytes):
    """Bound the peak of the memory."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < megabytes * MEGABYTE


def held(dataset):
    """Return the bytes that a data set holds."""
    parts = []
    for matrix in (dataset.X, dataset.Y):
        is_sparse = sparse.issparse(matrix)
        parts += [matrix.data, matrix.indices, matrix.indptr] if is_sparse else [matrix]
    return sum(part.nbytes for part in parts)


@pytest.mark.parametrize("start", [b"%\n" * 24 + b"x", b"% " * 24 + b"x", b"\n" * 48 + b"x"])
def test_recognizing_a_format(tmp_path, start):
    (tmp_path / "a").write_bytes(start)
    with pytest.raises(DataFormatError, match="cannot be recognized"):
        load(tmp_path / "a")


def test_comments_above_the_relation(tmp_path):
    (tmp_path / "a").write_text(
        "% x\n\n \t% y\n@Relation 'r: -C 1'\n@attribute l {0,1}\n@data\n1\n"
    )
    assert load(tmp_path / "a").n_labels == 1


LONG = 8_000_000


@pytest.mark.parametrize(
    ("name", "head", "piece", "end"),
    [
        (
            "a.arff",
            "@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute x numeric\n@data\n",
            "1,",
            "1",
        ),
        ("a.arff", "@relation 'r: -C 1'\n@attribute l {0,1}\n@data\n", " ", "1"),
        ("a.arff", "@relation 'r: -C 1'\n@attribute l {0,1}\n@data\n{", "0 1,", "0 1}"),
        (
            "a.arff",
            "@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute ",
            "x",
            " numeric\n@data\n1,2",
        ),
        ("a.arff", "", "% ", "@relation r\n"),
        ("a.txt", "1 9 9\n", "1,", "2 0:1"),
        ("a.txt", "1 9 9\n0 ", "0:1 ", ""),
        ("a.txt", "1 9 9\n0", " ", ""),
        ("a.csv", "l,x\n", "1,", "1"),
        ("a.csv", "l,x\n1,", "1", ""),
    ],
)
def test_a_line_of_eight_megabytes(tmp_path, name, head, piece, end):
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress((head + piece * (LONG // len(piece)) + end).encode()))
    assert path.stat().st_size < 50_000
    with at_most(megabytes=100):
        try:
            found = load(path, **({"labels": ["l"]} if ".csv" in name else {}))
        except DataFormatError as refused:
            found = refused
    assert found.n_samples == 1 if hasattr(found, "n_samples") else len(str(found)) < 600


COUNT = 100_000


def test_repeated_attributes(tmp_path):
    names = [f"@attribute a{j} numeric\n" for j in range(COUNT)]
    text = "@relation 'r: -C 1'\n" + "".join([*names, names[-1]]) + "@data\n"
    (tmp_path / "a.arff").write_text(text)
    with pytest.raises(DataFormatError, match="line 100001 already"):
        load_meka(tmp_path / "a.arff")


def test_repeated_values(tmp_path):
    values = ",".join(f"v{j}" for j in range(COUNT))
    (tmp_path / "a.arff").write_text(
        f"@relation 'r: -C 1'\n@attribute a {{{values},v99999}}\n@data\n"
    )
    with pytest.raises(DataFormatError, match="'v99999' is declared twice"):
        load_meka(tmp_path / "a.arff")


def test_repeated_columns(csv_library, tmp_path):
    names = ",".join([*(f"c{j}" for j in range(COUNT)), "c99999"])
    (tmp_path / "a.csv").write_text(f"{names}\n")
    with pytest.raises(DataFormatError, match="two columns have the same name"):
        load_csv(tmp_path / "a.csv", 1)


def test_many_label_names(csv_library, tmp_path):
    names = [f"c{j}" for j in range(COUNT)]
    row = ",".join(["1"] * COUNT)
    (tmp_path / "a.csv").write_text(f"{','.join(names)}\n{row}\n")
    assert load_csv(tmp_path / "a.csv", names[:60_000]).n_labels == 60_000
    with pytest.raises(DataFormatError, match=r"the column 'nowhere' does not exist"):
        load_csv(tmp_path / "a.csv", [*names[:60_000], "nowhere"])
    (tmp_path / "a.arff").write_text(
        "@relation r\n"
        + "".join(f"@attribute {name} {{0,1}}\n" for name in names)
        + f"@data\n{row}\n"
    )
    labels = "".join(f'<label name="{name}"/>' for name in [*names[:60_000], names[0]])
    (tmp_path / "a.xml").write_text(f"<labels>{labels}</labels>")
    with pytest.raises(DataFormatError, match="named twice"):
        load_mulan(tmp_path / "a.arff")


def test_a_header_that_promises_millions_of_columns(tmp_path):
    (tmp_path / "a.txt").write_text("1 10000000 10000000\n9999999 9999999:1\n")
    with at_most(megabytes=50):
        dataset = load_xmc(tmp_path / "a.txt")
    assert dataset.Y.shape == (1, 10_000_000)
    assert dataset.label_names[-1] == "label_9999999"
    assert len(dataset.feature_names) == 10_000_000


def test_one_dense_row_and_many_empty_ones(tmp_path):
    attributes = "".join(f"@attribute a{j} numeric\n" for j in range(2000))
    dense = ",".join(["0"] * 2000)
    text = f"@relation 'r: -C 1'\n{attributes}@data\n{dense}\n" + "{}\n" * 250_000 + "{1 5}\n"
    (tmp_path / "a.arff").write_text(text)
    with at_most(megabytes=60):
        dataset = load_meka(tmp_path / "a.arff")
    assert dataset.X.shape == (250_002, 1999)
    assert dataset.X.nnz == 1


@pytest.mark.parametrize("suffix", ["arff", "csv", "txt"])
def test_memory_is_three_times_the_result_at_most(tmp_path, suffix):
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 2, size=(1000, 300))
    path = tmp_path / f"a.{suffix}"
    rows = [",".join(row) for row in dense.astype(str).tolist()]
    if suffix == "arff":
        attributes = "".join(f"@attribute a{j} {{0,1}}\n" for j in range(300))
        path.write_text(f"@relation 'r: -C 3'\n{attributes}@data\n" + "\n".join(rows))
    elif suffix == "csv":
        path.write_text(",".join(f"c{j}" for j in range(300)) + "\n" + "\n".join(rows))
    else:
        lines = (" ".join(["0", *(f"{j}:1" for j in np.flatnonzero(row))]) for row in dense)
        path.write_text("1000 300 3\n" + "\n".join(lines) + "\n")
    options = {"labels": 3} if suffix == "csv" else {}
    load(path, **options)  # what is made once is not counted
    tracemalloc.start()
    try:
        dataset = load(path, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert dataset.n_samples == 1000
    assert peak < 3 * held(dataset) + 50 * MEGABYTE
    # The fifty megabytes are for what is needed once: this file is read in a tenth of them.
    assert peak < 3 * held(dataset) + 5 * MEGABYTE


@pytest.mark.parametrize(("name", "labels"), [("a.txt", None), ("a.csv", ["l"]), ("a.arff", None)])
def test_the_limit_on_unpacked_size(tmp_path, name, labels):
    texts = {
        "a.txt": "1000 3 2\n" + "0 1:1\n" * 1000,
        "a.csv": "x,l\n" + "1,0\n" * 1000,
        "a.arff": "@relation 'r: -C 1'\n@attribute l {0,1}\n@data\n" + "1\n" * 1000,
    }
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(texts[name].encode()))
    assert load(path, labels).n_samples == 1000
    with pytest.raises(DataFormatError, match=r"larger than 500 bytes.*pass a larger max_size"):
        load(path, labels, max_size=500)
    assert load(path, labels, max_size=10_000).n_samples == 1000


def test_the_environment_raises_the_limit(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(("x,l\n" + "1,0\n" * 1000).encode()))
    command = [sys.executable, "-m", "rarelabels.cli", "describe", str(path), "--labels", "l"]
    for size, code, words in [
        ("500", 1, "larger than 500 bytes"),
        ("10000", 0, ""),
        ("much", 1, "must be a number of bytes"),
    ]:
        environment = {**os.environ, "RARELABELS_MAX_SIZE": size}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert words in done.stderr


def test_names_that_are_numbered():
    dataset = MultiLabelDataset(np.zeros((1, 7)), np.zeros((1, 2), dtype=int))
    assert dataset.label_names == ("label_0", "label_1")
    assert ("label_0", "label_1") == dataset.label_names
    assert dataset.label_names != ("label_0", "label_2")
    assert dataset.label_names != ["label_0", "label_1"]
    assert list(dataset.feature_names)[-1] == dataset.feature_names[-1] == "feature_6"
    assert "feature_6" in dataset.feature_names
    assert "feature_7" not in dataset.feature_names
    assert dataset.feature_names.index("feature_3") == 3
    assert hash(dataset.label_names) == hash(("label_0", "label_1"))
    assert repr(dataset.label_names) == "('label_0', 'label_1')"
    with pytest.raises(IndexError):
        _ = dataset.label_names[2]
