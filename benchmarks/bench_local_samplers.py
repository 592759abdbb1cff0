"""MLSOL and MLUL beside scikit-learn's bare exact neighbor search.

Claims: end to end at most 0.8 of that search at 20,000 × 100 with 50 labels; what is not neighbor
search at most 15 % of the whole at 7,395 × 183 with 159 labels; 50,000 samples with 10,000 sparse
labels in at most 1 GB more than the input.
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks._measure import in_fresh_process, scaled, seconds, show
from rarelabels import find_neighbors
from rarelabels.sampling import MLSOL, MLUL

SAMPLERS = {"MLSOL": MLSOL(random_state=0), "MLUL": MLUL(random_state=0)}

MEMORY = """
import warnings
warnings.simplefilter("ignore")
from benchmarks._measure import peak_megabytes, scaled
from rarelabels.datasets import make_multilabel
from rarelabels.sampling import MLSOL, MLUL
data = make_multilabel(scaled(50_000), 1_000, scaled(10_000), cardinality=5, random_state=0)
before = peak_megabytes()
{sampler}(random_state=0).fit_resample(data.X, data.Y)
print(before, peak_megabytes())
"""


def random_data(n_samples, n_features, n_labels, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_samples, n_features))
    rates = 0.3 / np.arange(1, n_labels + 1) ** 0.5
    return X, (rng.random((n_samples, n_labels)) < rates).astype(np.int8)


def bare_search(X):
    NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X).kneighbors(return_distance=False)


def end_to_end():
    X, y = random_data(scaled(20_000), 100, 50)
    rows = [("20,000 × 100, 50 labels", "threads", "CPU ratio", "wall ratio", "claim")]
    for threads in (1, 2):
        with threadpool_limits(threads):
            base = seconds(lambda: bare_search(X))
            for name, sampler in SAMPLERS.items():
                mine = seconds(lambda sampler=sampler: sampler.fit_resample(X, y))
                ratios = [f"{mine[i] / base[i]:.2f}" for i in (0, 1)]
                rows.append((name, threads, *ratios, "≤ 0.80"))
    show("Whole samplers, compared with scikit-learn's exact search alone", rows)


def label_side():
    X, y = random_data(scaled(7_395), 183, 159)
    found = find_neighbors(X, n_neighbors=5)
    rows = [("7,395 × 183, 159 labels", "share of the whole", "claim")]
    for name, sampler in SAMPLERS.items():
        whole, _ = seconds(lambda sampler=sampler: sampler.fit_resample(X, y), repeats=5)
        handed = type(sampler)(neighbors=found, random_state=0)
        rest, _ = seconds(lambda handed=handed: handed.fit_resample(X, y), repeats=5)
        rows.append((name, f"{rest / whole:.1%}", "≤ 15 %"))
    show("Time without the search for neighbors", rows)


def memory():
    rows = [("50,000 × 1,000 sparse, 10,000 labels", "MB with the input", "MB more", "claim")]
    for name in SAMPLERS:
        before, after = map(float, in_fresh_process(MEMORY.format(sampler=name)).split())
        rows.append((name, f"{before:.0f}", f"{after - before:.0f}", "≤ 1024"))
    show("Peak memory", rows)


def main():
    end_to_end()
    label_side()
    memory()


if __name__ == "__main__":
    main()
