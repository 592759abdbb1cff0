"""Read and write the sparse text format of the Extreme Classification Repository."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels._containers import canonical_csr
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath, shortened
from rarelabels.datasets.files import MAX_SIZE, Blocks, has_long_line, read_blocks, replacing, stem
from rarelabels.datasets.growing_arrays import (
    GrowingCSR,
    SparseRows,
    count_per_row,
    rise_in_each_row,
)
from rarelabels.datasets.number_parser import (
    parse_number,
    parse_numbers,
    whole_number,
)
from rarelabels.datasets.separators import EITHER, PRESENT, Grammar
from rarelabels.datasets.writing import number_text

# A header that declares more columns than this is considered damaged.
MOST_COLUMNS = 10_000_000
# Each pair of separators has one meaning: labels follow a line end or a comma, the number of a
# feature follows a blank, and its value follows a colon.
_ROWS = Grammar(
    b"\n ,:",
    {
        b"\n\n": EITHER,
        b"\n ": EITHER,
        b"\n,": PRESENT,
        b",,": PRESENT,
        b", ": PRESENT,
        b",\n": PRESENT,
        b" :": PRESENT,
        b": ": PRESENT,
        b":\n": PRESENT,
    },
)
_SHAPE = re.compile(r"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*")
_WORD = re.compile(r"[^ ]+")


class Shape(NamedTuple):
    """The numbers in the first line."""

    n_samples: int
    n_features: int
    n_labels: int


def load_xmc(path: FilePath, *, max_size: int = MAX_SIZE) -> MultiLabelDataset:
    r"""Read the sparse text of the Extreme Classification Repository.

    The first line has the numbers of samples, features and labels. Each further line is a sample,
    ``l1,l2 f:v f:v``: its labels, then its features and their values, both counted from 0. A sample
    without labels begins with a blank; one without labels and features is an empty line. Columns
    have no names in this format; they are called ``feature_0`` … and ``label_0`` ….

    Parameters
    ----------
    path : path-like
        The file, compressed or not.
    max_size : int, default=2**32
        Maximum size of the decompressed file in bytes.

    Returns
    -------
    MultiLabelDataset
        The data set, with X and Y as CSR arrays.

    Raises
    ------
    DataFormatError
        If the content is not valid. The error names the file, the line and the wrong text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_xmc
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.txt"
    >>> _ = path.write_text("2 3 2\n0,1 0:0.5 2:1\n 1:3\n")
    >>> dataset = load_xmc(path)
    >>> dataset.X.toarray()
    array([[0.5, 0. , 1. ],
           [0. , 3. , 0. ]])
    >>> dataset.Y.toarray()
    array([[1, 1],
           [0, 0]])
    """
    shape, blocks = _read_shape(read_blocks(path, max_size), path)
    X, Y = GrowingCSR(shape.n_features, np.float64), GrowingCSR(shape.n_labels, np.int64)
    n_read = 0
    for line, block in blocks:
        rows = _within(block, shape.n_samples - n_read)
        n_read += rows.count(b"\n")
        _check_surplus(block[len(rows) :], shape, path, n_read + 2)
        features, labels = _parse_at_once(rows, shape) or _parse_one_by_one(rows, line, shape, path)
        X.append(*features)
        Y.append(*labels)
    if n_read < shape.n_samples:
        problem = f"the first line declares {shape.n_samples} samples, but the file has {n_read}"
        raise DataFormatError(f"{problem}: it is incomplete", path, n_read + 1)
    return MultiLabelDataset(
        X.finish(),
        Y.finish(),
        name=stem(path),
    )


def save_xmc(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set in the sparse text format of the Extreme Classification Repository.

    The format only has numbers: names are lost, and a data set with missing values, or with
    categories other than 0 and 1, raises an error.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    path : path-like
        The file to write. It is compressed if it ends in ``.gz``, ``.bz2`` or ``.xz``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_xmc, make_multilabel, save_xmc
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.txt"
    >>> save_xmc(make_multilabel(50, 20, 4, random_state=0), path)
    >>> load_xmc(path)
    MultiLabelDataset('made': 50 samples, 20 features, 4 labels)
    """
    if dataset.has_unknown_labels:
        raise ValueError(
            "the format of the Extreme Classification Repository cannot represent unknown labels; "
            "use another format, such as .csv or .arff."
        )
    X, Y = canonical_csr(dataset.X), canonical_csr(dataset.Y)
    _check_writable(dataset, X)
    with replacing(path) as file:
        file.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n".encode())
        for row in _rows(X, Y):
            file.write(row.encode() + b"\n")


def _check_writable(dataset: MultiLabelDataset, X: sparse.csr_array) -> None:
    if not np.isfinite(X.data).all():
        raise ValueError("XMC text cannot represent missing values or infinity: replace them.")
    for j in dataset.categorical_features:
        if dataset.categories.get(j, ("0", "1")) not in (("0",), ("0", "1")):
            raise ValueError(
                f"XMC text has no categories, but feature {dataset.feature_names[j]!r} does: "
                "encode it as numbers, or write another format."
            )


def _rows(X: sparse.csr_array, Y: sparse.csr_array) -> Iterator[str]:
    for i in range(X.shape[0]):
        labels = ",".join(map(str, Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist()))
        span = slice(X.indptr[i], X.indptr[i + 1])
        pairs = zip(X.indices[span].tolist(), X.data[span].tolist(), strict=True)
        features = "".join(f" {j}:{number_text(value)}" for j, value in pairs)
        yield labels + features


def _read_shape(blocks: Blocks, path: FilePath) -> tuple[Shape, Blocks]:
    for _, block in blocks:
        first, _, rest = block.partition(b"\n")
        return _shape(first.decode("latin-1"), path), chain([(2, rest)] if rest else [], blocks)
    raise DataFormatError("the file is empty", path, 1, "")


def _shape(text: str, path: FilePath) -> Shape:
    match = _SHAPE.fullmatch(text)
    if match is None:
        problem = "expected the numbers of samples, features and labels, as in '100 30 5'"
        raise DataFormatError(problem, path, 1, text)
    numbers = [int(word) for word in match.groups()]
    if max(numbers[1:]) > MOST_COLUMNS:
        raise DataFormatError(f"at most {MOST_COLUMNS} columns are supported", path, 1, text)
    return Shape(*numbers)


def _within(block: bytes, n_rows: int) -> bytes:
    """Return the part of a block with its first rows."""
    if block.count(b"\n") <= n_rows:
        return block
    return b"".join(row + b"\n" for row in block.split(b"\n", n_rows)[:n_rows])


def _check_surplus(surplus: bytes, shape: Shape, path: FilePath, line: int) -> None:
    for number, row in enumerate(surplus.split(b"\n"), line):
        if row.strip(b" \t"):
            raise DataFormatError(
                f"the first line declares {shape.n_samples} samples, but there are more",
                path,
                number,
                row.decode("latin-1"),
            )


def _parse_at_once(rows: bytes, shape: Shape) -> tuple[SparseRows, SparseRows] | None:
    """Read plain rows at once; return None if one of them is not plain."""
    if not rows or (has_long_line(rows) and _has_too_many(rows, shape)):
        return None
    separators = None if b"?" in rows else _ROWS.split(rows)
    if separators is None:
        return None  # nor does the format have missing values
    try:
        numbers = parse_numbers(separators.tokens)
    except ValueError:
        return None
    before = separators.before_numbers(_ROWS.code(b"\n"))
    # The number before a value is a feature; all other numbers are labels.
    of_values = np.flatnonzero(before == _ROWS.code(b":"))
    is_label = np.ones(numbers.size, dtype=bool)
    is_label[of_values] = is_label[of_values - 1] = False
    row_ends = separators.places[separators.codes == _ROWS.code(b"\n")]
    ends = separators.tokens.ends
    values, labels = numbers[of_values], numbers[is_label]
    features = _entries(
        _per_row(ends[of_values], row_ends), numbers[of_values - 1], values, shape.n_features
    )
    named = _entries(
        _per_row(ends[is_label], row_ends), labels, np.ones(labels.size), shape.n_labels
    )
    return None if features is None or named is None else (features, named)


def _has_too_many(rows: bytes, shape: Shape) -> bool:
    n_rows = rows.count(b"\n")
    n_features = max(rows.count(b":"), rows.count(b" ") - n_rows)
    return rows.count(b",") > shape.n_labels * n_rows or n_features > shape.n_features * n_rows


def _per_row(
    places: npt.NDArray[np.int64], row_ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Count the places in each row."""
    return np.diff(np.searchsorted(places, row_ends, side="right"), prepend=0)


def _entries(
    lengths: npt.NDArray[np.int64],
    places: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    n_columns: int,
) -> SparseRows | None:
    """Check that places are integers, in range and ascending in each row; leave out zeros."""
    if not ((places >= 0) & (places < n_columns) & (places == np.floor(places))).all():
        return None
    if not rise_in_each_row(places, lengths):
        return None
    stored = values != 0
    per_row = count_per_row(stored, lengths)
    return SparseRows(per_row, places[stored].astype(np.int64), values[stored])


def _parse_one_by_one(
    rows: bytes, first_line: int, shape: Shape, path: FilePath
) -> tuple[SparseRows, SparseRows]:
    """Read row by row; an error names the line."""
    features, labels = [], []
    for line, row in enumerate(rows.split(b"\n")[:-1], first_line):
        text = row.decode("latin-1")
        try:
            pairs, named = _row(text.replace("\t", " "), shape)
        except ValueError as error:
            raise DataFormatError(str(error), path, line, text) from None
        features.append(pairs)
        labels.append(named)
    return _joined(features), _joined(labels)


def _row(text: str, shape: Shape) -> tuple[dict[int, float], dict[int, float]]:
    head, _, tail = text.partition(" ")
    if ":" in head:
        # Some files leave out the blank before the first feature of a sample without labels.
        head, tail = "", text
    words = _between_commas(head) if head else ()
    named = ((_place(word, shape.n_labels, "label"), 1.0) for word in words)
    pairs = (_pair(word[0], shape.n_features) for word in _WORD.finditer(tail))
    return _distinct(pairs, "feature"), _distinct(named, "label")


def _between_commas(text: str) -> Iterator[str]:
    """Split at commas, one part at a time, because a hostile line may have millions of them."""
    start = 0
    while (end := text.find(",", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _pair(word: str, n_features: int) -> tuple[int, float]:
    place, colon, value = word.partition(":")
    if not colon:
        raise ValueError(f"expected feature:value, got {shortened(word)!r}")
    try:
        number = parse_number(value)
    except ValueError:
        raise ValueError(f"expected a number, got {shortened(value)!r}") from None
    return _place(place, n_features, "feature"), number


def _place(text: str, count: int, kind: str) -> int:
    try:
        place = whole_number(text)
    except ValueError:
        raise ValueError(f"expected the number of a {kind}, got {shortened(text)!r}") from None
    if not 0 <= place < count:
        raise ValueError(f"{kind} {place} is out of range: the first line declares {count}")
    return place


def _distinct(pairs: Iterable[tuple[int, float]], kind: str) -> dict[int, float]:
    entries: dict[int, float] = {}
    for place, value in pairs:
        if place in entries:
            raise ValueError(f"a {kind} occurs twice in the row")
        entries[place] = value
    return {place: value for place, value in sorted(entries.items()) if value != 0}


def _joined(rows: list[dict[int, float]]) -> SparseRows:
    return SparseRows(
        np.array([len(row) for row in rows], dtype=np.int64),
        np.array([place for row in rows for place in row], dtype=np.int64),
        np.array([value for row in rows for value in row.values()], dtype=np.float64),
    )
