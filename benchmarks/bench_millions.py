"""MLSOL on up to a million samples in clusters, neighbors searched approximately.

Claims: a million samples of 100 features and 100 labels in less than ten minutes and 4 GB, with a
recall of at least 0.98. Each size has a process of its own, so that its peak memory is its own; the
samples themselves are part of it. One thread, CPU-seconds; the recall is what the search measured.
"""

from __future__ import annotations

from benchmarks._measure import in_fresh_process, scaled, show

SIZES = (100_000, 1_000_000)

ONE_SIZE = """
import time
from benchmarks._measure import peak_megabytes
from benchmarks.bench_millions import clustered
from rarelabels import find_neighbors
from rarelabels.sampling import MLSOL

X, y = clustered({n_samples})
before, start = peak_megabytes(), time.process_time()
found = find_neighbors(X, neighbors="approximate", n_jobs=1)
searched = time.process_time()
X_new, _ = MLSOL(neighbors=found, random_state=0).fit_resample(X, y)
end = time.process_time()
print(searched - start, end - start, before, peak_megabytes(), found.recall, X_new.shape[0])
"""


def clustered(n_samples, n_features=100, n_labels=100, n_clusters=1000, seed=0):
    """Make samples around centers, the centers' labels and some by chance, part by part."""
    import numpy as np
    from scipy import sparse

    rng = np.random.default_rng(seed)
    centers = rng.random((n_clusters, n_features))
    of_centres = rng.random((n_clusters, n_labels)) < 0.5 / np.arange(1, n_labels + 1)
    cluster = rng.integers(n_clusters, size=n_samples)
    X, labels = np.empty((n_samples, n_features)), []
    for start in range(0, n_samples, 10_000):
        part = cluster[start : start + 10_000]
        noise = rng.normal(scale=0.1, size=(part.size, n_features))
        X[start : start + part.size] = centers[part] + noise
        by_chance = rng.random((part.size, n_labels)) < 0.002
        labels.append(sparse.csr_array((of_centres[part] | by_chance).astype(np.int8)))
    return X, sparse.vstack(labels, format="csr")


def main() -> None:
    heads = ("samples", "search CPU-s", "MLSOL CPU-s", "MB of X, y", "peak MB", "recall", "after")
    rows = [heads]
    for size in SIZES:
        made = in_fresh_process(ONE_SIZE.format(n_samples=scaled(size)))
        search, whole, before, peak, recall, n_after = map(float, made.split())
        rows.append(
            (
                f"{size:,}",
                f"{search:.0f}",
                f"{whole:.0f}",
                f"{before:.0f}",
                f"{peak:.0f}",
                f"{recall:.3f}",
                f"{n_after:,.0f}",
            )
        )
    show("MLSOL with approximate neighbors: 100 features in 1,000 clusters, 100 labels", rows)


if __name__ == "__main__":
    main()
