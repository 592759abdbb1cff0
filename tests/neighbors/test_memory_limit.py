"""A search of a million samples within a limit on memory: it ends well, or with MemoryError."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs limits of Linux")

PROGRAM = """
import json, resource, sys
import numpy as np
from rarelabels import ApproximateNeighbors, find_neighbors

kind, megabytes = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
if kind == "exact":
    X, options = rng.random((1_000_000, 2)), {"scale_features": False}
else:
    import faiss
    centers = 10 * rng.random((400, 4))
    X = centers[rng.integers(400, size=1_000_000)] + rng.normal(scale=0.1, size=(1_000_000, 4))
    options = {"scale_features": False, "neighbors": ApproximateNeighbors(recall=0.5)}
status = dict(line.split(":") for line in open("/proc/self/status"))
used = 1024 * int(status["VmSize"].split()[0])
limit = used + megabytes * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    found = find_neighbors(X, n_neighbors=3, n_jobs=1, **options)
except MemoryError as error:
    print(json.dumps({"error": str(error)}))
    sys.exit()
some = rng.choice(1_000_000, 20, replace=False)
hits = 0
for i in some:
    away = ((X - X[i]) ** 2).sum(axis=1)
    away[i] = np.inf
    nearest = np.argpartition(away, 3)[:3]
    hits += len(set(nearest) & set(found.indices[i]))
print(json.dumps({"shape": found.indices.shape, "hits": hits, "recall": found.recall}))
"""


def searched(kind, megabytes):
    """Return what a process with a limit on its memory says of its search."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, kind, str(megabytes)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_exact_search():
    """X has 16 MB, and a table of all pairs would have a million times a million entries."""
    found = searched("exact", 1000)
    assert found == {"shape": [1_000_000, 3], "hits": 60, "recall": 1.0}


def test_an_approximate_search():
    pytest.importorskip("faiss")
    found = searched("approximate", 500)
    assert found["shape"] == [1_000_000, 3]
    assert found["recall"] >= 0.5
    assert found["hits"] >= 15


@pytest.mark.parametrize("kind", ["exact", "approximate"])
def test_too_little_memory_is_an_error_and_no_crash(kind):
    if kind == "approximate":
        pytest.importorskip("faiss")
    assert "error" in searched(kind, 40)
