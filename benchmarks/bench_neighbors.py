"""The exact search for neighbors beside the bare matrix product, other searches and itself.

Claims: MLSOL and MLUL end to end at most 1.15, 1.0 and 0.8 of the float32 product of X and its
transpose at 7,395 × 183, 20,000 × 100 and 50,000 × 100, and below faiss's bare flat search (where
faiss is installed); two threads 1.7 times as fast as one; a pair of samples costs the same within
20 % from 20,000 to 200,000 samples; with numba, sparse sets take at most 0.3 and sparse numbers at
most 0.5 of the time without it; cosine takes at most 1.1 of the time of the Euclidean distance.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from unittest.mock import patch

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from threadpoolctl import threadpool_limits

from benchmarks._measure import DATA, SMOKE, absent, scaled, seconds, show
from rarelabels import find_neighbors
from rarelabels._neighbors import exact
from rarelabels.datasets import load_mulan, make_multilabel
from rarelabels.sampling import MLSOL, MLUL

SIZES = [(7_395, 183, 159, 1.15), (20_000, 100, 50, 1.0), (50_000, 100, 50, 0.8)]
GROWTH = [20_000, 50_000, 100_000, 200_000]


def random_data(n_samples, n_features, n_labels, seed=0):
    rng = np.random.default_rng(seed)
    rates = 0.3 / np.arange(1, n_labels + 1) ** 0.5
    y = (rng.random((n_samples, n_labels)) < rates).astype(np.int8)
    return rng.random((n_samples, n_features)), y


def bare_product(X, asking=None):
    """Multiply by blocks into the same room, so that no memory of n × n is asked for."""
    asking = X if asking is None else asking
    room = np.empty((min(1024, len(X)), len(X)), dtype=np.float32)
    for start in range(0, len(asking), 1024):
        block = asking[start : start + 1024]
        np.matmul(block, X.T, out=room[: len(block)])


def flat_search(X):
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    index.search(X, 6)


def end_to_end():
    rows = [("samples × features", "MLSOL", "MLUL", "faiss's flat search", "claim")]
    for n_samples, n_features, n_labels, claim in SIZES:
        X, y = random_data(scaled(n_samples), n_features, n_labels)
        single, repeats = X.astype(np.float32), 3 if n_samples < 10_000 else 1
        with threadpool_limits(1):
            product, _ = seconds(lambda X=single: bare_product(X), repeats)
            ratios = []
            for sampler in (MLSOL(random_state=0, n_jobs=1), MLUL(random_state=0, n_jobs=1)):
                cpu, _ = seconds(lambda s=sampler, X=X, y=y: s.fit_resample(X, y), repeats)
                ratios.append(f"{cpu / product:.2f}")
            flat = "not installed"
            if find_spec("faiss"):
                flat = f"{seconds(lambda X=single: flat_search(X), repeats)[0] / product:.2f}"
        rows.append((f"{n_samples:,} × {n_features}", *ratios, flat, f"≤ {claim}"))
    show("CPU time divided by that of the float32 matrix product, one thread", rows)


def threads():
    X, y = random_data(scaled(20_000), 100, 50)
    single, halves = X.astype(np.float32), np.array_split(X.astype(np.float32), 2)
    with threadpool_limits(1), ThreadPoolExecutor(2) as pool:
        works = {
            "MLSOL": lambda n: MLSOL(random_state=0, n_jobs=n).fit_resample(X, y),
            "MLUL": lambda n: MLUL(random_state=0, n_jobs=n).fit_resample(X, y),
            "the search alone": lambda n: find_neighbors(X, n_jobs=n),
            "the float32 product alone": lambda n: (
                bare_product(single)
                if n == 1
                else list(pool.map(lambda half: bare_product(single, half), halves))
            ),
        }
        # In turns, so that a busy moment hits all of them.
        turns = [
            [[seconds(partial(work, n), repeats=1)[1] for n in (1, 2)] for work in works.values()]
            for _ in range(1 if SMOKE else 8)
        ]
    rows = [("20,000 × 100, 50 labels", "times as fast", "claim")]
    for name, (one, two) in zip(works, np.min(turns, axis=0), strict=True):
        rows.append((name, f"{one / two:.2f}", "≥ 1.7" if name.startswith("ML") else ""))
    show("Wall time with one and two threads, on an idle machine", rows)


def growth():
    rows = [("samples × 100", "ns for a pair", "× the first", "claim")]
    first = None
    for n_samples in GROWTH:
        X, _ = random_data(scaled(n_samples), 100, 1)
        with threadpool_limits(1):
            cpu, _ = seconds(lambda X=X: find_neighbors(X, n_jobs=1), 1)
        pair = cpu / len(X) ** 2 * 1e9
        first = first or pair
        rows.append((f"{n_samples:,}", f"{pair:.2f}", f"{pair / first:.2f}", "0.80 to 1.20"))
    show("Cost of a pair of samples", rows)


def with_and_without_numba(X):
    with threadpool_limits(1):
        find_neighbors(X, n_jobs=1)  # Compiles, the first time.
        fast, _ = seconds(lambda: find_neighbors(X, n_jobs=1), 2)
        with patch.object(exact, "find_spec", lambda name: None):
            plain, _ = seconds(lambda: find_neighbors(X, n_jobs=1), 1)
    return f"{fast / plain:.2f}"


def sparse_features():
    made = sparse.csr_array(make_multilabel(scaled(28_000), 500, 20, random_state=0).X)
    made.data[:] = 1
    rows = [("sparse data", "× the time without numba", "claim")]
    rows.append(("28,000 × 500 sets", with_and_without_numba(made), "≤ 0.30"))
    if not absent("sparse neighbors", ["bibtex", "rcv1subset1"]):
        for name, claim in (("bibtex", "≤ 0.30"), ("rcv1subset1", "≤ 0.50")):
            data = load_mulan(DATA / name / f"{name}.arff", DATA / name / f"{name}.xml")
            rows.append((name, with_and_without_numba(sparse.csr_array(data.X)), claim))
    show("Sparse features with numba", rows)


def cosine_ratio(X):
    with threadpool_limits(1):
        searches = [partial(find_neighbors, X, metric=m, n_jobs=1) for m in ("euclidean", "cosine")]
        for search_once in searches:
            search_once()  # Compiles, the first time.
        # In turns, so that a busy moment hits both of them.
        turns = [[seconds(one, 1)[0] for one in searches] for _ in range(1 if SMOKE else 5)]
    euclidean, cosine = np.min(turns, axis=0)
    return f"{cosine / euclidean:.2f}"


def by_cosine():
    rng, claim = np.random.default_rng(0), "≤ 1.10"
    rows = [("data", "× the time by Euclidean distance", "claim")]
    for n_samples, n_features in ((7_395, 183), (20_000, 100), (20_000, 5)):
        X = rng.normal(size=(scaled(n_samples), n_features))
        rows.append((f"{n_samples:,} × {n_features}", cosine_ratio(X), claim))
    if not absent("neighbors by cosine", ["bibtex", "rcv1subset1"]):
        for name in ("bibtex", "rcv1subset1"):
            data = load_mulan(DATA / name / f"{name}.arff", DATA / name / f"{name}.xml")
            X = sparse.csr_array(data.X, dtype=float)
            rows.append((name, cosine_ratio(X), claim))
            rows.append(
                (f"{name}, tf-idf", cosine_ratio(TfidfTransformer().fit_transform(X)), claim)
            )
    show("Neighbors by cosine, one thread", rows)


def main():
    end_to_end()
    threads()
    growth()
    sparse_features()
    by_cosine()


if __name__ == "__main__":
    main()
