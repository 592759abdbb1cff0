"""Change files within their rows, and read them twice: many rows at once, and one by one.

Run as ``python tests/fuzz/readers.py 100000`` for that many files, with a seed as second argument.
A reader that works on many rows at once must give what the careful one gives, bit for bit, or leave
the rows to it. The careful reader of CSV cells is the one below, a few lines of plain Python.
"""

from __future__ import annotations

import contextlib
import csv
import io
import math
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
from scipy import sparse

from rarelabels.datasets import DataFormatError, load_csv, load_meka, load_xmc

ARFF_ROWS = "rarelabels.datasets.arff._rows._parse_at_once"
INSTALLED = "rarelabels.datasets.tables._library.is_installed"
SMALL = "rarelabels.datasets.tables._csv_rows.SMALL"
XMC_ROWS = "rarelabels.datasets.xmc._parse_at_once"
# Read before by one of the readers as something else than it is, and what comes close to that.
PIECES = (
    *(
        "",
        " ",
        "  ",
        "\t",
        ",",
        ",,",
        ", ",
        " ,",
        ":",
        "::",
        "{",
        "}",
        "{}",
        "?",
        "7",
        "-",
        "+",
        ".",
    ),
    *(".", "e", "E5", "\x10", "\x1f", "\x0b", "\xa0", "0", "1", "12", "\n", "\n\n", "'", '"', "%"),
    *(";", "1e400", "nan", "inf", "_", "x"),
)
SEPARATORS = re.compile(r"[ ,:{}\t]")


def main(n_files: int, seed: int) -> int:
    """Read `n_files` files; print what was seen, and return the number of differences."""
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(n_files):
            difference, outcome = one_file(random.Random(f"{seed}-{number}"), Path(folder))
            seen[outcome] += 1
            if difference is not None:
                seen["different"] += 1
                print(f"file {number}: {difference}")
    print(", ".join(f"{outcome}: {count}" for outcome, count in sorted(seen.items())))
    return seen["different"]


def one_file(rng: random.Random, folder: Path) -> tuple[str | None, str]:
    """Make a file, read it twice; return the difference, if any, and what came of it."""
    kind = rng.choice(tuple(KINDS))
    make, suffix, quick, careful = KINDS[kind]
    head, rows = make(rng)
    text = head + mutated("".join(rows), rng)
    path = folder / f"fuzz{suffix}"
    path.write_bytes(text.encode("utf-8"))
    found, expected = outcome_of(quick, path), outcome_of(careful, path)
    is_same = same(found, expected)
    outcome = f"{kind} {'refused' if isinstance(found, str) else 'read'}"
    return None if is_same else f"{text!r} gives {found!r} and {expected!r}", outcome


def mutated(rows: str, rng: random.Random) -> str:
    """Move, double or drop separators, and put pieces in, within the rows."""
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3))):
        places = [found.start() for found in SEPARATORS.finditer(rows)]
        near = rng.random() < 0.7 and bool(places)
        place = rng.choice(places) if near else rng.randrange(len(rows) + 1)
        change = rng.randrange(4)
        if change == 0:
            rows = rows[:place] + rng.choice(PIECES) + rows[place + rng.randrange(2) :]
        elif change == 1:
            rows = rows[:place] + rows[place + 1 :]
        elif change == 2:
            rows = rows[: place + 1] + rows[place:]
        else:
            other = min(len(rows), max(0, place + rng.choice((-2, -1, 1, 2))))
            moved = rows[place : place + 1]
            rows = rows[:place] + rows[place + 1 :]
            rows = rows[:other] + moved + rows[other:]
    return rows


def number(rng: random.Random) -> str:
    return rng.choice(("0", "1", "2", "5", "12", "-3", "2.5", ".5", "7.", "1e3", "123456789012.25",
                       "0.1234567890123456789", "?"))  # fmt: skip


def arff_head(kinds: list[str]) -> str:
    attributes = "".join(f"@attribute a{j} {kind}\n" for j, kind in enumerate(kinds))
    return f"@relation 'fuzz: -C 1'\n{attributes}@data\n"


def arff_columns(rng: random.Random) -> list[str]:
    kinds = ["numeric", "numeric", "{0,1}", "{0,1,2}", "{x,y,'a b',''}", "{1,0}"]
    return ["{0,1}", *rng.choices(kinds if rng.random() < 0.5 else kinds[:4], k=rng.randint(1, 4))]


def arff_value(kind: str, rng: random.Random) -> str:
    if kind == "numeric":
        return number(rng)
    inside = kind[1:-1].split(",")
    return rng.choice([value for value in inside if value != "''"])


def dense(rng: random.Random) -> tuple[str, list[str]]:
    kinds = arff_columns(rng)
    gap = rng.choice((",", ",", ", "))
    rows = [gap.join(arff_value(kind, rng) for kind in kinds) + "\n" for _ in range(3)]
    return arff_head(kinds), rows


def sparse_rows(rng: random.Random) -> tuple[str, list[str]]:
    kinds = arff_columns(rng)
    rows = []
    for _ in range(4):
        given = sorted(rng.sample(range(len(kinds)), rng.randint(0, len(kinds))))
        pairs = ",".join(f"{j} {arff_value(kinds[j], rng)}" for j in given)
        rows.append("{" + pairs + "}\n")
    return arff_head(kinds), rows


def xmc(rng: random.Random) -> tuple[str, list[str]]:
    rows = []
    for _ in range(4):
        labels = ",".join(map(str, sorted(rng.sample(range(5), rng.randint(0, 3)))))
        places = sorted(rng.sample(range(8), rng.randint(0, 3)))
        pairs = (f" {j}:{number(rng).replace('?', '4')}" for j in places)
        rows.append(labels + "".join(pairs) + "\n")
    return f"{len(rows)} 8 5\n", rows


def table(rng: random.Random) -> tuple[str, list[str]]:
    rows = [
        f"{number(rng)},{rng.choice('xyz')},{number(rng)},{rng.randint(0, 1)}\n" for _ in "1234"
    ]
    return "a,b,c,l\n", rows


def arff_one_by_one(path: Path) -> object:
    with mock.patch(ARFF_ROWS, return_value=False):
        return load_meka(path)


def xmc_one_by_one(path: Path) -> object:
    with mock.patch(XMC_ROWS, return_value=None):
        return load_xmc(path)


def csv_by(library: str) -> Callable[[Path], object]:
    """Return what reads CSV with one library, as if no other were installed."""

    def read(path: Path) -> object:
        with mock.patch(INSTALLED, lambda name: name == library), mock.patch(SMALL, 0):
            return csv_columns(path)

    return read


def csv_columns(path: Path) -> object:
    """Return the columns as the reader has them, categories by name."""
    dataset = load_csv(path, ["l"])
    columns = []
    for j in range(dataset.n_features):
        names = dataset.categories.get(j)
        values = dataset.X[:, j].tolist()
        columns.append([v if names is None or v != v else names[int(v)] for v in values])
    return [*columns, dataset.Y[:, 0].tolist()]


NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def csv_one_by_one(path: Path) -> object:
    text = path.read_bytes().decode()
    rows = list(csv.reader(io.StringIO(text.rstrip("\n")), strict=True))
    if any(len(row) != 4 for row in rows):
        raise DataFormatError("fields", path)
    *columns, labels = ([row[j] for row in rows[1:]] for j in range(4))
    if any(cell_value(cell) not in (0, 1) for cell in labels):
        raise DataFormatError("label", path)
    return [*map(column_values, columns), [int(cell_value(cell)) for cell in labels]]


def column_values(cells: list[str]) -> list[object]:
    values = [cell_value(cell) for cell in cells]
    if all(value is not None for value in values):
        if any(math.isinf(value) for value in values):
            raise DataFormatError("infinite", "")
        return values
    return [cell if cell else math.nan for cell in cells]


def cell_value(cell: str) -> float | None:
    cell = cell.strip(" \t")
    if cell in {"", "?", "NA", "NaN", "nan", "null"}:
        return math.nan
    if NUMBER.fullmatch(cell) or cell.lstrip("+-").lower() in ("inf", "infinity"):
        with contextlib.suppress(ValueError):
            return float(cell)
    return None


KINDS = {
    "dense ARFF": (dense, ".arff", load_meka, arff_one_by_one),
    "sparse ARFF": (sparse_rows, ".arff", load_meka, arff_one_by_one),
    "XMC": (xmc, ".txt", load_xmc, xmc_one_by_one),
    "CSV by pyarrow": (table, ".csv", csv_by("pyarrow"), csv_one_by_one),
    "CSV by polars": (table, ".csv", csv_by("polars"), csv_one_by_one),
    "CSV by Python": (table, ".csv", csv_by("none"), csv_one_by_one),
}


def outcome_of(read, path: Path) -> object:
    """Return what is read, or "refused": which of several mistakes is named does not matter."""
    try:
        return read(path)
    except (DataFormatError, csv.Error):
        return "refused"


def same(found: object, expected: object) -> bool:
    if type(found) is not type(expected):
        return False
    if isinstance(found, (str, list)):
        return repr(found) == repr(expected)
    return all(
        same_matrix(*pair) for pair in ((found.X, expected.X), (found.Y, expected.Y))
    ) and dict(found.categories) == dict(expected.categories)


def same_matrix(found, expected) -> bool:
    if sparse.issparse(found):
        found, expected = found.toarray(), expected.toarray()
    return np.array_equal(found, expected, equal_nan=found.dtype.kind == "f")


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]] + [1000, 0][len(sys.argv) - 1 :]
    sys.exit(min(main(*arguments), 1))
