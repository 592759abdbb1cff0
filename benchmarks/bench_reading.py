"""Reading ARFF files, side by side with liac-arff.

Run with ``python -m benchmarks.bench_reading``. Both read the same file in the same run. Ours gives
arrays, theirs lists of Python values; turning those into arrays is not counted against it. Seconds
are process time, the best of a few runs; memory is the peak of what Python and NumPy allocate
while reading (tracemalloc), each in a process of its own, as a multiple of the file's size.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks._measure import DATA, absent, in_fresh_process, seconds, show
from rarelabels.datasets import load_mulan

NAMES = ("yeast", "bibtex", "yahoo-Business1")
READERS = {
    "ours": "from rarelabels.datasets import load_mulan\nread = load_mulan",
    "theirs": "from benchmarks.bench_reading import read_theirs as read",
}
PEAK = """
import tracemalloc
{reader}
read({warm_up!r})
tracemalloc.start()
result = read({path!r})
print(tracemalloc.get_traced_memory()[1])
"""


def main() -> None:
    try:
        import arff  # noqa: F401
    except ImportError:
        print("reading: skipped, the package liac-arff is not installed")
        return
    if absent("reading", NAMES):
        return
    header = (
        "data",
        "MB",
        "ours s",
        "liac-arff s",
        "ratio",
        "ours peak/file",
        "liac-arff peak/file",
    )
    show("Reading ARFF", [header, *(row(name) for name in NAMES)])


def row(name: str) -> tuple[str, ...]:
    path = arff_file(name)
    ours, _ = seconds(lambda: load_mulan(path), repeats=7)
    theirs, _ = seconds(lambda: read_theirs(path), repeats=3)
    size = path.stat().st_size
    peaks = [peak(reader, path) / size for reader in READERS.values()]
    return (
        name,
        f"{size / 1e6:.1f}",
        f"{ours:.4f}",
        f"{theirs:.4f}",
        f"{theirs / ours:.1f}",
        *(f"{value:.2f}" for value in peaks),
    )


def arff_file(name: str) -> Path:
    return DATA / name / f"{name}.arff"


def read_theirs(path: str | Path) -> object:
    import arff

    with open(path, encoding="utf-8") as file:
        is_sparse = "yeast" not in str(path)
        return arff.load(file, return_type=arff.LOD if is_sparse else arff.DENSE)


def peak(reader: str, path: Path) -> int:
    # A small file first, so that what is imported late is not counted.
    warm_up = str(arff_file("yeast"))
    return int(in_fresh_process(PEAK.format(reader=reader, warm_up=warm_up, path=str(path))))


if __name__ == "__main__":
    main()
