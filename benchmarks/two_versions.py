"""Measure two checkouts of the package side by side.

Run with ``python -m benchmarks.two_versions OTHER_CHECKOUT [CASE …]``. Each case runs in a separate
process, with the other checkout and with this one in turn, three times. It prints the smallest
CPU-seconds of both and their ratio; above 1, this checkout is slower. Both use the same Python and
the same dependencies. The cases call only what both checkouts have.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._measure import DATA, show

ROUNDS = 3
MULAN = """
import numpy as np
from rarelabels.datasets import load_mulan, select_frequent_features, drop_rare_labels
def read(name, share=None):
    data = load_mulan(f"{DATA}/{name}/{name}.arff", f"{DATA}/{name}/{name}.xml")
    if share:
        data, _ = select_frequent_features(data, share)
    return data.X, drop_rare_labels(data.Y, min_positive=2)[0]
"""
DENSE = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 100)).astype("f4")
Y = (rng.random((20_000, 50)) < 0.05).astype(int)
"""
SPARSE = """
import numpy as np
from scipy import sparse
rng = np.random.default_rng(0)
X = sparse.random_array((8_000, 20_000), density=0.003, rng=rng, format="csr")
Y = (rng.random((8_000, 50)) < 0.05).astype(int)
"""
TABLE = """
import numpy as np, tempfile, pathlib
rng = np.random.default_rng(0)
place = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
header = ",".join([*(f"x{i}" for i in range(10)), "label_a", "label_b"])
numbers = rng.normal(size=(1_000_000, 10)).round(4)
values = np.column_stack([numbers, rng.random((1_000_000, 2)) < 0.1])
np.savetxt(place, values, delimiter=",", header=header, comments="", fmt="%.10g")
from rarelabels.datasets import load_csv
"""
TREES = "from rarelabels.trees import C45Classifier, EntropyTreeClassifier\n"
LEARNERS = TREES + "from rarelabels.learners import *\n"
ENSEMBLE = LEARNERS + (
    "from rarelabels.ensemble import SamplingEnsemble\nfrom rarelabels.sampling import MLSOL\n"
)
BR = "BinaryRelevance(C45Classifier(), n_jobs=1, random_state=0)"
# What is done before, what is measured, and how often.
CASES = {
    "MLSOL, 20,000 x 100": (
        DENSE + "from rarelabels.sampling import MLSOL",
        "MLSOL(random_state=0, n_jobs=1).fit_resample(X, Y)", 2,
    ),
    "MLUL, 20,000 x 100": (
        DENSE + "from rarelabels.sampling import MLUL",
        "MLUL(random_state=0, n_jobs=1).fit_resample(X, Y)", 2,
    ),
    "MLSOL, sparse": (
        SPARSE + "from rarelabels.sampling import MLSOL",
        "MLSOL(random_state=0, n_jobs=1).fit_resample(X, Y)", 3,
    ),
    "MLSOL, yeast": (
        MULAN + "X, Y = read('yeast')\nfrom rarelabels.sampling import MLSOL",
        "MLSOL(random_state=0, n_jobs=1).fit_resample(X, Y)", 7,
    ),
    "MLSMOTE, yeast": (
        MULAN + "X, Y = read('yeast')\nfrom rarelabels.sampling import MLSMOTE",
        "MLSMOTE(random_state=0, n_jobs=1).fit_resample(X, Y)", 7,
    ),
    "describe, yeast": (
        MULAN + "X, Y = read('yeast')\nfrom rarelabels.measures import describe",
        "describe(X, Y)", 7,
    ),
    "BR over C4.5, yeast": (MULAN + LEARNERS + "X, Y = read('yeast')", f"{BR}.fit(X, Y)", 5),
    "BR over C4.5, bibtex": (MULAN + LEARNERS + "X, Y = read('bibtex', 0.1)", f"{BR}.fit(X, Y)", 3),
    "BR over entropy trees, bibtex": (
        MULAN + LEARNERS + "X, Y = read('bibtex', 0.1)",
        "BinaryRelevance(EntropyTreeClassifier(), n_jobs=1, random_state=0).fit(X, Y)", 3,
    ),
    "RAkEL over C4.5, yeast": (
        MULAN + LEARNERS + "X, Y = read('yeast')",
        "RAkEL(C45Classifier(), n_jobs=1, random_state=0).fit(X, Y).predict(X)", 3,
    ),
    "COCOA over C4.5, yeast": (
        MULAN + LEARNERS + "X, Y = read('yeast')",
        "COCOA(C45Classifier(), n_jobs=1, random_state=0).fit(X, Y).predict(X)", 3,
    ),
    "ECCRU3 over C4.5, yeast": (
        MULAN + LEARNERS + "X, Y = read('yeast')",
        "ECCRU3(C45Classifier(), n_jobs=1, random_state=0).fit(X, Y).predict(X)", 3,
    ),
    "MLkNN, yeast": (
        MULAN + LEARNERS + "X, Y = read('yeast')", "MLkNN(n_jobs=1).fit(X, Y).predict(X)", 5,
    ),
    "EMLSOL over BR and C4.5, yeast": (
        MULAN + ENSEMBLE + "X, Y = read('yeast')",
        f"SamplingEnsemble({BR}, MLSOL(), n_jobs=1, random_state=0).fit(X, Y).predict(X)", 3,
    ),
    "EMLSOL over BR and C4.5, medical": (
        MULAN + ENSEMBLE + "X, Y = read('medical', 0.1)",
        f"SamplingEnsemble({BR}, MLSOL(), n_jobs=1, random_state=0).fit(X, Y).predict(X)", 5,
    ),
    "reading ARFF, bibtex": (MULAN, "read('bibtex')", 3),
    "reading CSV, a million rows": (TABLE, "load_csv(place, labels=['label_a', 'label_b'])", 2),
    "first fit of C4.5, dense": (
        TREES + "import numpy as np\nX = np.random.default_rng(0).normal(size=(200, 5))\n"
        "y = (X[:, 0] > 0).astype(int)",
        "C45Classifier().fit(X, y).predict(X)", 1,
    ),
    "first fit of C4.5, sparse": (
        TREES + "import numpy as np\nfrom scipy import sparse\n"
        "X = sparse.random_array((200, 50), density=0.05, rng=0, format='csr')\n"
        "y = (X[:, [0]].toarray().ravel() > 0).astype(int); y[:20] = 1",
        "C45Classifier().fit(X, y).predict(X)", 1,
    ),
    **{
        f"import {name}": ("", f"import {name}", 1)
        for name in (
            "rarelabels", "rarelabels.sampling", "rarelabels.measures", "rarelabels.learners",
            "rarelabels.trees", "rarelabels.ensemble", "rarelabels.datasets", "rarelabels.metrics",
            "rarelabels.comparison", "rarelabels.experiment", "rarelabels.report", "rarelabels.cli",
        )
    },
}  # fmt: skip
PROGRAM = """
import time, warnings
DATA = {data!r}
warnings.simplefilter("ignore")
{before}
def measured():
    began = time.process_time()
    exec({work!r}, globals())
    return time.process_time() - began
{warm_up}
print(min(measured() for _ in range({repeats})))
"""


def main() -> None:
    """Measure the cases that are named, or all."""
    checkouts = (Path(sys.argv[1]).resolve(), Path(__file__).parents[1])
    names = sys.argv[2:] or list(CASES)
    rows: list[tuple[str, ...]] = [("case", "other CPU-s", "this CPU-s", "this / other")]
    for name in names:
        other, this = fastest(name, checkouts)
        rows.append((name, f"{other:.3f}", f"{this:.3f}", f"{this / other:.2f}"))
        print(*rows[-1], sep="  ", flush=True)
    show("Two checkouts side by side", rows)


def fastest(name: str, checkouts: tuple[Path, Path]) -> list[float]:
    """Return the smallest CPU-seconds of a case with each checkout."""
    seconds: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        for times, checkout in zip(seconds, checkouts, strict=True):
            times.append(one_run(name, checkout))
    return [min(times) for times in seconds]


def one_run(name: str, checkout: Path) -> float:
    """Return the CPU-seconds of a case in a new process; first fits have an empty cache."""
    before, work, repeats = CASES[name]
    is_first = name.startswith(("first", "import"))
    program = PROGRAM.format(
        data=str(DATA), before=before, work=work, repeats=repeats,
        warm_up="" if is_first else "measured()",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ, "PYTHONPATH": str(checkout / "src"), "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip
        if name.startswith("first"):
            environment["NUMBA_CACHE_DIR"] = folder
        # The programs above.
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", program], capture_output=True, text=True, check=False,
            env=environment, cwd=folder,
        )  # fmt: skip
    if done.returncode:
        sys.exit(f"{name} failed in {checkout}:\n{done.stderr}")
    return float(done.stdout.split()[-1])


if __name__ == "__main__":
    main()
