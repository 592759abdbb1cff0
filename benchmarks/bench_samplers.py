"""The samplers beside scikit-learn's bare exact neighbor search, on bibtex.

Run with ``python -m benchmarks.bench_samplers``. CPU seconds on one thread, the best of three, as
a ratio to ``NearestNeighbors(algorithm="brute").kneighbors`` on the same samples, on
bibtex with the tenth of its features that is most often non-zero (7,395 × 183, 159 labels).

Claims: MLROS, MLRUS, LPROS, LPRUS and REMEDIAL at most 5 % of the search, MLSMOTE at most half of
it, MLeNN and MLTL at most 1.2 times.
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks._measure import DATA, absent, scaled, seconds, show
from rarelabels.datasets import load_mulan, select_frequent_features
from rarelabels.sampling import sampler

CLAIMS = {
    "mlros": 0.05,
    "mlrus": 0.05,
    "lpros": 0.05,
    "lprus": 0.05,
    "remedial": 0.05,
    "mlsmote": 0.5,
    "rhwrsmt": None,
    "mlenn": 1.2,
    "mltl": 1.2,
    "mlsol": None,
    "mlul": None,
}


def read():
    dataset = load_mulan(DATA / "bibtex" / "bibtex.arff")
    X, _ = select_frequent_features(dataset.X, 0.1)
    n_samples = scaled(X.shape[0])
    return X[:n_samples].toarray(), dataset.Y[:n_samples].toarray().astype(np.int8)


def bare_search(X):
    NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X).kneighbors()


def measure(name, X, Y, base):
    made = sampler(name, random_state=0)
    cpu, _ = seconds(lambda: made.fit_resample(X, Y))
    claim = f"≤ {CLAIMS[name]}" if CLAIMS[name] else "none"
    return made.sample_indices_.size, f"{cpu:.4f}", f"{cpu / base:.3f}", claim


def main():
    if absent("samplers", ["bibtex"]):
        return
    X, Y = read()
    rows = [("sampler", "samples out", "CPU s", "of the bare search", "claim")]
    with threadpool_limits(1):
        base, _ = seconds(lambda: bare_search(X))
        rows.append(("bare search", X.shape[0], f"{base:.4f}", "1.000", ""))
        rows += [(name, *measure(name, X, Y, base)) for name in CLAIMS]
    show(f"Samplers on bibtex, {X.shape[0]:,} × {X.shape[1]}, {Y.shape[1]} labels", rows)


if __name__ == "__main__":
    main()
