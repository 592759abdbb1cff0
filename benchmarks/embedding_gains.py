"""Gains by cosine on embeddings: MLSOL and MLkNN by three distances.

The samples of bibtex, enron and medical become embeddings of 100 numbers and unit length: a
truncated singular value decomposition of tf-idf (latent semantic analysis). Labels with fewer than
ten positives are left out. MLSOL and MLkNN use the same distance: Euclidean with rescaled features,
Euclidean without, and cosine. KNN is scikit-learn's with five neighbors, always by cosine. The
numbers are means of macro-F1 over three random pairs of halves.

    python -m benchmarks.embedding_gains [--data FOLDER] [--seeds 3]

Results:

    data     model  sampler  rescaled  unscaled   cosine
    bibtex   KNN    none       0.2406    0.2406   0.2406
    bibtex   KNN    MLSOL      0.2893    0.2901   0.2901
    bibtex   MLkNN  none       0.1640    0.1681   0.1681
    bibtex   MLkNN  MLSOL      0.2294    0.2368   0.2397
    enron    KNN    none       0.1696    0.1696   0.1696
    enron    KNN    MLSOL      0.1875    0.1969   0.1976
    enron    MLkNN  none       0.0793    0.1157   0.1215
    enron    MLkNN  MLSOL      0.1323    0.1540   0.1619
    medical  KNN    none       0.5278    0.5278   0.5278
    medical  KNN    MLSOL      0.5702    0.5725   0.5725
    medical  MLkNN  none       0.4179    0.4078   0.4078
    medical  MLkNN  MLSOL      0.4852    0.4981   0.4968
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from benchmarks._measure import DATA
from rarelabels.datasets import drop_rare_labels, load_mulan
from rarelabels.learners import MLkNN
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold
from rarelabels.sampling import MLSOL

DISTANCES: dict[str, dict[str, Any]] = {
    "rescaled": {"metric": "euclidean", "scale_features": True},
    "unscaled": {"metric": "euclidean", "scale_features": False},
    "cosine": {"metric": "cosine"},
}
N_NUMBERS, LEAST_POSITIVES = 100, 10


def embeddings(folder: Path) -> tuple[Any, Any]:
    """Return the samples of a data set as embeddings, and its labels."""
    data = load_mulan(folder / f"{folder.name}.arff", folder / f"{folder.name}.xml")
    weights = TfidfTransformer().fit_transform(sparse.csr_array(data.X, dtype=float))
    X = normalize(TruncatedSVD(N_NUMBERS, random_state=0).fit_transform(weights))
    Y = drop_rare_labels(sparse.csr_array(data.Y), min_positive=LEAST_POSITIVES)[0]
    return X, Y.toarray().astype(int)


def scores(
    X: Any, Y: Any, distance: dict[str, Any], seed: int
) -> dict[tuple[str, str], list[float]]:
    """Return macro-F1 on both halves by model and sampler."""
    found: dict[tuple[str, str], list[float]] = {}
    for train, test in IterativeStratifiedKFold(2, shuffle=True, random_state=seed).split(X, Y):
        resampled = MLSOL(**distance, random_state=seed).fit_resample(X[train], Y[train])
        for sampler, data in {"none": (X[train], Y[train]), "MLSOL": resampled}.items():
            models = {"KNN": KNeighborsClassifier(5, metric="cosine"), "MLkNN": MLkNN(**distance)}
            for name, model in models.items():
                value = macro_f1(Y[test], model.fit(*data).predict(X[test]))
                found.setdefault((name, sampler), []).append(float(value))
    return found


def main() -> None:
    """Print macro-F1 of each data set, model, sampler and distance."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--names", nargs="+", default=["bibtex", "enron", "medical"])
    options = parser.parse_args()
    print("data     model  sampler " + "".join(f"{name:>10}" for name in DISTANCES))
    for name in options.names:
        X, Y = embeddings(options.data / name)
        by_distance = [
            [scores(X, Y, distance, seed) for seed in range(options.seeds)]
            for distance in DISTANCES.values()
        ]
        for model, sampler in by_distance[0][0]:
            means = [np.mean([one[model, sampler] for one in runs]) for runs in by_distance]
            numbers = "".join(f"{mean:10.4f}" for mean in means)
            print(f"{name:<8} {model:<6} {sampler:<7} {numbers}", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
